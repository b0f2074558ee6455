import { describe, expect, test } from 'bun:test';
import { readDifference, readTime } from '../../../web/review/model/typed-time.ts';

describe('a time', () => {
  test.each([
    ['12.5', 12.5],
    ['12,5', 12.5],
    ['0:13', 13],
    ['0:13.', 13],
    [' 90 ', 90],
    ['1:02.03', 62.03],
    ['00:01:02,500', 62.5],
    ['1:00:00', 3600],
    ['90:00', 5400],
    ['0.0004', 0],
    ['0.0006', 0.001],
    ['59.9996', 60],
    ['99:59:59,999', 359_999.999],
  ])('%s', (typed, seconds) => {
    expect(readTime(typed)).toBe(seconds);
  });
  test.each([
    '',
    'soon',
    '-1',
    '1:60',
    '0:75',
    '1:60:00',
    '1:2:3:4',
    '100:00:00',
    '1 2',
    '.',
    ':5',
    '1e3',
  ])('%p is none', (typed) => {
    expect(readTime(typed)).toBeNull();
  });
});

describe('a difference', () => {
  test.each([
    ['-0.5', -0.5],
    ['−0,5', -0.5],
    ['+1', 1],
    ['.5', 0.5],
    ['-.25', -0.25],
    ['-0:01.5', -1.5],
    ['2', 2],
    [' - 5 ', -5],
    ['- .5', -0.5],
    [',5', 0.5],
  ])('%s', (typed, seconds) => {
    expect(readDifference(typed)).toBe(seconds);
  });
  test.each(['', '-', '--1', 'back', '1-'])('%p is none', (typed) => {
    expect(readDifference(typed)).toBeNull();
  });
});
