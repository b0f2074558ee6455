/**
 * Measures the loudness of a file for the waveform. Load it on demand with import(), like
 * convert.ts.
 */
import { AudioSampleSink } from 'mediabunny';
import { withAudioTrack } from './audio-track.ts';
import { ConversionError } from './conversion-error.ts';
import { PEAKS_PER_SECOND, PeakMeter, peaksIn } from './peak-meter.ts';

const TELL_MS = 250;
/** The longest time the page is blocked, in milliseconds. */
const TURN_MS = 6;

export interface Peaks {
  perSecond: 50;
  /** The length of the sound that was read, in seconds. */
  seconds: number;
  /** The loudest sample of any channel in each 20 ms, from 0 to 255. */
  values: Uint8Array;
  /** For a video that was examined: the starts of its shots, in seconds, and its frame rate. */
  shots?: readonly number[];
  frameRate?: number;
}

interface PeaksOptions {
  signal: AbortSignal;
  /**
   * Called at most four times a second with a copy of the peaks so far, as long as the whole file;
   * values after `doneSeconds` are 0 until they are read.
   */
  onPeaks?(peaks: Uint8Array, doneSeconds: number): void;
}

/**
 * Measures the loudness of a whole file, yielding to the page every few milliseconds; of a
 * truncated file, the readable part. Throws the signal's reason when aborted, otherwise a
 * ConversionError.
 */
export async function readPeaks(file: Blob, { signal, onPeaks }: PeaksOptions): Promise<Peaks> {
  return withAudioTrack(file, signal, async ({ track, startSeconds, durationSeconds }) => {
    const meter = new PeakMeter(startSeconds, durationSeconds);
    let turn = performance.now();
    let told = turn;
    for await (const sample of new AudioSampleSink(track).samples()) {
      meter.add(sample);
      sample.close();
      signal.throwIfAborted();
      const now = performance.now();
      if (onPeaks && now - told >= TELL_MS) {
        told = now;
        onPeaks(meter.values.slice(), meter.seconds);
      }
      if (now - turn < TURN_MS) continue;
      await yieldToPage();
      turn = performance.now();
    }
    if (meter.seconds === 0) {
      throw new ConversionError('unreadable', 'No sound could be read from the file.');
    }
    const values = meter.values.slice(0, peaksIn(meter.seconds));
    return { perSecond: PEAKS_PER_SECOND, seconds: meter.seconds, values };
  });
}

/** The values for a second of finer peaks. */
const FINE = 400;

/**
 * Measures the loudness of a part of a file (seconds) for a view that is zoomed in. Fails like
 * `readPeaks`.
 */
export async function readFinePeaks(
  file: Blob,
  { from, to }: { from: number; to: number },
  signal: AbortSignal,
): Promise<{ from: number; perSecond: number; values: Uint8Array }> {
  return withAudioTrack(file, signal, async ({ track, startSeconds, durationSeconds }) => {
    const length = Math.max(0, to - from);
    const meter = new PeakMeter(startSeconds + from, length, FINE);
    const read = new AudioSampleSink(track).samples(
      startSeconds + from,
      startSeconds + Math.min(to, durationSeconds),
    );
    for await (const sample of read) {
      meter.add(sample);
      sample.close();
      signal.throwIfAborted();
    }
    return { from, perSecond: FINE, values: meter.values };
  });
}

/** Lets the page handle pending input and drawing. */
function yieldToPage(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  if (scheduler?.yield) return scheduler.yield();
  return new Promise((resolve) => setTimeout(resolve));
}
