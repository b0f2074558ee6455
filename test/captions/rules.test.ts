/** The rules of publishers and of the house: what breaks them, and the fixes that break no other. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { checkCaptions, findBrokenRules, fixCaptions } from '../../server/captions/rules/check.ts';
import {
  PROFILE_NAMES,
  type ProfileName,
  profileOf,
  withSettings,
} from '../../server/captions/rules/profiles/profiles.ts';
import { type Caption, makeCue as cue } from '../../server/captions/cue.ts';
import {
  type HouseProfile,
  HouseProfileError,
  checkHouseProfile,
  HOUSE_PROFILE_FORMAT,
  houseRules,
  readHouseProfile,
  writeHouseProfile,
} from '../../server/captions/rules/profiles/house-profile.ts';
import { rounds } from '../support/fuzz.ts';
import { buildProfiled } from '../../server/captions/build/build.ts';
import { graphemes, speedLimitOf } from '../../server/captions/width.ts';
import {
  exactRate,
  hasCountedWords,
  publishedFaults,
  RATES,
} from '../support/captions/published-faults.ts';
import { limitsOf } from '../support/captions/published-limits.ts';
import { hostileWords, soundWords } from './words.ts';
import { edgeCaptions } from '../support/captions/edge-captions.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { type CaptionCue, CaptionQuality } from '../../server/contract/captions.ts';
import { validator } from '../../server/contract/schema.ts';
import type { CaptionWord } from '../../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import { isOnFrame } from '../../server/captions/timestamps.ts';

setDefaultTimeout(300_000);

describe('tests of the caption check', () => {
  test.each([
    ['en', '-Yes.|-No.', 'Ann Ben', ''],
    ['nl', 'Kom je?|-Ja.', 'Ann Ben', ''],
    ['fr', '- Tu viens ?|- Oui.', 'Ann Ben', ''],
    ['en', 'Yes.|No.', 'Ann Ann', ''],
    ['en', 'Yes.|-No.', 'Ann Ben', 'has two speakers without the dashes of its language'],
    ['en', '-Yes. -No.', 'Ann Ben', 'has two speakers, but not two lines'],
    ['en', '-Yes.|-No.|-Why?', 'Ann Ben Cy', 'has 3 speakers'],
    ['en', '-Yes.|-No.', 'Ann Ben Cy', 'has 3 speakers'],
  ])('%s: two speakers in %s, said by %s: %s', (language, text, names, fault) => {
    const caption = { start: 1, end: 4, lines: text.split('|'), speakers: names.split(' ') };
    const found = checkCaptions([caption], profileOf('netflix', language));
    const said = found.filter(({ rule }) => rule === 'two_speakers').map(({ says }) => says);
    expect(said.join()).toBe(fault);
  });

  test.each([...'-–—'])('dashes are added, and “%s” becomes the usual one', (dash) => {
    const caption = { start: 0, end: 3, lines: ['Hi.', `${dash} Yes.`], speakers: ['A', 'B'] };
    const [fault] = checkCaptions([caption], profileOf('netflix', 'en'));
    expect(fault?.fix?.[0]?.caption.lines).toEqual(['-Hi.', '-Yes.']);
  });

  test('a fix never begins a caption before the recording', () => {
    const fixOf = (shot: number, start: number, end: number) =>
      checkCaptions([{ start, end, lines: ['Yes.'] }], profileOf('netflix'), {
        shots: [shot],
      }).find(({ rule }) => rule === 'shot_in')?.fix;
    // Later it would be too short, so it begins half a second before the shot, if it can.
    expect(fixOf(1.208, 1.042, 1.875)?.map(({ caption }) => caption.start)).toEqual([0.708]);
    expect(fixOf(0.208, 0.042, 0.875)).toBeNull();
  });
});

describe("* Fixes for violations of a publisher's rules", () => {
  const TEXTS = [
    'Yes.',
    'Nobody copies a secret.',
    'from one window to another any more',
    'It reads one page',
  ];

  /** Captions in order, many of which touch, are too short or are too fast to read; times in milliseconds. */
  const captions = fc
    .array(
      fc.record({
        gap: fc.oneof(
          fc.constant(0),
          fc.integer({ min: 0, max: 120 }),
          fc.integer({ min: 0, max: 3000 }),
        ),
        length: fc.oneof(fc.integer({ min: 200, max: 1500 }), fc.integer({ min: 800, max: 7500 })),
        lines: fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 12 },
    )
    .map((parts): Caption[] => {
      let at = 0;
      return parts.map(({ gap, length, lines }) => {
        const start = at + gap;
        at = start + length;
        return { start: start / 1000, end: at / 1000, lines };
      });
    });

  const broken = (...of: Parameters<typeof checkCaptions>): string[] =>
    checkCaptions(...of).map(({ at, rule }) => `${at} ${rule}`);

  describe('fixing everything', () => {
    test.each([...PROFILE_NAMES])('by the rules of %s, breaks no other rule', (name) => {
      fc.assert(
        fc.property(captions, fc.constantFrom(...RATES), (cues, rate) => {
          const profile = profileOf(name);
          const picture = profile.frameRate === null ? {} : { frameRate: rate };
          const fixed = fixCaptions(cues, profile, picture);
          expect(fixed.map(({ lines }) => lines.join(' '))).toEqual(
            cues.map(({ lines }) => lines.join(' ')),
          );
          for (const [at, { start, end }] of fixed.entries()) {
            expect(end).toBeGreaterThan(start);
            const next = fixed[at + 1];
            if (next) expect(next.start).toBeGreaterThanOrEqual(end);
          }
          // Captions are on frames, however close they are.
          const isOn = (time: number) => isOnFrame(time, exactRate(rate));
          if (profile.rules.on_frames)
            expect(fixed.every(({ start, end }) => isOn(start) && isOn(end))).toBe(true);
          const before = new Set(broken(cues, profile, picture));
          expect(broken(fixed, profile, picture).filter((fault) => !before.has(fault))).toEqual([]);
        }),
        { numRuns: rounds(80) },
      );
    });

    test('leaves no violation that could still be fixed', () => {
      const cues = chain(40);
      const profile = profileOf('bbc');
      const fixed = fixCaptions(cues, profile);
      expect(checkCaptions(fixed, profile).filter(({ fix }) => fix)).toEqual([]);
    });
  });

  test('an overlap of less than a quarter of a second is cut, and a longer one may be speech', () => {
    const endAfter = (overlap: number): number | undefined => {
      const cues = [
        { start: 0, end: 2 + overlap, lines: ['It reads one page'] },
        { start: 2, end: 4, lines: ['It reads one page'] },
      ];
      const [found] = checkCaptions(cues, profileOf('default'));
      expect([found?.rule, found?.at]).toEqual(['gap', 0]);
      return found?.fix?.[0]?.caption.end;
    };
    expect(endAfter(0.249)).toBe(2);
    expect(endAfter(0.25)).toBeUndefined();
    expect(endAfter(0.8)).toBeUndefined();
  });

  /** Captions that follow each other without a gap, at times that are on no frame. */
  const chain = (count: number): Caption[] =>
    Array.from({ length: count }, (_, at) => ({
      start: 0.013 + at * 2.017,
      end: 0.013 + (at + 1) * 2.017,
      lines: ['Nobody copies a secret.'],
    }));

  test('a caption moves to the nearest frames', () => {
    const cues = [{ start: 1.01, end: 3.05, lines: ['Yes.'] }];
    expect(fixCaptions(cues, profileOf('netflix'), { frameRate: 25 }, ['on_frames'])).toEqual([
      { start: 1, end: 3.04, lines: ['Yes.'] },
    ]);
  });

  describe('a fix leaves no gap that looks like flicker', () => {
    const ending = (next: number, name: (typeof PROFILE_NAMES)[number]): number | undefined => {
      const cues: Caption[] = [
        { start: 0, end: 0.6, lines: ['Yes.'] },
        { start: next, end: next + 2, lines: ['It reads one page'] },
      ];
      const profile = { ...profileOf(name), rules: profileOf('default').rules };
      const [found] = checkCaptions(cues, profile, {});
      expect([found?.rule, found?.at]).toEqual(['min_duration', 0]);
      return found?.fix?.[0]?.caption.end;
    };
    test.each(['default', 'youtube'] as const)('by the profile %s', (name) => {
      // Up to the next caption instead of 0.2 s before it.
      expect(ending(1, name)).toBe(1);
      // Only as long as required, because half a second is a pause.
      expect(ending(1.3, name)).toBe(0.8);
      expect(ending(1.29, name)).toBe(1.29);
    });
  });
});

