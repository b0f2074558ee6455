/**
 * Finds the shot changes of a video by decoding it. Load it on demand with import(), like
 * convert.ts.
 */
import {
  BlobSource,
  CanvasSink,
  Input,
  MATROSKA,
  MP4,
  QTFF,
  WEBM,
  type InputVideoTrack,
} from 'mediabunny';
import { frameRateOf } from './frame-rate.ts';
import { ShotMeter } from './shot-meter.ts';

/** Large enough to distinguish pictures. */
const SIZE = { width: 32, height: 18 };
const TELL_MS = 250;

export interface ShotsOptions {
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
export async function findShots(file: Blob, options: ShotsOptions): Promise<FoundPicture | null> {
  const input = new Input({
    formats: [MP4, QTFF, WEBM, MATROSKA],
    source: new BlobSource(file),
  });
  try {
    const track = await input.getPrimaryVideoTrack().catch(() => null);
    if (!track || !(await track.canDecode())) return null;
    return await shotsIn(framesOf(track), await track.computeDuration(), options);
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
export async function shotsIn(
  frames: AsyncIterable<Frame> | Iterable<Frame>,
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
