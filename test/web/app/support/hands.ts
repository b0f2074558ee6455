/** A user's actions: clicks, keys, drags, typing, choosing and submitting, each with the events that a browser sends. */
import { control, drawn } from './app.ts';

/** Clicks, with the events before it. */
export async function click(on: Element | string, keys: MouseEventInit = {}): Promise<void> {
  const element = typeof on === 'string' ? control(on) : on;
  const init = { bubbles: true, cancelable: true, ...keys };
  element.dispatchEvent(new PointerEvent('pointerdown', init));
  const isKept = !element.dispatchEvent(new MouseEvent('mousedown', init));
  if (!isKept && element instanceof HTMLElement) element.focus();
  element.dispatchEvent(new PointerEvent('pointerup', init));
  element.dispatchEvent(new MouseEvent('mouseup', init));
  element.dispatchEvent(new MouseEvent('click', init));
  await drawn();
}

/** Presses a key where the focus is: `Ctrl+Enter`, `KeyJ`. Returns whether the app took it. */
export async function press(chord: string, on: Element = document.activeElement ?? document.body) {
  const parts = chord.split('+');
  const code = parts.pop() ?? '';
  const key = /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : code.replace(/^Digit/, '');
  const event = new KeyboardEvent('keydown', {
    code,
    key: code === 'Space' ? ' ' : key,
    ctrlKey: parts.includes('Ctrl'),
    altKey: parts.includes('Alt'),
    shiftKey: parts.includes('Shift'),
    metaKey: parts.includes('Meta'),
    bubbles: true,
    cancelable: true,
  });
  // happy-dom takes Alt for AltGr.
  event.getModifierState = () => false;
  const isTaken = !on.dispatchEvent(event);
  await drawn();
  return isTaken;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Replaces the content of a field by typing; with `enter`, leaves the field as Enter or Tab do. */
export async function type(field: Field, text: string, { enter = false } = {}): Promise<void> {
  field.focus();
  field.value = text;
  if (!/^(number|email)$/.test(field.type)) field.setSelectionRange(text.length, text.length);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await drawn();
  if (enter) field.dispatchEvent(new Event('change', { bubbles: true }));
  await drawn();
}

/** Chooses in a list, or turns a check box or a radio button. */
export async function choose(field: HTMLSelectElement | HTMLInputElement, value: string | boolean) {
  if (typeof value === 'string') field.value = value;
  else (field as HTMLInputElement).checked = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await drawn();
}

/** Submits a form, as Enter in one of its fields does. */
export async function submit(form: Element): Promise<void> {
  form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  await drawn();
}

/** Chooses files for a field in the browser's dialog. */
export async function giveFiles(field: Element, files: readonly File[]): Promise<void> {
  Object.defineProperty(field, 'files', { value: files, configurable: true });
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await drawn();
}

/** Drops files on the page. */
export async function dropFiles(files: readonly File[]): Promise<void> {
  dispatchEvent(
    Object.assign(new Event('drop', { cancelable: true }), {
      dataTransfer: { types: ['Files'], files },
    }),
  );
  await drawn();
}

/** Sends a pointer event of the mouse, with its button held unless the event releases it; `y` is a row of captions. */
export async function point(on: Element, kind: string, clientX: number, clientY = 100) {
  on.dispatchEvent(
    new PointerEvent(kind, {
      clientX,
      clientY,
      pointerId: 1,
      buttons: kind === 'pointerup' ? 0 : 1,
      bubbles: true,
      cancelable: true,
      pointerType: 'mouse',
    }),
  );
  await drawn();
}