/** Words spoken during these frames, twenty-four a second: “14-22 22-24”. */
const wordsDuring = (frames: string): CaptionWord[] =>
  frames.split(' ').map((span) => {
    const [start, end] = span.split('-').map((frame) => Number(frame) / 24);
    return { text: 'Yes.', start: start!, end: end! };
  });

test.each([
  ['begins', 'bbc', 25, [2, 34], '14-22 22-24 26-45 45-47', '0.08-1.36 1.36-2.64'],
  [
    'ends',
    'netflix',
    24,
    [0, 55],
    '14-16 28-32 33-42 43-53 53-67 67-69',
    '0-1.292 1.375-2.208 2.792-3.625',
  ],
] as const)(
  'no built caption %s near a shot change if a fix moves it',
  (_, name, rate, at, spoken, shown) => {
    const picture = { frameRate: rate, shots: at.map((frame) => frame / rate) };
    const built = buildProfiled(wordsDuring(spoken), profileOf(name), picture);
    expect(built.map(({ start, end }) => `${start}-${end}`).join(' ')).toBe(shown);
  },
);

describe("publishers' rules", () => {
  const LANGUAGES: Record<ProfileName, string> = {
    netflix: 'en fr de pt ar hi ru th ko zh ja',
    'netflix-children': 'en fr ar ko zh ja hi',
    'netflix-sdh': 'en fr ar hi ko zh ja',
    'netflix-sdh-children': 'en hi ko zh ja',
    bbc: 'en',
    dcmp: 'en',
    'dcmp-children': 'en',
    youtube: 'en th',
    default: 'en nl he',
  };
  const cases = PROFILE_NAMES.flatMap((name) =>
    LANGUAGES[name]
      .split(' ')
      .map((language) => ({ name, language, limits: limitsOf(name, language) })),
  );

  /** Rules that can be kept for any speech, except for a word longer than a line. */
  const HARD = new Set(['line_count', 'max_duration', 'gap', 'small_gap', 'on_frames']);

  const shots = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 40 });

  function expectKept(
    words: readonly CaptionWord[],
    { name, language, limits }: (typeof cases)[number],
    frameRate: number,
    shotFrames: readonly number[],
  ): void {
    const profile = profileOf(name, language);
    const rate = profile.frameRate === null ? null : exactRate(frameRate);
    const picture =
      rate === null
        ? {}
        : { frameRate, shots: shotFrames.map((frame) => Math.round((frame * 1000) / rate) / 1000) };
    const cues = buildProfiled(words, profile, picture);
    // Also where the publisher has no rule on it.
    for (const { start, end } of cues)
      expect(end - start).toBeLessThan(profile.maxDuration + 0.0015);
    const theirs = publishedFaults(cues, limits, rate, shotFrames);
    for (const { rule, at } of theirs) {
      if (HARD.has(rule)) expect([rule, cues[at], cues[at + 1]]).toEqual([]);
      // A word longer than a line stays whole on its own line.
      if (rule === 'line_length') {
        expect(cues[at]!.lines.some((line) => !line.replace(/^- ?/, '').includes(' '))).toBe(true);
      }
    }
    // Our checks report the same faults as the independent checker, with each rule's sentence and
    // source.
    const ours = checkCaptions(cues, profile, picture);
    const key = ({ rule, at }: { rule: string; at: number }) => `${at} ${rule}`;
    const told = (rule: string, at: number): boolean =>
      rule !== 'reading_speed' || hasCountedWords(cues[at]!.lines.join(' ')) || !limits.wpm;
    const keys = (found: readonly { rule: string; at: number }[]) =>
      found.filter(({ rule, at }) => told(rule, at)).map(key);
    expect(keys(ours).toSorted()).toEqual(keys(theirs).toSorted());
    for (const { sentence, source, fix, at, rule } of ours) {
      expect(sentence).toEndWith('.');
      expect(source).toStartWith(name === 'default' ? 'the service' : 'https://');
      if (!fix) continue;
      const fixed = cues.map((cue, index) => fix.find((each) => each.at === index)?.caption ?? cue);
      const after = publishedFaults(fixed, limits, rate, shotFrames).map(key);
      // If the publisher counts some characters as half, so do the fixes.
      if (told(rule, at)) expect(after).not.toContain(key({ at, rule }));
      expect(after.filter((fault) => !theirs.map(key).includes(fault))).toEqual([]);
      const said = (all: readonly Caption[]) =>
        all.flatMap(({ lines }) => lines.join('').replace(/\s+/g, ''));
      expect(said(fixed)).toEqual(said(cues));
    }
  }

  describe('captions built by a profile', () => {
    test.each(cases)('$name in $language keep every rule that the speech allows', (each) => {
      fc.assert(
        fc.property(soundWords, fc.constantFrom(...RATES), shots, (words, rate, frames) =>
          expectKept(words, each, rate, frames),
        ),
        { numRuns: rounds(12), endOnFailure: true },
      );
    });
    test.each(cases)('$name in $language do so with words that have every fault', (each) => {
      fc.assert(
        fc.property(hostileWords, fc.constantFrom(...RATES), shots, (words, rate, frames) =>
          expectKept(words, each, rate, frames),
        ),
        { numRuns: rounds(5), endOnFailure: true },
      );
    });
    test('settings in the payload override the profile', () => {
      const profile = withSettings(profileOf('netflix'), { maxLineChars: 30, maxLines: 1 });
      fc.assert(
        fc.property(soundWords, (words) => {
          for (const { lines } of buildProfiled(words, profile)) {
            expect(lines).toHaveLength(1);
            if (graphemes(lines[0] ?? '') > 30) expect(lines[0]).not.toContain(' ');
          }
        }),
        { numRuns: rounds(30), endOnFailure: true },
      );
      const all = { maxLineChars: 30, maxLines: 3, minDuration: 1.5, maxDuration: 9 };
      const { rules, ...made } = withSettings(profileOf('netflix', 'ja'), all);
      expect(made).toMatchObject(all);
      expect(
        Object.values(rules).flatMap(({ sentence, source }) =>
          source === 'the settings' ? sentence : [],
        ),
      ).toEqual([
        'A line has at most 30 characters.',
        'A caption has at most 3 lines.',
        'A caption lasts at least 1.5 seconds.',
        'A caption lasts at most 9 seconds.',
      ]);
      expect(profile.rules.min_duration?.source).toStartWith('https://partnerhelp');
    });
  });

  describe('shot changes', () => {
    const word = (text: string, start: number, end: number): CaptionWord => ({ text, start, end });
    const netflix = profileOf('netflix');
    /**
     * A two-second sentence starting at a frame, with a shot change at frame 240 (10 s at 24 a
     * second).
     */
    const shownFrom = (frame: number, until = frame + 48): [number, number] => {
      const words = [
        word('Good', frame / 24, (frame + 12) / 24),
        word('evening.', (frame + 12) / 24, until / 24),
      ];
      const [cue] = buildProfiled(words, netflix, { frameRate: 24, shots: [10] });
      return [Math.round((cue?.start ?? 0) * 24), Math.round((cue?.end ?? 0) * 24)];
    };
    test.each([
      [228, 228],
      [229, 228],
      [232, 228],
      [233, 240],
      [239, 240],
      [240, 240],
      [241, 240],
      [251, 240],
      [252, 252],
    ])('speech from frame %d on is shown from frame %d on', (from, shown) => {
      expect(shownFrom(from)[0]).toBe(shown);
    });
    test.each([
      [227, 227],
      [229, 238],
      [237, 238],
      [238, 238],
      [240, 238],
      [247, 238],
      [248, 252],
      [253, 253],
    ])('speech until frame %d is shown until frame %d', (until, shown) => {
      expect(shownFrom(180, until)[1]).toBe(shown);
    });
  });

  describe('a check', () => {
    test('names the rule, describes the violation, and fixes it', () => {
      const cues = [
        { start: 0, end: 0.5, lines: ['Good evening.'] },
        { start: 1.2, end: 2.2, lines: ['We are very glad indeed that all of you have come.'] },
        { start: 2.25, end: 6, lines: ['Thank', 'you', 'all.'] },
      ];
      const found = checkCaptions(cues, profileOf('netflix'), { frameRate: 25 });
      expect(found.map(({ at, rule }) => `${at} ${rule}`).join(', ')).toBe(
        '0 min_duration, 0 reading_speed, 0 on_frames, 1 line_length, 1 reading_speed, 1 gap, 2 line_count, 2 on_frames',
      );
      const short = found.find(({ rule }) => rule === 'min_duration');
      expect(short?.says).toBe('is shown for 0.5 s (13 frames); at least 0.83 s (21 frames)');
      expect(short?.source).toContain('General-Requirements');
      expect(short?.fix?.[0]?.caption.end).toBeGreaterThanOrEqual(5 / 6 - 0.001);
      const lines = found.find(({ rule }) => rule === 'line_length')?.fix?.[0]?.caption.lines;
      expect(lines?.length).toBe(2);
      expect(found.find(({ rule }) => rule === 'line_count')?.fix?.[0]?.caption.lines).toEqual([
        'Thank you all.',
      ]);
    });
  });
});

