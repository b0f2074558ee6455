/** A menu: its keys, its focus and its attributes, alone and in a group of buttons with one tab stop. */
import { root } from './support/root.ts';
import { expect, test } from 'bun:test';
import { h, render } from 'preact';
import { useRef } from 'preact/hooks';
import { Menu, type MenuItem } from '../../../web/components/menu.tsx';
import { useRoving } from '../../../web/components/roving.ts';
import { all, control, drawn, one, until } from './support/app.ts';
import { click, press } from './support/hands.ts';

const focused = (): string => document.activeElement?.textContent ?? '';
const noop = () => {};

function Toolbar({ items }: { items: readonly MenuItem[] }) {
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  return h(
    'div',
    { ref: frame },
    h('button', {}, 'before'),
    h(Menu, { label: 'Menu', items }),
    h('button', {}, 'after'),
  );
}

async function open(items: readonly MenuItem[]): Promise<HTMLElement> {
  render(h(Toolbar, { items }), root);
  await drawn();
  const button = control('Menu', root);
  await click(button);
  await until('the focus', () => document.activeElement?.closest('[role=menu]'));
  return button;
}

test('the keys of an open menu stay in it, in a toolbar and on the page', async () => {
  const seen: string[] = [];
  const see = ({ code }: KeyboardEvent) => seen.push(code);
  addEventListener('keydown', see);
  const button = await open([
    { label: 'a', run: noop },
    { label: 'b', checked: false, run: noop },
    { label: 'c', checked: false, run: noop },
  ]);
  const walked: string[] = [];
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'End', 'ArrowDown']) {
    await press(key);
    walked.push(focused());
  }
  expect(walked).toEqual(['a', 'b', 'b', 'c', 'a']);
  expect([await press('Home'), await press('End'), await press('KeyX')]).toEqual([
    true,
    true,
    false,
  ]);
  seen.length = 0;
  await press('Escape');
  removeEventListener('keydown', see);
  // Escape would also clear the selection, or leave the text.
  expect([seen, document.activeElement === button]).toEqual([[], true]);
});

test('the first entry gets the focus, also if it can be ticked', async () => {
  await open([{ label: 'a', checked: true, run: noop }]);
  expect(focused()).toBe('✓a');
});

test('a second click on the button closes the menu, which names what it opens', async () => {
  const button = await open([{ label: 'a', run: noop }]);
  const attributes = () =>
    ['aria-expanded', 'aria-controls'].map((name) => button.getAttribute(name));
  const menu = one('[role=menu]', root);
  expect([attributes(), menu.getAttribute('aria-label')]).toEqual([['true', menu.id], 'Menu']);
  await click(button);
  expect([attributes(), all('[role=menu]', root)]).toEqual([['false', null], []]);
});

test('an entry runs once its menu is closed and the focus is back', async () => {
  const places: unknown[] = [];
  const button = await open([
    { label: 'a', run: () => places.push(document.activeElement === control('Menu', root)) },
  ]);
  await click(control('a', root));
  expect([places, button.getAttribute('aria-expanded')]).toEqual([[true], 'false']);
});
