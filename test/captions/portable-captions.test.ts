/** Lines, names and positions that every caption format can hold. */
import { expect, test } from 'bun:test';
import type { Placement } from '../../server/captions/cue.ts';
import { readOverrides } from '../../server/captions/files/override-blocks.ts';
import {
  portableRuns,
  portableSpeakers,
  readCue,
  spokenLines,
} from '../../server/captions/files/portable-captions.ts';
import { toSrt } from '../../server/captions/files/srt.ts';

const at = { start: 1, end: 2 };

test.each([
  ['a < b', 'a ‹ b'],
  ['a <b', 'a ‹b'],
  ['a < b > c', 'a ‹ b › c'],
  ['a < 3', 'a < 3'],
])('%j is no tag in SRT, which has no escapes: %j', (line, written) => {
  expect(toSrt([{ ...at, lines: [line] }]).split('\n')[2]).toBe(written);
});

test.each([
  ['any end of a line', 'a\n\u000b\u000c\rb\u0085c\u2028\u2029d', 'a b c d'],
  ['half a character', 'a\ud800b', 'a\ufffdb'],
  ['spaces at the edges', ' \ta b\t ', 'a b'],
  ['an arrow', 'a --> b', 'a → b'],
  ['what is invisible', 'a\u0000\u2060\ufeff\uffffb', 'ab'],
  ['no text', ' \u0007 ', '…'],
])('%s in a line can be held', (_, line, text) => {
  expect(portableRuns([line])).toEqual([[{ text, italic: false }]]);
});

test('spaces at the edges of a line go, those beside italics stay', () => {
  expect(portableRuns([' a <i>b</i> '])).toEqual([
    [
      { text: 'a ', italic: false },
      { text: 'b', italic: true },
    ],
  ]);
});

test('a name is on one line, with single spaces', () => {
  const speakers = [' Ada \n  Lee\t', ''];
  expect(portableSpeakers({ ...at, lines: ['a', 'b', 'c'], speakers })).toEqual([
    'Ada Lee',
    '',
    '',
  ]);
});

test('lines of the same speaker belong together, also if nobody knows who it is', () => {
  const groups = (lines: string[], speakers?: string[]) =>
    spokenLines({ ...at, lines, ...(speakers && { speakers }) }).map((group) => [
      group.speaker,
      group.lines.length,
    ]);
  expect(groups(['a', 'b'])).toEqual([['', 2]]);
  expect(groups(['a', 'b', 'c'], ['Ada', 'Ada', 'Bob'])).toEqual([
    ['Ada', 2],
    ['Bob', 1],
  ]);
  expect(groups(['a', 'b'], ['Ada'])).toEqual([
    ['Ada', 1],
    ['', 1],
  ]);
});

test('a caption that is read has names and a place only if there are any', () => {
  const read = (speakers: string[], placement = {}) =>
    readCue(
      1,
      2,
      speakers.map((speaker) => ({ text: 'a', speaker })),
      placement,
    );
  expect(read([''])).toEqual({ ...at, lines: ['a'] });
  expect(read(['', 'Ada'])).toEqual({ ...at, lines: ['a', 'a'], speakers: ['', 'Ada'] });
  expect(read([''], { align: 'end' })).toEqual({
    ...at,
    lines: ['a'],
    placement: { align: 'end' },
  });
});

test.each<[string, Placement]>([
  ['{\\a1}', { align: 'start' }],
  ['{\\a6}', { vertical: 'top' }],
  ['{\\a10}', { vertical: 'middle' }],
  ['{\\a11}', { vertical: 'middle', align: 'end' }],
  ['{\\an7}', { vertical: 'top', align: 'start' }],
  ['{\\a}', {}],
  ['{\\an}', {}],
  ['{\\an0}', {}],
])('the block %s places a caption', (block, placement) => {
  expect(readOverrides(`${block}Hi`)).toEqual({ text: 'Hi', placement });
});
