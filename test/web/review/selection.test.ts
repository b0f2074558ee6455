/** The selection of several captions: its beginning, and captions that are gone. */
import { expect, test } from 'bun:test';
import * as edits from '../../../web/review/model/edits.ts';
import { usePage } from '../support/page.ts';
import { desk } from '../support/desk.ts';

usePage();

const four = () => desk(['One', 'Two', 'Three', 'Four']);

test('after all captions were selected, a selection begins at the current one', () => {
  const { selection, go } = four();
  selection.toggle(4);
  selection.all();
  expect(selection.indices.value).toEqual([0, 1, 2, 3]);
  go(2);
  selection.extendTo(2);
  expect(selection.indices.value).toEqual([1, 2]);
});

test('a selection that was cleared begins again at the current caption', () => {
  const { selection, go } = four();
  go(1);
  selection.extend(1);
  selection.clear();
  go(3);
  selection.extend(1);
  expect(selection.indices.value).toEqual([2, 3]);
  // Its end stays at the last caption.
  selection.extend(1);
  selection.extend(-1);
  expect(selection.indices.value).toEqual([]);
});

test('one caption is no selection, though others were deleted from it', () => {
  const { review, selection, go } = four();
  go(1);
  selection.extend(1);
  review.edit('delete', edits.remove(review.cues.value, 0));
  expect([selection.ids.value.size, selection.indices.value]).toEqual([2, []]);
});

test('a selection keeps its beginning while the current caption moves', () => {
  const { selection, go } = four();
  go(1);
  selection.extendTo(1);
  go(4);
  selection.extendTo(2);
  expect(selection.indices.value).toEqual([0, 1, 2]);
});

test('a selection whose beginning was deleted begins at the current caption', () => {
  const { review, selection, go } = four();
  selection.toggle(2);
  review.edit('delete', edits.remove(review.cues.value, 1));
  go(2);
  selection.extendTo(2);
  expect(selection.indices.value).toEqual([1, 2]);
});