describe('* The check of captions at the edge of every rule', () => {
  const LANGUAGES = 'en ar de es fr he hi it ja ko nl pt-BR ru th zh-CN sv'.split(' ');
  /** The same limits and rules are the same case, whichever language has them. */
  const cases = PROFILE_NAMES.flatMap((name) => [
    ...new Map(
      LANGUAGES.map((language) => {
        const { language: _, ...rules } = profileOf(name, language);
        const limits = limitsOf(name, language.split('-')[0]!);
        return [JSON.stringify([rules, limits]), { name, language }] as const;
      }),
    ).values(),
  ]);

  test.each(cases)(
    '$name in $language: each rule begins to be broken at its limit',
    ({ name, language }) => {
      const profile = profileOf(name, language);
      const limits = limitsOf(name, language.split('-')[0]!);
      const broken = new Set<string>();
      const faults: object[] = [];
      const [first, ...others] = RATES;
      for (const frameRate of profile.frameRate === null
        ? [undefined]
        : language === 'en'
          ? RATES
          : [first!, others[1]!]) {
        const rate = frameRate === undefined ? null : exactRate(frameRate);
        for (const { rule, cues, at, isBroken, shots } of edgeCaptions(limits, rate)) {
          const picture = {
            ...(frameRate === undefined ? {} : { frameRate }),
            shots: shots.map((frame) => Math.round((frame * 1000) / rate!) / 1000),
          };
          const placesIn = (found: readonly { rule: string; at: number }[]): number[] =>
            found.flatMap((each) => (each.rule === rule ? each.at : []));
          const theirs = placesIn(publishedFaults(cues, limits, rate, shots));
          const ours = placesIn(findBrokenRules(cues, profile, picture));
          const expected = isBroken ? [at] : [];
          if (!Bun.deepEquals([theirs, ours], [expected, expected])) {
            faults.push({ rule, frameRate, cues, theirs, ours, expected });
          }
          if (isBroken) broken.add(rule);
        }
      }
      expect(faults).toEqual([]);
      expect([...broken].sort()).toEqual(Object.keys(profile.rules).sort());
    },
  );
});

