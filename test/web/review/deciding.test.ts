/** Terms and doubtful words are decided on. */
import { afterEach, describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { createDoubts } from '../../../web/review/editing/doubts.ts';
import { createNavigation } from '../../../web/review/desk/navigation.ts';
import { createPlayback } from '../../../web/review/play/playback.ts';
import { createProfileCheck } from '../../../web/review/desk/profile-check.ts';
import { decidePack, decideTerms } from '../../../web/review/desk/decide-here.ts';
import { initialDecisions } from '../../../web/review/model/corrections.ts';
import { openReview } from '../../../web/review/model/history.ts';
import { at, correction, cuesOf, settings as limits, reviewOf, spoken, texts } from './support.ts';
import { insertIn } from '../../../web/review/model/edit-cues.ts';
import { setText } from '../../../web/review/model/edit-text.ts';
import { createReview } from '../../../web/review/editing/review.ts';
import { settings } from '../../../web/review/editing/settings.ts';
import { text } from '../../../web/texts/review.ts';
import { usePage } from '../support/page.ts';
import {
  type HeardWord,
  doubtfulWords,
  loudWithoutCues,
} from '../../../web/review/model/doubtful-words.ts';

usePage();

test('terms that are decided together are one step, which says if the words of any are gone', () => {
  const terms = [correction('a', 0.5), correction('b', 3.4), correction('c', 4.4)];
  const review = reviewOf(cuesOf('Gone.', 'We off kit and off kit.'), terms);
  decideTerms(review, terms, 'accepted');
  expect(texts(review.cues.value)).toEqual(['Gone.', 'We AuthKit and AuthKit.']);
  expect([...review.decisions.value.values()]).toEqual(['accepted', 'accepted', 'accepted']);
  expect([review.message.value, review.state.value.changes.length]).toEqual([
    text.review.termGone,
    1,
  ]);
  // Terms that already have this decision are left alone.
  decideTerms(review, terms.slice(1), 'accepted');
  expect(review.state.value.changes).toHaveLength(1);
  decideTerms(review, terms.slice(1), 'rejected');
  expect(texts(review.cues.value)[1]).toBe('We off kit and off kit.');
  expect(review.message.value).toBe(text.review.did['reject']!);
});

test('a pack that is done without takes back what rests on it alone, as one step', () => {
  const [made, both, open, other] = [
    { ...correction('made', 0.5), decision: 'accepted' as const },
    { ...correction('both', 3.4), decision: 'accepted' as const },
    correction('open', 6.4),
    { ...correction('other', 9.5), decision: 'accepted' as const },
  ];
  const corrections = [made, both, open, other];
  const packs = [
    { id: 'a', title: 'A', heard: [], corrections: ['made', 'both', 'open'] },
    { id: 'b', title: 'B', heard: [], corrections: ['both'] },
  ];
  const original = cuesOf('AuthKit.', 'AuthKit?', 'Off kit.', 'AuthKit!');
  const { state } = openReview(original, initialDecisions(corrections, packs));
  const source = { runId: 'run', name: '', settings: limits, language: 'en', words: [] };
  const review = createReview({ ...source, corrections, evidentPacks: packs, original }, state);
  const shown = () => [texts(review.cues.value).join(' '), review.decisions.value.get('open')];
  const used = ['AuthKit. AuthKit? Off kit. AuthKit!', 'open'];
  decidePack(review, packs[0]!, false);
  expect(shown()).toEqual(['off kit. AuthKit? Off kit. AuthKit!', 'rejected']);
  // The other pack has the term, too, until nobody uses that either.
  decidePack(review, packs[1]!, false);
  expect(shown()).toEqual(['off kit. off kit? Off kit. AuthKit!', 'rejected']);
  decidePack(review, packs[0]!, true);
  expect(shown()).toEqual(used);
  for (const _ of [1, 2, 3]) review.undo();
  expect([...shown(), review.state.value.position]).toEqual([...used, 0]);
});

describe('doubtful words', () => {
  const { doubtBelow } = settings;
  const usual = doubtBelow.peek();
  afterEach(() => {
    doubtBelow.value = usual;
  });

  function opened() {
    const words = spoken('We use Skim and skim here').map((word, index) => ({
      ...word,
      confidence: index === 2 ? 0.2 : index === 4 ? 0.3 : 1,
    }));
    // The word at 1 s is within reach of both captions, and both have it.
    const original = [at(1, 0, 1.2, 'We use Skim'), at(2, 1.2, 4, 'Skim and skim here')];
    const source = { runId: 'run', name: '', settings: limits, language: 'en', corrections: [] };
    const { state } = openReview(original, new Map());
    const review = createReview({ ...source, words, original }, state);
    return { review, doubts: createDoubts(review) };
  }

  test('follow the limit, and move with their captions', () => {
    const { review, doubts } = opened();
    doubtBelow.value = 0.25;
    expect(doubts.open.value.map(({ word }) => word)).toEqual([2]);
    doubtBelow.value = 0.5;
    const before = doubts.open.value[1]!;
    review.edit('text', setText(review.cues.value, 0, 'We use Skim, too'));
    expect(doubts.open.value[1]).toBe(before);
    const [first] = review.cues.value;
    review.edit('delete', { at: 0, removed: [first!], inserted: [] });
    expect(doubts.open.value.map(({ index, word }) => [index, word])).toEqual([
      [0, 2],
      [0, 4],
    ]);
  });
});

test('sound without captions is a doubt until it is captioned or settled', () => {
  const review = reviewOf([at(1, 0, 2), at(2, 20, 22), at(3, 40, 42)]);
  const stretches = signal([
    { start: 5, end: 15 },
    { start: 25, end: 35 },
  ]);
  const doubts = createDoubts(review, stretches);
  const check = createProfileCheck(review, { shots: signal([]) }, signal(null));
  const playback = createPlayback(50);
  const navigation = createNavigation(review, { doubts, check, playback });
  const visited = [1, 1, 1, -1].map((step) => {
    navigation.go(step as 1 | -1, ['doubt']);
    return `caption ${review.currentId.value} at ${playback.time.value}`;
  });
  const [first, second] = ['caption 1 at 5', 'caption 2 at 25'];
  expect(visited).toEqual([first, second, first, second]);
  expect(navigation.left.value.doubt).toBe(2);
  doubts.settleUnheard(doubts.unheard.value[1]!);
  expect(doubts.unheard.value).toMatchObject([{ start: 5, end: 15 }]);
  review.edit('insert', insertIn(review.cues.value, doubts.unheard.value[0]!, 9, limits));
  expect(review.cues.value.map(({ id }) => id)).toEqual([1, 9, 2, 3]);
  expect(doubts.unheard.value).toMatchObject([{ start: 11, end: 15 }]);
  review.undo();
  review.undo();
  expect(doubts.unheard.value).toHaveLength(2);
});

test('a turn of an uncertain speaker is a doubt of its first caption, until it is confirmed or has no caption', () => {
  const review = reviewOf([at(1, 0, 2), at(2, 20, 22), at(3, 40, 42)]);
  const turns = [
    { start: 1, end: 3 },
    { start: 19, end: 41 },
    { start: 30, end: 35 },
  ];
  const doubts = createDoubts(review, signal([]), turns);
  expect(doubts.uncertain.value.map(({ start, index }) => [start, index])).toEqual([
    [1, 0],
    [19, 1],
  ]);
  const check = createProfileCheck(review, { shots: signal([]) }, signal(null));
  const navigation = createNavigation(review, { doubts, check, playback: createPlayback(50) });
  const visited = [1, 1, 1].map(() => {
    navigation.go(1, ['doubt']);
    return review.currentId.value;
  });
  expect([visited, navigation.left.value.doubt]).toEqual([[1, 2, 1], 2]);
  doubts.settleSpeaker(doubts.uncertain.value[0]!);
  expect(navigation.left.value.doubt).toBe(1);
  review.undo();
  expect(navigation.left.value.doubt).toBe(2);
});

describe('a following tab', () => {
  test('cannot edit or undo, and says why', () => {
    const cues = cuesOf('One', 'Two');
    const { state } = openReview(cues, new Map());
    const source = { runId: 'run', name: 'talk.mp3', settings: limits, language: 'en', words: [] };
    const role = signal<'writing' | 'following'>('writing');
    const review = createReview({ ...source, corrections: [], original: cues }, state, {
      role,
      announce: () => {},
    });
    review.edit('text', setText(cues, 0, 'Uno'));
    role.value = 'following';
    const before = review.state.value;
    expect(review.edit('text', setText(review.cues.value, 1, 'Due'))).toBe(false);
    review.undo();
    review.redo();
    expect(review.state.value).toBe(before);
    expect(review.message.value).toBe(text.review.elsewhere);
  });
  test("takes over the other tab's edits; its current caption stays, or the one in its place", () => {
    const review = reviewOf(cuesOf('One', 'Two', 'Three'));
    review.currentId.value = 3;
    review.follow(openReview(cuesOf('One', 'Two', 'Three.'), new Map()).state);
    expect(texts(review.cues.value)).toEqual(['One', 'Two', 'Three.']);
    expect(review.currentId.value).toBe(3);
    review.follow(openReview(cuesOf('One', 'Two'), new Map()).state);
    expect(review.currentIndex.value).toBe(1);
    const before = { ...cuesOf('Zero')[0]!, id: 9 };
    review.follow(openReview([before, ...cuesOf('One', 'Two')], new Map()).state);
    expect([review.currentId.value, review.currentIndex.value]).toEqual([2, 2]);
    // Captions that were divided anew have other ids; the place in the talk stays.
    const anew = [0, 1, 2, 3, 4].map((start) => at(20 + start, start, start + 1));
    review.follow(openReview(anew, new Map()).state);
    expect(review.cues.value[review.currentIndex.value]?.start).toBe(3);
  });
});

const word = (text: string, start: number, confidence?: number): HeardWord => ({
  text,
  start,
  end: start + 0.3,
  ...(confidence === undefined ? {} : { confidence }),
});

/** The doubted parts of a caption's text from 10 to 12 s, each with the place of its word. */
const found = (
  text: string,
  words: readonly HeardWord[],
  phrases = Uint32Array.from(words, (_, place) => place + 1),
) =>
  doubtfulWords(at(1, 10, 12, text), words, phrases)
    .map(({ from, to, word: place }) => `${text.slice(from, to)} ${place}`)
    .join(', ');

/** The words of a text from 10 s on, each doubted by itself. */
const doubted = (text: string) =>
  text.split(/\s+/).map((each, index) => word(each, 10 + index * 0.4, 0.3));

test.each([
  ['one two three', 'one two 0', 1],
  // What somebody has edited, or put between, divides it.
  ['one 2 three', 'one 0', 1],
  ['one and two three', 'one 0, two 1', 2],
])('a phrase is marked as a whole: %s', (text, expected, count) => {
  const heard = doubted('one two three');
  expect(found(text, heard, Uint32Array.of(7, 7, 0))).toBe(expected);
  expect(expected.split(', ')).toHaveLength(count);
});

test('words count that begin up to 0.4 s before or after the caption', () => {
  const around = (start: number) => found('here', [word('here', start, 0.1)]);
  expect([around(12.4), around(12.41)]).toEqual(['here 0', '']);
  // The word that is spoken when the caption begins belongs to it, however early it began.
  const before = [word('early', 5, 0.1), word('here', 9.5, 0.1), word('late', 9.61, 0.1)];
  expect(found('early here late', before)).toBe('here 1, late 2');
});

test.each([
  '“kit,”',
  '(kit)',
  '<i>kit</i>',
  '“<i>kit</i>.”',
  'kit!?…',
  '¿kit?',
  '<I>kit</I>',
  '— kit —',
])('a word is marked without the punctuation and the tags around it: %s', (text) => {
  expect(found(text, doubted('kit'))).toBe('kit 0');
});

test.each([
  ['kit’s', 'kit', ''],
  // Any other tag is a part of the word.
  ['<b>kit</b>.', 'bkitb', '<b>kit</b> 0'],
  // A word that was recognised several times counts as often as it is in the text.
  ['no yes', 'no no no yes no', 'no 0, yes 3'],
  ['yes no', 'no no no yes no', 'yes 3, no 4'],
  ['no no no yes no no', 'no no no yes no', 'no 0, no 1, no 2, yes 3, no 4'],
  ['', 'no no', ''],
  ['… —', 'no no', ''],
])('in %p, of the words %p, are doubted: %p', (text, heard, expected) => {
  expect(found(text, doubted(heard))).toBe(expected);
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
