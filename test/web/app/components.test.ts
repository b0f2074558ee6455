/** Components by themselves: what the keyboard does, where the focus goes, and what is shown. */
import { root } from './support/root.ts';
import { afterEach, describe, expect, jest, test } from 'bun:test';
import { all, control, drawn, one, until } from './support/app.ts';
import { click, point, press, submit, type } from './support/hands.ts';
import { h, render } from 'preact';
import { useRef } from 'preact/hooks';
import { useRoving } from '../../../web/components/toolbar.tsx';
import { useFocusFallback } from '../../../web/review/desk/review-screen.tsx';
import { actionOf } from '../../../web/review/desk/keys.ts';
import { Menu } from '../../../web/components/menu.tsx';
import { signal } from '@preact/signals';
import { Dialog } from '../../../web/components/dialog.tsx';
import { Splitter } from '../../../web/components/splitter.tsx';
import { NumberField } from '../../../web/components/fields.tsx';
import { text } from '../../support/browser/words.ts';

const focused = (): string => document.activeElement?.textContent ?? '';

const stops = (): string[] =>
  [...root.querySelectorAll<HTMLElement>('button')]
    .filter(({ tabIndex }) => tabIndex === 0)
    .map(({ textContent }) => textContent ?? '');

function Group({ rows }: { rows: readonly (readonly string[])[] }) {
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  return h(
    'div',
    { ref: frame, tabIndex: -1 },
    h('button', {}, 'head'),
    h(
      'ul',
      {},
      rows.map((names) =>
        h(
          'li',
          { key: names[0] },
          names.map((name) => h('button', {}, name)),
        ),
      ),
    ),
  );
}

