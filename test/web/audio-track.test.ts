/** Opening the sound of a file: its container, its tracks, its length, and when opening is given up. */
import { afterEach, describe, expect, mock, spyOn, test } from 'bun:test';
import {
  Input,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  type OutputFormat,
} from 'mediabunny';
import { type AudioTrack, withAudioTrack } from '../../web/media/audio-track.ts';
import { convertToMp3 } from '../../web/media/convert.ts';
import { readPeaks } from '../../web/media/peaks.ts';
import { ascii, fixture, join } from '../mp3/support.ts';
import { failure, fileOf, fileWith, talk, tone } from './support/sounds.ts';

const { signal } = new AbortController();
afterEach(() => mock.restore());

const undecodable = { codec: 'opus', packets: [[0, new Uint8Array(8)]] } as const;
const second = { codec: 'pcm-s16', packets: [[0, tone(1)]] } as const;

describe('the sound of a container', () => {
  test.each<[string, OutputFormat]>([
    ['MP4', new Mp4OutputFormat()],
    ['QuickTime', new MovOutputFormat()],
    ['Matroska', new MkvOutputFormat()],
  ])('is read: %s', async (_name, format) => {
    const { seconds, values } = await readPeaks(await fileWith(format, [second]), { signal });
    expect([seconds, values.length, Math.min(...values)]).toEqual([1, 50, 255]);
  });

  /** Frames of AAC with nothing in them. */
  const aac = () => join(...[1, 2, 3].map(() => adtsFrame(100)));
  const adtsFrame = (length: number) => {
    const frame = new Uint8Array(length);
    frame.set([0xff, 0xf1, 0x60, 0x40 | (length >> 11), (length >> 3) & 255, (length & 7) << 5, 0]);
    return frame;
  };
  /** The beginning of a FLAC file: 16 kHz, mono, 16 bits. */
  const flac = () => join(ascii('fLaC'), Uint8Array.of(0x80, 0, 0, 34), streamInfo());
  const streamInfo = () => {
    const info = new Uint8Array(34);
    info.set([16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 3, 0xe8, 0, 0xf0]);
    return info;
  };
  const opusHead = join(ascii('OpusHead'), Uint8Array.of(1, 1, 0, 0, 0x80, 0x3e, 0, 0, 0, 0, 0));
  test.each([
    ['opus', () => fileWith(new OggOutputFormat(), [{ ...undecodable, description: opusHead }])],
    ['flac', async () => fileOf(flac())],
    ['aac', async () => fileOf(aac())],
  ])('is found even if nothing can decode it: %s', async (codec, make) => {
    const error = await failure(readPeaks(await make(), { signal }));
    expect([error.reason, error.codec]).toEqual(['codec_unsupported', codec]);
  });

  test('is that of the first track that can be decoded', async () => {
    const file = await fileWith(new MkvOutputFormat(), [undecodable, second]);
    expect((await readPeaks(file, { signal })).seconds).toBe(1);
    expect((await convertToMp3(file, { signal, onProgress() {} })).durationSeconds).toBe(1);
  });

  test('is that of the track that a player would play', async () => {
    const two = { codec: 'pcm-s16', packets: [[0, tone(2)]], isDefault: false } as const;
    const file = await fileWith(new MkvOutputFormat(), [two, second]);
    expect((await readPeaks(file, { signal })).seconds).toBe(1);
    expect((await convertToMp3(file, { signal, onProgress() {} })).durationSeconds).toBe(1);
  });
});

