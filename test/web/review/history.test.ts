/** Undo, redo and the journal: nothing typed is lost. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { toSrt } from '../../../server/captions/files/srt.ts';
import { type ReviewCue, textOf } from '../../../web/review/model/cue.ts';
import * as edits from '../../../web/review/model/edits.ts';
import { setText, shift, split } from '../../../web/review/model/edits.ts';
import {
  type Change,
  type Decision,
  type ReviewState,
  openReview,
  perform,
  redo,
  undo,
} from '../../../web/review/model/history.ts';
import { applySplice, replaceCues } from '../../../web/review/model/splice.ts';
import { excessOf } from '../../support/growth.ts';
import {
  type Edit,
  at,
  cuesOf,
  retimed,
  reviewOf,
  settings,
  someCues,
  someEdit,
} from './support.ts';
import { editAll } from '../../../web/review/desk/edit-all.ts';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { text } from '../../support/browser/words.ts';
import { createSelection } from '../../../web/review/desk/selection.ts';
import { moveLimitText } from '../../../web/review/desk/time-commands.ts';
import { TypingGroups } from '../../../web/review/desk/cue-row.tsx';

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

const someEdits = (length: number) => fc.array(someEdit, { minLength: length, maxLength: length });

describe('two hundred edits of any kind', () => {
  test('can all be undone and redone', () => {
    fc.assert(
      fc.property(someCues, someEdits(200), (cues, list) => {
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
      fc.property(someCues, someEdits(200), (cues, list) => {
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
      fc.property(someCues, someEdits(60), fc.nat({ max: 20 }), (cues, list, back) => {
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

test.each([-1, 0.5, 3])('a change is refused at a position that is none: %p', (at) => {
  const splice = { at, removed: [], inserted: cuesOf('Three') };
  expect(() => applySplice(cuesOf('One', 'Two'), splice)).toThrow(RangeError);
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

describe('the steps', () => {
  const open = (
    texts: readonly string[],
    decisions: readonly (readonly [string, Decision])[] = [],
  ) => openReview(cuesOf(...texts), new Map(decisions)).state;

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
    expect(() => applySplice([cue!], { at: 0, removed: [other], inserted: [] })).toThrow(
      RangeError,
    );
    expect(replaceCues([cue!], 0, 1, [other])).toEqual({
      at: 0,
      removed: [cue!],
      inserted: [other],
    });
  });
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

describe('after undo and redo, the cursor is where the text stops differing', () => {
  test.each([
    ['a replaced word', 'We use skim now', 'We use SCIM now', 11, 11],
    ['a typed end', 'We', 'We use', 2, 2],
    ['a removed end', 'We use', 'We', 2, 2],
    ['a typed beginning', 'use', 'We use', 0, 3],
    ['a repeated letter', 'aab', 'aaab', 2, 3],
    ['all of it', 'abc', 'xyz', 3, 3],
    ['nothing left', 'abc', '', 0, 0],
  ])('%s', (_what, before, after, undone, redone) => {
    expect(cursors(before, after)).toEqual([undone, redone]);
  });
});

test('if an edit changes several captions, undo and redo show the one that was edited', () => {
  const review = reviewOf(cuesOf('One', 'Two', 'Three'));
  const cues = review.cues.value;
  const made = edits.setTimes(cues, 1, { start: 2.05 }, settings)!;
  review.edit('times', edits.retime(cues, made), { cueId: 2 });
  review.currentId.value = 3;
  review.undo();
  expect(review.currentId.value).toBe(2);
  review.currentId.value = 3;
  review.redo();
  expect(review.currentId.value).toBe(2);
});

test('a caption that was deleted is shown again, and after redo the one in its place', () => {
  const review = reviewOf(cuesOf('One', 'Two', 'Three'));
  review.edit('delete', edits.remove(review.cues.value, 2));
  review.currentId.value = 1;
  review.undo();
  expect([review.currentId.value, review.reveal.value]).toEqual([3, { id: 3, cursor: 5 }]);
  review.redo();
  // There is none after the last.
  expect(review.currentId.value).toBe(2);
  review.undo();
  review.edit('delete', edits.remove(review.cues.value, 0));
  review.undo();
  review.redo();
  expect(review.currentId.value).toBe(2);
});

test('undo, redo and edits have messages, except for quiet edits', () => {
  const review = reviewOf(cuesOf('One', 'Two'));
  const says = text.review;
  review.edit('delete', edits.remove(review.cues.value, 1));
  expect(review.message.value).toBe(says.did['delete']!);
  review.undo();
  expect(review.message.value).toBe(says.undone(says.did['delete']!));
  review.redo();
  expect(review.message.value).toBe(says.redone(says.did['delete']!));
  review.edit('text', edits.setText(review.cues.value, 0, 'Uno'), { quiet: true });
  expect(review.message.value).toBe(says.redone(says.did['delete']!));
  review.message.value = '';
  expect(review.edit('text', null)).toBe(false);
  expect(review.message.value).toBe(says.cannot);
  review.message.value = '';
  expect([review.edit('text', [], { quiet: true }), review.message.value]).toEqual([false, '']);
  review.edit('odd', edits.setText(review.cues.value, 0, 'x'));
  expect(review.message.value).toBe('odd');
  review.undo();
  expect(review.message.value).toBe(says.undone('odd'));
});

test('a fixed change is the earliest to which undo goes back', () => {
  const review = reviewOf(cuesOf('One'));
  review.edit('opened', edits.setText(review.cues.value, 0, 'Uno'), { fixed: true });
  review.message.value = '';
  review.undo();
  expect([review.cues.value[0]!.lines, review.message.value]).toEqual([['Uno'], '']);
});

describe('an edit of all captions', () => {
  const edited = (current: number, times: [number, number][]) => {
    const review = reviewOf(cuesOf('One', 'Two', 'Three'));
    review.currentId.value = current;
    const selection = createSelection(review);
    selection.all();
    const cues = review.cues.value;
    const inserted = times.map(([start, end], index) => at(20 + index, start, end, `New ${index}`));
    const splice = { at: 0, removed: cues, inserted };
    editAll(
      { review, selection } as unknown as Desk,
      'rebuild',
      [splice],
      (count) => `${count} made`,
    );
    return [
      review.currentId.value,
      review.reveal.value?.id,
      review.message.value,
      selection.ids.value.size,
    ];
  };
  test('leaves the caption current that is shown at the time of the one before', () => {
    const times: [number, number][] = [
      [0, 2],
      [2, 3.0004],
      [3.0005, 5],
      [6, 8],
    ];
    expect(edited(2, times)).toEqual([22, 22, '4 made', 0]);
    expect(edited(3, times)).toEqual([23, 23, '4 made', 0]);
    expect(edited(1, [[4, 5]])).toEqual([20, 20, '1 made', 0]);
    expect(edited(1, [])).toEqual([null as never, undefined, '0 made', 0]);
  });
});

/** The steps of keystrokes: the time of each, the text after it, and the caption. */
function stepsOf(...keys: [time: number, typed: string, cue?: number][]): number[] {
  let now = 0;
  const groups = new TypingGroups(() => now);
  const names = keys.map(([time, typed, cue = 1]) => {
    now = time;
    return groups.groupOf(cue, typed);
  });
  return names.map((name) => names.indexOf(name));
}