describe('house profiles', () => {
  const read = (value: unknown): HouseProfile => readHouseProfile(JSON.stringify(value));
  const ours = { format: HOUSE_PROFILE_FORMAT, name: 'Ours', base: 'netflix' };

  /** The message for a file. */
  function told(text: string): string {
    try {
      readHouseProfile(text);
      return '';
    } catch (error) {
      if (!(error instanceof HouseProfileError)) throw error;
      return error.message;
    }
  }

  const someProfile: fc.Arbitrary<HouseProfile> = fc.record(
    {
      format: fc.constant(HOUSE_PROFILE_FORMAT),
      name: fc.stringMatching(/^[A-Za-zÄé ]{0,20}[A-Za-z]$/).map((name) => name.trim()),
      base: fc.constantFrom(...PROFILE_NAMES),
      maxLines: fc.integer({ min: 1, max: 4 }),
      maxLineChars: fc.integer({ min: 8, max: 80 }),
      speed: fc.oneof(
        fc.record({
          unit: fc.constant('words' as const),
          perMinute: fc.integer({ min: 30, max: 600 }),
        }),
        fc.record({
          unit: fc.constant('characters' as const),
          perSecond: fc.integer({ min: 1, max: 60 }),
        }),
      ),
      minDuration: fc.integer({ min: 1, max: 15 }).map((tenths) => tenths / 10),
      maxDuration: fc.integer({ min: 2, max: 30 }),
      gapFrames: fc.integer({ min: 0, max: 48 }),
      closedGap: fc.integer({ min: 0, max: 5 }),
      frameRate: fc.constantFrom(null, 23.976, 25, 50),
      shots: fc.option(fc.record({ before: fc.integer({ min: 0, max: 24 }) })),
      dialogue: fc.record({
        lines: fc.constantFrom('both' as const, 'second' as const),
        dash: fc.constantFrom('-' as const, '- ' as const),
      }),
    },
    // DCMP's shortest duration, two seconds, is longer than the shortest maximum that can be set.
    { requiredKeys: ['format', 'name', 'base', 'minDuration'] },
  );

  describe('the file of a profile', () => {
    test('is read as written, and its rules are those it sets', () => {
      fc.assert(
        fc.property(someProfile, (profile) => {
          expect(readHouseProfile(writeHouseProfile(profile))).toEqual(profile);
          const { format: _, name, base, ...changes } = profile;
          const rules = houseRules(profile, 'en');
          expect(rules).toMatchObject(changes);
          const sources = new Set(Object.values(rules.rules).map(({ source }) => source));
          expect(sources.has(name)).toBe(true);
          const theirs = profileOf(base, 'en');
          for (const [rule, { sentence, source }] of Object.entries(rules.rules)) {
            if (source !== name)
              expect(theirs.rules).toMatchObject({ [rule]: { sentence, source } });
            expect(sentence).toMatch(/^[A-Z].*\.$/);
          }
        }),
        { numRuns: rounds(100) },
      );
    });

    test.each([
      ['{', 'The file is not JSON.'],
      ['[]', 'The file is not a profile: its "format" must be "captioner-profile-1".'],
      ['null', 'The file is not a profile: its "format" must be "captioner-profile-1".'],
      [JSON.stringify({ format: HOUSE_PROFILE_FORMAT }), 'name is missing\nbase is missing'],
      [JSON.stringify({ ...ours, base: 'netflx' }), 'base must be "netflix" or "netflix-children"'],
      [JSON.stringify(ours).replace('}', ',"__proto__":{}}'), '__proto__ is not'],
      [JSON.stringify({ ...ours, minDuration: 8 }), 'must be at most maxDuration, which is 7'],
    ])('%s: %s', (text, says) => {
      expect(told(text)).toContain(says);
    });
  });

  describe('the rules of a house profile', () => {
    const narrow = read({ ...ours, maxLineChars: 20, maxLines: 3, gapFrames: 0, closedGap: 0 });

    test('are followed by captions built with them, and checked under its name', () => {
      const profile = houseRules(narrow, 'en');
      fc.assert(
        fc.property(soundWords, (words) => {
          const lines = buildProfiled(words, profile).flatMap((cue) => cue.lines);
          expect(lines.filter((line) => graphemes(line) > 20 && line.includes(' '))).toEqual([]);
        }),
        { numRuns: rounds(20) },
      );
      const [found] = checkCaptions(
        [{ start: 0, end: 3, lines: ['Longer than twenty it is.'] }],
        profile,
      );
      expect(found).toMatchObject({
        rule: 'line_length',
        sentence: 'A line has at most 20 characters.',
        source: 'Ours',
      });
    });

    test('follow their base from language to language', () => {
      const plain = read({ ...ours, maxLines: 1 });
      expect(houseRules(plain, 'ko').maxLineChars).toBe(16);
      expect(houseRules(plain, 'fr').dialogue.dash).toBe('- ');
      expect(houseRules(plain, 'ko').rules.line_count?.sentence).toBe(
        'A caption has at most 1 line.',
      );
    });
  });
});

