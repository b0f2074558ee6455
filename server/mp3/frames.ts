/** Indexes an MP3 file: the offsets of its frames and its duration, reading as little as is needed. */
import { StageFailure } from '../contract/failure.ts';
import { type FrameHeader, parseInfoFrame, type InfoFrame } from './header.ts';
import { FrameScanner, MIN_FREE_LENGTH } from './scanner.ts';

/** The frames of a file. Frame numbers count audio frames from 0, without the Xing, Info or VBRI frame. */
export interface Mp3Index {
  /** In Hz, the same in every frame. */
  readonly sampleRate: number;
  /** The number of channels in the first frame; other frames may differ. */
  readonly channels: 1 | 2;
  readonly samplesPerFrame: number;
  readonly frameCount: number;
  /** In seconds, without encoder delay and padding. */
  readonly duration: number;
  /** The samples that a decoder yields before the first real one: the delays of encoder and decoder. */
  readonly delaySamples: number;
  /** The samples that a decoder yields after the last real one. */
  readonly paddingSamples: number;
  /** The bytes of a free-format frame (one whose bitrate is in no table) without padding, otherwise null. */
  readonly freeFormatLength: number | null;
  /** The offset of the first audio frame. */
  readonly audioStart: number;
  /** The offset after the last audio frame. */
  readonly audioEnd: number;
  /** The offset of an audio frame; for frameCount it is audioEnd. RangeError outside 0..frameCount. */
  byteOffset(frame: number): number;
  /** The audio frame at a time in seconds, limited to 0..frameCount - 1. */
  frameAt(seconds: number): number;
}

/** The samples that every layer III decoder adds (LAME's technical FAQ: 528 + 1). */
const DECODER_DELAY = 529;

/**
 * Reads all frame headers of a recording in one pass (two if the size of an ID3 tag is wrong). Frames that differ from
 * the first in version or sample rate count as junk, and so does an incomplete last frame. Throws StageFailure
 * `audio_unreadable` if there is no audio frame or more junk than audio; rejects with the signal's reason on abort.
 */
export async function indexMp3(audio: AudioSource, signal?: AbortSignal): Promise<Mp3Index> {
  let walk = await walkFrames(audio, true, signal);
  if (walk.start === null || walk.start > walk.scanner.tagsEnd) {
    const distrustful = await walkFrames(audio, false, signal);
    if (distrustful.frames.length > walk.frames.length) walk = distrustful;
  }
  return toIndex(walk, audio.size);
}

interface Walk {
  /** The offset of the first frame, be it an information frame. */
  start: number | null;
  frames: OffsetList;
  /** The header of the first audio frame. */
  header: FrameHeader | null;
  info: InfoFrame | null;
  /** The offset after the last frame. */
  end: number;
  scanner: FrameScanner;
}

async function walkFrames(
  audio: AudioSource,
  trustTags: boolean,
  signal: AbortSignal | undefined,
): Promise<Walk> {
  const frames = new OffsetList(audio.size);
  let start: number | null = null;
  let header: FrameHeader | null = null;
  let info: InfoFrame | null = null;
  let end = 0;
  const scanner: FrameScanner = new FrameScanner(
    {
      frame(offset, found, frameEnd) {
        start ??= offset;
        if (frames.length === 0 && info === null) {
          info = parseInfoFrame(found, scanner.bytesOf(offset, frameEnd));
          if (info) return;
        }
        header ??= found;
        frames.add(offset);
        end = frameEnd;
      },
    },
    trustTags,
  );
  for await (const chunk of abortable(audio.read(passing(audio)), signal)) scanner.push(chunk);
  scanner.end();
  return { start, frames, header, info, end, scanner };
}

