/** Every language has every text and no other, of the same values, in its own words; and figures in its own form. */
import { afterAll, describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { fileURLToPath } from 'node:url';
import { writeCaptionFile } from '../../../server/captions/files/read-write.ts';
import { findBrokenRules } from '../../../server/captions/rules/check.ts';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { confidenceSummary } from '../../../server/contract/confidence.ts';
import { hearingSentences } from '../../../server/contract/hearing.ts';
import { readConfig } from '../../../server/config/config.ts';
import {
  HOUSE_PROFILE_FORMAT,
  readHouseProfile,
} from '../../../server/captions/rules/profiles/house-profile.ts';
import { providerSummaries } from '../../../server/pipeline/providers.ts';
import { loadTermPacks } from '../../../server/terminology/packs/packs.ts';
import { offerInWords } from '../../../server/terminology/decide/offers.ts';
import { bestLanguage } from '../../../server/contract/best-language.ts';
import {
  byName,
  counted,
  dateTime,
  duration,
  languageName,
  list,
  megabytes,
  number,
  percent,
  seconds,
  sentence,
} from '../../../web/texts/format.ts';
import { declaredTexts, inLanguage, speak } from '../../../web/texts/language.ts';
import { LANGUAGES } from '../../../web/texts/languages/languages.ts';
import { problems, problemText } from '../../../web/texts/problems.ts';
import { sampleResult } from '../../../web/start/sample-result.ts';

const folder = fileURLToPath(new URL('../../../web/texts', import.meta.url));
for (const file of new Glob('*.ts').scanSync(folder)) await import(`${folder}/${file}`);

/** The texts by their place, such as `shell.start.drop`. */
function texts(of: object, at = ''): Map<string, unknown> {
  return new Map(
    Object.entries(of).flatMap(([key, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null
        ? [...texts(value, `${at}${key}.`)]
        : [[`${at}${key}`, value]],
    ),
  );
}

// English shows the messages of the service; the others have a text for each code, which the compiler checks.
const english = texts(Object.fromEntries(declaredTexts()));
const isOfCode = (place: string): boolean => place.startsWith('problems.byCode.');

type Says = (...values: unknown[]) => unknown;

/** Values of each kind that texts receive; those of a text are told apart by their place. */
const KINDS: readonly ((at: number) => unknown)[] = [
  (at) => `Wx${'abcdef'[at]}z`,
  (at) => 7 + 6 * at,
  (at) => [`Wx${'abcdef'[at]}z`, `Wy${'abcdef'[at]}z`],
  () => ['sound', 'video'],
  (at) => ({ value: 0.5 + at / 10, low: 0.25, high: 0.75, hears: true, sees: true }),
  () => ({ state: 'in_review', approval: null, assignee: 'Wxaz', due: '2026-12-01' }),
];

/** What a text says; null if it cannot be made of such values. */
function saidOf(text: unknown, values: readonly unknown[]): string | null {
  try {
    const said: unknown = typeof text === 'function' ? (text as Says)(...values) : text;
    return typeof said === 'string' && !/undefined|NaN|\[object|=>|#/.test(said) ? said : null;
  } catch {
    return null;
  }
}

/**
 * What a text says in both languages, of values found by trying, if possible of such that both name alike; null if there
 * are none of which both can be made.
 */
function saidInBoth(text: unknown, other: unknown): [english: string, other: string] | null {
  let tries: unknown[][] = [[]];
  const takes = typeof text === 'function' ? text.length : 0;
  for (let at = 0; at < takes; at += 1) {
    tries = tries.flatMap((before) => KINDS.map((kind) => [...before, kind(at)]));
  }
  const found = tries.flatMap((values): [string, string][] => {
    const [said, otherwise] = [saidOf(text, values), saidOf(other, values)];
    return said !== null && otherwise !== null ? [[said, otherwise]] : [];
  });
  return found.find(([said, otherwise]) => named(said) === named(otherwise)) ?? found[0] ?? null;
}

const NAMED = /w[xy][a-f]z/gi;
const named = (said: string): string =>
  [...new Set(said.toLowerCase().match(NAMED) ?? [])].sort().join(' ');

test('every text of a part is declared for other languages', async () => {
  const left = await Promise.all(
    [...new Glob('*.ts').scanSync(folder)].map(async (file) =>
      [...(await Bun.file(`${folder}/${file}`).text()).matchAll(/^export const (\w+) = \{/gm)]
        .map(([, name]) => `${file}: ${name}`)
        // It puts two of them together.
        .filter((found) => found !== 'review.ts: text'),
    ),
  );
  expect(left.flat()).toEqual([]);
});

for (const tag of Object.keys(LANGUAGES)) {
  describe(tag, async () => {
    const { first } = await LANGUAGES[tag]!.first();
    const { others } = await LANGUAGES[tag]!.others();
    const translated = texts({ ...first, ...others });
    const source = await Bun.file(`${folder}/languages/${tag}.ts`).text();
    const same = new Set(/^\/\/ As in English: (.*)$/m.exec(source)?.[1]?.split(', ') ?? []);

    test('has every text, and none that nobody shows', () => {
      const places = [...translated.keys()];
      expect([...english.keys()].filter((place) => !translated.has(place))).toEqual([]);
      expect(places.filter((place) => !english.has(place) && !isOfCode(place))).toEqual([]);
    });

    const both = [...english].map(
      ([place, text]) => [place, saidInBoth(text, translated.get(place))] as const,
    );

    test('makes its texts of the same values', () => {
      const wrong = both.filter(
        ([, said]) =>
          !said || named(said[0]) !== named(said[1]) || (said[0] !== '' && said[1].trim() === ''),
      );
      expect(wrong).toEqual([]);
    });

    test('leaves nothing in English', () => {
      // After names of products and formats, values, signs and units, nothing is left.
      const left = both.filter(
        ([, said]) =>
          said?.[0] === said?.[1] &&
          (said?.[0].replaceAll(NAMED, '').match(/\p{L}{3,}/gu) ?? []).some(
            (word) => !same.has(word),
          ),
      );
      expect(left).toEqual([]);
    });
  });
}

/** What is said of files that should be profiles. */
function profileFaults(): string[] {
  const faults = (file: string): string[] => {
    try {
      readHouseProfile(file);
      return [];
    } catch (error) {
      return (error as Error).message.split('\n');
    }
  };
  const profile = (fields: object) => JSON.stringify({ format: HOUSE_PROFILE_FORMAT, ...fields });
  const ours = { name: 'Ours', base: 'bbc' };
  return [
    ...faults('{'),
    ...faults('{}'),
    ...faults(profile({ ...ours, minDuration: 9, maxDuration: 2 })),
    ...faults(profile({ name: '', base: 'itv', maxLines: 9, closedGap: 9, speed: 4, unknown: 1 })),
    ...faults(profile({ speed: {}, frameRate: 0, shots: 1, dialogue: { lines: 1, dash: 2 } })),
    ...faults(profile({ ...ours, dialogue: 3, speed: { unit: 'words' } })),
  ];
}

/** What the form for a recording shows of services and packs; names of packs are the same everywhere. */
async function wordsOfTheStart(): Promise<string[]> {
  const packs = (await loadTermPacks()).filter(({ id }) => PACKS.has(id));
  const shown = packs.flatMap(({ title, description = '' }) =>
    / [a-z]/.test(title) ? [title, description] : [description],
  );
  const services = ['host', 'service'].map((engine) =>
    providerSummaries(readConfig(engine === 'host' ? {} : { EDGE_SPEECH_URL: 'http://a.example' })),
  );
  const limits = services
    .flat()
    .filter(({ stage, name }) => stage === 'transcription' && SPEECH.has(name))
    .map((service) => service.limits);
  return [...shown, ...limits];
}

/** Packs and services of others may come with English words, which are shown as they are. */
const PACKS = new Set(
  'identity-auth domains/ai-agents domains/b2b-saas events/mcp-night protocols/mcp vendors/cloudflare vendors/workos'.split(
    ' ',
  ),
);
const SPEECH = new Set(['edge', 'deepgram', 'assemblyai']);

/** What the program itself says of captions, of rules they break, of what a file lacks, and of corrections. */
async function englishSentences(): Promise<{ violations: string[]; sentences: string[] }> {
  const cue = (start: number, end: number, ...lines: string[]) => ({ start, end, lines });
  const cues = [
    cue(0, 0.5, 'Hello.'),
    cue(0.52, 9.013, 'One line that is far longer than forty-two characters.', 'Two.', 'Three.'),
    {
      ...cue(9.3, 10.5, 'She speaks fast, faster than most can read it.', 'He.'),
      speakers: ['A', 'B'],
    },
    cue(10.4, 30, 'It overlaps.'),
  ];
  const picture = { frameRate: 25, shots: [0.08, 8.9, 10.6] };
  const found = ['netflix', 'bbc', 'dcmp'].flatMap((name) => [
    ...findBrokenRules(cues, profileOf(name as 'netflix'), picture),
    ...findBrokenRules(cues, profileOf(name as 'netflix')),
  ]);
  const losses: string[] = [];
  const lost = ({ message }: { message: string }) => void losses.push(message);
  const rich = {
    ...cue(0, 1, '<i>ナ</i>a'.repeat(40)),
    placement: { vertical: 'middle' as const },
  };
  for (const format of ['scc', 'stl', 'itt', 'srt', 'sbv', 'sub'] as const) {
    await writeCaptionFile(format, [rich, rich, ...cues], { frameRate: 24, lost });
  }
  await writeCaptionFile('stl', cues, { frameRate: 29.97, dropFrame: false, lost });
  const sampleReasons = sampleResult().audit.corrections.map(({ reason }) => reason);
  const reasons = [
    '"off kit" sounds like AuthKit, which was given for this talk.',
    ...sampleReasons,
    '"skim" is ordinary English and may be SCIM: "login" is nearby.',
    '"authkit" is written AuthKit.',
    confidenceSummary({ unsureWords: 46, rough: true }, 120),
    confidenceSummary({ unsureWords: 4 }, 120),
    confidenceSummary({}, 1200),
    ...hearingSentences({
      otherLanguages: [{ language: 'de', start: 31, end: 60 }],
      missing: 0.2,
      hearing: { wrong: 0.3, atLeast: 0.2, atMost: 0.4, stretches: [] },
    }),
    offerInWords({ heard: 'monroe', meant: 'Monro', places: [{ start: 41 }, { start: 80.2 }] }),
  ];
  return {
    violations: [...found.map(({ says }) => says), ...(await unreadReasons())],
    sentences: [...losses, ...reasons, ...profileFaults(), ...(await wordsOfTheStart())],
  };
}

/** Why a line of a file was not read, as the sources say it. */
async function unreadReasons(): Promise<string[]> {
  const server = fileURLToPath(new URL('../../../server/captions/files/', import.meta.url));
  const sources = await Promise.all(
    [...new Glob('*.ts').scanSync(server)].map((path) => Bun.file(server + path).text()),
  );
  const found = sources.flatMap((source) =>
    [...source.matchAll(REASON)].map(([, , says]) => says!),
  );
  return [...new Set(found)].map((says) => says.replaceAll(/\$\{[^}]*\}/g, '25'));
}

const REASON =
  /(['`])((?:its? |there are |a part of it |bytes of |the (?:file|JSON|text|last) )[^'`\n]*)\1(?=[;,\n)]| [:}])/g;

describe('sentences that the program makes in English', async () => {
  const { violations, sentences } = await englishSentences();
  test('are there', () => {
    expect(
      new Set(violations.map((says) => says.replaceAll(/\d[\d.]*/g, '#'))).size,
    ).toBeGreaterThan(10);
    expect(sentences.length).toBeGreaterThan(8);
  });
  test.each(Object.keys(LANGUAGES))('are said in %s', async (tag) => {
    const { others } = await LANGUAGES[tag]!.others();
    const said = others.said as { sentence: Says; violation: Says };
    const bare = (told: unknown): unknown =>
      typeof told === 'string' ? told.replaceAll(/[\u2068\u2069]/g, '') : told;
    const english = (told: unknown, whole: string) =>
      typeof told !== 'string' ||
      told === whole ||
      /undefined|NaN|\b(?:caption|frames of|at most)\b/.test(told);
    expect(sentences.filter((one) => english(bare(said.sentence(one)), one))).toEqual([]);
    expect(violations.filter((one) => english(bare(said.violation(one)), sentence(one)))).toEqual(
      [],
    );
    expect(said.sentence('Nobody knows this.')).toContain('Nobody knows this.');
    expect(
      said.sentence('German is spoken from 0:31 to 1:00, and was recognised as that.'),
    ).not.toContain('German is');
  });
});

describe('in another language', () => {
  afterAll(() => speak('en', {}));

  test('a part shows its texts, whether it is declared before or after they are loaded', () => {
    const before = inLanguage('test before', { deep: { one: 'one' }, two: () => 'two' });
    speak('de', {
      'test before': { deep: { one: 'eins' }, two: () => 'zwei' },
      'test after': { three: 'drei' },
    });
    const after = inLanguage('test after', { three: 'three' });
    expect([before.deep.one, before.two(), after.three]).toEqual(['eins', 'zwei', 'drei']);
  });

  test('figures, dates, lists and names have its form and order', () => {
    speak('de', {});
    expect([number(3000), percent(0.5), seconds(0.84), duration(35), megabytes(600_000)]).toEqual([
      '3.000',
      '50\u00a0%',
      '0,8 s',
      '35 s',
      '0,6 MB',
    ]);
    expect(list(['a', 'b', 'c'])).toBe('a, b und c');
    expect(list(['a', 'b'], 'or')).toBe('a oder b');
    expect(languageName('fr')).toBe('Französisch');
    expect(dateTime('2026-11-29T12:00:00')).toBe('29.11.2026, 12:00');
    expect(['Zebra', 'Äpfel 10', 'Äpfel 9', 'Apfel'].toSorted(byName)).toEqual([
      'Apfel',
      'Äpfel 9',
      'Äpfel 10',
      'Zebra',
    ]);
    speak('sv', {});
    expect(['Äpple', 'Zebra'].toSorted(byName)).toEqual(['Zebra', 'Äpple']);
    speak('ar', {});
    expect(number(1234.5)).toBe('1,234.5');
  });

  test.each([
    ['pl', [1, 2, 5, 22, 112, 1.5], ['one', 'few', 'many', 'few', 'many', 'other']],
    ['ar', [0, 1, 2, 3, 11, 100], ['zero', 'one', 'two', 'few', 'many', 'other']],
    ['ja', [0, 1, 2], ['other', 'other', 'other']],
  ] as const)('a count in %s takes the form of its number', (tag, values, forms) => {
    speak(tag, {});
    const say = counted<'zero' | 'one' | 'two' | 'few' | 'many'>();
    const each = { zero: 'zero', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' };
    expect(values.map((value) => say(value, each))).toEqual([...forms]);
    expect(say(4000, { ...each, few: '#', many: '#', other: '#' })).toBe(number(4000));
  });

  test('an error is told by its code, and an unknown one with what the service says', async () => {
    expect(problemText({ code: 'rate_limited', message: 'Too many.' })).toBe('Too many.');
    const { first } = await LANGUAGES['de']!.first();
    const { byCode, other } = first.problems;
    expect(byCode.rate_limited).toBe('Das waren zu viele Anfragen. Warten Sie eine Weile.');
    expect(other('Nobody knows.')).toBe('Der Server meldet auf Englisch: „Nobody knows.“');
    expect(problems.byCode).toEqual({});
  });
});

test.each([
  [['de-AT', 'en'], 'de'],
  [['xx', 'no tag!', 'pt-PT'], 'pt-BR'],
  [['zh-TW', 'fr'], 'fr'],
  [['zh'], 'zh-Hans'],
  [['zh-SG'], 'zh-Hans'],
  [['en-GB'], 'en'],
  [['sw'], null],
  [[], null],
])('of %j, the best is %s', (wanted, best) => {
  expect(bestLanguage(wanted, ['en', 'de', 'fr', 'pt-BR', 'zh-Hans'])).toBe(best);
});
