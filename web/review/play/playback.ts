/** The playback of the recording: position, state and speed. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { frameRateOf } from '../../media/frame-rate.ts';

/** The available speeds, as multiples of normal speed. */
export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2, 3] as const;

/** A part of the recording that is played on its own, in seconds. */
interface PlayedPart {
  readonly from: number;
  readonly to: number;
  /** Whether to repeat it. */
  readonly loop: boolean;
}

export interface Playback {
  /** Seconds. */
  time: ReadonlySignal<number>;
  /** Seconds; 0 while unknown. */
  length: ReadonlySignal<number>;
  playing: ReadonlySignal<boolean>;
  failed: ReadonlySignal<boolean>;
  /** The frame rate of the video, once some frames were shown; null before that, and for audio. */
  frameRate: ReadonlySignal<number | null>;
  /** The part being played on its own; null in normal playback. */
  stretch: ReadonlySignal<PlayedPart | null>;
  rate: Signal<number>;
  muted: Signal<boolean>;
  /** Attaches the media element; returns a function that detaches it. */
  attach(element: HTMLMediaElement): () => void;
  play(): void;
  pause(): void;
  toggle(): void;
  /** Seeks to a time, in seconds. */
  seek(time: number): void;
  /** Plays from a time. */
  playFrom(time: number): void;
  /** Plays a part, then stops or repeats it. */
  playStretch(stretch: PlayedPart): void;
}

/** The number of frames from which the rate is estimated. */
const FRAMES = 16;
/**
 * How long before its end a part stops, in seconds: the end may be the start of the next caption.
 */
const BEFORE_END = 0.005;

/**
 * Creates the playback of a recording.
 * @param expected its approximate length, in seconds
 */
export function createPlayback(expected: number): Playback {
  const time = signal(0);
  const length = signal(expected);
  const playing = signal(false);
  const failed = signal(false);
  const frameRate = signal<number | null>(null);
  const stretch = signal<PlayedPart | null>(null);
  const rate = signal(1);
  const muted = signal(false);
  let media: HTMLMediaElement | null = null;
  let frame = 0;

  const endStretch = ({ from, to, loop }: PlayedPart) => {
    if (!media) return;
    if (loop) media.currentTime = from;
    else {
      stretch.value = null;
      media.pause();
      media.currentTime = Math.max(from, to - BEFORE_END);
    }
  };
  const tick = () => {
    if (!media) return;
    time.value = media.currentTime;
    const part = stretch.peek();
    if (part && !media.paused && media.currentTime >= part.to) endStretch(part);
    cancelAnimationFrame(frame);
    if (!media.paused) frame = requestAnimationFrame(tick);
  };
  const play = () => {
    media?.play().catch(() => {
      playing.value = false;
    });
  };
  const goTo = (to: number) => {
    const at = Math.max(0, Math.min(to, length.peek() || to));
    time.value = at;
    if (media) media.currentTime = at;
  };
  const seek = (to: number) => {
    stretch.value = null;
    goTo(to);
  };

  return {
    time,
    length,
    playing,
    failed,
    frameRate,
    stretch,
    rate,
    muted,
    attach(element) {
      media = element;
      failed.value = false;
      frameRate.value = null;
      const heard = new AbortController();
      const on = (name: string, listener: () => void) =>
        element.addEventListener(name, listener, { signal: heard.signal });
      const measure = () => {
        if (Number.isFinite(element.duration)) length.value = element.duration;
      };
      on('play', () => {
        playing.value = true;
        tick();
      });
      on('pause', () => {
        playing.value = false;
      });
      on('seeked', tick);
      on('timeupdate', () => {
        // WebKit may learn the length while it plays, without an event.
        measure();
        tick();
      });
      on('error', () => {
        failed.value = true;
      });
      on('durationchange', measure);
      on('loadedmetadata', () => {
        element.currentTime = time.peek();
        element.playbackRate = rate.peek();
      });
      countFrames(element, frameRate, heard.signal);
      const stopRate = rate.subscribe((value) => {
        element.playbackRate = value;
      });
      const stopMute = muted.subscribe((value) => {
        element.muted = value;
      });
      return () => {
        heard.abort();
        cancelAnimationFrame(frame);
        stopRate();
        stopMute();
        playing.value = false;
        if (media === element) media = null;
      };
    },
    play,
    pause: () => media?.pause(),
    toggle() {
      if (media?.paused) play();
      else media?.pause();
    },
    seek,
    playFrom(to) {
      seek(to);
      play();
    },
    playStretch(part) {
      // First, so that the part that was played before does not end here.
      stretch.value = part;
      goTo(part.from);
      play();
    },
  };
}

/** Measures a video's frame rate while it plays. */
function countFrames(
  element: HTMLMediaElement,
  rate: Signal<number | null>,
  stop: AbortSignal,
): void {
  if (!(element instanceof HTMLVideoElement) || !('requestVideoFrameCallback' in element)) return;
  let times: number[] = [];
  element.requestVideoFrameCallback(function shown(_now, { mediaTime }) {
    if (stop.aborted) return;
    // Start over after a seek.
    const step = mediaTime - (times.at(-1) ?? mediaTime);
    if (step < 0 || step > 0.5) times = [];
    times.push(mediaTime);
    if (times.length >= FRAMES) rate.value = frameRateOf(times);
    if (rate.peek() === null) element.requestVideoFrameCallback(shown);
  });
}