test.each<[string, [number, string, number?][], number[]]>([
  [
    'a word',
    [
      [0, 'O'],
      [10, 'On'],
      [20, 'One'],
    ],
    [0, 0, 0],
  ],
  [
    'a second word',
    [
      [0, 'One'],
      [10, 'One '],
      [20, 'One t'],
    ],
    [0, 1, 1],
  ],
  [
    'a word on a new line',
    [
      [0, 'One'],
      [10, 'One\nt'],
    ],
    [0, 1],
  ],
  [
    'deleting words',
    [
      [0, 'One two'],
      [10, 'One'],
      [20, ''],
    ],
    [0, 0, 0],
  ],
  [
    'a pause of a second',
    [
      [0, 'O'],
      [1000, 'On'],
    ],
    [0, 0],
  ],
  [
    'a longer pause',
    [
      [0, 'O'],
      [1001, 'On'],
      [1002, 'One'],
    ],
    [0, 1, 1],
  ],
  [
    'another caption',
    [
      [0, 'O'],
      [10, 'O', 2],
      [20, 'On', 2],
    ],
    [0, 1, 1],
  ],
])('a step: %s', (_name, keys, steps) => {
  expect(stepsOf(...keys)).toEqual(steps);
});

test('a caption is stopped by the one before it or after it, by their numbers', () => {
  const { moveLimits } = text.review;
  const says = (by: 'previous' | 'next', more: object = {}) =>
    moveLimitText({ by, edge: 'move', limit: 1, ...more }, 3);
  expect([says('previous'), says('next')]).toEqual([
    moveLimits.moved(3, 1),
    moveLimits.moved(5, 1),
  ]);
  expect(says('next', { stays: true })).toBe(moveLimits.stays(5));
  expect(says('next', { many: true })).toBe(moveLimits.many(1));
  expect(says('previous', { edge: 'start' })).toBe(moveLimits.previous(3, '00:00:01,000'));
});

test('typing after the end of a step is another', () => {
  const groups = new TypingGroups(() => 0);
  const first = groups.groupOf(1, 'O');
  groups.end();
  expect(groups.groupOf(1, 'On')).not.toBe(first);
});
