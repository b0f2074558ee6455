/** Properties of cues that hold for any words and any settings. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { buildCues, type CaptionWord } from '../../server/captions/build.ts';
import { assessCaptions } from '../../server/captions/quality.ts';
import { type Token, tokensOf } from '../../server/captions/tokens.ts';
import { columns } from '../../server/captions/width.ts';
import { CaptionCue, type CaptionSettings } from '../../server/contract/captions.ts';
import { Type, validator } from '../../server/contract/schema.ts';

setDefaultTimeout(120_000);

const settingsArbitrary: fc.Arbitrary<CaptionSettings> = fc.record({
  maxLineChars: fc.integer({ min: 24, max: 60 }),
  maxLines: fc.integer({ min: 1, max: 3 }),
  maxDuration: fc.double({ min: 2, max: 10, noNaN: true }),
  minDuration: fc.double({ min: 0.2, max: 2, noNaN: true }),
});

const textArbitrary = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'the',
      'a',
      'of',
      'server',
      'Protocol,',
      'and',
      'now.',
      'it',
      'U.S.',
      '3.5',
      'million',
    ),
  },
  { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '字',
      '幕',
      'です。',
      '👩‍👩‍👧',
      'مرحبا',
      'https://example.com/a/very/long/address/indeed',
      '-->',
      'ก็ดี',
    ),
  },
);

/** Words as a sound provider returns them. */
const soundWords = fc
  .array(
    fc.tuple(
      textArbitrary,
      fc.integer({ min: 20, max: 900 }),
      fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 0, max: 300 }) },
        { weight: 1, arbitrary: fc.integer({ min: 300, max: 5000 }) },
      ),
      fc.constantFrom(undefined, undefined, undefined, 'A', 'B'),
    ),
    { maxLength: 120 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(([text, length, pause, speaker]): CaptionWord => {
      const start = (at += pause) / 1000;
      const word = { text, start, end: (at += length) / 1000 };
      return speaker === undefined ? word : { ...word, speaker };
    });
  });

const hostileTime = fc.oneof(
  fc.double({ min: -5, max: 4000, noNaN: true }),
  fc.constantFrom(
    Number.NaN,
    0,
    -1,
    undefined as unknown as number,
    Number.POSITIVE_INFINITY,
    359_987.99,
    359_999.9,
    360_000,
    1e308,
  ),
);
const hostileWords = fc.array(
  fc.record({
    text: fc.oneof(textArbitrary, fc.constantFrom('', ' ', '\n', '\u0000', 'two words', ' - ')),
    start: hostileTime,
    end: hostileTime,
  }),
  { maxLength: 60 },
);

const squeeze = (text: string) =>
  text
    .toWellFormed()
    .replaceAll('-->', '→')
    // oxlint-disable-next-line no-control-regex
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u200b\u2060\ufeff]+/g, '');

const cueList = validator(Type.Array(CaptionCue));

/** The tokens of each cue: cues hold them all, in order. */
function tokensOfCues(words: readonly CaptionWord[], cues: readonly CaptionCue[]): Token[][] {
  const tokens = tokensOf(words);
  let at = 0;
  return cues.map((cue) => {
    const own: Token[] = [];
    let missing = squeeze(cue.text).length;
    while (missing > 0) {
      const token = tokens[at++]!;
      own.push(token);
      missing -= squeeze(token.text).length;
    }
    expect(missing).toBe(0);
    return own;
  });
}

function expectSound(words: readonly CaptionWord[], settings: CaptionSettings): void {
  const cues = buildCues(words, settings);
  expect(cueList.faults(cues)).toEqual([]);
  // Apart from one another: what stands in two of them is no arrow.
  expect(squeeze(cues.map((cue) => cue.text).join(' '))).toBe(
    squeeze(words.map((word) => word.text).join(' ')),
  );
  expect(cues.map((cue) => cue.index)).toEqual(cues.map((_, at) => at + 1));
  for (const cue of cues) {
    expect(cue.text).toBe(cue.lines.join('\n'));
    expect(cue.lines.length).toBeLessThanOrEqual(settings.maxLines);
    for (const line of cue.lines) {
      expect(line).toBe(line.trim());
      expect(line).not.toBe('');
      // One word longer than a line stays whole, and alone.
      if (columns(line) > settings.maxLineChars) expect(line).not.toContain(' ');
    }
  }
  expectSoundTimes(words, cues, settings);
  expectSoundReport(cues, settings);
}

const ms = (seconds: number) => Math.round(seconds * 1000);

function expectSoundTimes(
  words: readonly CaptionWord[],
  cues: readonly CaptionCue[],
  { minDuration, maxDuration }: CaptionSettings,
): void {
  const spoken = tokensOfCues(words, cues);
  let last = 0;
  for (const [at, cue] of cues.entries()) {
    const [start, end] = [ms(cue.start), ms(cue.end)];
    const own = spoken[at]!;
    const [first, final] = [own[0]!, own.at(-1)!];
    const next = ms(cues[at + 1]?.start ?? Number.POSITIVE_INFINITY);
    expect(start).toBeGreaterThanOrEqual(last);
    expect(end).toBeGreaterThan(start);
    expect(end).toBeLessThanOrEqual(next);
    expect(end - start).toBeLessThanOrEqual(ms(maxDuration));
    // Two frames at 24 a second, or none: less than that is a flicker.
    expect(next === end || next - end >= 84).toBe(true);
    // Too short only where the speech of the next cue comes too soon.
    if (end - start < ms(minDuration)) expect(end).toBe(next);
    // Shown with its speech: at most 0.2 s before, and into no silence longer than reading needs.
    // A word of no length is moved on by a millisecond for each of its kind.
    expect(start).toBeGreaterThanOrEqual(ms(first.start) - 200);
    expect(start).toBeLessThanOrEqual(ms(first.start) + cues.length);
    const latest = Math.max(final.end + 1, first.start + minDuration) + 0.5;
    expect(end).toBeLessThanOrEqual(ms(latest) + cues.length);
    // One speaker, and no long pause, to a cue.
    for (const [index, token] of own.entries()) {
      const before = own[index - 1];
      if (!before) continue;
      expect(token.speaker).toBe(before.speaker);
      expect(token.start - before.end).toBeLessThan(1.5);
    }
    last = end;
  }
}

function expectSoundReport(cues: readonly CaptionCue[], settings: CaptionSettings): void {
  const report = assessCaptions(cues, settings);
  expect(report.cues.map(({ cue }) => cue)).toEqual(cues.map(({ index }) => index));
  expect(report.score).toBeGreaterThanOrEqual(0);
  expect(report.score).toBeLessThanOrEqual(1);
  expect(report.summary.warningCount).toBe(report.warnings.length);
  for (const { flags } of report.cues) {
    expect(flags).not.toContain('duration_above_maximum');
    expect(flags).not.toContain('line_count_above_maximum');
  }
}

describe('cues hold what they promise', () => {
  test('for sound words and all settings', () => {
    fc.assert(fc.property(soundWords, settingsArbitrary, expectSound), { numRuns: 300 });
  });
  test('for words with every fault a provider can have', () => {
    fc.assert(fc.property(hostileWords, settingsArbitrary, expectSound), { numRuns: 300 });
  });
  test('at 24×1 and with the tightest times', () => {
    const tight = { maxLineChars: 24, maxLines: 1, maxDuration: 2, minDuration: 2 };
    fc.assert(
      fc.property(soundWords, (words) => expectSound(words, tight)),
      { numRuns: 100 },
    );
  });
});
