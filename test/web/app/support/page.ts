/**
 * A page without a browser, for the app in the test's own process: happy-dom's document, an IndexedDB in memory, and a
 * canvas that records what is drawn. Each file of test/web/app has its own global object, so nothing is restored.
 */
import 'fake-indexeddb/auto';
import { spyOn } from 'bun:test';
import { Window } from 'happy-dom';

/** The globals that a page replaces; the tests keep the runtime's for all others. */
const OF_THE_PAGE = new Set(
  'Event EventTarget CustomEvent ErrorEvent MessageEvent CloseEvent navigator location self'.split(
    ' ',
  ),
);

/** What was drawn on the canvases since the last call, as calls of their context. */
const drawn: unknown[][] = [];

/** Returns the calls of canvas contexts since it was last called: the method, its arguments and the colour. */
export const takeDrawn = (): unknown[][] => drawn.splice(0);

/** The texts that were drawn. */
export const textsIn = (calls: readonly unknown[][]): string[] =>
  calls.flatMap(([name, text]) => (name === 'fillText' ? [String(text)] : []));

const context = (): object => {
  const fields: Record<string | symbol, unknown> = {};
  return new Proxy(fields, {
    get: (_, name) =>
      name in fields
        ? fields[name]
        : (...given: unknown[]) => {
            const style = String(name).startsWith('stroke') ? 'strokeStyle' : 'fillStyle';
            drawn.push([name, ...given, fields[style]]);
            return name === 'measureText' ? { width: String(given[0]).length * 7 } : undefined;
          },
  });
};

const window = new Window({ url: 'http://localhost:3000/app', width: 1280, height: 900 });

for (const name of Object.getOwnPropertyNames(window)) {
  if ((name in globalThis && !OF_THE_PAGE.has(name)) || name.startsWith('_')) continue;
  const value: unknown = Reflect.get(window, name);
  const isClass = typeof value === 'function' && /^[A-Z]/.test(name);
  Object.defineProperty(globalThis, name, {
    configurable: true,
    writable: true,
    value: typeof value === 'function' && !isClass ? value.bind(window) : value,
  });
}
for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) {
  Reflect.set(globalThis, name, window[name].bind(window));
}
Reflect.set(globalThis, 'window', globalThis);

/** The pointers that elements have captured. Recording them is enough, because no pointer leaves its element here. */
const held = new WeakMap<object, Set<number>>();
Object.assign(HTMLElement.prototype, {
  setPointerCapture(this: HTMLElement, id: number) {
    held.set(this, (held.get(this) ?? new Set()).add(id));
  },
  releasePointerCapture(this: HTMLElement, id: number) {
    held.get(this)?.delete(id);
  },
  hasPointerCapture(this: HTMLElement, id: number) {
    return held.get(this)?.has(id) ?? false;
  },
});

const contexts = new WeakMap<object, object>();
Object.assign(HTMLCanvasElement.prototype, {
  getContext(this: HTMLCanvasElement) {
    if (!contexts.has(this)) contexts.set(this, context());
    return contexts.get(this);
  },
});

/** Playback, which a test advances: the element has a clock, and sends the events that a browser's would. */
const plays = new WeakMap<object, { paused: boolean; at: number; length: number }>();

function playOf(element: object) {
  const play = plays.get(element) ?? { paused: true, at: 0, length: 100 };
  plays.set(element, play);
  return play;
}

Object.defineProperties(HTMLMediaElement.prototype, {
  paused: {
    get(this: HTMLMediaElement) {
      return playOf(this).paused;
    },
  },
  duration: {
    get(this: HTMLMediaElement) {
      return playOf(this).length;
    },
  },
  currentTime: {
    get(this: HTMLMediaElement) {
      return playOf(this).at;
    },
    set(this: HTMLMediaElement, to: number) {
      playOf(this).at = to;
      this.dispatchEvent(new Event('timeupdate'));
    },
  },
  play: {
    value: async function play(this: HTMLMediaElement) {
      playOf(this).paused = false;
      this.dispatchEvent(new Event('play'));
    },
  },
  pause: {
    value: function pause(this: HTMLMediaElement) {
      playOf(this).paused = true;
      this.dispatchEvent(new Event('pause'));
    },
  },
});

/** The files that the app has saved, by name. */
export const saved = new Map<string, Blob>();
const urls = new Map<string, Blob>();
const { createObjectURL } = URL;
URL.createObjectURL = (blob: Blob) => {
  // The runtime starts its own workers by such addresses.
  const url = createObjectURL(blob);
  urls.set(url, blob);
  return url;
};
URL.revokeObjectURL = () => {};
HTMLAnchorElement.prototype.click = function click(this: HTMLAnchorElement) {
  const blob = urls.get(this.getAttribute('href') ?? '');
  if (this.download !== '' && blob) saved.set(this.download, blob);
};

// Its channels are event targets of this page.
const { Locks } = await import('../../support/tabs.ts');

/** The locks of the page and of other tabs. */
const locks = new Locks();

/** Takes a lock as another tab would; returns the function that releases it. */
export function lockElsewhere(name: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  void locks.request(name, {}, () => promise);
  return resolve;
}
Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
document.body.innerHTML = '<div id="app"></div>';

/** Makes the browser's storage refuse one kind of request, until the spies are restored. */
export const refuseStorage = (
  kind: 'put' | 'get' | 'getAll' | 'count' | 'delete',
  why = 'SecurityError',
) =>
  spyOn(IDBObjectStore.prototype, kind).mockImplementation(() => {
    throw new DOMException('No.', why);
  });
