/**
 * Finds the shot changes of a video by decoding it, and its frame rate. Load it on demand with import(), like
 * convert.ts.
 */
import {
  BlobSource,
  CanvasSink,
  EncodedPacketSink,
  Input,
  type InputVideoTrack,
  MATROSKA,
  MP4,
  QTFF,
  WEBM,
} from 'mediabunny';
import { frameRateOf } from './frame-rate.ts';

/** Large enough to distinguish pictures. */
const SIZE = { width: 32, height: 18 };
const TELL_MS = 250;

interface ShotsOptions {
  signal: AbortSignal;
  /**
   * Called at most four times a second with the shots so far and the fraction of the video
   * examined.
   */
  onShots?(shots: readonly number[], fraction: number): void;
}

/** The starts of a video's shots, in seconds, and its frame rate if it is constant. */
export interface FoundPicture {
  shots: readonly number[];
  frameRate: number | null;
}

/** The number of frames from which the rate is estimated. */
const FRAMES = 120;

/** A frame of a video. */
interface Frame {
  /** As ShotMeter takes them. */
  pixels: ArrayLike<number>;
  /** In seconds. */
  time: number;
}

/**
 * The starts of new shots, in seconds, and the frame rate; null if the file has no video that this
 * browser can decode. Throws the signal's reason when aborted.
 */
export const findShots = (file: Blob, options: ShotsOptions): Promise<FoundPicture | null> =>
  withPicture(file, async (track) =>
    (await track.canDecode())
      ? shotsIn(framesOf(track), await track.computeDuration(), options)
      : null,
  );

/** The frame rate by the times of the first frames, of which none is decoded; null if they do not show it. */
export const readFrameRate = (file: Blob): Promise<number | null> =>
  withPicture(file, async (track) => {
    const times: number[] = [];
    const sink = new EncodedPacketSink(track);
    for await (const { timestamp } of sink.packets(undefined, undefined, { metadataOnly: true })) {
      times.push(timestamp);
      if (times.length === FRAMES) break;
    }
    // They come in the order in which they are decoded.
    return frameRateOf(times.toSorted((a, b) => a - b));
  });

/** Passes the picture of a file to `work`, and closes the file; null if it has none. */
async function withPicture<T>(
  file: Blob,
  work: (track: InputVideoTrack) => Promise<T | null>,
): Promise<T | null> {
  const input = new Input({
    formats: [MP4, QTFF, WEBM, MATROSKA],
    source: new BlobSource(file),
  });
  try {
    const track = await input.getPrimaryVideoTrack().catch(() => null);
    return track && (await work(track));
  } finally {
    input.dispose();
  }
}

async function* framesOf(track: InputVideoTrack): AsyncGenerator<Frame> {
  const sink = new CanvasSink(track, { ...SIZE, fit: 'fill', poolSize: 2 });
  for await (const { canvas, timestamp } of sink.canvases()) {
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    yield { pixels: context.getImageData(0, 0, SIZE.width, SIZE.height).data, time: timestamp };
  }
}

/**
 * Finds shots in the frames of a video, letting the page handle input in between.
 * @param length of the video in seconds; 0 if it is not known
 */
async function shotsIn(
  frames: AsyncIterable<Frame>,
  length: number,
  { signal, onShots }: ShotsOptions,
): Promise<FoundPicture> {
  const meter = new ShotMeter();
  const times: number[] = [];
  let told = performance.now();
  for await (const { pixels, time } of frames) {
    signal.throwIfAborted();
    meter.add(pixels, time);
    if (times.length < FRAMES) times.push(time);
    const now = performance.now();
    if (now - told < TELL_MS) continue;
    told = now;
    onShots?.([...meter.shots], length > 0 ? Math.min(1, time / length) : 0);
    // Let the page handle input first.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { shots: meter.shots, frameRate: frameRateOf(times) };
}

/** The smallest difference that can be a cut, as a fraction of the full range. */
const LEAST = 0.1;
/**
 * The factor by which a cut differs more than the frames before it, unlike a pan, film grain or a
 * dissolve.
 */
const TIMES = 3.5;
const BEFORE = 8;
/** The shortest time between two cuts, in seconds. */
const APART = 0.2;

/** Collects shot changes from the frames of a video, taken in order. */
class ShotMeter {
  /** The starts of new shots, in seconds. */
  readonly shots: number[] = [];
  #last: Float32Array | null = null;
  #differences: number[] = [];

  /**
   * Takes a frame.
   * @param pixels red, green, blue and alpha of each pixel, as a canvas gives them; always the same
   * number
   */
  add(pixels: ArrayLike<number>, time: number): void {
    const grey = new Float32Array(pixels.length / 4);
    for (let at = 0; at < grey.length; at += 1) {
      const from = at * 4;
      const [red, green, blue] = [pixels[from]!, pixels[from + 1]!, pixels[from + 2]!];
      grey[at] = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
    }
    const last = this.#last;
    this.#last = grey;
    if (!last) return;
    let sum = 0;
    for (let at = 0; at < grey.length; at += 1) sum += Math.abs(grey[at]! - last[at]!);
    const difference = sum / grey.length;
    const before = this.#differences;
    const usual = before.reduce((all, each) => all + each, 0) / Math.max(1, before.length);
    const isCut = difference >= LEAST && difference >= usual * TIMES;
    const isNear = time - (this.shots.at(-1) ?? Number.NEGATIVE_INFINITY) < APART;
    if (isCut && !isNear) this.shots.push(time);
    // The average leaves out cuts.
    if (!isCut) before.push(difference);
    if (before.length > BEFORE) before.shift();
  }
}
