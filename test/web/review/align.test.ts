/** Words are paired with those that were heard, so that a script and rebuilt captions get their times. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { joinWords } from '../../../server/captions/width.ts';
import { timeScript, writtenWords } from '../../../web/review/model/align-words.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { rebuild, replaceByScript, alignScript } from '../../../web/review/model/rebuild.ts';
import { type TimedWord } from '../../../web/review/model/spoken-cut.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { at, cuesOf, settings, someCues, spoken, wordsOf, expectInOrder } from './support.ts';

const heardOf = (text: string, each = 0.4): TimedWord[] =>
  text.split(' ').map((word, at) => ({ text: word, start: at * each, end: at * each + 0.3 }));

const bounds = { start: 0, end: 3600 };

const someWords = fc.array(
  fc.constantFrom('the', 'a', 'team', 'shipped', 'server', 'skim', 'scim', 'authkit'),
  { maxLength: 40 },
);

const timed = (script: readonly string[], heard: readonly TimedWord[], within = bounds) =>
  timeScript(
    script.map((text) => ({ text })),
    heard,
    within,
  );

test('words are paired in order, each at most once; their times never decrease, and stay within the recording', () => {
  fc.assert(
    fc.property(someWords, someWords, (script, heard) => {
      const spokenWords = heard.length === 0 ? [] : heardOf(heard.join(' '));
      const { words, pairings } = timed(script, spokenWords, { start: 0, end: 20 });
      let [at, heardAt] = [0, 0];
      for (const pair of pairings) {
        expect(pair.script).toBeGreaterThanOrEqual(at);
        expect(pair.heard).toBeGreaterThanOrEqual(heardAt);
        at = pair.script + pair.scriptCount;
        heardAt = pair.heard + pair.heardCount;
        const said = heard.slice(pair.heard, heardAt).join('');
        expect(script.slice(pair.script, at).join('') === said).toBe(pair.same);
      }
      expect(at).toBeLessThanOrEqual(script.length);
      expect(heardAt).toBeLessThanOrEqual(heard.length);
      expect(words.map(({ text }) => text)).toEqual(script);
      let before = 0;
      for (const { start, end } of words) {
        expect(start).toBeGreaterThanOrEqual(before);
        expect(end).toBeGreaterThanOrEqual(start);
        before = end;
      }
      expect(before).toBeLessThanOrEqual(20);
    }),
  );
});

test('a talk of hours is paired like a sentence, whatever was left out or stands elsewhere', () => {
  const heard = Array.from({ length: 30_000 }, (_, at) => `w${(at * 7919) % 6007}`);
  const script = heard
    .filter((_, at) => at % 1000 > 30)
    .map((word, at) => (at % 50 === 0 ? 'x' : word));
  const { pairings } = timed(script, heardOf(heard.join(' ')));
  const right = pairings.filter(({ script: at, heard: other }) => script[at] === heard[other]);
  expect(right.length).toBeGreaterThan(script.length * 0.97);
  const part = (name: string) => Array.from({ length: 300 }, (_, at) => `${name}${at}`);
  const [one, other] = [part('a'), part('b')];
  const turned = timed([...one, ...other], heardOf([...other, ...one].join(' '))).pairings;
  expect(turned.filter(({ same }) => same).length).toBeGreaterThanOrEqual(300);
});

test('a script gives the captions its words, and lists the differences', () => {
  const heard = heardOf('so they shipped off kit last night and um went home');
  const { words, differences, agreement } = alignScript(
    'They shipped AuthKit last night, and then they went home.',
    heard,
    bounds,
  );
  expect(joinWords(words.map(({ text }) => text))).toBe(
    'They shipped AuthKit last night, and then they went home.',
  );
  expect(differences.map((each) => [each.heard, each.script])).toEqual([
    ['so', ''],
    ['off kit', 'AuthKit'],
    ['um', 'then they'],
  ]);
  expect(words[2]?.start).toBeCloseTo(1.2);
  expect(words.at(-1)?.end).toBeCloseTo(heard.at(-1)?.end ?? 0);
  expect(agreement).toBeCloseTo(0.7);
});

describe('rebuilt captions', () => {
  const short = { settings: { ...settings, maxLineChars: 24, maxLines: 1 } };
  const how = (nextId: number, rules = short, length = 0) => ({
    rules,
    language: 'en',
    words: [],
    nextId,
    length,
  });

  test('have every word in order, do not overlap, and do not affect the rest', () => {
    fc.assert(
      fc.property(
        someCues,
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        (cues, chosen) => {
          const indices = cues.flatMap((_, at) => (chosen[at] ? [at] : []));
          const made = rebuild(cues, indices, how(100)) ?? [];
          const after = made.reduce<readonly ReviewCue[]>(applySplice, cues);
          expect(wordsOf(after)).toBe(wordsOf(cues));
          expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
          expectInOrder(after);
          const kept = cues.filter((_, at) => !chosen[at]);
          expect(after.filter(({ id }) => kept.some((cue) => cue.id === id))).toEqual(kept);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('end with the recording', () => {
    const rules = { settings: { ...settings, minDuration: 2 } };
    const last = (length: number) =>
      rebuild([at(1, 0.2, 0.8, 'We shipped')], [0], how(5, rules, length))?.[0]?.inserted;
    expect(last(1)?.[0]?.end).toBe(1);
    expect(last(0)?.[0]?.end).toBe(2);
  });

  test("follow a publisher's rules, and are unchanged if they already do", () => {
    const cues = cuesOf(
      'They shipped an MCP server last night, and nobody slept until the morning came.',
    );
    const rules = { profile: profileOf('dcmp', 'en'), picture: {} };
    const [splice] = rebuild(cues, [0], { ...how(5), rules }) ?? [];
    for (const { lines } of splice?.inserted ?? []) {
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(32);
    }
    const after = splice ? applySplice(cues, splice) : cues;
    const again = rebuild(
      after,
      after.map((_, at) => at),
      { ...how(50), rules },
    );
    expect(again?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

/** Half a second for each word, of which 0.4 s are spoken; from 10 s on. */
const words = spoken('We shipped an MCP server for the team', 10);