describe('the length of a sound', () => {
  const lengthOf = (file: Blob) =>
    withAudioTrack(file, signal, async ({ durationSeconds }) => durationSeconds);

  test('is what the file states, or else what it holds', async () => {
    expect(await lengthOf(talk(2))).toBeCloseTo(2, 6);
    expect(await lengthOf(fileOf(fixture('mono-8k-no-info.mp3')))).toBeCloseTo(2.16, 6);
    // As a browser records it: without its length, nor that of its last block.
    const untold = new MkvOutputFormat({ appendOnly: true });
    const packets = [0, 1].map((time) => [time, tone(1)] as const);
    expect(await lengthOf(await fileWith(untold, [{ codec: 'pcm-s16', packets }]))).toBe(1);
  });

  test('does not include the delay of an MP3', async () => {
    const { mp3 } = await convertToMp3(talk(2), { signal, onProgress() {} });
    const [start, length] = await withAudioTrack(mp3, signal, async (audio) => [
      audio.startSeconds,
      audio.durationSeconds,
    ]);
    expect(start).toBeCloseTo((576 + 529) / 16_000, 6);
    // All frames but the delay.
    expect(start + length).toBeCloseTo((58 * 576) / 16_000, 6);
  });
});

describe('a file', () => {
  test('is closed when its sound has been read, and when reading failed', async () => {
    const inputs: Input[] = [];
    const keep = async ({ input }: AudioTrack) => {
      inputs.push(input);
      return input.disposed;
    };
    expect(await withAudioTrack(talk(1), signal, keep)).toBe(false);
    const failed = await failure(
      withAudioTrack(talk(1), signal, async (audio) => {
        await keep(audio);
        throw new RangeError('Something else failed.');
      }),
    );
    expect([failed.reason, failed.message]).toEqual(['failed', 'Something else failed.']);
    expect(inputs.map(({ disposed }) => disposed)).toEqual([true, true]);
  });

  test('is not opened after an abort', async () => {
    let reads = 0;
    const early = AbortSignal.abort(new RangeError('enough'));
    const opening = withAudioTrack(
      watched(() => (reads += 1)),
      early,
      async () => {},
    );
    expect(await opening.catch((error: unknown) => error)).toEqual(new RangeError('enough'));
    expect(reads).toBe(0);
  });

  test('that is aborted while it is opened is not read', async () => {
    const stop = new AbortController();
    let reads = 0;
    const opening = withAudioTrack(
      watched(() => stop.abort(new RangeError('enough'))),
      stop.signal,
      async () => void (reads += 1),
    );
    expect(await opening.catch((error: unknown) => error)).toEqual(new RangeError('enough'));
    expect(reads).toBe(0);
  });

  test('that is aborted while it is read has no result', async () => {
    const stop = new AbortController();
    const reading = withAudioTrack(talk(1), stop.signal, async () => {
      stop.abort(new RangeError('enough'));
      return 'all';
    });
    expect(await reading.catch((error: unknown) => error)).toEqual(new RangeError('enough'));
  });

  /** A recording that calls `onRead` when a part of it is read. */
  function watched(onRead: () => void): File {
    const file = talk(1);
    const { slice } = file;
    file.slice = (...range) => {
      onRead();
      return slice.apply(file, range);
    };
    return file;
  }
});

describe('what cannot be decoded is tried', () => {
  let loads = 0;
  /** The number of attempts to read, on a page that has not decoded any MP3 itself yet. */
  async function tries(file: File): Promise<number> {
    loads += 1;
    const part = await import(`../../web/media/audio-track.ts?load=${loads}`);
    let tried = 0;
    const work = async () => {
      tried += 1;
      if (tried < 5) throw new RangeError('It cannot be decoded.');
    };
    await failure(
      (part as { withAudioTrack: typeof withAudioTrack }).withAudioTrack(file, signal, work),
    );
    return tried;
  }

  test('again if it is MP3, then with the decoder of the page, and only once', async () => {
    const mp3 = fileOf(fixture('mono-8k-no-info.mp3'));
    await withAudioTrack(mp3, signal, async () => {});
    // The library warns that the decoder is known already.
    spyOn(console, 'warn').mockImplementation(() => {});
    expect(await tries(mp3)).toBe(2);
    expect(await tries(talk(1))).toBe(1);
    const closed = spyOn(Input.prototype, 'dispose');
    expect(await tries(fileOf(ascii('This is text.')))).toBe(0);
    expect(closed).toHaveBeenCalledTimes(1);
  });
});
