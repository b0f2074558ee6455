/** Publishers' rules: captions that we build follow them, and our checks agree with an independent checker. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { buildProfiled, type CaptionWord } from '../../server/captions/build.ts';
import { checkCaptions } from '../../server/captions/rules/check.ts';
import type { Caption } from '../../server/captions/cue.ts';
import {
  isProfileName,
  PROFILE_NAMES,
  profileOf,
  withSettings,
  type ProfileName,
} from '../../server/captions/rules/profiles/profiles.ts';
import { graphemes } from '../../server/captions/width.ts';
import {
  exactRate,
  hasCountedWords,
  publishedFaults,
  RATES,
} from '../support/captions/published-faults.ts';
import { limitsOf } from '../support/captions/published-limits.ts';
import { rounds } from '../support/fuzz.ts';
import { hostileWords, soundWords } from './words.ts';

setDefaultTimeout(300_000);

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
  for (const { start, end } of cues) expect(end - start).toBeLessThan(profile.maxDuration + 0.0015);
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
  expect(
    ours
      .filter(({ rule, at }) => told(rule, at))
      .map(key)
      .sort(),
  ).toEqual(
    theirs
      .filter(({ rule, at }) => told(rule, at))
      .map(key)
      .sort(),
  );
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
      { numRuns: rounds(20), endOnFailure: true },
    );
  });
  test.each(cases)('$name in $language do so with words that have every fault', (each) => {
    fc.assert(
      fc.property(hostileWords, fc.constantFrom(...RATES), shots, (words, rate, frames) =>
        expectKept(words, each, rate, frames),
      ),
      { numRuns: rounds(8), endOnFailure: true },
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
    expect(profile.rules.line_length?.sentence).toBe('A line has at most 30 characters.');
    expect(profile.rules.min_duration?.source).toStartWith('https://partnerhelp');
  });
});

describe('shot changes', () => {
  const word = (text: string, start: number, end: number): CaptionWord => ({ text, start, end });
  const netflix = profileOf('netflix');
  test('make no caption longer than seven seconds, although the BBC has no rule about it', () => {
    const words = [0, 1, 2, 3, 4].map((at) => word('steadily', 10 + at * 1.38, 11.38 + at * 1.38));
    const bbc = profileOf('bbc');
    for (const shot of [9.6, 9.8, 16.9, 17.1]) {
      const [cue, ...more] = buildProfiled(words, bbc, { frameRate: 25, shots: [shot] });
      expect([cue!.end - cue!.start <= 7, more.length]).toEqual([true, 0]);
    }
  });
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
  const cue = (start: number, end: number, ...lines: string[]): Caption => ({ start, end, lines });
  test('names the rule, describes the violation, and fixes it', () => {
    const cues = [
      cue(0, 0.5, 'Good evening.'),
      cue(1.2, 2.2, 'We are very glad indeed that all of you have come.'),
      cue(2.25, 6, 'Thank', 'you', 'all.'),
    ];
    const found = checkCaptions(cues, profileOf('netflix'), { frameRate: 25 });
    expect(found.map(({ at, rule }) => `${at} ${rule}`)).toEqual([
      '0 min_duration',
      '0 reading_speed',
      '0 on_frames',
      '1 line_length',
      '1 reading_speed',
      '1 gap',
      '2 line_count',
      '2 on_frames',
    ]);
    const short = found.find(({ rule }) => rule === 'min_duration');
    expect(short).toMatchObject({
      says: 'is shown for 0.5 s',
      sentence: 'A subtitle lasts at least 5/6 of a second.',
    });
    expect(short?.source).toContain('General-Requirements');
    const [fixed] = short?.fix ?? [];
    expect(fixed?.caption.end).toBeGreaterThanOrEqual(5 / 6 - 0.001);
    const lines = found.find(({ rule }) => rule === 'line_length')?.fix?.[0]?.caption.lines;
    expect(lines?.length).toBe(2);
    expect(found.find(({ rule }) => rule === 'line_count')?.fix?.[0]?.caption.lines).toEqual([
      'Thank you all.',
    ]);
  });
  test('finds two speakers without dashes, and more than two', () => {
    const spoken = (lines: string[], speakers: string[]): Caption => ({
      start: 0,
      end: 3,
      lines,
      speakers,
    });
    const netflix = (language: string) => profileOf('netflix', language);
    const rules = (caption: Caption, language = 'en') =>
      checkCaptions([caption], netflix(language)).map(({ rule }) => rule);
    expect(rules(spoken(['-Coming?', '-Yes.'], ['A', 'B']))).toEqual([]);
    expect(rules(spoken(['Kom je?', '-Ja.'], ['A', 'B']), 'nl')).toEqual([]);
    expect(rules(spoken(['- Tu viens ?', '- Oui.'], ['A', 'B']), 'fr')).toEqual([]);
    expect(rules(spoken(['Coming?', 'Yes.'], ['A', 'B']))).toEqual(['two_speakers']);
    for (const dash of '-–—') {
      const [fault] = checkCaptions([spoken(['Hi.', `${dash} Yes.`], ['A', 'B'])], netflix('en'));
      expect(fault?.fix?.[0]?.caption.lines).toEqual(['-Hi.', '-Yes.']);
    }
  });
});

test('every profile has a name, a title and sentences', () => {
  for (const name of PROFILE_NAMES) {
    for (const language of ['en', 'fr', 'ja', 'ko', 'zh-Hans', 'th', 'hi', 'xx']) {
      const profile = profileOf(name, language);
      expect(profile).toMatchObject({ name, language });
      for (const rule of Object.values(profile.rules)) expect(rule.sentence).toEndWith('.');
    }
  }
  expect(isProfileName('toString')).toBe(false);
});
