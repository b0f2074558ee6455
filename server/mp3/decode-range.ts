/** Decodes a range of an MP3 recording into arrays: 64 KB a second and channel, so for ranges of minutes at most. */
import type { AudioSource } from './audio-source.ts';
import { decodeTracks16k } from './decode.ts';
import type { Channel } from './decoder.ts';
import type { Mp3Index } from './frames.ts';
import { SPEECH_RATE } from './resample.ts';

/** The samples of `range` (seconds), 16 kHz, both channels mixed; decoded as by `decodeMono16k`. */
export async function decodeRange(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  signal?: AbortSignal,
): Promise<Float32Array<ArrayBuffer>> {
  const [mixed] = await tracksOf(audio, index, range, ['both'], signal);
  return mixed!;
}

/** The samples of both channels of `range` (seconds), 16 kHz, which are decoded once for both. */
export async function decodeChannels(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  signal?: AbortSignal,
): Promise<{ left: Float32Array; right: Float32Array }> {
  const [left, right] = await tracksOf(audio, index, range, ['left', 'right'], signal);
  return { left: left!, right: right! };
}

async function tracksOf(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  channels: readonly Channel[],
  signal: AbortSignal | undefined,
): Promise<Float32Array<ArrayBuffer>[]> {
  const length = Math.max(0, Math.ceil((range.end - range.start) * SPEECH_RATE));
  const tracks = channels.map(() => new Float32Array(length));
  let count = 0;
  for await (const blocks of decodeTracks16k(audio, index, range, channels, signal)) {
    for (const [at, block] of blocks.entries())
      tracks[at]!.set(block.subarray(0, length - count), count);
    count = Math.min(length, count + blocks[0]!.length);
  }
  return tracks.map((track) => track.subarray(0, count));
}
