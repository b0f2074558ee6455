/** Undo, redo and the journal: nothing typed is lost. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { type ReviewCue, textOf } from '../../../web/review/model/cue.ts';
import { edits, at, cuesOf, expectInOrder, reviewOf, someCues, someEdit } from './support.ts';
import { setText } from '../../../web/review/model/edit-text.ts';
import { split } from '../../../web/review/model/edit-cues.ts';
import {
  type Change,
  type Decision,
  type ReviewState,
  openReview,
  perform,
  redo,
  undo,
} from '../../../web/review/model/history.ts';
import { excessOf } from '../../support/growth.ts';

setDefaultTimeout(300_000);

const open = (cues: readonly ReviewCue[], decisions = new Map<string, Decision>()) =>
  openReview(cues, decisions).state;

const all = (state: ReviewState, step: typeof undo): ReviewState => {
  for (let next = step(state); next; next = step(state)) ({ state } = next);
  return state;
};

const typing = (state: ReviewState, index: number, text: string, group = 'typing'): ReviewState => {
  const splice = setText(state.cues, index, text);
  const cueId = state.cues[index]?.id ?? null;
  return splice ? perform(state, { kind: 'text', splices: [splice], cueId, group }) : state;
};

test('two hundred edits leave cues in order, in whole milliseconds, with unique ids; they are all undone, redone and replayed', () => {
  const someEdits = fc.array(someEdit, { minLength: 200, maxLength: 200 });
  fc.assert(
    fc.property(someCues, someEdits, fc.nat({ max: 20 }), (cues, list, back) => {
      const opened = open(cues);
      const ids = new Set(cues.map(({ id }) => id));
      let edited = opened;
      for (const edit of list) {
        const before = new Set(edited.cues.map(({ id }) => id));
        const change = edit(edited);
        if (change.splices.length > 0) edited = perform(edited, change);
        expectInOrder(edited.cues);
        for (const { id, start, end } of edited.cues) {
          expect(end - start).toBeGreaterThan(0.0009);
          expect(start * 1000).toBeCloseTo(Math.round(start * 1000), 6);
          expect(before.has(id) || !ids.has(id)).toBe(true);
          ids.add(id);
        }
        expect(edited.cues.at(-1)!.end).toBeLessThanOrEqual(359_999.999);
      }
      const undone = all(edited, undo);
      expect([undone.cues, undone.position]).toEqual([opened.cues, 0]);
      expect(all(undone, redo)).toEqual(edited);
      let live = edited;
      for (let at = 0; at < back; at += 1) live = undo(live)?.state ?? live;
      const stored: Change[] = JSON.parse(JSON.stringify(live.changes));
      const { state, dropped } = openReview(cues, new Map(), stored, live.position);
      expect([dropped, state]).toEqual([0, live]);
      expect(all(state, undo).cues).toEqual(cues);
    }),
    { numRuns: 40 },
  );
});

test('a journal of other cues is cut where it no longer applies', () => {
  const cues = cuesOf('One', 'Two', 'Three');
  const typed = typing(typing(typing(open(cues), 0, 'Uno'), 2, 'Tre'), 1, 'Due');
  const { state, dropped } = openReview(cuesOf('One', 'Two', 'Trois'), new Map(), typed.changes);
  expect(dropped).toBe(2);
  // What is cut off is not in the journal any more.
  expect([state.position, state.changes]).toEqual([1, typed.changes.slice(0, 1)]);
  expect(state.cues.map(textOf)).toEqual(['Uno', 'Two', 'Trois']);
});

test('an id is never reused, not even one that can only be redone', () => {
  const opened = open(cuesOf('One two'));
  const splice = split(opened.cues, 0, 3, opened.nextId, [])!;
  const { state } = undo(perform(opened, { kind: 'split', splices: [splice], cueId: 1 }))!;
  expect(state.nextId).toBe(3);
  expect(openReview(opened.cues, new Map(), state.changes, 0).state.nextId).toBe(3);
  // Nor is one from any part of a change.
  const splices = [4, 7, 5].map((id, index) => ({
    at: 1 + index,
    removed: [],
    inserted: [at(id, 10 + index, 10.5 + index)],
  }));
  expect(perform(opened, { kind: 'fix', splices, cueId: null }).nextId).toBe(8);
});

describe('a review of 3,000 cues', () => {
  const cues = cuesOf(...Array.from({ length: 3000 }, (_, at) => `This is cue ${at}\nof many.`));
  const keys = (count: number, groupOf: (at: number) => string): ReviewState => {
    let state = open(cues);
    for (let at = 0; at < count; at += 1) {
      state = typing(state, (at >> 4) % 3000, `Text ${at}`, groupOf(at));
    }
    return state;
  };
  test('stores 10,000 keystrokes as one step for each cue or as 10,000 steps', () => {
    expect(keys(10_000, () => 'typing').changes).toHaveLength(625);
    const single = keys(10_000, String);
    expect(single.changes).toHaveLength(10_000);
    expect(JSON.stringify(single.changes).length / 10_000).toBeLessThan(500);
  });
  const { changes } = keys(1000, String);
  const replayed = (count: number) => openReview(cues, new Map(), changes.slice(0, count)).state;
  test.each<[string, (count: number) => unknown]>([
    ['keys, as one step a cue', (count) => keys(count, () => 'typing')],
    ['keys, as a step each', (count) => keys(count, String)],
    ['steps opened again', replayed],
    ['steps undone', (count) => all(replayed(count), undo)],
  ])('takes time in proportion to the number of %s', (_what, work) => {
    expect(excessOf((count) => void work(count), 250)).toBeLessThan(2);
  });
});

test('a decision is refused if the term was decided differently before', () => {
  const opened = open(cuesOf('One'), new Map([['c1', 'rejected']]));
  const decisions = [{ id: 'c1', before: 'open', after: 'accepted' }] as const;
  const change = { kind: 'decision', splices: [], cueId: null, decisions };
  expect(() => perform(opened, change)).toThrow(RangeError);
});

/** The cursor after a change of the second caption's text is undone, and redone. */
function cursors(before: string, after: string) {
  const review = reviewOf(cuesOf('One', before, 'Three'));
  review.edit('text', edits.setText(review.cues.value, 1, after));
  review.currentId.value = 3;
  review.undo();
  const undone = review.reveal.value!;
  review.redo();
  expect([undone.id, review.reveal.value!.id, review.currentId.value]).toEqual([2, 2, 2]);
  return [undone.cursor, review.reveal.value!.cursor];
}

test.each([
  ['a replaced word', 'We use skim now', 'We use SCIM now', 11, 11],
  ['a removed end', 'We use', 'We', 2, 2],
  ['a typed beginning', 'use', 'We use', 0, 3],
  ['a repeated letter', 'aab', 'aaab', 2, 3],
  ['nothing left', 'abc', '', 0, 0],
])(
  'after undo and redo, the cursor is where the text stops differing %s',
  (_what, before, after, undone, redone) => {
    expect(cursors(before, after)).toEqual([undone, redone]);
  },
);
