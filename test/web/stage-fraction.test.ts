/** The progress of a transcription, and the estimate of the remaining time. */
import { describe, expect, test } from 'bun:test';
import { STAGE_PROGRESS } from '../../server/contract/stage-progress.ts';
import { secondsLeft, transcribedFraction } from '../../web/run/stage-fraction.ts';

test.each([
  ['nothing is done', 0, 0],
  ['half is heard', 0.455, 0.5],
  ['all is heard', STAGE_PROGRESS.moderation, 1],
  ['the terms are looked at', STAGE_PROGRESS.terminology_audit, 1],
])('the transcription when %s', (_, progress, expected) => {
  expect(transcribedFraction(progress)).toBeCloseTo(expected);
});

describe('the remaining seconds', () => {
  const from = (fraction: number, at: number) => ({ fraction, at });
  test.each([
    ['half in ten seconds leaves ten', from(0, 0), from(0.5, 10_000), 10],
    ['a tenth in ten seconds leaves ninety', from(0, 0), from(0.1, 10_000), 90],
    ['the pace counts from where it was first seen', from(0.5, 50_000), from(0.75, 60_000), 10],
    ['few are told in fives', from(0, 0), from(0.9, 10_000), 5],
    ['more in tens', from(0, 0), from(0.25, 10_500), 40],
    ['in tens from twenty on', from(0, 0), from(0.5, 21_000), 30],
  ])('%s', (_, first, now, expected) => {
    expect(secondsLeft(first, now)).toBe(expected);
  });

  test.each([
    ['too short a look', from(0, 0), from(0.5, 1999)],
    ['too little done', from(0, 0), from(0.029, 60_000)],
    ['nothing done', from(0.2, 0), from(0.2, 60_000)],
    ['done', from(0, 0), from(1, 60_000)],
  ])('nothing is shown after %s', (_, first, now) => {
    expect(secondsLeft(first, now)).toBeNull();
  });
});
