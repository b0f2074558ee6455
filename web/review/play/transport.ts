/**
 * The transport: moves by seconds, frames and captions, plays forward and backward at several speeds, and pauses while
 * the user types.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import { RATES, type Playback } from './playback.ts';
import type { Review } from '../editing/review.ts';
import { text } from '../../texts/review.ts';

export interface Transport {
  /** The speed of backward playback, as a multiple of normal speed; 0 if it is off. */
  backwards: ReadonlySignal<number>;
  /** Whether the caption is looped. */
  looping: ReadonlySignal<boolean>;
  /** Moves by a number of seconds. */
  skip(seconds: number): void;
  /** Moves by one frame and pauses. */
  frame(step: 1 | -1): void;
  /** Plays the current caption once. */
  replay(): void;
  /** Loops the current caption, or ends the loop. */
  loop(): void;
  /** Plays from the start of the current caption. */
  playFromCaption(): void;
  /** Plays from the playhead to the end of the caption. */
  playRest(): void;
  /** Selects the next speed up or down. */
  rate(step: 1 | -1): void;
  /** J: plays backward, faster each time. */
  backward(): void;
  /** K: pauses and restores the previous speed. */
  stop(): void;
  /** L: plays, faster each time. */
  forward(): void;
}

/** The step by frame if no frame rate is known, in seconds. */
const NO_FRAME = 1 / 25;
const FASTEST_BACK = 8;

/**
 * Creates the transport of a review.
 * @param frameRate of the picture; null while nothing is known of it
 * @param seek how to move; by default, the current caption stays
 */
export function createTransport(
  review: Review,
  playback: Playback,
  frameRate: ReadonlySignal<number | null> = playback.frameRate,
  seek: (time: number) => void = playback.seek,
): Transport {
  const backwards = signal(0);
  const looping = signal(false);
  /** The speed before L raised it. */
  let usual: number | null = null;
  let last = 0;

  const cue = () => review.cues.peek()[review.currentIndex.peek()];
  const halt = () => {
    backwards.value = 0;
  };
  const scrub = (now: number) => {
    if (backwards.peek() === 0) return;
    seek(playback.time.peek() - ((now - last) / 1000) * backwards.peek());
    last = now;
    if (playback.time.peek() <= 0) halt();
    else requestAnimationFrame(scrub);
  };
  const playCaption = (from: number | undefined, loop: boolean) => {
    const current = cue();
    if (!current) return;
    halt();
    looping.value = loop;
    playback.playStretch({ from: from ?? current.start, to: current.end, loop });
  };
  const rate = (step: 1 | -1) => {
    const now = playback.rate.peek();
    const next =
      step > 0
        ? (RATES.find((each) => each > now) ?? now)
        : (RATES.findLast((each) => each < now) ?? now);
    playback.rate.value = next;
    review.message.value = text.review.rateNow(next);
  };
  return {
    backwards,
    looping,
    skip(seconds) {
      halt();
      seek(playback.time.peek() + seconds);
    },
    frame(step) {
      halt();
      playback.pause();
      const rate = frameRate.peek();
      const long = rate === null ? NO_FRAME : 1 / rate;
      // Seek to the middle of a frame, because browsers round at its edges differently.
      const at = Math.floor(playback.time.peek() / long + 1e-3) + step;
      seek((at + 0.5) * long);
    },
    replay: () => playCaption(undefined, false),
    loop() {
      if (looping.peek() && playback.stretch.peek()?.loop) {
        looping.value = false;
        playback.seek(playback.time.peek());
      } else playCaption(undefined, true);
      review.message.value = looping.peek() ? text.review.loopOn : text.review.loopOff;
    },
    playFromCaption() {
      const current = cue();
      if (!current) return;
      halt();
      looping.value = false;
      playback.playFrom(current.start);
    },
    playRest() {
      const current = cue();
      if (!current) return;
      const now = playback.time.peek();
      playCaption(now >= current.start && now < current.end ? now : undefined, false);
    },
    rate,
    backward() {
      playback.pause();
      const isOn = backwards.peek() > 0;
      backwards.value = Math.min(FASTEST_BACK, backwards.peek() * 2 || 1);
      last = performance.now();
      if (!isOn) requestAnimationFrame(scrub);
    },
    stop() {
      halt();
      playback.pause();
      if (usual !== null) playback.rate.value = usual;
      usual = null;
    },
    forward() {
      halt();
      if (!playback.playing.peek()) return playback.play();
      usual ??= playback.rate.peek();
      rate(1);
    },
  };
}

/** The time without typing after which playback resumes, in milliseconds. */
const STILL_MS = 1000;
/** How far it steps back when it resumes, in seconds. */
const BACK = 1;

export type TypingPause = ReturnType<typeof createTypingPause>;

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
) {
  let callOff: (() => void) | null = null;
  return {
    /** Call this on every keystroke. */
    typed(): void {
      if (!callOff && !(isWanted.peek() && playback.playing.peek())) return;
      callOff?.();
      playback.pause();
      callOff = wait(() => {
        callOff = null;
        playback.playFrom(Math.max(0, playback.time.peek() - BACK));
      }, STILL_MS);
    },
    /** Call this when the user plays or pauses. */
    forget(): void {
      callOff?.();
      callOff = null;
    },
  };
}
