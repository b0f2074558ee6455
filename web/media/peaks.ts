/**
 * Measures the loudness of a file for the waveform. Load it on demand with import(), like
 * convert.ts.
 */
import { AudioSampleSink, type AudioSample } from 'mediabunny';
import { withAudioTrack } from './audio-track.ts';
import { ConversionError } from './conversion-error.ts';

const PER_SECOND = 50;
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

export interface PeaksOptions {
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
    const meter = new Meter(startSeconds, durationSeconds);
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
      await giveWay();
      turn = performance.now();
    }
    if (meter.seconds === 0) {
      throw new ConversionError('unreadable', 'No sound could be read from the file.');
    }
    const values = meter.values.slice(0, Math.ceil(meter.seconds * PER_SECOND));
    return { perSecond: PER_SECOND, seconds: meter.seconds, values };
  });
}

/** Collects the peaks of samples as they are decoded. */
class Meter {
  values: Uint8Array;
  /** The end of the last sample. */
  seconds = 0;
  private readonly startSeconds: number;
  private plane = new Float32Array(0);

  constructor(startSeconds: number, durationSeconds: number) {
    this.startSeconds = startSeconds;
    this.values = new Uint8Array(Math.ceil(durationSeconds * PER_SECOND));
  }

  /** Takes a block of decoded sound; anything before the start is left out. */
  add(sample: AudioSample): void {
    const { numberOfFrames, numberOfChannels, sampleRate, duration } = sample;
    const from = sample.timestamp - this.startSeconds;
    this.seconds = Math.max(this.seconds, from + duration);
    this.reserve(Math.ceil(this.seconds * PER_SECOND));
    if (this.plane.length < numberOfFrames) this.plane = new Float32Array(numberOfFrames);
    const plane = this.plane.subarray(0, numberOfFrames);
    for (let channel = 0; channel < numberOfChannels; channel++) {
      sample.copyTo(plane, { format: 'f32-planar', planeIndex: channel });
      this.measure(plane, from * sampleRate, sampleRate / PER_SECOND);
    }
  }

  /** `first` is the position of the plane, `length` the length of a peak, both in samples. */
  private measure(plane: Float32Array, first: number, length: number): void {
    let start = Math.max(0, Math.ceil(-first));
    while (start < plane.length) {
      // The half sample compensates for timestamps that are rounded down.
      const index = Math.floor((first + start + 0.5) / length);
      const end = Math.min(
        plane.length,
        Math.max(start + 1, Math.ceil((index + 1) * length - first)),
      );
      let loudest = 0;
      for (let i = start; i < end; i++) loudest = Math.max(loudest, Math.abs(plane[i] ?? 0));
      const value = Math.min(255, Math.round(loudest * 255));
      if (value > (this.values[index] ?? 255)) this.values[index] = value;
      start = end;
    }
  }

  /** Makes room for a file that is longer than it states. */
  private reserve(length: number): void {
    if (length <= this.values.length) return;
    const longer = new Uint8Array(Math.ceil(length * 1.5));
    longer.set(this.values);
    this.values = longer;
  }
}

/** Lets the page handle pending input and drawing. */
function giveWay(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  if (scheduler?.yield) return scheduler.yield();
  return new Promise((resolve) => setTimeout(resolve));
}
