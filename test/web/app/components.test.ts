/** Small parts that many screens use: parts that are loaded later, number fields, dialogs, sizes, and saved files. */
import { root } from './support/root.ts';
import { afterEach, expect, jest, spyOn, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { useRef } from 'preact/hooks';
import { Dialog } from '../../../web/components/dialog.tsx';
import { NumberField } from '../../../web/components/fields.tsx';
import { OnDemand, onDemand } from '../../../web/components/on-demand.tsx';
import { saveFile } from '../../../web/components/save-file.ts';
import { useSize } from '../../../web/components/use-size.ts';
import { whenIdle } from '../../../web/components/when-idle.ts';
import { text } from '../../support/browser/words.ts';
import { all, control, drawn, one, until } from './support/app.ts';
import { click, submit, type } from './support/hands.ts';
import { holdTimers } from './support/timers.ts';

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

test('a saved file can be read for a minute', async () => {
  const revoked = spyOn(URL, 'revokeObjectURL');
  const created = spyOn(URL, 'createObjectURL');
  const minute = holdTimers(60_000);
  saveFile('Words', 'words.txt', 'text/plain');
  await drawn();
  expect(revoked).not.toHaveBeenCalled();
  await minute.pass();
  minute.release();
  expect(revoked.mock.calls).toEqual([[created.mock.results[0]!.value as string]]);
});

test('the size of an element is followed until it is gone', async () => {
  const watched: unknown[] = [];
  let tell: (entries: object[]) => void = () => {};
  const { ResizeObserver: own } = globalThis;
  Reflect.set(
    globalThis,
    'ResizeObserver',
    class {
      constructor(told: (entries: object[]) => void) {
        tell = told;
      }
      observe = (element: Element) => watched.push(element.localName);
      disconnect = () => watched.push('end');
    },
  );
  const size = signal(0);
  const Sized = () => {
    const element = useRef<HTMLElement>(null);
    useSize(element, 'height', size);
    return h('aside', { ref: element });
  };
  render(h(Sized, {}), root);
  tell([{ contentRect: { width: 10, height: 20 } }]);
  render(null, root);
  Reflect.set(globalThis, 'ResizeObserver', own);
  expect([size.peek(), watched]).toEqual([20, ['aside', 'end']]);
});

test('work for an idle page can be cancelled, also in Safari', async () => {
  const did: string[] = [];
  const idle: Record<number, () => void> = {};
  const request = (work: () => void) => {
    idle[7] = work;
    return 7;
  };
  const names = ['requestIdleCallback', 'cancelIdleCallback'] as const;
  const own = names.map((name) => Reflect.get(globalThis, name) as unknown);
  Object.assign(globalThis, {
    requestIdleCallback: request,
    cancelIdleCallback: (id: number) => delete idle[id],
  });
  whenIdle(() => did.push('idle'))();
  expect(idle).toEqual({});
  Object.assign(globalThis, { requestIdleCallback: undefined });
  const second = holdTimers(1000);
  whenIdle(() => did.push('later'))();
  expect(second.count()).toBe(0);
  whenIdle(() => did.push('later'));
  await second.pass();
  second.release();
  names.forEach((name, at) => Reflect.set(globalThis, name, own[at]));
  expect(did).toEqual(['later']);
});
