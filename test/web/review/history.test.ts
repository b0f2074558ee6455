import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { toSrt } from '../../../server/captions/files/srt.ts';
import { type ReviewCue, textOf } from '../../../web/review/model/cue.ts';
import { setText, shift, split } from '../../../web/review/model/edits.ts';
import {
  type Change,
  type Decision,
  openReview,
  perform,
  redo,
  type ReviewState,
  undo,
} from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { excessOf } from '../../support/growth.ts';
import { cuesOf, type Edit, retimed, settings, someCues, someEdit, someText } from './support.ts';

setDefaultTimeout(300_000);

const open = (cues: readonly ReviewCue[], decisions = new Map<string, Decision>()) =>
  openReview(cues, decisions).state;

const run = (state: ReviewState, edits: readonly Edit[]): ReviewState =>
  edits.reduce((state, edit) => {
    const change = edit(state);
    return change.splices.length > 0 ? perform(state, change) : state;
  }, state);

const all = (state: ReviewState, step: typeof undo): ReviewState => {
  for (let next = step(state); next; next = step(state)) ({ state } = next);
  return state;
};

const typing = (state: ReviewState, index: number, text: string, group = 'typing'): ReviewState => {
  const splice = setText(state.cues, index, text);
  const cueId = state.cues[index]?.id ?? null;
  return splice ? perform(state, { kind: 'text', splices: [splice], cueId, group }) : state;
};

const edits = (length: number) => fc.array(someEdit, { minLength: length, maxLength: length });

describe('two hundred edits of any kind', () => {
  test('can all be undone and redone', () => {
    fc.assert(
      fc.property(someCues, edits(200), (cues, list) => {
        const opened = open(cues);
        const edited = run(opened, list);
        const undone = all(edited, undo);
        expect(toSrt(undone.cues)).toBe(toSrt(opened.cues));
        expect(undone.cues).toEqual(opened.cues);
        expect(undone.position).toBe(0);
        const redone = all(undone, redo);
        expect(toSrt(redone.cues)).toBe(toSrt(edited.cues));
        expect(redone).toEqual(edited);
      }),
      { numRuns: 40 },
    );
  });
  test('leave cues in order, without overlaps, in whole milliseconds, with unique ids', () => {
    fc.assert(
      fc.property(someCues, edits(200), (cues, list) => {
        const ids = new Set(cues.map(({ id }) => id));
        let state = open(cues);
        for (const edit of list) {
          const before = new Set(state.cues.map(({ id }) => id));
          state = run(state, [edit]);
          let end = 0;
          for (const cue of state.cues) {
            expect(cue.start).toBeGreaterThanOrEqual(end);
            expect(cue.end - cue.start).toBeGreaterThan(0.0009);
            expect(cue.start * 1000).toBeCloseTo(Math.round(cue.start * 1000), 6);
            expect(before.has(cue.id) || !ids.has(cue.id)).toBe(true);
            ids.add(cue.id);
            ({ end } = cue);
          }
          expect(end).toBeLessThanOrEqual(359_999.999);
        }
      }),
      { numRuns: 25 },
    );
  });
  test('are the same when their journal is replayed', () => {
    fc.assert(
      fc.property(someCues, edits(60), fc.nat({ max: 20 }), (cues, list, back) => {
        let live = run(open(cues), list);
        for (let at = 0; at < back; at += 1) live = undo(live)?.state ?? live;
        const stored: Change[] = JSON.parse(JSON.stringify(live.changes));
        const { state, dropped } = openReview(cues, new Map(), stored, live.position);
        expect(dropped).toBe(0);
        expect(state).toEqual(live);
        expect(all(state, undo).cues).toEqual(cues);
      }),
      { numRuns: 40 },
    );
  });
});

