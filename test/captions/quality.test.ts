import { expect, test } from 'bun:test';
import { makeCue as cue } from '../../server/captions/cue.ts';
import { assessCaptions, assessCue } from '../../server/captions/rules/quality.ts';
import { speedLimitOf } from '../../server/captions/rules/reading-speed.ts';
import {
  CaptionQuality,
  DEFAULT_CAPTION_SETTINGS,
  type CaptionCue,
} from '../../server/contract/captions.ts';
import { validator } from '../../server/contract/schema.ts';

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

test('no fault of a cue costs more than its most, however large it is', () => {
  const settings = { ...DEFAULT_CAPTION_SETTINGS, maxDuration: 10 };
  const penalty = (end: number, line: string) =>
    assessCue({ start: 0, end, lines: [line] }, undefined, settings).penalty;
  expect([penalty(20, 'Hello.'), penalty(99, 'Hello.')]).toEqual([0.5, 0.5]);
  const long = [84, 85, 168].map((length) => penalty(10, 'x'.repeat(length)));
  expect(long).toEqual([0.7, 0.7, 0.7]);
});

test('a cue without length counts as a millisecond long', () => {
  const { quality } = assessCue(
    { start: 1, end: 1, lines: ['Hello'] },
    undefined,
    DEFAULT_CAPTION_SETTINGS,
  );
  expect([quality.charsPerSecond, quality.wordsPerSecond]).toEqual([5000, 1000]);
});

test('a message is a readable sentence', () => {
  const [warning] = assess([cue(12, 0, 1, ['x'.repeat(24)])]).warnings;
  expect(warning?.message).toBe('Cue 12 reads at 24 characters a second; 20 is comfortable.');
});

test('the last line of all may end in any word', () => {
  expect(assess([cue(1, 0, 2, ['What is it for'])]).warnings).toEqual([]);
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

test('a pronoun that is an object does not dangle, nor does a marked word', () => {
  const flagsOf = (lines: string[]) => assess([cue(1, 0, 3, lines)]).cues[0]?.flags;
  expect(flagsOf(['We have seen it', 'in the house.'])).toEqual([]);
  expect(flagsOf(['We know that it', 'works.'])).toEqual(['dangling_line_break']);
  expect(flagsOf(['What is it for,', 'really?'])).toEqual([]);
  // Spaces at the edge of a line are not seen.
  expect(flagsOf(['We have seen it ', ' in the house.'])).toEqual([]);
  expect(flagsOf(['We know that it ', ' works.'])).toEqual(['dangling_line_break']);
});

test('a cue may end in a word that belongs to the next cue', () => {
  const cues = [cue(1, 0, 3, ['We went to the']), cue(2, 3, 6, ['house.'])];
  expect(assess(cues).cues.map(({ flags }) => flags)).toEqual([['dangling_line_break'], []]);
});

test.each([
  ['de', 'Wir gehen in das', true],
  ['fr', 'Nous allons dans la', true],
  ['es', 'Vamos a la', true],
  ['pl', 'Idziemy do', false],
])('small words are those of the language: %s', (language, line, dangles) => {
  const { flags } = assess([cue(1, 0, 3, [line, 'x.'])], language).cues[0]!;
  expect(flags).toEqual(dangles ? ['dangling_line_break'] : []);
});

test('the score is the mean of the penalties in the report', () => {
  // A line of 43 characters: .3 + .4 × 1/42; a speed of 24: .1 + .4 × .4.
  const long = cue(1, 0, 4, ['x'.repeat(43)]);
  const fast = cue(2, 4, 5, ['x'.repeat(24)]);
  expect(assess([long, fast]).score).toBeCloseTo(1 - (0.3 + 0.4 / 42 + 0.26) / 2, 3);
  // Three characters above nine count like 6.67 above twenty.
  expect(assess([cue(1, 0, 1, ['字'.repeat(12)])]).score).toBeCloseTo(1 - (0.1 + 0.4 * (2 / 3)), 3);
  // Half of the minimum of 0.8 seconds.
  expect(assess([cue(1, 0, 0.4, ['Hi.'])]).score).toBeCloseTo(1 - (0.15 + 0.35 * 0.5), 3);
  // Half a point for each line too many, and never more than one for a cue.
  const tall = (lines: number) => cue(1, 0, 3, Array(lines).fill('Yes.'));
  expect([2, 3, 4, 5].map((lines) => assess([tall(lines)]).score)).toEqual([1, 0.5, 0, 0]);
  expect(assess([tall(5), tall(2)]).score).toBe(0.5);
});
