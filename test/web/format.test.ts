/** Formatting figures for display. */
import { describe, expect, test } from 'bun:test';
import {
  clock,
  count,
  dateTime,
  duration,
  megabytes,
  position,
  seconds,
  sentence,
} from '../../web/format.ts';

test.each([
  [0, '0 runs'],
  [1, '1 run'],
  [2, '2 runs'],
  [3000, '3,000 runs'],
])('a count of %d', (value, shown) => {
  expect(count(value, 'run', 'runs')).toBe(shown);
});

describe('lengths of time', () => {
  test.each([
    [-1, '0 s'],
    [0, '0 s'],
    [35.172, '35 s'],
    [59.4, '59 s'],
    [59.6, '1:00 min'],
    [200, '3:20 min'],
    [3599.5, '1:00:00 h'],
    [3725, '1:02:05 h'],
  ])('%d', (length, shown) => {
    expect(duration(length)).toBe(shown);
  });
});

describe('lengths of time as a player shows them', () => {
  test.each([
    [0, '0:00'],
    [4.6, '0:05'],
    [118, '1:58'],
    [600, '10:00'],
    [3599.5, '1:00:00'],
    [36_125, '10:02:05'],
  ])('%d', (length, shown) => {
    expect(clock(length)).toBe(shown);
  });
});

describe('positions in a recording', () => {
  test.each([
    [-0.5, '00:00.0'],
    [0, '00:00.0'],
    [41.2, '00:41.2'],
    // A position is rounded down, so that it is never too late.
    [41.29, '00:41.2'],
    [0.3, '00:00.3'],
    // 0.7999999999999999 in binary.
    [0.7 + 0.1, '00:00.8'],
    [59.999, '00:59.9'],
    [750, '12:30.0'],
    [3725, '1:02:05.0'],
    [36_000, '10:00:00.0'],
  ])('%d', (time, shown) => {
    expect(position(time)).toBe(shown);
  });
});

test.each([
  [0.84, '0.8 s'],
  [2, '2 s'],
  [12.96, '13 s'],
])('%d seconds', (value, shown) => {
  expect(seconds(value)).toBe(shown);
});

test.each([
  [0, '0.0 MB'],
  [140_000, '0.1 MB'],
  [9_940_000, '9.9 MB'],
  [10_000_000, '10 MB'],
  [99_600_000, '100 MB'],
])('%d bytes', (bytes, shown) => {
  expect(megabytes(bytes)).toBe(shown);
});

test('dates are formatted for the locale, from text or milliseconds', () => {
  const instant = '2026-03-04T12:30:00.000Z';
  expect(dateTime(instant)).toContain('2026');
  expect(dateTime(Date.parse(instant))).toBe(dateTime(instant));
});

test.each([
  ['the file is too large', 'The file is too large.'],
  ['no speech was found!', 'No speech was found!'],
  ['version 1.2 of the file is unknown', 'Version 1.2 of the file is unknown.'],
])('the phrase "%s" becomes a sentence', (phrase, shown) => {
  expect(sentence(phrase)).toBe(shown);
});
