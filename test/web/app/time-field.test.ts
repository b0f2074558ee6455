/** The field for a time: what is typed, committed, refused, and taken back. */
import { root } from './support/root.ts';
import { expect, test } from 'bun:test';
import { h, render } from 'preact';
import { TimeField } from '../../../web/review/desk/cue-row.tsx';
import { text } from '../../support/browser/words.ts';
import { drawn, one } from './support/app.ts';
import { press, type } from './support/hands.ts';

const THREE = '00:00:03,000';

/** The field of a caption that starts at 3 s and stays there. */
function show(change: object = {}) {
  const told: (number | string)[] = [];
  const props = {
    label: 'Start',
    value: 3,
    reachable: true,
    readOnly: false,
    onValue: (seconds: number) => told.push(seconds),
    onWrong: () => told.push('wrong'),
  };
  render(h(TimeField, { ...props, ...change }), root);
  const field = one('input', root) as HTMLInputElement;
  const state = () => [field.value, field.getAttribute('aria-invalid'), field.title];
  const commit = async () => {
    field.dispatchEvent(new Event('change', { bubbles: true }));
    await drawn();
  };
  return { field, told, state, commit };
}

test('a time is reported once, and the field shows the caption’s own until that has changed', async () => {
  const { field, told, state, commit } = show();
  await type(field, '4.5');
  expect(state()).toEqual(['4.5', 'false', 'Start']);
  await commit();
  expect([told, state()]).toEqual([[4.5], [THREE, 'false', 'Start']]);
  // The field loses the focus after Enter.
  await commit();
  expect(told).toEqual([4.5]);
});

test('what is no time is refused, and stays to be corrected', async () => {
  const { field, told, state, commit } = show();
  await type(field, 'soon');
  await commit();
  expect([told, state()]).toEqual([['wrong'], ['soon', 'true', text.review.badTime]]);
});

test('Escape takes back what was typed, also if it was refused', async () => {
  const { field, told, state, commit } = show();
  await type(field, 'soon');
  await commit();
  await press('Escape', field);
  expect(state()).toEqual([THREE, 'false', 'Start']);
  await commit();
  expect(told).toEqual(['wrong']);
});

test('a refused time is forgotten when the field is left', async () => {
  const { field, state, commit } = show();
  await type(field, 'soon');
  await commit();
  field.dispatchEvent(new FocusEvent('blur'));
  await drawn();
  expect(state()).toEqual([THREE, 'false', 'Start']);
});

test('only the field of the current caption is a Tab stop', () => {
  expect(show().field.tabIndex).toBe(0);
  const { field } = show({ reachable: false, readOnly: true });
  expect([field.tabIndex, field.readOnly]).toEqual([-1, true]);
});
