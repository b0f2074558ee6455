/** Seams of two overlapping stretches: each way in which the second may differ from the first, and the joined words. */
import { expect, test } from 'bun:test';
import type { TranscriptWord } from '../../server/contract/results.ts';
import { joinStretches } from '../../server/speech/seams.ts';

const TALK = 'we show how the new key opens the old door to all of you'.split(' ');

/** The talk, one word every 0.4 s. The two stretches share the time from 2 s to 4 s. */
const spoken = (texts = TALK): TranscriptWord[] =>
  texts.map((text, at) => ({ text, start: at * 0.4, end: at * 0.4 + 0.3 }));
const [FROM, TO] = [2, 4];

type Change = (words: TranscriptWord[]) => TranscriptWord[];
const without =
  (text: string): Change =>
  (words) =>
    words.filter((word) => word.text !== text);
const instead =
  (text: string, other: string): Change =>
  (words) =>
    words.map((word) => (word.text === text ? { ...word, text: other } : word));
const between =
  (from: number, to: number): Change =>
  (words) =>
    words.filter(({ start, end }) => start >= from && end <= to);
const moved =
  (by: number): Change =>
  (words) =>
    words.map((word) => ({ ...word, start: word.start + by, end: word.end + by }));
const longer =
  (text: string, by: number): Change =>
  (words) =>
    words.map((word) => (word.text === text ? { ...word, end: word.end + by } : word));

const same: Change = (words) => words;
const ALL = 'the new key opens the old door to all';
/** The possible words of the first stretch, those of the second, and the joined words from the seam on. */
const SEAMS: [name: string, left: Change, right: Change, joined: string][] = [
  ['the same words', same, same, ALL],
  ['the second without "opens"', same, without('opens'), ALL],
  ['the first without "opens"', without('opens'), same, 'the new key the old door to all'],
  ['the second without "the"', same, without('the'), ALL],
  ['both without "opens"', without('opens'), without('opens'), 'the new key the old door to all'],
  [
    'other capitals and marks',
    instead('opens', 'Opens,'),
    instead('old', '“Old”'),
    'the new key Opens, the “Old” door to all',
  ],
  ['another word for "opens"', same, instead('opens', 'open'), ALL],
  [
    'another word for each',
    same,
    (words) => words.map((word) => ({ ...word, text: `${word.text}x` })),
    'the new key opens the oldx doorx tox allx',
  ],
  ['the first cut in a word', instead('door', 'do'), same, ALL],
  ['the second cut in a word', same, instead('key', 'ey'), ALL],
  ['the first up to 2.7 s', between(0, 2.7), same, ALL],
  ['the second from 3.1 s', same, between(3.1, 9), ALL],
  ['a gap between both', between(0, 2.4), between(3.5, 9), 'the new key door to all'],
  ['nothing in the first', () => [], same, 'opens the old door to all'],
  ['nothing in the second', same, () => [], 'the new key opens the old'],
  [
    'a long last word',
    longer('old', 0.5),
    instead('door', 'doors'),
    'the new key opens the old doors to all',
  ],
  ['the second 0.1 s later', same, moved(0.1), ALL],
  ['the second 0.3 s earlier', same, moved(-0.3), ALL],
  ['the second 0.45 s later', same, moved(0.45), 'the new key opens the the old door to all'],
  [
    'the second 0.4 s later, as a repeated word',
    (words) => instead('key', 'the')(instead('opens', 'the')(words)),
    (words) => moved(0.4)(instead('key', 'the')(instead('opens', 'the')(words))),
    'the new the the the the old door to all',
  ],
];

test.each(SEAMS)('%s', (_, left, right, joined) => {
  const words = joinStretches([
    { start: 0, end: TO, words: left(spoken().filter(({ start }) => start < TO)) },
    { start: FROM, end: 9, words: right(spoken().filter(({ end }) => end > FROM)) },
  ]);
  const said = words.filter(({ end }) => end > 1.5).map(({ text }) => text);
  expect(said.join(' ').replace(/(all)x? ofx? youx?$/, '$1')).toBe(joined.replace('allx', 'all'));
});
