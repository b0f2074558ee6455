/** Measures the loudness of decoded sound: the loudest sample in each fiftieth of a second. */
import type { AudioSample } from 'mediabunny';

/** The number of values for a second of sound. */
export const PEAKS_PER_SECOND = 50;

/** The number of values for a length in seconds; times that are sums may be off by a little. */
export const peaksIn = (seconds: number, perSecond: number = PEAKS_PER_SECOND): number =>
  Math.ceil(seconds * perSecond - 1e-6);

/** A block of decoded sound. */
type DecodedSound = Pick<
  AudioSample,
  'numberOfFrames' | 'numberOfChannels' | 'sampleRate' | 'timestamp' | 'duration'
> & { copyTo(to: Float32Array, options: { format: 'f32-planar'; planeIndex: number }): unknown };

/** Collects the peaks of a recording from its samples, taken as they are decoded. */
export class PeakMeter {
  values: Uint8Array;
  /** The end of the last sample. */
  seconds = 0;
  private readonly startSeconds: number;
  private readonly perSecond: number;
  private plane = new Float32Array(0);

  constructor(startSeconds: number, durationSeconds: number, perSecond = PEAKS_PER_SECOND) {
    this.startSeconds = startSeconds;
    this.perSecond = perSecond;
    this.values = new Uint8Array(peaksIn(durationSeconds, perSecond));
  }

  /** Takes a block of decoded sound; anything before the start is left out. */
  add(sample: DecodedSound): void {
    const { numberOfFrames, numberOfChannels, sampleRate, duration } = sample;
    const from = sample.timestamp - this.startSeconds;
    this.seconds = Math.max(this.seconds, from + duration);
    this.reserve(peaksIn(this.seconds, this.perSecond));
    if (this.plane.length < numberOfFrames) this.plane = new Float32Array(numberOfFrames);
    const plane = this.plane.subarray(0, numberOfFrames);
    for (let channel = 0; channel < numberOfChannels; channel++) {
      sample.copyTo(plane, { format: 'f32-planar', planeIndex: channel });
      this.measure(plane, from * sampleRate, sampleRate / this.perSecond);
    }
  }

  /** `first` is the position of the plane, `length` the length of a peak, both in samples. */
  private measure(plane: Float32Array, first: number, length: number): void {
    let start = Math.max(0, Math.ceil(-first));
    while (start < plane.length) {
      // Half a sample, here and below, compensates for timestamps that are rounded down.
      const index = Math.floor((first + start + 0.5) / length);
      const end = Math.min(
        plane.length,
        Math.max(start + 1, Math.ceil((index + 1) * length - first - 0.5)),
      );
      let loudest = 0;
      for (let i = start; i < end; i++) loudest = Math.max(loudest, Math.abs(plane[i]!));
      const value = Math.min(255, Math.round(loudest * 255));
      if (value > this.values[index]!) this.values[index] = value;
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
