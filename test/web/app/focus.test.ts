/** The focus: one stop for a group of buttons, and where it goes when its button disappears. */
import { root } from './support/root.ts';
import { describe, expect, test } from 'bun:test';
import { drawn, one } from './support/app.ts';
import { press } from './support/hands.ts';
import { h, render } from 'preact';
import { useRef } from 'preact/hooks';
import { useRoving } from '../../../web/components/roving.ts';
import { useFocusFallback } from '../../../web/review/desk/review-screen.tsx';
import { actionOf } from '../../../web/review/desk/keys.ts';

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

  test('keeps the focus at its ends, and where there is no entry above or below', async () => {
    await show([['a1']]);
    root.querySelector('button')!.focus();
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowDown']) {
      expect(await press(key)).toBe(true);
      expect(focused()).toBe('head');
    }
    await press('End');
    for (const key of ['ArrowRight', 'ArrowDown']) {
      expect(await press(key)).toBe(true);
      expect(focused()).toBe('a1');
    }
  });

  test('has no entries above or below a button outside its list', async () => {
    const Framed = () => {
      const frame = useRef<HTMLDivElement>(null);
      useRoving(frame);
      return h(
        'div',
        { ref: frame },
        h('ul', {}, h('li', {}, h('button', {}, 'a1'))),
        h('button', {}, 'tail'),
      );
    };
    render(h(Framed, {}), root);
    await drawn();
    root.querySelectorAll('button')[1]!.focus();
    for (const key of ['ArrowUp', 'ArrowDown']) {
      expect(await press(key)).toBe(true);
      expect(focused()).toBe('tail');
    }
  });

  test('ignores other keys, and keys with modifiers', async () => {
    await show([['a1']]);
    root.querySelector('button')!.focus();
    for (const key of ['KeyJ', 'Enter', 'Ctrl+ArrowRight', 'Alt+ArrowRight', 'Meta+End']) {
      expect(await press(key)).toBe(false);
      expect(focused()).toBe('head');
    }
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

/** Shows a group with the focus on its last button, beside a field. */
async function besideField(): Promise<HTMLInputElement> {
  const field = document.createElement('input');
  document.body.append(field);
  render(h(Group, { rows: [['a1'], ['b1']] }), root);
  await drawn();
  root.querySelectorAll('button')[2]!.focus();
  return field;
}
const removeLast = () => render(h(Group, { rows: [['a1']] }), root);

test('a group that has passed the focus on does not take it back when a button disappears', async () => {
  const field = await besideField();
  field.focus();
  field.blur();
  removeLast();
  await drawn();
  expect(document.activeElement === document.body).toBe(true);
  field.remove();
});

test('a group whose button disappears leaves the focus where it has gone meanwhile', async () => {
  const field = await besideField();
  removeLast();
  await Promise.resolve();
  field.focus();
  await drawn();
  expect(document.activeElement === field).toBe(true);
  field.remove();
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

  test('leaves it to the captions where a text field disappears', async () => {
    await show(true);
    const field = one('textarea', root);
    field.addEventListener('keydown', () => field.remove());
    field.focus();
    await press('KeyJ');
    await settled();
    expect(document.activeElement === document.body).toBe(true);
  });

  test('leaves it on a button that stays', async () => {
    await show(true);
    one('button', root).focus();
    await press('KeyJ');
    await settled();
    expect(focused()).toBe('go');
  });

  test('leaves it nowhere if a button that stays has given it up', async () => {
    await show(true);
    const button = one('button', root);
    button.addEventListener('keydown', () => button.blur());
    button.focus();
    await press('KeyJ');
    await settled();
    expect(document.activeElement === document.body).toBe(true);
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