describe('keys of one group on one cue', () => {
  test('are one step of undo', () => {
    fc.assert(
      fc.property(fc.array(someText, { minLength: 2, maxLength: 20 }), (texts) => {
        const opened = open(cuesOf('One', 'Two'));
        const typed = texts.reduce((state, text) => typing(state, 1, text), opened);
        expect(typed.changes.length).toBeLessThanOrEqual(1);
        expect(undo(typed)?.state.cues ?? opened.cues).toEqual(opened.cues);
        expect(textOf(typed.cues[1]!)).toBe(texts.at(-1)!);
      }),
    );
  });
  test('are a new step in another cue, in another group, or after something else', () => {
    let state = typing(open(cuesOf('One', 'Two')), 0, 'One.');
    state = typing(state, 1, 'Two.');
    state = typing(state, 1, 'Two?', 'later');
    const [splice] = [split(state.cues, 1, 1, state.nextId, [])!];
    state = perform(state, { kind: 'split', splices: [splice], cueId: 2 });
    state = typing(state, 1, 'Tw', 'later');
    expect(state.changes).toHaveLength(5);
  });
});

test.each([-1, 0.5, 3])('a change is refused at a position that is none: %p', (at) => {
  const splice = { at, removed: [], inserted: cuesOf('Three') };
  expect(() => applySplice(cuesOf('One', 'Two'), splice)).toThrow(RangeError);
});

test('undo and redo report what they did; a new change ends redo', () => {
  const opened = open(cuesOf('One', 'Two'));
  const typed = typing(typing(opened, 0, 'Uno'), 1, 'Due');
  const undone = undo(typed)!;
  expect(undone.change).toBe(typed.changes[1]!);
  expect(redo(undone.state)?.change).toBe(undone.change);
  expect(redo(undone.state)?.state).toEqual(typed);
  const other = typing(undone.state, 1, 'Deux');
  expect(redo(other)).toBeNull();
  expect(other.changes).toHaveLength(2);
  // The earlier states are unchanged.
  expect(typed.changes).toHaveLength(2);
  expect(undo(opened)).toBeNull();
});

test('decisions are part of a change', () => {
  const opened = open(cuesOf('One'), new Map([['c1', 'open']]));
  const decided = perform(opened, {
    kind: 'decision',
    splices: [],
    decisions: [{ id: 'c1', before: 'open', after: 'accepted' }],
    cueId: null,
  });
  expect([...decided.decisions]).toEqual([['c1', 'accepted']]);
  expect([...undo(decided)!.state.decisions]).toEqual([['c1', 'open']]);
  const { dropped } = openReview(cuesOf('One'), new Map(), decided.changes);
  expect(dropped).toBe(1);
});

test('a journal of other cues is cut where it no longer applies', () => {
  const cues = cuesOf('One', 'Two', 'Three');
  const typed = typing(typing(typing(open(cues), 0, 'Uno'), 2, 'Tre'), 1, 'Due');
  const { state, dropped } = openReview(cuesOf('One', 'Two', 'Trois'), new Map(), typed.changes);
  expect(dropped).toBe(2);
  expect(state.position).toBe(1);
  expect(state.cues.map(textOf)).toEqual(['Uno', 'Two', 'Trois']);
});

test('an id is never reused, not even one that can only be redone', () => {
  const opened = open(cuesOf('One two'));
  const splice = split(opened.cues, 0, 3, opened.nextId, [])!;
  const { state } = undo(perform(opened, { kind: 'split', splices: [splice], cueId: 1 }))!;
  expect(state.nextId).toBe(3);
  expect(openReview(opened.cues, new Map(), state.changes, 0).state.nextId).toBe(3);
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
  test('is shifted by several taps as one step', () => {
    let state = open(cues);
    for (let at = 0; at < 50; at += 1) {
      const splice = retimed(state.cues, shift(state.cues, 0, 0.1, settings))!;
      state = perform(state, { kind: 'shift', splices: [splice], cueId: 1, group: 'shift' });
    }
    expect(state.changes).toHaveLength(1);
    expect(state.cues[0]?.start).toBe(5);
    expect(undo(state)?.state.cues).toEqual(cues);
  });
});