function toIndex(walk: Walk, size: number): Mp3Index {
  const { frames, header, info, end, scanner } = walk;
  if (!header) {
    throw unreadable(
      size === 0
        ? 'The recording is empty.'
        : 'The recording contains no MP3 audio: no frame was found.',
    );
  }
  if (scanner.junkBetween > end / 2) {
    throw unreadable(
      'More than half of the recording cannot be read: it is damaged, or its sample rate changes in the middle.',
    );
  }
  const { sampleRate, samplesPerFrame } = header;
  const frameCount = frames.length;
  const delaySamples = info?.encoderDelay ? info.encoderDelay + DECODER_DELAY : 0;
  // A truncated or concatenated file does not end with the padding that its first frame declares.
  const whole = info?.frames != null && Math.abs(info.frames - frameCount) <= 1;
  const paddingSamples = whole ? Math.max(0, (info?.encoderPadding ?? 0) - DECODER_DELAY) : 0;
  const samples = Math.max(0, frameCount * samplesPerFrame - delaySamples - paddingSamples);
  const byteOffset = (frame: number): number => {
    const offset = frame === frameCount ? end : frames.at(frame);
    if (offset === undefined) throw new RangeError(`No frame ${frame} among ${frameCount}`);
    return offset;
  };
  return {
    sampleRate,
    channels: header.channels,
    samplesPerFrame,
    frameCount,
    duration: samples / sampleRate,
    delaySamples,
    paddingSamples,
    freeFormatLength: scanner.freeLength,
    audioStart: byteOffset(0),
    audioEnd: end,
    byteOffset,
    frameAt(seconds) {
      const sample = Math.floor(seconds * sampleRate + 1e-6) + delaySamples;
      return Math.min(frameCount - 1, Math.max(0, Math.floor(sample / samplesPerFrame)));
    },
  };
}

/** The failure for a recording that is not a readable MP3. */
export function unreadable(message: string, options?: ErrorOptions): StageFailure {
  return new StageFailure(
    {
      code: 'audio_unreadable',
      message,
      retryable: false,
      suggestions: [
        {
          label: 'Encode the recording again',
          description:
            'Make a new MP3 and upload it: ffmpeg -i recording -vn -c:a libmp3lame -ar 16000 -ac 1 -b:a 48k talk.mp3',
        },
      ],
    },
    options,
  );
}

/** A growing list of byte offsets: 700,000 for seven hours, at four bytes each. */
class OffsetList {
  private values: Uint32Array | Float64Array;
  private count = 0;

  /** For a file of `size` bytes: four bytes per offset below 4 GiB, eight above. */
  constructor(size: number) {
    this.values = size < 2 ** 32 ? new Uint32Array(1024) : new Float64Array(1024);
  }

  get length(): number {
    return this.count;
  }

  add(offset: number): void {
    if (this.count === this.values.length) {
      const grown =
        this.values instanceof Uint32Array
          ? new Uint32Array(this.count * 2)
          : new Float64Array(this.count * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.count++] = offset;
  }

  /** The offset at an index; undefined outside the list. */
  at(index: number): number | undefined {
    return index >= 0 && index < this.count ? this.values[index] : undefined;
  }
}

/** A range of bytes. */
interface AudioRange {
  start: number;
  end: number;
  /** Whether a chunk is needed only until the next one is requested, so that all may share one buffer. */
  isPassing?: boolean;
}

/** The range of a whole recording, in passing chunks. */
const passing = ({ size }: AudioSource): AudioRange => ({
  start: 0,
  end: size,
  isPassing: true,
});

/** A stored recording. It can be read as often as needed, and is never held in memory as a whole. */
export interface AudioSource {
  /** The size in bytes. */
  readonly size: number;
  /** The bytes from `start` up to but not including `end` (default: all), as a stream. */
  read(range?: AudioRange): AsyncIterable<Uint8Array>;
}

/** A recording that is in memory. */
export const sourceOfBytes = (bytes: Uint8Array): AudioSource => ({
  size: bytes.length,
  async *read(range = { start: 0, end: bytes.length }) {
    yield bytes.subarray(range.start, range.end);
  },
});

/**
 * The items of `source`. Rejects with the signal's reason as soon as the signal aborts, even while the source is
 * waiting for its next item, and always closes the source.
 */
export async function* abortable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  signal?.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  // One listener for all items. Racing each item against one abort promise would keep every item, and so the whole
  // recording, in memory as long as that promise.
  let stop = (): void => {};
  const abort = (): void => stop();
  signal?.addEventListener('abort', abort);
  let finished = false;
  try {
    while (true) {
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        stop = () => reject(signal?.reason);
        iterator.next().then(resolve, reject);
      });
      if (next.done) {
        finished = true;
        return;
      }
      yield next.value;
      signal?.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    // Not awaited: a source stuck in its next() would block forever.
    if (!finished) iterator.return?.()?.catch(() => {});
  }
}

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
    // In small parts, because the first frame usually settles it.
    for (let at = 0; at < chunk.byteLength; at += LOOK_BYTES) {
      scanner.push(chunk.subarray(at, at + LOOK_BYTES));
      if (first === null) continue;
      if (longestPossible(first, audio.size - firstOffset) <= seconds) return null;
      if (played() > seconds) return played();
    }
  }
  scanner.end();
  if (first === null) return 'no frame';
  return played() > seconds ? played() : null;
}

/** The bytes after which it is looked whether the length is known. */
const LOOK_BYTES = 8192;

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
