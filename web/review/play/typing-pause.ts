/** Pauses playback while the user types, and resumes it slightly earlier. */
import type { ReadonlySignal } from '@preact/signals';
import type { Playback } from './playback.ts';

/** The time without typing after which playback resumes, in milliseconds. */
const STILL_MS = 1000;
/** How far it steps back when it resumes, in seconds. */
const BACK = 1;

export interface TypingPause {
  /** Call this on every keystroke. */
  typed(): void;
  /** Call this when the user plays or pauses. */
  forget(): void;
}

/** Runs work after a delay; returns a function that cancels it. */
type Later = (work: () => void, ms: number) => () => void;

const later: Later = (work, ms) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Creates the automatic pause, active while the setting is on. */
export function createTypingPause(
  playback: Pick<Playback, 'playing' | 'time' | 'pause' | 'playFrom'>,
  isWanted: ReadonlySignal<boolean>,
  wait: Later = later,
): TypingPause {
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