describe('custom profiles', () => {
  const ours = { format: HOUSE_PROFILE_FORMAT, name: 'Ours', base: 'netflix' } as const;
  const told = (changes: object): string[] =>
    checkHouseProfile({ ...ours, ...changes }, HOUSE_PROFILE_FORMAT).map(
      ({ field, says }) => `${field} ${says}`,
    );

  test.each<[string, (value: unknown) => object, number, number, boolean]>([
    ['maxLines', (maxLines) => ({ maxLines }), 1, 4, true],
    ['maxLineChars', (maxLineChars) => ({ maxLineChars }), 8, 80, true],
    [
      'speed.perSecond',
      (perSecond) => ({ speed: { unit: 'characters', perSecond } }),
      1,
      60,
      false,
    ],
    ['speed.perMinute', (perMinute) => ({ speed: { unit: 'words', perMinute } }), 30, 600, false],
    ['minDuration', (minDuration) => ({ minDuration }), 0.1, 10, false],
    ['maxDuration', (maxDuration) => ({ maxDuration }), 1, 30, false],
    ['gapFrames', (gapFrames) => ({ gapFrames }), 0, 48, true],
    ['closedGap', (closedGap) => ({ closedGap }), 0, 5, false],
    ['frameRate', (frameRate) => ({ frameRate }), 1, 240, false],
    ['shots.before', (before) => ({ shots: { before } }), 0, 24, true],
  ])('a number: %s', (field, given, low, high, isWhole) => {
    const fault = `${field} must be a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}`;
    for (const value of [low, high]) expect(told(given(value))).toEqual([]);
    for (const value of [low - 0.01, high + 0.01, `${low}`, true]) {
      expect(told(given(value))[0]).toStartWith(fault);
    }
    expect(told(given(low + 0.5)).length).toBe(isWhole ? 1 : 0);
  });

  describe('a field', () => {
    const speeds =
      'speed must be {"unit": "characters", "perSecond": …} or {"unit": "words", "perMinute": …}';
    const names = 'name must be a text of 1 to 80 characters in one line';
    test.each<[object, string[]]>([
      [{ name: 'x'.repeat(80) }, []],
      [{ name: 'x'.repeat(81) }, [names]],
      [{ name: '😀'.repeat(80) }, []],
      [{ name: ' ' }, [names]],
      [{ name: 'a\nb' }, [names]],
      [{ name: 'a\tb' }, [names]],
      [{ name: undefined, more: 1 }, [names, 'more is not a known field']],
      [{ ['x'.repeat(81)]: 1 }, [`${'x'.repeat(80)} is not a known field`]],
      [{ toString: 1 }, ['toString is not a known field']],
      [{ speed: { unit: 'lines' } }, [speeds]],
      [{ speed: null }, [speeds]],
      [{ speed: { unit: 'words' } }, ['speed.perMinute is missing']],
      [{ speed: { unit: 'words', perMinute: 99, a: 1 } }, ['speed.a is not a known field']],
      [{ frameRate: null, shots: null }, []],
      [{ frameRate: 0 }, ['frameRate must be a number from 1 to 240, or null']],
      [{ shots: 3 }, ['shots must be an object with before, or null']],
      [{ shots: {} }, ['shots.before is missing, or null']],
      [{ dialogue: null }, ['dialogue must be an object with lines and dash']],
      [{ dialogue: { lines: 'both', dash: '- ' } }, []],
      [
        { dialogue: { lines: 'first', dash: '' } },
        ['dialogue.lines must be "both" or "second"', 'dialogue.dash must be "-" or "- "'],
      ],
    ])('%j', (changes, expected) => {
      expect(told(changes)).toEqual(expected);
    });
  });
});

