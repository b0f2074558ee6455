/** Changes of others are merged into the review that is open. */
import { expect, test } from 'bun:test';
import { initialDecisions } from '../../../web/review/model/corrections.ts';
import { setText } from '../../../web/review/model/edit-text.ts';
import type { SharedReview } from '../../../web/review/save/save-document.ts';
import { chooseSide, mergeReviews } from '../../../web/review/save/save-merge.ts';
import { correction, cuesOf, reviewOf } from './support.ts';

const TERM = correction('c1', 3.2);

const initial = initialDecisions([TERM]);

/** A version on the service with these texts; captions are shown for two seconds, one every three. */
const version = (texts: string[], change: Partial<SharedReview> = {}): SharedReview => ({
  cues: texts.map((text, at) => ({ start: at * 3, end: at * 3 + 2, lines: [text] })),
  decisions: [],
  speakers: [],
  finished: false,
  ...change,
});

const SEEN = version(['one', 'off kit', 'three']);

function opened(texts: Record<number, string> = {}) {
  const review = reviewOf(cuesOf('one', 'off kit', 'three'), [TERM]);
  for (const [at, text] of Object.entries(texts)) {
    review.edit('text', setText(review.cues.value, Number(at), text));
  }
  const lines = () => review.cues.value.map((cue) => cue.lines[0]);
  return { review, lines };
}

test('a review without changes here becomes the others’ version', () => {
  const { review, lines } = opened();
  mergeReviews(review, { seen: SEEN, theirs: version(['uno', 'off kit', 'three']), initial });
  expect([lines(), review.state.value.changes.map(({ kind, fixed }) => [kind, fixed])]).toEqual([
    ['uno', 'off kit', 'three'],
    [['opened', true]],
  ]);
  const changed = opened({ 2: 'drei' }).review;
  mergeReviews(changed, { seen: SEEN, theirs: version(['uno', 'off kit', 'three']), initial });
  expect(changed.state.value.changes.at(-1)).toMatchObject({ kind: 'colleague' });
  expect(changed.state.value.changes.at(-1)!.fixed).toBeUndefined();
});

const conflicting = () => {
  const { review, lines } = opened({ 0: 'EINS', 1: 'OffKit' });
  const theirs = version(['UNO', 'AuthKit', 'tres'], { decisions: [['c1', 'accepted']] });
  const sides = { seen: SEEN, theirs, initial };
  return { review, lines, sides, joined: mergeReviews(review, sides) };
};

test('captions that both changed are conflicts, and do not count as seen', () => {
  const { lines, joined } = conflicting();
  expect(lines()).toEqual(['EINS', 'OffKit', 'tres']);
  expect(
    joined.conflicts.map(({ key, mine, theirs }) => [key, mine[0]!.lines[0], theirs[0]!.lines[0]]),
  ).toEqual([
    ['0-1', 'EINS', 'UNO'],
    ['1-2', 'OffKit', 'AuthKit'],
  ]);
  expect(joined.seen.cues.map((cue) => cue.lines[0])).toEqual(['one', 'off kit', 'tres']);
  expect(joined.seen.decisions).toEqual([['c1', 'accepted']]);
});

test('taking theirs takes back a decision that they left open, but none elsewhere', () => {
  const terms = [TERM, correction('c2', 0.2, 'one', 'won')];
  const review = reviewOf(cuesOf('one', 'off kit', 'three'), terms);
  review.edit('accept', setText(review.cues.value, 1, 'AuthKit'), {
    decisions: [
      { id: 'c1', before: 'open', after: 'accepted' },
      { id: 'c2', before: 'open', after: 'accepted' },
    ],
  });
  const theirs = version(['one', 'off-kit', 'three'], { decisions: [['c2', 'rejected']] });
  const sides = { seen: SEEN, theirs, initial: initialDecisions(terms) };
  const { seen } = mergeReviews(review, sides);
  chooseSide(review, { ...sides, seen }, '1-2', 'theirs');
  expect([...review.decisions.value]).toEqual([
    ['c1', 'open'],
    ['c2', 'accepted'],
  ]);
});
