/**
 * Makes a small MP3 of a video or a recording, in the page, so that the video never leaves the computer.
 * Load it when it is needed, with import(): the library behind it is ten times the rest of the page.
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
import { MAX_UPLOAD_BYTES } from '../../server/contract/limits.ts';
import { withAudioTrack, type AudioTrack } from './audio-track.ts';
import { ConversionError } from './conversion-error.ts';
import { markEncoderDelay } from './encoder-delay.ts';

/** The MP3 that the server recommends; the type holds the rate to the contract. */
const SAMPLE_RATE: (typeof SPEECH_MP3)['sampleRateHz'] = 16_000;
const BITS_PER_SECOND = 32_000;
const SPEECH = {
  codec: 'mp3',
  numberOfChannels: 1,
  sampleRate: SAMPLE_RATE,
  bitrate: BITS_PER_SECOND,
} as const satisfies ConversionAudioOptions;

/** The information frame, and the last frame that the encoder fills up. */
const EXTRA_BYTES = 1024;
const PROGRESS_MS = 100;

export interface ConvertedMp3 {
  mp3: Blob;
  /** How much sound it holds, in seconds. */
  durationSeconds: number;
  /** How long it took, in milliseconds. */
  tookMs: number;
}

export interface ConvertOptions {
  signal: AbortSignal;
  /** At most ten times a second; `fraction` grows and is 1 once, at the end of a success. */
  onProgress(fraction: number, secondsDone: number, durationSeconds: number): void;
}

/** About how many bytes the MP3 of so many seconds has, never too few. */
export function estimateMp3Bytes(durationSeconds: number): number {
  return Math.ceil((durationSeconds * BITS_PER_SECOND) / 8) + EXTRA_BYTES;
}

/**
 * Makes a mono MP3 of 16 kHz and 32 kbit/s whose times are those of the file: where its sound starts
 * late, silence stands before it. Of a truncated file the part that can be read is converted. Throws the
 * signal's reason when aborted, else a ConversionError; either way nothing is left running.
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
  // Here and not in the library's own progress, which stops where a file's duration is given too short;
  // its cancel() never returns while the encoder starts, so what stops it is an error in here.
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
    // Without it the MP3 would start where the sound starts, not where the video does.
    trim: { start: startSeconds },
    // Titles, places and cover pictures are nobody's business.
    tags: {},
    showWarnings: false,
  });
  if (!conversion.isValid) {
    throw new ConversionError('failed', 'This browser cannot make an MP3.');
  }
  await conversion.execute();
  if (!target.buffer || seconds === 0) {
    throw new ConversionError('unreadable', 'No sound could be read from the file.');
  }
  if (isLame) markEncoderDelay(target.buffer, Math.round(seconds * SAMPLE_RATE));
  return { mp3: new Blob([target.buffer], { type: 'audio/mpeg' }), durationSeconds: seconds };
}

function refuseTooLarge(durationSeconds: number): void {
  if (estimateMp3Bytes(durationSeconds) <= MAX_UPLOAD_BYTES) return;
  const hours = Math.floor((MAX_UPLOAD_BYTES * 8) / BITS_PER_SECOND / 3600);
  throw new ConversionError('too_large', `A recording may have at most ${hours} hours.`);
}

let registered = false;

/** Registers LAME unless the browser can encode MP3 itself; whether it is LAME that will encode. */
async function prepareEncoder(): Promise<boolean> {
  if (registered || (await canEncodeAudio('mp3', SPEECH))) return registered;
  registerMp3Encoder();
  registered = true;
  return true;
}
