/** Encodes a video again in the page, smaller or with something drawn into its pictures. Load it on demand, like convert.ts. */
import {
  BlobSource,
  BufferTarget,
  canEncodeAudio,
  canEncodeVideo,
  Conversion,
  type ConversionAudioOptions,
  type ConversionVideoOptions,
  Input,
  type InputVideoTrack,
  MATROSKA,
  MP4,
  Mp4OutputFormat,
  Output,
  QTFF,
  type VideoSample,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { ConversionError } from './conversion-error.ts';

/** The progress of the work, and how it is stopped. */
export interface EncodingOptions {
  signal: AbortSignal;
  /** @param fraction from 0 to 1 */
  onProgress(fraction: number): void;
}

/** What the video becomes. */
interface Encoding {
  /** The size of its pictures. @param wide that of the file's, as they are shown */
  size(wide: number, high: number): { width: number; height: number };
  /** The bits of the pictures in a second. */
  pictureBits(track: InputVideoTrack): Promise<number>;
  soundBits: number;
  channels: number;
  /** The largest that is made, in bytes: it is held in memory. */
  maxBytes: number;
  keyFrameSeconds: number;
  /** Draws on a picture. @param seconds since the beginning */
  draw?(context: OffscreenCanvasRenderingContext2D, seconds: number): void;
}

/** The kinds that browsers encode and play, the more widely played first. */
const KINDS = [
  { type: 'video/mp4', picture: 'avc', sound: 'aac' },
  { type: 'video/webm', picture: 'vp9', sound: 'opus' },
  { type: 'video/webm', picture: 'vp8', sound: 'opus' },
] as const;

/** The first kind that this browser encodes; undefined if there is none. */
async function encodableKind(
  picture: { width: number; height: number; bitrate: number },
  { soundBits: bitrate, channels: numberOfChannels }: Pick<Encoding, 'soundBits' | 'channels'>,
) {
  for (const kind of KINDS) {
    const sound = { numberOfChannels, sampleRate: 48_000, bitrate };
    const canBoth = await Promise.all([
      canEncodeVideo(kind.picture, picture),
      canEncodeAudio(kind.sound, sound),
    ]);
    if (canBoth.every(Boolean)) return kind;
  }
  return undefined;
}

/** Whether this browser can make a video of a size at all. */
export const canEncode = async (width: number, height: number): Promise<boolean> =>
  (await encodableKind(
    { width, height, bitrate: 1_000_000 },
    { soundBits: 32_000, channels: 1 },
  )) !== undefined;

/**
 * Encodes a video with the timing of the file. Throws the signal's reason when aborted, otherwise a ConversionError;
 * nothing is left running either way.
 */
export async function encodeVideo(
  file: Blob,
  encoding: Encoding,
  { signal, onProgress }: EncodingOptions,
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
    const { width, height } = encoding.size(wide, high);
    const bitrate = await encoding.pictureBits(track);
    const kind = await encodableKind({ width, height, bitrate }, encoding);
    if (!kind) throw new ConversionError('failed', 'This browser cannot make this video.');
    const seconds = await input.computeDuration();
    if ((seconds * (bitrate + encoding.soundBits)) / 8 > encoding.maxBytes) {
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
      bitrate,
      keyFrameInterval: encoding.keyFrameSeconds,
      forceTranscode: true,
      ...(encoding.draw && { allowTransformationMetadata: false }),
      process: pictureOf(encoding, width, height, signal),
    };
    const audio: ConversionAudioOptions = {
      codec: kind.sound,
      numberOfChannels: encoding.channels,
      sampleRate: 48_000,
      bitrate: encoding.soundBits,
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
      throw new ConversionError('failed', 'This browser cannot make this video.');
    }
    conversion.onProgress = onProgress;
    await conversion.execute();
    signal.throwIfAborted();
    if (!target.buffer) throw new ConversionError('failed', 'No video was made.');
    if (target.buffer.byteLength > encoding.maxBytes) {
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

/** What a picture becomes. */
function pictureOf({ draw }: Encoding, width: number, height: number, signal: AbortSignal) {
  const context = draw && new OffscreenCanvas(width, height).getContext('2d');
  return (sample: VideoSample): VideoSample | OffscreenCanvas => {
    // An error thrown here stops it; the library's own cancel() may never return.
    signal.throwIfAborted();
    if (!draw || !context) return sample;
    sample.draw(context, 0, 0, width, height);
    draw(context, sample.timestamp);
    return context.canvas;
  };
}

/** Encoders take even numbers of pixels alone. */
export const even = (pixels: number): number => Math.max(2, 2 * Math.round(pixels / 2));
