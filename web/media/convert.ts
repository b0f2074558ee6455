/**
 * Makes a small MP3 from a video or a recording in the page, so that the video never leaves the
 * computer. Load it on demand with import(): its library is ten times the size of the rest of the
 * page.
 */
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  BufferTarget,
  canEncodeAudio,
  Conversion,
  Mp3OutputFormat,
  Output,
  type AudioSample,
  type ConversionAudioOptions,
} from 'mediabunny';
import type { SPEECH_MP3 } from '../../server/contract/audio.ts';
import { markEncoderDelay } from '../../server/mp3/header.ts';
import { withAudioTrack, type AudioTrack } from './audio-track.ts';
import { ConversionError } from './conversion-error.ts';
import { UPLOAD } from '../../server/contract/limits.ts';

/** The MP3 format that the server recommends; the type ties the rate to the contract. */
const SAMPLE_RATE: (typeof SPEECH_MP3)['sampleRateHz'] = 16_000;
const BITS_PER_SECOND = 32_000;
const SPEECH = {
  codec: 'mp3',
  numberOfChannels: 1,
  sampleRate: SAMPLE_RATE,
  bitrate: BITS_PER_SECOND,
} as const satisfies ConversionAudioOptions;

/** The size of the information frame, and of the last frame that the encoder pads. */
const EXTRA_BYTES = 1024;
const PROGRESS_MS = 100;

interface ConvertedMp3 {
  mp3: Blob;
  /** The length of the sound, in seconds. */
  durationSeconds: number;
  /** The time the conversion took, in milliseconds. */
  tookMs: number;
}

interface ConvertOptions {
  signal: AbortSignal;
  /**
   * Called at most ten times a second; `fraction` only grows and reaches 1 exactly once, on
   * success.
   */
  onProgress(fraction: number, secondsDone: number, durationSeconds: number): void;
}

/** The approximate size of an MP3 of this length, in bytes; never too small. */
export function estimateMp3Bytes(durationSeconds: number): number {
  return Math.ceil((durationSeconds * BITS_PER_SECOND) / 8) + EXTRA_BYTES;
}

/**
 * Makes a mono MP3 at 16 kHz and 32 kbit/s with the timing of the file: if its sound starts late,
 * silence comes first. Of a truncated file, the readable part is converted. Throws the signal's
 * reason when aborted, otherwise a ConversionError; nothing is left running either way.
 */
export async function convertToMp3(file: File, options: ConvertOptions): Promise<ConvertedMp3> {
  const started = performance.now();
  const { mp3, durationSeconds } = await withAudioTrack(file, options.signal, (audio) =>
    convert(audio, options),
  );
  options.onProgress(1, durationSeconds, durationSeconds);
  return { mp3, durationSeconds, tookMs: performance.now() - started };
}

async function convert(
  { input, track, startSeconds, durationSeconds }: AudioTrack,
  { signal, onProgress }: ConvertOptions,
): Promise<Omit<ConvertedMp3, 'tookMs'>> {
  refuseTooLarge(durationSeconds);
  const isLame = await prepareEncoder();
  let seconds = 0;
  let told = -Infinity;
  // Progress and cancellation are handled here. The library's own progress stops where a file
  // states too short a duration, and its cancel() never returns while the encoder starts; an error
  // thrown here does stop it.
  const process = (sample: AudioSample): AudioSample => {
    signal.throwIfAborted();
    seconds = Math.max(seconds, sample.timestamp + sample.duration);
    refuseTooLarge(seconds);
    const now = performance.now();
    if (seconds < durationSeconds && now - told >= PROGRESS_MS) {
      told = now;
      onProgress(seconds / durationSeconds, seconds, durationSeconds);
    }
    return sample;
  };
  const target = new BufferTarget();
  const conversion = await Conversion.init({
    input,
    output: new Output({ format: new Mp3OutputFormat(), target }),
    tracks: 'all',
    video: { discard: true },
    audio: ({ id }) => (id === track.id ? { ...SPEECH, process } : { discard: true }),
    // Otherwise the MP3 would start with the sound instead of with the video.
    trim: { start: startSeconds },
    // Leave out titles, locations and cover pictures: they are private.
    tags: {},
    showWarnings: false,
  });
  if (!conversion.isValid) {
    throw new ConversionError('failed', 'This browser cannot make an MP3.');
  }
  // Without any sound the library fails in its own way.
  await conversion.execute().catch((error: unknown) => {
    if (seconds > 0) throw error;
  });
  if (!target.buffer || seconds === 0) {
    throw new ConversionError('unreadable', 'No sound could be read from the file.');
  }
  if (isLame) markEncoderDelay(target.buffer, Math.round(seconds * SAMPLE_RATE));
  return { mp3: new Blob([target.buffer], { type: 'audio/mpeg' }), durationSeconds: seconds };
}

function refuseTooLarge(durationSeconds: number): void {
  if (estimateMp3Bytes(durationSeconds) <= UPLOAD.maxBytes) return;
  const hours = Math.floor((UPLOAD.maxBytes * 8) / BITS_PER_SECOND / 3600);
  throw new ConversionError('too_large', `A recording may have at most ${hours} hours.`);
}

let registered = false;

/** Registers LAME unless the browser can encode MP3 itself; returns whether LAME is used. */
async function prepareEncoder(): Promise<boolean> {
  if (await canEncodeAudio('mp3', SPEECH)) return registered;
  registerMp3Encoder();
  registered = true;
  return true;
}
