/** Warnings of the shell about rules of a profile that captions break. */
import { expect, test } from 'bun:test';
import { brokenRuleLines } from '../../scripts/profile-warnings.ts';

const broken = (cue: number, sentence: string) => ({
  cue,
  sentence,
  rule: 'reading_speed',
  message: `Cue ${cue} is at fault.`,
  source: 'https://example.org',
});

test('each rule is named once, with the captions that break it', () => {
  const warnings = [broken(1, 'Be slow.'), broken(2, 'Be short.'), broken(3, 'Be slow.')];
  expect(brokenRuleLines(warnings)).toEqual(['- Be slow. (cues 1, 3)', '- Be short. (cue 2)']);
});

test('of many captions the first ten are named', () => {
  const warnings = Array.from({ length: 12 }, (_, at) => broken(at + 1, 'Be slow.'));
  expect(brokenRuleLines(warnings)).toEqual([
    '- Be slow. (cues 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more)',
  ]);
  expect(brokenRuleLines(warnings.slice(0, 10))).toEqual([
    '- Be slow. (cues 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)',
  ]);
});
