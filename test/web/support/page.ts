/**
 * Doubles of the parts of a page that the review uses: a media element, and frames that are drawn when a test says so.
 */
import { afterAll, afterEach, beforeAll } from 'bun:test';

type Frame = (now: number, shown: { mediaTime: number }) => void;

/** A recording or a video whose position is set by the test. */
export class MediaElement extends EventTarget {
  currentTime = 0;
  duration = Number.NaN;
  paused = true;
  playbackRate = 1;
  muted = false;
  /** Whether the browser refuses to play. */
  refuses = false;
  private frame: Frame | null = null;

  async play(): Promise<void> {
    if (this.refuses) throw new Error('not allowed');
    this.paused = false;
    this.dispatchEvent(new Event('play'));
  }

  pause(): void {
    this.paused = true;
    this.dispatchEvent(new Event('pause'));
  }

  /** The recording has played to a time. */
  reach(time: number): void {
    this.currentTime = time;
    this.dispatchEvent(new Event('timeupdate'));
  }

  /** The length is known. */
  learn(duration: number): void {
    this.duration = duration;
    this.dispatchEvent(new Event('durationchange'));
  }

  requestVideoFrameCallback(shown: Frame): void {
    this.frame = shown;
  }

  /** Shows the frame at a time; false if nothing waits for one. */
  show(mediaTime: number): boolean {
    const { frame } = this;
    this.frame = null;
    frame?.(0, { mediaTime });
    return frame !== null;
  }

  asMedia = (): HTMLMediaElement => this as unknown as HTMLMediaElement;
}

/** The callbacks that wait for the next frame of the page. */
const waiting = new Map<number, (now: number) => void>();
let asked = 0;

/** The text field of a caption, with the cursor in it. */
class TextField {
  readonly id: number;
  readonly selectionStart: number;
  readonly selectionEnd: number;

  constructor(id: number, cursor: number) {
    this.id = id;
    this.selectionStart = cursor;
    this.selectionEnd = cursor;
  }

  closest = () => ({ dataset: { id: String(this.id) } });
}

const page: { activeElement: TextField | null } = { activeElement: null };

/** Puts the cursor into the text of a caption. */
export function putCursor(id: number, at: number): void {
  page.activeElement = new TextField(id, at);
}

/** The target of a pointer press. */
export class Surface extends EventTarget {
  captured: number | null = null;

  setPointerCapture(pointer: number): void {
    this.captured = pointer;
  }

  /** Sends a pointer event. */
  point(type: string, fields: { clientX: number; pointerId?: number; altKey?: boolean }): void {
    this.dispatchEvent(Object.assign(new Event(type), { pointerId: 1, altKey: false, ...fields }));
  }
}

/** The parts of a page that the tested code uses. */
const GLOBALS = {
  HTMLVideoElement: MediaElement,
  HTMLElement: Surface,
  HTMLTextAreaElement: TextField,
  document: page,
  requestAnimationFrame(callback: (now: number) => void) {
    waiting.set((asked += 1), callback);
    return asked;
  },
  cancelAnimationFrame: (id: number) => waiting.delete(id),
};

/** Provides a page to the tests of a file, and removes it afterwards, because other files run in the same process. */
export function usePage(): void {
  const before = Object.keys(GLOBALS).map((name) => [name, Reflect.get(globalThis, name)] as const);
  beforeAll(() => void Object.assign(globalThis, GLOBALS));
  afterEach(() => {
    waiting.clear();
    page.activeElement = null;
  });
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(globalThis, name);
      else Reflect.set(globalThis, name, value);
    }
  });
}

/** Draws a frame of the page; returns how many callbacks waited for it. */
export function drawFrame(now = performance.now()): number {
  const callbacks = [...waiting.values()];
  waiting.clear();
  for (const callback of callbacks) callback(now);
  return callbacks.length;
}
