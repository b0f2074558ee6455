/** Properties of cues that hold for any words and any settings. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { buildCaptions, buildCues, type CaptionWord } from '../../server/captions/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { languageOf } from '../../server/captions/language.ts';
import { type Token, tokensOf } from '../../server/captions/divide/tokens.ts';
import { alignSpeakerChanges } from '../../server/captions/divide/speaker-changes.ts';
import type { Caption } from '../../server/captions/cue.ts';
import { columns } from '../../server/captions/width.ts';
import { CaptionCue, type CaptionSettings } from '../../server/contract/captions.ts';
import { Type, validator } from '../../server/contract/schema.ts';
import { hostileWords, settingsArbitrary, soundWords } from './words.ts';

setDefaultTimeout(300_000);

const squeeze = (text: string) =>
  text
    .toWellFormed()
    .replaceAll('-->', '→')
    // oxlint-disable-next-line no-control-regex
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u200b\u2060\ufeff\ufffe\uffff]+/g, '');

const cueList = validator(Type.Array(CaptionCue));

/** The lines of a caption without the dashes of two speakers. */
function saidLines({ lines, speakers = [] }: Caption): string[] {
  if (new Set(speakers).size < 2) return [...lines];
  expect([lines.length, new Set(speakers).size]).toEqual([2, 2]);
  for (const line of lines) expect(line).toMatch(/^-\S/);
  return lines.map((line) => line.slice(1));
}

/** The tokens of each cue; together, cues contain all tokens in order. */
function tokensOfCues(words: readonly CaptionWord[], captions: readonly Caption[]): Token[][] {
  const tokens = alignSpeakerChanges(tokensOf(words), languageOf('en'));
  let at = 0;
  return captions.map((caption) => {
    const own: Token[] = [];
    let missing = squeeze(saidLines(caption).join('\n')).length;
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
  const captions = buildCaptions(words, settings);
  expect(captions.map(({ start, end, lines }) => ({ start, end, lines }))).toEqual(
    cues.map(({ start, end, lines }) => ({ start, end, lines })),
  );
  expect(cueList.issues(cues)).toEqual([]);
  // Checked per cue: text across two cues can form no arrow.
  expect(squeeze(captions.flatMap(saidLines).join(' '))).toBe(
    squeeze(words.map((word) => word.text).join(' ')),
  );
  expect(cues.map((cue) => cue.index)).toEqual(cues.map((_, at) => at + 1));
  for (const cue of cues) {
    expect(cue.text).toBe(cue.lines.join('\n'));
    expect(cue.lines.length).toBeLessThanOrEqual(settings.maxLines);
    for (const line of cue.lines) {
      expect(line).toBe(line.trim());
      expect(line).not.toBe('');
      // A word longer than a line stays whole on its own line.
      if (columns(line) > settings.maxLineChars) expect(line).not.toContain(' ');
    }
  }
  expectSoundTimes(words, cues, captions, settings);
  expectSoundReport(cues, settings);
}

const ms = (seconds: number) => Math.round(seconds * 1000);

function expectSoundTimes(
  words: readonly CaptionWord[],
  cues: readonly CaptionCue[],
  captions: readonly Caption[],
  { minDuration, maxDuration }: CaptionSettings,
): void {
  const spoken = tokensOfCues(words, captions);
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
    // The gap is two frames at 24 a second, or none: anything shorter flickers.
    expect(next === end || next - end >= 84).toBe(true);
    // A cue is too short only if the next cue's speech comes too soon.
    if (end - start < ms(minDuration)) expect(end).toBe(next);
    // A cue is shown with its speech: at most 0.4 s before, and no longer into a silence than
    // reading needs. Words without a duration are moved by a millisecond each.
    expect(start).toBeGreaterThanOrEqual(ms(first.start) - 400);
    expect(start).toBeLessThanOrEqual(ms(first.start) + cues.length);
    const latest = Math.max(final.end + 1, first.start + minDuration) + 0.5;
    expect(end).toBeLessThanOrEqual(ms(latest) + cues.length);
    // Each line has one speaker, and no cue contains a long pause.
    const heard = new Set(own.map(({ speaker }) => speaker ?? ''));
    expect(new Set(captions[at]!.speakers ?? [''])).toEqual(heard);
    for (const [index, token] of own.entries()) {
      const before = own[index - 1];
      if (!before) continue;
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

describe('cues are valid', () => {
  test('for valid words and all settings', () => {
    fc.assert(fc.property(soundWords, settingsArbitrary, expectSound), { numRuns: 300 });
  });
  test('for words with every flaw a provider can return', () => {
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
