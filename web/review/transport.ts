/** Moving through the recording as editors do: by seconds and frames, by captions, back and forth at speeds. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { RATES, type Playback } from './playback.ts';
import type { Review } from './review.ts';
import { text } from './strings.ts';

export interface Transport {
  /** How fast it goes backwards, as times the normal speed; 0 where it does not. */
  backwards: ReadonlySignal<number>;
  /** Whether the caption is played again and again. */
  looping: ReadonlySignal<boolean>;
  /** Goes on or back by so many seconds. */
  skip(seconds: number): void;
  /** Goes on or back by one frame, and stands there. */
  frame(step: 1 | -1): void;
  /** Plays the current caption, once. */
  replay(): void;
  /** Plays the current caption again and again, or no longer. */
  loop(): void;
  /** Plays from the start of the current caption on. */
  playFromCaption(): void;
  /** Plays from the playhead to the end of the caption. */
  playRest(): void;
  /** The next speed up or down. */
  rate(step: 1 | -1): void;
  /** J: plays backwards, faster each time. */
  backward(): void;
  /** K: stands, and goes on at the speed that it had. */
  stop(): void;
  /** L: plays, faster each time. */
  forward(): void;
}

/** A frame of a recording that has none, in seconds. */
const NO_FRAME = 1 / 25;
const FASTEST_BACK = 8;

/** Makes the transport of a review. */
export function createTransport(review: Review, playback: Playback): Transport {
  const backwards = signal(0);
  const looping = signal(false);
  /** The speed before L made it faster. */
  let usual: number | null = null;
  let last = 0;

  const cue = () => review.cues.peek()[review.currentIndex.peek()];
  const halt = () => {
    backwards.value = 0;
  };
  const scrub = (now: number) => {
    if (backwards.peek() === 0) return;
    playback.seek(playback.time.peek() - ((now - last) / 1000) * backwards.peek());
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
    review.said.value = text.review.rateNow(next);
  };
  return {
    backwards,
    looping,
    skip(seconds) {
      halt();
      playback.seek(playback.time.peek() + seconds);
    },
    frame(step) {
      halt();
      playback.pause();
      const long = playback.frameRate.peek() === null ? NO_FRAME : 1 / playback.frameRate.peek()!;
      // In the middle of a frame: its edges are rounded one way by one browser, the other by another.
      const at = Math.floor(playback.time.peek() / long + 1e-3) + step;
      playback.seek(Math.max(0, at + 0.5) * long);
    },
    replay: () => playCaption(undefined, false),
    loop() {
      if (looping.peek() && playback.stretch.peek()?.loop) {
        looping.value = false;
        playback.seek(playback.time.peek());
      } else playCaption(undefined, true);
      review.said.value = looping.peek() ? text.review.loopOn : text.review.loopOff;
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
