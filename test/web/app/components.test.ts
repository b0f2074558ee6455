/** Components by themselves: what the keyboard does, where the focus goes, and what is shown. */
import { root } from './support/root.ts';
import { afterEach, describe, expect, jest, test } from 'bun:test';
import { all, control, drawn, one, until } from './support/app.ts';
import { click, press, submit, type } from './support/hands.ts';
import { h, render } from 'preact';
import { useRef } from 'preact/hooks';
import { useRoving } from '../../../web/components/toolbar.tsx';
import { useFocusFallback } from '../../../web/review/desk/review-screen.tsx';
import { actionOf } from '../../../web/review/desk/keys.ts';
import { Menu, type MenuItem } from '../../../web/components/menu.tsx';
import { CodeBoxes } from '../../../web/sign-in/sign-in.tsx';
import { signal } from '@preact/signals';
import { Dialog } from '../../../web/components/dialog.tsx';
import { NumberField } from '../../../web/components/fields.tsx';
import { OnDemand, onDemand } from '../../../web/components/on-demand.tsx';
import { text } from '../../support/browser/words.ts';
import { CueMarks, TimeField } from '../../../web/review/desk/cue-row.tsx';

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

test('an entry runs once its menu is closed and the focus is back', async () => {
  const places: unknown[] = [];
  const button = await open([
    { label: 'a', run: () => places.push(document.activeElement === control('Menu', root)) },
  ]);
  await click(control('a', root));
  expect([places, button.getAttribute('aria-expanded')]).toEqual([[true], 'false']);
});

describe('the boxes of a code', () => {
  const show = async (disabled: boolean) => {
    render(h(CodeBoxes, { disabled, onCode() {} }), root);
    await drawn();
  };

  test('take the focus when they can be filled, not before', async () => {
    await show(true);
    expect(root.contains(document.activeElement)).toBe(false);
    await show(false);
    expect(document.activeElement === root.querySelector('input')).toBe(true);
  });
});

describe('parts and fields', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('a part that could not be loaded is loaded again when it is next shown', async () => {
    Reflect.set(globalThis, 'fetch', async () => new Response('{}'));
    let works = false;
    let loads = 0;
    const arrived = Promise.withResolvers<void>();
    const part = onDemand(async () => {
      loads += 1;
      if (!works) throw new TypeError('Importing a module failed.');
      await arrived.promise;
      return () => h('p', {}, 'the part');
    });
    render(h(OnDemand, { of: part }), root);
    await until('the failure', () => root.textContent.includes(text.wrong));
    render(null, root);
    works = true;
    render(h(OnDemand, { of: part }), root);
    await until('another load', () => loads === 3);
    await drawn();
    // Meanwhile no error is shown.
    expect(root.textContent).toBe(text.loading);
    arrived.resolve();
    await until('the part', () => root.textContent === 'the part');
    // A part that is loaded is not loaded again.
    render(null, root);
    render(h(OnDemand, { of: part }), root);
    part.preload();
    await drawn();
    expect([root.textContent, loads]).toEqual(['the part', 3]);
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
    slider!.value = '6';
    slider!.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await drawn();
    expect([value.peek(), field!.value]).toEqual([6, '6']);
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

interface Found {
  from: number;
  to: number;
  isMeant?: boolean;
}

/** The marked text, with the look of each mark before it. */
function marked(lines: string[], found: Found[], doubts: Found[] = [], open = 'find'): string {
  const desk = {
    finder: { open: signal(open), byCue: signal(new Map([[2, found]])) },
    doubts: { of: () => doubts },
    review: { language: 'en' },
  };
  render(null, root);
  render(h(CueMarks, { desk, cue: { id: 1, start: 0, end: 1, lines }, index: 2 } as never), root);
  for (const mark of all('mark', root)) mark.prepend(`${mark.className}:`);
  return all('mark', root).reduce(
    (words, mark) => words.replace(mark.textContent, `[${mark.textContent}]`),
    root.textContent,
  );
}

test('matches and doubts are marked at their places, and the current match has its own look', () => {
  const lines = ['one two three four five six'];
  const found = [
    { from: 4, to: 7 },
    { from: 14, to: 18, isMeant: true },
  ];
  expect(marked(lines, found, [{ from: 8, to: 13 }])).toBe(
    'one [found:two] [doubt:three] [meant:four] five six',
  );
  expect(marked(lines, found, [], 'closed')).toBe('');
  expect(marked(lines, [], [{ from: 8, to: 13 }], 'closed')).toBe(
    'one two [doubt:three] four five six',
  );
});

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
