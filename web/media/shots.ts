/** Finds the shot changes of a video as it is decoded. Load it when it is needed, with import(), as convert.ts. */
import { BlobSource, CanvasSink, Input, MATROSKA, MP4, QTFF, WEBM } from 'mediabunny';
import { frameRateOf } from './frame-rate.ts';
import { ShotMeter } from './shot-meter.ts';

/** Enough to tell one picture from another. */
const SIZE = { width: 32, height: 18 };
const TELL_MS = 250;

export interface ShotsOptions {
  signal: AbortSignal;
  /** At most four times a second: what was found so far, and which part of the video was looked at. */
  onShots?(shots: readonly number[], fraction: number): void;
}

/** What a video shows: when shots begin, in seconds, and its frames a second where they are even. */
export interface FoundPicture {
  shots: readonly number[];
  frameRate: number | null;
}

/** So many frames tell their rate. */
const FRAMES = 120;

/**
 * The times at which a new shot begins, in seconds, and the rate of the frames; null where the file has no picture that this browser
 * can decode. Throws the signal's reason when aborted.
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
      // The page comes first.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { shots: meter.shots, frameRate: frameRateOf(times) };
  } finally {
    input.dispose();
  }
}