describe('quality', () => {
  const assess = (cues: CaptionCue[], language = 'en') => {
    const report = assessCaptions(cues, DEFAULT_CAPTION_SETTINGS, language);
    expect(validator(CaptionQuality).issues(report)).toEqual([]);
    return report;
  };

  test('good cues have no flags and a full score', () => {
    const { score, warnings, summary } = assess([cue(1, 0, 3, ['This reads well enough.'])]);
    expect([score, warnings, summary.cueCount, summary.maxLineLength]).toEqual([1, [], 1, 23]);
  });

  test.each([
    ['duration_below_minimum', cue(1, 0, 0.7, ['Hi.']), 'warning'],
    ['duration_above_maximum', cue(1, 0, 6.1, ['Hello there, all of you.']), 'warning'],
    ['line_count_above_maximum', cue(1, 0, 5, ['One', 'two', 'three.']), 'warning'],
    ['line_length_above_maximum', cue(1, 0, 5, ['x'.repeat(43)]), 'warning'],
    ['reading_speed_high', cue(1, 0, 1, ['x'.repeat(24)]), 'info'],
    ['reading_speed_high', cue(1, 0, 1, ['x'.repeat(25)]), 'info'],
    ['reading_speed_high', cue(1, 0, 1.039, ['x'.repeat(26)]), 'warning'],
    ['dangling_line_break', cue(1, 0, 3, ['We went to the', 'house.']), 'info'],
  ] as const)('%s', (flag, bad, severity) => {
    const report = assess([bad]);
    expect(report.warnings).toHaveLength(1);
    expect(report.warnings[0]).toMatchObject({ cue: 1, flag, severity });
    expect(report.cues[0]?.flags).toEqual([flag]);
    expect(report.score).toBeLessThan(1);
  });

  test('Chinese has a lower reading speed', () => {
    expect(
      assess([cue(1, 0, 2, ['我们昨天晚上发布了一个新的服务器很高兴'])], 'zh').warnings,
    ).toMatchObject([{ flag: 'reading_speed_high' }]);
  });

  test('mixed text is read at the speed of the script that fills most of it', () => {
    // Six wide characters out of ten fill three quarters of the line, four a little over half.
    expect(speedLimitOf('服务器已启动SSO4')).toBe(9);
    expect(speedLimitOf('服务器好SSO456')).toBe(20);
    expect(speedLimitOf('ab服务')).toBe(20);
    expect(speedLimitOf('server 服务')).toBe(20);
  });
});
