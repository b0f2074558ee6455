/**
 * Finds the shot changes of a video by decoding it. Load it on demand with import(), like
 * convert.ts.
 */
import { BlobSource, CanvasSink, Input, MATROSKA, MP4, QTFF, WEBM } from 'mediabunny';
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

/**
 * The starts of new shots, in seconds, and the frame rate; null if the file has no video that this
 * browser can decode. Throws the signal's reason when aborted.
 */
export async function findShots(
  file: Blob,
  { signal, onShots }: ShotsOptions,
): Promise<FoundPicture | null> {
  const input = new Input({
    formats: [MP4, QTFF, WEBM, MATROSKA],
    source: new BlobSource(file),
  });
  try {
    const track = await input.getPrimaryVideoTrack().catch(() => null);
    if (!track || !(await track.canDecode())) return null;
    const length = await track.computeDuration();
    const meter = new ShotMeter();
    const times: number[] = [];
    let told = performance.now();
    const sink = new CanvasSink(track, { ...SIZE, fit: 'fill', poolSize: 2 });
    for await (const { canvas, timestamp } of sink.canvases()) {
      signal.throwIfAborted();
      const context = canvas.getContext('2d') as CanvasRenderingContext2D | null;
      if (!context) return null;
      meter.add(context.getImageData(0, 0, SIZE.width, SIZE.height).data, timestamp);
      if (times.length < FRAMES) times.push(timestamp);
      const now = performance.now();
      if (now - told < TELL_MS) continue;
      told = now;
      onShots?.([...meter.shots], length > 0 ? Math.min(1, timestamp / length) : 0);
      // Let the page handle input first.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { shots: meter.shots, frameRate: frameRateOf(times) };
  } finally {
    input.dispose();
  }
}
