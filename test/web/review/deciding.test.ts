/** Deciding on terms and doubtful words, without the page. */
import { afterEach, describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { createDoubts } from '../../../web/review/desk/doubts.ts';
import { createNavigation } from '../../../web/review/desk/navigation.ts';
import { createPlayback } from '../../../web/review/play/playback.ts';
import { createProfileCheck } from '../../../web/review/desk/profile-check.ts';
import { decideHere, decideSame, decideTerms } from '../../../web/review/desk/decide-here.ts';
import { initialDecisions } from '../../../web/review/model/corrections.ts';
import { openReview } from '../../../web/review/model/history.ts';
import { insertIn, setText } from '../../../web/review/model/edits.ts';
import { createReview } from '../../../web/review/desk/review.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { text } from '../../../web/texts/review.ts';
import { putCursor, usePage } from '../support/page.ts';
import { at, correction, cuesOf, reviewOf, settings as limits, spoken } from './support.ts';

usePage();

describe('terms that are decided together', () => {
  test('are one step, which says if the words of any are gone', () => {
    const terms = [correction('a', 0.5), correction('b', 3.5), correction('c', 6.5)];
    const review = reviewOf(cuesOf('Gone.', 'We use off kit.', 'And off kit.'), terms);
    decideTerms(review, terms, 'accepted');
    expect(review.cues.value.map(({ lines }) => lines[0])).toEqual([
      'Gone.',
      'We use AuthKit.',
      'And AuthKit.',
    ]);
    expect([...review.decisions.value.values()]).toEqual(['accepted', 'accepted', 'accepted']);
    expect([review.message.value, review.state.value.changes.length]).toEqual([
      text.review.termGone,
      1,
    ]);
    // Terms that already have this decision are left alone.
    decideTerms(review, terms.slice(1), 'accepted');
    expect(review.state.value.changes).toHaveLength(1);
    decideTerms(review, terms.slice(1), 'rejected');
    expect(review.cues.value[2]!.lines).toEqual(['And off kit.']);
    expect(review.message.value).toBe(text.review.did['reject']!);
  });

  test('in one caption are looked for in what the others left', () => {
    const terms = [correction('a', 0.2), correction('b', 1.4)];
    const review = reviewOf(cuesOf('off kit, off kit'), terms);
    decideTerms(review, terms, 'accepted');
    expect(review.cues.value[0]!.lines).toEqual(['AuthKit, AuthKit']);
  });
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

  test('belong to the first caption that has them, and are alike whatever their case', () => {
    const { doubts } = opened();
    expect(doubts.open.value.map(({ index, word }) => [index, word])).toEqual([
      [0, 2],
      [1, 4],
    ]);
    expect(doubts.like(doubts.open.value[1]!)).toHaveLength(2);
  });

  test('are open until they are confirmed, and again when that is undone', () => {
    const { review, doubts } = opened();
    const [first] = doubts.open.value;
    doubts.settle([first!]);
    expect(doubts.open.value.map(({ word }) => word)).toEqual([4]);
    expect(doubts.of(review.cues.value[0]!)).toEqual([]);
    review.undo();
    expect(doubts.open.value).toHaveLength(2);
    expect(doubts.of(review.cues.value[0]!)).toHaveLength(1);
    doubts.settle(doubts.open.value);
    expect(doubts.open.value).toEqual([]);
  });

  test('are selected one after the other', () => {
    const { review, doubts } = opened();
    const check = createProfileCheck(review, { shots: signal([]) }, signal(null));
    const playback = createPlayback(10);
    const navigation = createNavigation(review, { doubts, check, playback });
    const places = [1, 2].map(() => {
      navigation.go(1, ['doubt']);
      putCursor(1, 7);
      return [review.currentIndex.value, review.reveal.value?.select];
    });
    expect(places).toEqual([
      [0, [7, 11]],
      [1, [9, 13]],
    ]);
  });

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
    return [review.currentId.value, playback.time.value];
  });
  expect(visited).toEqual([
    [1, 5],
    [2, 25],
    [1, 5],
    [2, 25],
  ]);
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

describe('at the cursor', () => {
  const skims = spoken('Skim and skim or skim').map((word, index) => ({
    ...word,
    confidence: index % 2 === 0 ? 0.2 : 1,
  }));
  function opened(words = skims, corrections: ReturnType<typeof correction>[] = []) {
    const original = [at(1, 0, 4, 'Skim and skim or skim'), at(2, 4, 8, 'off kit off kit')];
    const source = { runId: 'run', name: '', settings: limits, language: 'en', corrections };
    const { state } = openReview(original, initialDecisions(corrections));
    const review = createReview({ ...source, words, original }, state);
    const doubts = createDoubts(review);
    const check = createProfileCheck(review, { shots: signal([]) }, signal(null));
    const navigation = createNavigation(review, { doubts, check, playback: createPlayback(10) });
    const desk = { review, doubts, navigation } as Parameters<typeof decideHere>[0];
    return { review, desk, open: () => doubts.open.value.map(({ word }) => word) };
  }

  test('a confirmed word leads to the next one, or all that are alike do', () => {
    const { review, desk, open } = opened();
    putCursor(1, 2);
    decideHere(desk, 'accepted');
    expect([open(), review.reveal.value?.select]).toEqual([
      [2, 4],
      [9, 13],
    ]);
    putCursor(1, 10);
    decideSame(desk, 'accepted');
    expect(open()).toEqual([]);
  });

  test('a doubtful word is neither rejected, nor confirmed without a cursor in it', () => {
    const { review, desk, open } = opened();
    decideHere(desk, 'accepted');
    expect([review.message.value, open()]).toEqual([text.review.nothingToDecide, [0, 2, 4]]);
    putCursor(1, 2);
    review.message.value = '';
    decideSame(desk, 'rejected');
    expect([review.message.value, open()]).toEqual([text.review.nothingToDecide, [0, 2, 4]]);
  });

  test('a term is decided on, or all places of it are', () => {
    const terms = [correction('a', 4.2), correction('b', 6)];
    const { review, desk } = opened([], terms);
    review.currentId.value = 2;
    decideHere(desk, 'accepted');
    expect([...review.decisions.value.values()]).toEqual(['accepted', 'open']);
    decideSame(desk, 'rejected');
    expect([...review.decisions.value.values()]).toEqual(['rejected', 'rejected']);
  });
});
