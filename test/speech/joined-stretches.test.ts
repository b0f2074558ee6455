/**
 * Seams of two overlapping stretches as a table: each way in which the second may differ from the first, and the
 * joined words, in joined-stretches.txt. `OUTLINES=write npm test -- test/speech/joined-stretches.test.ts` updates it.
 */
import { test } from 'bun:test';
import type { TranscriptWord } from '../../server/contract/transcript.ts';
import { joinStretches } from '../../server/speech/seams.ts';
import { expectKeptIn } from '../support/kept.ts';

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
/** The possible words of the first stretch, and of the second. */
const CHANGES: Record<string, [left: Change, right: Change]> = {
  'the same words': [same, same],
  'the second without "opens"': [same, without('opens')],
  'the first without "opens"': [without('opens'), same],
  'the second without "the"': [same, without('the')],
  'both without "opens"': [without('opens'), without('opens')],
  'other capitals and marks': [instead('opens', 'Opens,'), instead('old', '“Old”')],
  'another word for "opens"': [same, instead('opens', 'open')],
  'another word for each': [
    same,
    (words) => words.map((word) => ({ ...word, text: `${word.text}x` })),
  ],
  'the first cut in a word': [instead('door', 'do'), same],
  'the second cut in a word': [same, instead('key', 'ey')],
  'the first up to 2.7 s': [between(0, 2.7), same],
  'the second from 3.1 s': [same, between(3.1, 9)],
  'a gap between both': [between(0, 2.4), between(3.5, 9)],
  'nothing in the first': [() => [], same],
  'nothing in the second': [same, () => []],
  'a long last word': [longer('old', 0.5), instead('door', 'doors')],
  'the second 0.1 s later': [same, moved(0.1)],
  'the second 0.3 s earlier': [same, moved(-0.3)],
  'the second 0.45 s later': [same, moved(0.45)],
  'the second 0.4 s later, as a repeated word': [
    (words) => instead('key', 'the')(instead('opens', 'the')(words)),
    (words) => moved(0.4)(instead('key', 'the')(instead('opens', 'the')(words))),
  ],
};

const shown = (words: readonly TranscriptWord[]): string =>
  words.map(({ text, start }) => `${text} ${Math.round(start * 100) / 100}`).join(', ');

test('two stretches that share two seconds', () => {
  const lines = Object.entries(CHANGES).flatMap(([name, [left, right]]) => {
    const first = left(spoken().filter(({ start }) => start < TO));
    const second = right(spoken().filter(({ end }) => end > FROM));
    const joined = joinStretches([
      { start: 0, end: TO, words: first },
      { start: FROM, end: 9, words: second },
    ]);
    return [`${name}:`, `  ${shown(joined.filter(({ end }) => end > 1.5))}`];
  });
  expectKeptIn(new URL('outlines/', import.meta.url), 'joined-stretches', lines);
});
