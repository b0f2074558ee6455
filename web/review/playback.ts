/** The recording while it is reviewed: where it is, whether it plays, how fast. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';

/** The speeds on offer, as times the normal one. */
export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

export interface Playback {
  /** Seconds. */
  time: ReadonlySignal<number>;
  /** Seconds; 0 while it is not known. */
  length: ReadonlySignal<number>;
  playing: ReadonlySignal<boolean>;
  failed: ReadonlySignal<boolean>;
  rate: Signal<number>;
  muted: Signal<boolean>;
  /** Takes the element that plays; answers how to let go of it. */
  attach(element: HTMLMediaElement): () => void;
  toggle(): void;
  /** Goes to a time, in seconds. */
  seek(time: number): void;
  /** Plays from a time. */
  playFrom(time: number): void;
}

/** Makes the playback of a recording that lasts about so long, in seconds. */
export function createPlayback(expected: number): Playback {
  const time = signal(0);
  const length = signal(expected);
  const playing = signal(false);
  const failed = signal(false);
  const rate = signal(1);
  const muted = signal(false);
  let media: HTMLMediaElement | null = null;
  let frame = 0;

  const tick = () => {
    if (!media) return;
    time.value = media.currentTime;
    if (!media.paused) frame = requestAnimationFrame(tick);
  };
  const play = () => {
    media?.play().catch(() => {
      playing.value = false;
    });
  };
  const seek = (to: number) => {
    const at = Math.max(0, Math.min(to, length.peek() || to));
    time.value = at;
    if (media) media.currentTime = at;
  };

  return {
    time,
    length,
    playing,
    failed,
    rate,
    muted,
    attach(element) {
      media = element;
      failed.value = false;
      const heard = new AbortController();
      const on = (name: string, listener: () => void) =>
        element.addEventListener(name, listener, { signal: heard.signal });
      on('play', () => {
        playing.value = true;
        tick();
      });
      on('pause', () => {
        playing.value = false;
      });
      on('seeked', tick);
      on('timeupdate', tick);
      on('error', () => {
        failed.value = true;
      });
      on('durationchange', () => {
        if (Number.isFinite(element.duration)) length.value = element.duration;
      });
      on('loadedmetadata', () => {
        element.currentTime = time.peek();
        element.playbackRate = rate.peek();
      });
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
    toggle() {
      if (media?.paused) play();
      else media?.pause();
    },
    seek,
    playFrom(to) {
      seek(to);
      play();
    },
  };
}
