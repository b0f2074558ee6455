/** A review without its page: the effect of edits on cues, warnings, decisions and the journal. */
import { describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { decideTerms } from '../../../web/review/desk/decide-here.ts';
import { setText } from '../../../web/review/model/edits.ts';
import * as edits from '../../../web/review/model/edits.ts';
import { openReview } from '../../../web/review/model/history.ts';
import { createReview } from '../../../web/review/desk/review.ts';
import { text } from '../../support/browser/words.ts';
import { correction, cuesOf, reviewOf, settings, texts } from './support.ts';

describe('decisions', () => {
  test('on all of a kind each find their own words, even twice in one caption', () => {
    const cues = cuesOf('We use off kit and off kit alone.', 'off kit.');
    const corrections = [correction('a', 0.5), correction('b', 1.4), correction('c', 3)];
    const review = reviewOf(cues, corrections);
    decideTerms(review, corrections, 'accepted');
    expect(texts(review.cues.value)).toEqual(['We use AuthKit and AuthKit alone.', 'AuthKit.']);
    review.undo();
    expect(texts(review.cues.value)).toEqual(texts(cues));
    expect([...review.decisions.value.values()]).toEqual(['open', 'open', 'open']);
  });
  test('that were made before are left out', () => {
    const both = [correction('a', 0.5), correction('b', 3)];
    const review = reviewOf(cuesOf('We use off kit.', 'And off kit.'), both);
    decideTerms(review, both.slice(0, 1), 'accepted');
    decideTerms(review, both, 'accepted');
    const decided = () =>
      review.state.value.changes.map(({ decisions }) => decisions?.map(({ id }) => id));
    expect(decided()).toEqual([['a'], ['b']]);
    decideTerms(review, both, 'accepted');
    expect(decided()).toHaveLength(2);
  });
  test('whose words are gone are recorded, with a message', () => {
    const gone = [correction('a', 0.5)];
    const review = reviewOf(cuesOf('Nothing of it.'), gone);
    decideTerms(review, gone, 'accepted');
    expect(review.message.value).toBe(text.review.termGone);
    expect(review.decisions.value.get('a')).toBe('accepted');
  });
});

describe('assessments', () => {
  const cues = cuesOf('They all went to the', 'house.', 'So.');
  const flags = (review: ReturnType<typeof reviewOf>) => review.judged.value[0]?.quality.flags;
  test('depend on the next caption too: a line may dangle into it', () => {
    const review = reviewOf(cues);
    expect(flags(review)).toContain('dangling_line_break');
    expect(review.warningCount.value).toBe(1);
    review.edit('text', setText(review.cues.value, 1, '…'));
    review.edit('delete', edits.remove(review.cues.value, 1));
    review.edit('delete', edits.remove(review.cues.value, 1));
    // The last word has no following word to belong to.
    expect(flags(review)).not.toContain('dangling_line_break');
    expect(review.warningCount.value).toBe(0);
  });
});

describe('undo and redo', () => {
  test('move to the changed caption, with the cursor at the change', () => {
    const review = reviewOf(cuesOf('One two', 'Three'));
    review.edit('split', edits.split(review.cues.value, 0, 3, 9, []));
    review.currentId.value = 9;
    review.undo();
    expect(review.currentId.value).toBe(1);
    expect(review.reveal.value).toEqual({ id: 1, cursor: 3 });
    review.edit('text', setText(review.cues.value, 1, 'Thirty-three'));
    review.undo();
    expect(review.reveal.value).toEqual({ id: 2, cursor: 2 });
  });
  test('of an inserted caption move to its place', () => {
    const review = reviewOf(cuesOf('One', 'Two'));
    review.edit('insert', edits.insertAfter(review.cues.value, 1, 9, settings), { cueId: 9 });
    review.currentId.value = 9;
    review.undo();
    expect(review.currentIndex.value).toBe(1);
    review.redo();
    expect(review.currentId.value).toBe(9);
  });
});

describe('a following tab', () => {
  test('cannot edit or undo, and says why', () => {
    const cues = cuesOf('One', 'Two');
    const { state } = openReview(cues, new Map());
    const source = { runId: 'run', name: 'talk.mp3', settings, language: 'en', words: [] };
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
    const anew = [0, 1, 2, 3, 4].map((start) => ({
      id: 20 + start,
      start,
      end: start + 1,
      lines: [''],
    }));
    review.follow(openReview(anew, new Map()).state);
    expect(review.cues.value[review.currentIndex.value]?.start).toBe(3);
  });
});
