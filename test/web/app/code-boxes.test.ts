/** The boxes of a code: the focus in them, and what the browser fills in. */
import { root } from './support/root.ts';
import { describe, expect, test } from 'bun:test';
import { h, render } from 'preact';
import { CodeBoxes } from '../../../web/sign-in/sign-in.tsx';
import { drawn } from './support/app.ts';
import { press } from './support/hands.ts';

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

  test('are left by Backspace only if they are empty, and filled from the first by the browser', async () => {
    await show(false);
    const boxes = [...root.querySelectorAll('input')];
    boxes[0]!.value = '1';
    boxes[1]!.value = '2';
    boxes[1]!.focus();
    expect(await press('Backspace', boxes[1])).toBe(false);
    expect([boxes[0]!.value, document.activeElement === boxes[1]]).toEqual(['1', true]);
    expect(boxes.map((box) => box.getAttribute('autocomplete')).slice(0, 2)).toEqual([
      'one-time-code',
      'off',
    ]);
  });

  test('keep the focus at the last one that was filled', async () => {
    await show(false);
    const boxes = [...root.querySelectorAll('input')];
    boxes[0]!.value = '123456';
    boxes[0]!.dispatchEvent(new InputEvent('input', { bubbles: true }));
    expect(document.activeElement === boxes[5]).toBe(true);
  });
});
