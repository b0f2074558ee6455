/** The doubtful words of a caption: their selection, their positions in the text, and when they stop counting. */
import { expect, test } from 'bun:test';
import { doubtfulWords, type RecognisedWord } from '../../../web/review/model/doubtful-words.ts';
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

test('a word is doubtful below the limit, unless a correction has replaced it', () => {
  const words = [
    word('They', 10, 0.49),
    word('shipped', 10.4, 0.5),
    word('a', 10.8),
    { ...word('server.', 11.2, 0.1), original: ['serve'] },
  ];
  expect(found('They shipped a server.', words)).toEqual([['They', 0]]);
  expect(doubtfulWords(at(1, 10, 12, 'They shipped'), words, 0.6)).toEqual([
    { from: 0, to: 4, word: 0, confidence: 0.49 },
    { from: 5, to: 12, word: 1, confidence: 0.5 },
  ]);
  expect(found('They shipped a server.', words, 0.1)).toEqual([]);
});

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

test('letters of any script, numbers and pairs of surrogates are whole', () => {
  for (const text of ['naïve', 'e\u0301a', 'हिंदी', '42', '北京', '𝒳']) {
    expect(found(`${text}.`, doubted(text))).toEqual([[text, 0]]);
  }
  expect(found('😀 kit', doubted('kit'))).toEqual([['kit', 0]]);
  expect(found('kit😀', doubted('kit'))).toEqual([['kit', 0]]);
});

test('a word that was edited no longer counts, and those around it keep their places', () => {
  const words = doubted('we use off kit for it');
  expect(found('We use AuthKit\nfor it', words)).toEqual([
    ['We', 0],
    ['use', 1],
    ['for', 4],
    ['it', 5],
  ]);
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
