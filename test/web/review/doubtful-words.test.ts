/** Words of which the recogniser was not sure, and sound that has no caption. */
import { expect, test } from 'bun:test';
import { type RecognisedWord, doubtfulWords } from '../../../web/review/model/doubtful-words.ts';
import { loudWithoutCues } from '../../../web/review/model/unheard.ts';
import { at } from './support.ts';

const word = (text: string, start: number, confidence?: number): RecognisedWord => ({
  text,
  start,
  end: start + 0.3,
  ...(confidence === undefined ? {} : { confidence }),
});

/** The doubted parts of a caption's text from 10 to 12 s, with the places of their words. */
const found = (text: string, words: readonly RecognisedWord[], below = 0.5) =>
  doubtfulWords(at(1, 10, 12, text), words, below).map(({ from, to, word: place }) => [
    text.slice(from, to),
    place,
  ]);

/** The words of a text from 10 s on, all of them doubted by 0.3. */
const doubted = (text: string) =>
  text.split(/\s+/).map((each, index) => word(each, 10 + index * 0.4, 0.3));

test('words count that begin up to 0.4 s before or after the caption', () => {
  const around = (start: number) => found('here', [word('here', start, 0.1)]);
  expect([around(12.4), around(12.41)]).toEqual([[['here', 0]], []]);
  // The word that is spoken when the caption begins belongs to it, however early it began.
  const before = [word('early', 5, 0.1), word('here', 9.5, 0.1), word('late', 9.61, 0.1)];
  expect(found('early here late', before)).toEqual([
    ['here', 1],
    ['late', 2],
  ]);
});

test('a word is marked without the punctuation and the tags around it', () => {
  const marked = (text: string) => {
    const [first] = found(text, doubted('kit'));
    return first?.[0];
  };
  expect(
    ['“kit,”', '(kit)', '<i>kit</i>', '“<i>kit</i>.”', 'kit!?…', '¿kit?', '<I>kit</I>'].map(marked),
  ).toEqual(Array.from({ length: 7 }, () => 'kit'));
  expect(marked('kit’s')).toBeUndefined();
  expect(marked('— kit —')).toBe('kit');
  // Any other tag is a part of the word.
  expect(found('<b>kit</b>.', doubted('bkitb'))).toEqual([['<b>kit</b>', 0]]);
});

test('if a word was recognised several times, it counts as often as it is in the text', () => {
  const words = doubted('no no no yes no');
  expect(found('no yes', words)).toEqual([
    ['no', 0],
    ['yes', 3],
  ]);
  expect(found('yes no', words)).toEqual([
    ['yes', 3],
    ['no', 4],
  ]);
  expect(found('no no no yes no no', words).map(([, place]) => place)).toEqual([0, 1, 2, 3, 4]);
  expect(found('', words)).toEqual([]);
  expect(found('… —', words)).toEqual([]);
});

/** Peaks, 50 a second, of stretches of so many seconds and so loud; loud ones change as speech does. */
const peaksOf = (...stretches: readonly (readonly [seconds: number, loud: number])[]) =>
  Uint8Array.from(
    stretches.flatMap(([seconds, loud]) =>
      Array.from({ length: seconds * 50 }, (_, value) => loud * (0.6 + 0.4 * Math.sin(value))),
    ),
  );

test('sound counts that is about as loud as captioned speech, and without a caption', () => {
  const cues = [at(1, 0, 10), at(2, 24, 34)];
  const talk = (loud: number, noise = 2) =>
    peaksOf([10, 100], [4, noise], [8, loud], [2, noise], [10, 100]);
  expect(loudWithoutCues(talk(90), cues)).toEqual([{ start: 14, end: 22 }]);
  expect(loudWithoutCues(talk(60, 12), cues)).toEqual([{ start: 14, end: 22 }]);
  // The quiet hum of a room, and a chair that falls.
  expect(loudWithoutCues(talk(20), cues)).toEqual([]);
  expect(loudWithoutCues(peaksOf([10, 100], [6, 2], [1, 200], [7, 2], [10, 100]), cues)).toEqual(
    [],
  );
  expect(loudWithoutCues(talk(90), [...cues, at(3, 14, 22)])).toEqual([]);
  expect(loudWithoutCues(peaksOf([30, 1]), [])).toEqual([]);
  expect(loudWithoutCues(new Uint8Array(0), cues)).toEqual([]);
});
