/** Makes a small video in the page, for browsers that do not have the one it is made from. Load it on demand, like convert.ts. */
import {
  BlobSource,
  BufferTarget,
  canEncodeAudio,
  canEncodeVideo,
  Conversion,
  type ConversionAudioOptions,
  type ConversionVideoOptions,
  Input,
  MATROSKA,
  MP4,
  Mp4OutputFormat,
  Output,
  QTFF,
  type VideoSample,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { RUN_MEDIA } from '../../server/contract/limits.ts';
import { ConversionError } from './conversion-error.ts';

/** The height of the picture at most, and its bits per second; those of the sound come on top. */
const HEIGHT = 360;
const PICTURE_BITS = 150_000;
const SOUND_BITS = 32_000;
/** So that little is decoded to show another place. */
const KEY_FRAME_SECONDS = 2;

interface SmallVideoOptions {
  signal: AbortSignal;
  /** @param fraction from 0 to 1 */
  onProgress(fraction: number): void;
}

/** The kinds that browsers encode and play, the more widely played first. */
const KINDS = [
  { type: 'video/mp4', picture: 'avc', sound: 'aac' },
  { type: 'video/webm', picture: 'vp9', sound: 'opus' },
  { type: 'video/webm', picture: 'vp8', sound: 'opus' },
] as const;

/** The first kind that this browser encodes; undefined if there is none. */
async function encodableKind(width: number, height: number) {
  for (const kind of KINDS) {
    const picture = { width, height, bitrate: PICTURE_BITS };
    const sound = { numberOfChannels: 1, sampleRate: 48_000, bitrate: SOUND_BITS };
    const canBoth = await Promise.all([
      canEncodeVideo(kind.picture, picture),
      canEncodeAudio(kind.sound, sound),
    ]);
    if (canBoth.every(Boolean)) return kind;
  }
  return undefined;
}

/** Whether this browser can make a small video at all. */
export const canMakeSmallVideo = async (): Promise<boolean> =>
  (await encodableKind(640, HEIGHT)) !== undefined;

/**
 * Makes a video of at most 360 lines at about 180 kbit/s with the timing of the file. Throws the signal's reason when
 * aborted, otherwise a ConversionError; nothing is left running either way.
 */
export async function makeSmallVideo(
  file: Blob,
  { signal, onProgress }: SmallVideoOptions,
): Promise<Blob> {
  const input = new Input({
    formats: [MP4, QTFF, WEBM, MATROSKA],
    source: new BlobSource(file),
  });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track || !(await track.canDecode())) {
      throw new ConversionError('unreadable', 'This browser cannot read the picture of this file.');
    }
    const [wide, high] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
    const height = even(Math.min(HEIGHT, high));
    const width = even((wide * height) / high);
    const kind = await encodableKind(width, height);
    if (!kind) throw new ConversionError('failed', 'This browser cannot make a small video.');
    const seconds = await input.computeDuration();
    if ((seconds * (PICTURE_BITS + SOUND_BITS)) / 8 > RUN_MEDIA.maxVideoBytes) {
      throw new ConversionError('too_large', 'The video is too long.');
    }
    const target = new BufferTarget();
    const format =
      kind.type === 'video/mp4'
        ? // What a player needs to begin stands first.
          new Mp4OutputFormat({ fastStart: 'in-memory' })
        : new WebMOutputFormat();
    const video: ConversionVideoOptions = {
      codec: kind.picture,
      width,
      height,
      fit: 'contain',
      bitrate: PICTURE_BITS,
      keyFrameInterval: KEY_FRAME_SECONDS,
      forceTranscode: true,
      // An error thrown here stops it; the library's own cancel() may never return.
      process(sample: VideoSample) {
        signal.throwIfAborted();
        return sample;
      },
    };
    const audio: ConversionAudioOptions = {
      codec: kind.sound,
      numberOfChannels: 1,
      sampleRate: 48_000,
      bitrate: SOUND_BITS,
    };
    const conversion = await Conversion.init({
      input,
      output: new Output({ format, target }),
      tracks: 'primary',
      video,
      audio,
      trim: { start: 0 },
      // Titles, locations and cover pictures are private.
      tags: {},
      showWarnings: false,
    });
    if (!conversion.isValid) {
      throw new ConversionError('failed', 'This browser cannot make a small video.');
    }
    conversion.onProgress = onProgress;
    await conversion.execute();
    signal.throwIfAborted();
    if (!target.buffer) throw new ConversionError('failed', 'No video was made.');
    if (target.buffer.byteLength > RUN_MEDIA.maxVideoBytes) {
      throw new ConversionError('too_large', 'The video is too long.');
    }
    return new Blob([target.buffer], { type: kind.type });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ConversionError) throw error;
    throw new ConversionError('failed', String(error));
  } finally {
    input.dispose();
  }
}

/** Encoders take even numbers of pixels alone. */
const even = (pixels: number): number => Math.max(2, 2 * Math.round(pixels / 2));