describe('a script of a part of the talk', () => {
  const heard = spoken(
    'Good evening to you all and welcome back to the night. And so my friends ask not what your country can do for you. Thank you very much and good night to all of you here.',
  );
  const aligned = (script: string) => alignScript(script, heard, { start: 0, end: 60 });
  test('names the part, and leaves out nothing beside it', () => {
    const { part, words, differences, agreement } = aligned(
      'And so, my friends, ask not what your country can do for you.',
    );
    expect([part, agreement, differences]).toEqual([{ start: 5.5, end: 11.9 }, 1, []]);
    expect([words[0]?.start, words.at(-1)?.end]).toEqual([5.5, 11.9]);
    // A word that was recognised differently at its edge belongs to it.
    expect(aligned('Hence so my friends ask not what your country').part?.start).toBe(5.5);
    expect(aligned(heard.map(({ text }) => text).join(' ')).part).toBeNull();
    expect(aligned('Entirely other words, of another day').part).toBeNull();
  });
  test('is where all of it was said, even if some of its words are said again', () => {
    const talk = 'Ask not what your country can do for you ask what you can do for your country';
    const script = 'Ask not what your country can do for you.';
    const { part, differences } = alignScript(script, spoken(`${talk} thank you all very much`), {
      start: 0,
      end: 60,
    });
    expect([part?.start, part?.end, differences]).toEqual([0, 4.4, []]);
  });
  test('may name a speaker on each of its lines', () => {
    const { words } = aligned('KENNEDY: And so, my friends:\nask not\nCrowd: What your country');
    expect(words.map(({ text, speaker }) => `${speaker} ${text}`)).toEqual([
      ...['And', 'so,', 'my', 'friends:', 'ask', 'not'].map((word) => `KENNEDY ${word}`),
      ...['What', 'your', 'country'].map((word) => `Crowd ${word}`),
    ]);
  });
  const cues = [
    {
      ...at(1, 0, 5.4, 'Good evening to you all\nand welcome back to the night.'),
      speakers: ['Ann'],
    },
    { ...at(2, 5.5, 9, 'And so my friends\nask not what'), speakers: ['Ben'] },
    { ...at(3, 9, 14, 'your country can do for you.\nThank you very much'), speakers: ['Ben'] },
    { ...at(4, 14, 17, 'and good night\nto all of you here.'), speakers: ['Ann'] },
  ];
  const used = (script: string, whole: boolean) => {
    const { words, part } = aligned(script);
    const how = { rules: { settings }, language: 'en', words: heard, nextId: 9, length: 0 };
    return applySplice(cues, replaceByScript(cues, words, whole ? null : part, how)!);
  };
  const textOf = (made: ReturnType<typeof used>) => made.flatMap(({ lines }) => lines).join(' ');
  test('replaces only that part, and keeps the speakers', () => {
    const made = used('And so my fellows ask not what your country can do for you!', false);
    expect(textOf(made)).toBe(
      'Good evening to you all and welcome back to the night. And so my fellows ask not what your country can do for you! Thank you very much and good night to all of you here.',
    );
    expect(made[0]).toBe(cues[0]);
    expect(made.at(-1)).toBe(cues[3]);
    expect(new Set(made.slice(1, -1).flatMap(({ speakers }) => speakers))).toEqual(
      new Set(['Ben']),
    );
    expect(
      used('Kennedy: And so my fellows ask not what your country can do for you!', false)[1]
        ?.speakers,
    ).toEqual(['Kennedy']);
  });
});

test('a text is divided into words, with their speaker, in any script', () => {
  expect(writtenWords(' We  ship\nit. ')).toEqual([
    { text: 'We' },
    { text: 'ship' },
    { text: 'it.' },
  ]);
  expect(writtenWords('Hi.', 'Ann')).toEqual([{ text: 'Hi.', speaker: 'Ann' }]);
  const divided = (text: string) => writtenWords(text).map((word) => word.text);
  expect(divided('我们用电脑。')).toEqual(['我们', '用', '电脑。']);
  expect(divided('「我们」')).toEqual(['「', '我们」']);
  // Words that would not join to the same text again stay together.
  expect(divided('我们a-b 用')).toEqual(['我们a-b', '用']);
});

test('rebuilding does nothing if the result would be the same, or would not fit', () => {
  const how = (heard: typeof words) => ({
    rules: { settings },
    language: 'en',
    words: heard,
    nextId: 70,
    length: 0,
  });
  const [first] = rebuild([at(2, 10, 14, 'We shipped')], [0], how(words)) ?? [];
  const settledCue = first!.inserted[0]!;
  expect(rebuild([{ ...settledCue, id: 5 }], [0], how(words))).toBeNull();
  const tight = [at(1, 0, 1, 'a'), at(2, 1, 1.0005, 'b c'), at(3, 1, 2, 'd')];
  expect(rebuild(tight, [1], how([]))).toBeNull();
});
