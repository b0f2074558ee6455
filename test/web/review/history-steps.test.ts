/** Steps of undo that have several parts, and the journal around them. */
import { expect, test } from 'bun:test';
import {
  type Change,
  type Decision,
  openReview,
  perform,
  type ReviewState,
  undo,
} from '../../../web/review/model/history.ts';
import { textOf } from '../../../web/review/model/cue.ts';
import { setText } from '../../../web/review/model/edits.ts';
import { applySplice, replaceCues } from '../../../web/review/model/splice.ts';
import { at, cuesOf } from './support.ts';

const open = (texts: readonly string[], decisions: readonly (readonly [string, Decision])[] = []) =>
  openReview(cuesOf(...texts), new Map(decisions)).state;

/** A change of the first caption, in a group. */
const typed = (state: ReviewState, text: string, group = 'typing'): ReviewState =>
  perform(state, { kind: 'text', splices: [setText(state.cues, 0, text)!], cueId: 1, group });

/** Decisions on one term, one after the other, in one change. */
const decided = (...steps: Decision[]): Change => ({
  kind: 'decision',
  splices: [],
  cueId: null,
  decisions: steps.slice(1).map((after, index) => ({ id: 'c1', before: steps[index]!, after })),
});

test('decisions on the same term are undone from the last to the first', () => {
  const opened = open(['One'], [['c1', 'open']]);
  const state = perform(opened, decided('open', 'accepted', 'rejected'));
  expect(state.decisions.get('c1')).toBe('rejected');
  expect(undo(state)!.state.decisions.get('c1')).toBe('open');
});

test('a decision is refused if the term was decided differently before', () => {
  const opened = open(['One'], [['c1', 'rejected']]);
  expect(() => perform(opened, decided('open', 'accepted'))).toThrow(RangeError);
});

test('the ids of a change count in all its parts', () => {
  const opened = open(['One', 'Two']);
  expect(opened.nextId).toBe(3);
  const added = [3, 7, 5].map((id, index) => ({
    at: 2 + index,
    removed: [],
    inserted: [at(id, 10 + index, 10.5 + index)],
  }));
  expect(perform(opened, { kind: 'fix', splices: added, cueId: null }).nextId).toBe(8);
  expect(open([]).nextId).toBe(1);
});

test('changes that are cut off are not in the journal', () => {
  const opened = open(['One']);
  const { changes } = typed(typed(opened, 'Uno', '1'), 'Un', '2');
  const cut = openReview(opened.cues, new Map(), [changes[0]!, changes[0]!, changes[1]!]);
  expect([cut.dropped, cut.state.changes, cut.state.position]).toEqual([2, changes.slice(0, 1), 1]);
});

test('typing goes on in the last step in force, not in one that was undone', () => {
  const first = typed(open(['One']), 'Uno', '1');
  const undone = undo(typed(first, 'Un', '2'))!.state;
  const again = typed(undone, 'Unos', '2');
  expect(again.changes).toHaveLength(2);
  expect(again.position).toBe(2);
  const on = typed(undone, 'Unos', '1');
  expect([on.changes.length, on.position]).toEqual([1, 1]);
  expect(undo(on)!.state.cues.map(textOf)).toEqual(['One']);
});

test('a caption is known by its id, even where another is the same', () => {
  const [cue] = cuesOf('One');
  const other = { ...cue!, id: 9 };
  expect(() => applySplice([cue!], { at: 0, removed: [other], inserted: [] })).toThrow(RangeError);
  expect(replaceCues([cue!], 0, 1, [other])).toEqual({ at: 0, removed: [cue!], inserted: [other] });
});