describe('a group of buttons', () => {
  const show = async (rows: string[][]) => {
    render(h(Group, { rows }), root);
    await drawn();
  };

  test('is one Tab stop, within which arrows, Home and End move', async () => {
    await show([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
    expect(stops()).toEqual(['head']);
    root.querySelector('button')!.focus();
    const walked: string[] = [];
    for (const key of 'ArrowRight ArrowDown ArrowRight ArrowUp ArrowLeft End Home'.split(' ')) {
      expect(await press(key)).toBe(true);
      walked.push(focused());
    }
    expect(walked).toEqual(['a1', 'b1', 'b2', 'a2', 'a1', 'b2', 'head']);
    expect(stops()).toEqual(['head']);
  });

  test('passes the focus on when a button disappears', async () => {
    await show([['a1'], ['b1'], ['c1']]);
    [...root.querySelectorAll('button')].find(({ textContent }) => textContent === 'b1')!.focus();
    await show([['a1'], ['c1']]);
    await drawn();
    expect([focused(), stops()]).toEqual(['c1', ['c1']]);
    await show([['a1']]);
    await drawn();
    expect(focused()).toBe('a1');
  });
});

describe('the list of captions', () => {
  function Desk({ isShown }: { isShown: boolean }) {
    useFocusFallback();
    return h(
      'div',
      {},
      isShown && h('button', {}, 'go'),
      h('textarea', {}),
      h('div', { class: 'cue-list', tabIndex: -1 }, 'captions'),
    );
  }
  const show = async (isShown: boolean) => {
    render(h(Desk, { isShown }), root);
    await drawn();
  };
  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

  test('takes the focus from a button that disappears when pressed, without scrolling', async () => {
    await show(true);
    const button = one('button', root);
    button.focus();
    const list = one('.cue-list', root);
    const given: unknown[] = [];
    const { focus } = list;
    list.focus = (options?: FocusOptions) => {
      given.push(options);
      focus.call(list, options);
    };
    button.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await show(false);
    await settled();
    expect(given).toEqual([{ preventScroll: true }]);
    expect(focused()).toBe('captions');
  });
});

test.each(['input', 'textarea', 'select', 'button', 'a', 'summary'])(
  'a letter belongs to the %s that has the focus',
  (name) => {
    const target = document.createElement(name);
    const key = (altKey: boolean) => {
      const event = new KeyboardEvent('keydown', { code: 'KeyL', altKey });
      target.dispatchEvent(event);
      return actionOf(event);
    };
    expect([key(false), key(true)?.id]).toEqual([undefined, 'forward']);
  },
);

const noop = () => {};

type Items = Parameters<typeof Menu>[0]['items'];

function Toolbar({ items }: { items: Items }) {
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

async function open(items: Items): Promise<HTMLElement> {
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

test('an entry runs once its menu is closed and the focus is back', async () => {
  const places: unknown[] = [];
  const button = await open([
    { label: 'a', run: () => places.push(document.activeElement === control('Menu', root)) },
  ]);
  await click(control('a', root));
  expect([places, button.getAttribute('aria-expanded')]).toEqual([[true], 'false']);
});

describe('parts and fields', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('a number stays within its bounds, and its field shows it', async () => {
    const value = signal(5);
    render(h(NumberField, { label: 'Lines', value, minimum: 2, maximum: 8, step: 1 }), root);
    const [slider, field] = all('input', root) as HTMLInputElement[];
    const typed = async (words: string) => {
      await type(field!, words, { enter: true });
      return [value.peek(), field!.value];
    };
    expect(await typed('9')).toEqual([8, '8']);
    expect(await typed('1')).toEqual([2, '2']);
    expect(await typed('')).toEqual([2, '2']);
    // A page that is drawn again meanwhile leaves what is being typed.
    await type(field!, '7');
    render(h(NumberField, { label: 'Lines', value, minimum: 2, maximum: 8, step: 1 }), root);
    await drawn();
    expect([value.peek(), field!.value]).toEqual([2, '7']);
    field!.dispatchEvent(new FocusEvent('blur'));
    await drawn();
    expect(field!.value).toBe('2');
    slider!.value = '6';
    slider!.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await drawn();
    expect([value.peek(), field!.value]).toEqual([6, '6']);
  });

  test('the bar between two parts is moved by keys and by the pointer, within its bounds', async () => {
    const size = signal<number | null>(null);
    const about = {
      label: 'Width',
      direction: 'vertical',
      least: 20,
      most: 68,
      usual: 50,
    } as const;
    render(h(Splitter, { ...about, size, measure: () => size.peek() ?? 50 }), root);
    const bar = one('[role=separator]', root);
    bar.focus();
    const walked: unknown[] = [];
    for (const key of [
      'ArrowLeft',
      'ArrowRight',
      'End',
      'ArrowRight',
      'Home',
      'Enter',
      'ArrowUp',
    ]) {
      const isTaken = await press(key);
      walked.push(isTaken && size.peek());
    }
    expect(walked).toEqual([48, 50, 68, 68, 20, null, false]);
    await point(bar, 'pointerdown', 100);
    await point(bar, 'pointermove', 110);
    await point(bar, 'pointerup', 110);
    await point(bar, 'pointermove', 150);
    expect([size.peek(), bar.getAttribute('aria-valuenow')]).toEqual([60, '60']);
  });

  test('the buttons of a dialog act once it is closed, and Enter presses the first one', async () => {
    const did: unknown[] = [];
    const actions = ['Do', 'Other'].map((label) => ({
      label,
      run: () => did.push(label, one('dialog', root).hasAttribute('open')),
    }));
    const onClose = () => did.push('closed');
    const show = () => {
      render(null, root);
      did.length = 0;
      render(h(Dialog, { title: 'T', children: 'C', onClose, actions }), root);
      const dialog = one('dialog', root);
      // Browsers report only later that it is closed.
      Object.assign(dialog, { close: () => dialog.removeAttribute('open') });
      return dialog;
    };
    expect(show().hasAttribute('open')).toBe(true);
    await submit(one('form', root));
    expect(did).toEqual(['closed', 'Do', false]);
    show();
    await click(control('Other', root));
    expect(did).toEqual(['closed', 'Other', false]);
    const dialog = show();
    await click(control(text.close, root));
    dialog.dispatchEvent(new Event('close'));
    expect(did).toEqual(['closed']);
  });
});
