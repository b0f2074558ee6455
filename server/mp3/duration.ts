/** Detects recordings that play longer than a limit, reading as little as possible. */
import { type AudioSource, abortable, passing } from './frames.ts';
import type { FrameHeader } from './header.ts';
import { FrameScanner, MIN_FREE_LENGTH } from './scanner.ts';

/** Bytes of the shortest layer III frame with a bitrate: 8 kbit/s at 24 kHz. */
const SHORTEST_FRAME = 24;

/**
 * Whether a recording plays longer than `seconds`. For most recordings this reads only the start, because the rest of
 * the file is too small for that many frames. Otherwise it counts frames up to the limit, since the length in the
 * information frame may be wrong.
 * @returns the counted seconds if they exceed the limit; otherwise null
 * @throws the signal's reason on abort
 */
export async function longerThan(
  audio: AudioSource,
  seconds: number,
  signal?: AbortSignal,
): Promise<number | null> {
  const counted = await countFrames(audio, seconds, true, signal);
  if (counted !== 'no frame') return counted;
  // A tag whose size extends past the end of the file hides the frames, so look inside tags too.
  const again = await countFrames(audio, seconds, false, signal);
  return again === 'no frame' ? null : again;
}

async function countFrames(
  audio: AudioSource,
  seconds: number,
  trustTags: boolean,
  signal: AbortSignal | undefined,
): Promise<number | null | 'no frame'> {
  let frames = 0;
  let first: FrameHeader | null = null;
  let firstOffset = 0;
  const scanner = new FrameScanner(
    {
      frame(offset, header) {
        if (first === null) firstOffset = offset;
        first ??= header;
        frames += 1;
      },
    },
    trustTags,
  );
  const played = (): number => (first ? frames * lengthOf(first) : 0);
  for await (const chunk of abortable(audio.read(passing(audio)), signal)) {
    scanner.push(chunk);
    if (first === null) continue;
    if (longestPossible(first, audio.size - firstOffset) <= seconds) return null;
    if (played() > seconds) return played();
  }
  scanner.end();
  if (first === null) return 'no frame';
  return played() > seconds ? played() : null;
}

/** The playing time of a frame, in seconds. */
const lengthOf = ({ samplesPerFrame, sampleRate }: FrameHeader): number =>
  samplesPerFrame / sampleRate;

/** The longest playing time of this many bytes with such frames, whose bitrate may change. */
function longestPossible(header: FrameHeader, bytes: number): number {
  const { version, samplesPerFrame, sampleRate } = header;
  const lowest = version === 1 ? 32_000 : 8000;
  const shortest =
    header.bitrate === 0
      ? MIN_FREE_LENGTH
      : Math.max(SHORTEST_FRAME, Math.floor((samplesPerFrame * lowest) / 8 / sampleRate));
  return (bytes / shortest) * lengthOf(header);
}
