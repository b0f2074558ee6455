/** Changes of others are merged into the review that is open. */
import { expect, test } from 'bun:test';
import { initialDecisions } from '../../../web/review/model/corrections.ts';
import { setText } from '../../../web/review/model/edits.ts';
import { decisionsFrom } from '../../../web/review/model/merge-reviews.ts';
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

test('changes made only by others are taken over, with their decisions', () => {
  const { review, lines } = opened({ 0: 'ONE' });
  const theirs = version(['one', 'AuthKit', 'three'], {
    decisions: [['c1', 'accepted']],
    finished: true,
  });
  review.message.value = '';
  const { taken, conflicts, seen } = mergeReviews(review, { seen: SEEN, theirs, initial });
  expect([lines(), conflicts]).toEqual([['ONE', 'AuthKit', 'three'], []]);
  expect(review.decisions.value.get('c1')).toBe('accepted');
  expect(taken.map(({ before, after }) => [before[0]!.lines, after[0]!.lines])).toEqual([
    [['off kit'], ['AuthKit']],
  ]);
  expect(seen).toEqual(theirs);
  expect(review.message.value).toBe('');
  // It is one step of undo.
  review.undo();
  expect([lines(), review.decisions.value.get('c1')]).toEqual([
    ['ONE', 'off kit', 'three'],
    'open',
  ]);
});

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

test.each([
  ['in the middle of the term', 1.5, 4.7, 'accepted'],
  ['only where the term begins', 1.5, 10, 'rejected'],
  ['only where the term ends', -4, 4.7, 'rejected'],
])('if both decided, the decision of the caption that is taken counts: %s', (_, start, end, of) => {
  const term = { ...correction('c1', start), end };
  const review = reviewOf(cuesOf('one', 'off kit', 'three'), [term]);
  const initially = initialDecisions([term]);
  review.edit('reject', [], { decisions: [{ id: 'c1', before: 'open', after: 'rejected' }] });
  const theirs = version(['one', 'AuthKit', 'three'], { decisions: [['c1', 'accepted']] });
  mergeReviews(review, { seen: SEEN, theirs, initial: initially });
  expect(review.decisions.value.get('c1')).toBe(of as 'accepted');
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

test('keeping mine leaves the caption unchanged, as a change to theirs', () => {
  const { review, lines, sides, joined } = conflicting();
  const now = { ...sides, seen: joined.seen };
  const before = review.state.value;
  const { seen, conflicts } = chooseSide(review, now, '0-1', 'mine');
  expect([lines(), review.state.value === before]).toEqual([['EINS', 'OffKit', 'tres'], true]);
  expect(conflicts.map(({ key }) => key)).toEqual(['1-2']);
  expect(seen.cues.map((cue) => cue.lines[0])).toEqual(['UNO', 'off kit', 'tres']);
});

test('taking theirs includes their decision on the term in it', () => {
  const { review, lines, sides, joined } = conflicting();
  const now = { ...sides, seen: joined.seen };
  review.message.value = '';
  const { seen, conflicts } = chooseSide(review, now, '1-2', 'theirs');
  expect([lines(), review.decisions.value.get('c1')]).toEqual([
    ['EINS', 'AuthKit', 'tres'],
    'accepted',
  ]);
  expect(conflicts.map(({ key }) => key)).toEqual(['0-1']);
  expect(seen.cues.map((cue) => cue.lines[0])).toEqual(['one', 'AuthKit', 'tres']);
  // It counts as a colleague’s change, without a message.
  expect(review.state.value.changes.at(-1)!.kind).toBe('colleague');
  expect(review.message.value).toBe('');
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

test('decisions of both count; for conflicts the text decides', () => {
  const open = { a: 'open', b: 'open', c: 'open', d: 'open' } as const;
  const versions = {
    base: new Map(Object.entries(open)),
    mine: new Map(
      Object.entries({ ...open, a: 'accepted', c: 'accepted', d: 'accepted' } as const),
    ),
    theirs: new Map(
      Object.entries({ ...open, b: 'rejected', c: 'rejected', d: 'rejected' } as const),
    ),
  };
  expect(decisionsFrom(versions, (id) => id === 'd')).toEqual([
    { id: 'b', before: 'open', after: 'rejected' },
    { id: 'd', before: 'accepted', after: 'rejected' },
  ]);
});
