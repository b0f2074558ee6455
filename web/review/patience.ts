/** Playing that waits for whoever types: it stops with the first key, and goes on a little further back. */
import type { ReadonlySignal } from '@preact/signals';
import type { Playback } from './playback.ts';

/** So long nothing is typed before it goes on, in milliseconds. */
const STILL_MS = 1000;
/** So far it steps back, in seconds. */
const BACK = 1;

export interface Patience {
  /** Something was typed. */
  typed(): void;
  /** Somebody plays or stops it themselves. */
  forget(): void;
}

/** What a wait needs: it can be called off. */
export type Later = (work: () => void, ms: number) => () => void;

const later: Later = (work, ms) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Makes playing patient, as long as somebody wants it to be. */
export function createPatience(
  playback: Pick<Playback, 'playing' | 'time' | 'pause' | 'playFrom'>,
  isWanted: ReadonlySignal<boolean>,
  wait: Later = later,
): Patience {
  let callOff: (() => void) | null = null;
  return {
    typed() {
      if (!callOff && !(isWanted.peek() && playback.playing.peek())) return;
      callOff?.();
      playback.pause();
      callOff = wait(() => {
        callOff = null;
        playback.playFrom(Math.max(0, playback.time.peek() - BACK));
      }, STILL_MS);
    },
    forget() {
      callOff?.();
      callOff = null;
    },
  };
}
