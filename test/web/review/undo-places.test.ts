/** The cursor after undo and redo, the messages of edits, and the position after an edit of all captions. */
import { describe, expect, test } from 'bun:test';
import * as edits from '../../../web/review/model/edits.ts';
import { editAll } from '../../../web/review/desk/edit-all.ts';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { text } from '../../support/browser/words.ts';
import { createSelection } from '../../../web/review/desk/selection.ts';
import { at, cuesOf, reviewOf, settings } from './support.ts';

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

test('a caption that was deleted is shown again, and after that the one in its place', () => {
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

test('a change of one caption belongs to that caption, a change of several to none', () => {
  const review = reviewOf(cuesOf('One', 'Two'));
  const last = () => review.state.value.changes.at(-1)!.cueId;
  review.edit('text', edits.setText(review.cues.value, 1, 'Due'));
  expect(last()).toBe(2);
  review.edit('insert', edits.insertAfter(review.cues.value, 1, 9, settings));
  expect(last()).toBe(9);
  review.edit('delete', edits.removeMany(review.cues.value, [0, 2]));
  expect(last()).toBeNull();
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

  test('without changes leaves everything unchanged', () => {
    const review = reviewOf(cuesOf('One'));
    const selection = createSelection(review);
    selection.all();
    editAll({ review, selection } as unknown as Desk, 'rebuild', [], () => 'made');
    expect([review.message.value, selection.ids.value.size]).toEqual(['', 1]);
  });
});
