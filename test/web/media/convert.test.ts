/** A recording becomes a small MP3, whose times are those of the recording. */
import { afterEach, describe, expect, mock, spyOn, test } from 'bun:test';
import {
  AudioSample,
  Conversion,
  Input,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  type OutputFormat,
  WavOutputFormat,
} from 'mediabunny';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { wavFile } from '../../../server/speech/host/pocketsphinx.ts';
import {
  type AudioTrack,
  withAudioTrack,
  readEncoderDelay,
} from '../../../web/media/audio-track.ts';
import { convertToMp3, estimateMp3Bytes } from '../../../web/media/convert.ts';
import { readPeaks } from '../../../web/media/peaks.ts';
import { fixture, id3, join, junk, source } from '../../mp3/support.ts';
import { RATE, failure, fileOf, fileWith, stating, talk, tone, webm } from '../support/sounds.ts';
import { isMp3 } from '../../../web/media/mp3.ts';
import { markEncoderDelay } from '../../../server/mp3/header.ts';

describe('the sound', () => {
  const { signal } = new AbortController();

  afterEach(() => mock.restore());

  describe('a recording becomes a small MP3', () => {
    test('of 16 kHz, mono and 32 kbit/s, as long as its sound, which begins where it did', async () => {
      const { mp3, durationSeconds, tookMs } = await convertToMp3(talk(3), {
        signal,
        onProgress() {},
      });
      expect([mp3.type, tookMs > 0]).toEqual(['audio/mpeg', true]);
      expect(durationSeconds).toBeCloseTo(3, 6);
      const bytes = new Uint8Array(await mp3.arrayBuffer());
      const { sampleRate, channels, duration } = await indexMp3(source(bytes));
      expect([sampleRate, channels]).toEqual([16_000, 1]);
      // To the sample: the encoder's delay is marked.
      expect(duration * RATE).toBeCloseTo(3 * RATE, 6);
      expect(bytes.length).toBeLessThanOrEqual(estimateMp3Bytes(3));
      expect(bytes.length).toBeGreaterThan(3 * 4000);
      const { values } = await readPeaks(mp3, { signal });
      expect(Math.abs(values.findIndex((value) => value > 60) - 50)).toBeLessThanOrEqual(1);
      // Our decoder also returns the encoder's padding.
      expect(values.length - 150).toBeLessThan(5);
    });

    test('with the channels of stereo mixed', async () => {
      const bytes = wavFile(
        Float32Array.from({ length: 2 * RATE }, () => 0.5),
        RATE,
      );
      const view = new DataView(bytes.buffer);
      view.setUint16(22, 2, true);
      view.setUint32(28, RATE * 4, true);
      view.setUint16(32, 4, true);
      const { mp3, durationSeconds } = await convertToMp3(fileOf(bytes), {
        signal,
        onProgress() {},
      });
      expect(durationSeconds).toBeCloseTo(1, 6);
      const { channels } = await indexMp3(source(new Uint8Array(await mp3.arrayBuffer())));
      expect(channels).toBe(1);
    });
  });

  describe('the waveform', () => {
    test('is silent where the recording is, and loud where it is', async () => {
      const { perSecond, seconds, values } = await readPeaks(talk(2), { signal });
      expect([perSecond, values.length]).toEqual([50, 100]);
      expect(seconds).toBeCloseTo(2, 6);
      expect(Math.max(...values.slice(0, 50))).toBe(0);
      expect(Math.min(...values.slice(50))).toBe(255);
    });
  });

  test('the waveform of a cut file ends where the file does, and frees each block of sound', async () => {
    const whole = [{ codec: 'pcm-s16', packets: [[0, tone(2)]] }] as const;
    const close = spyOn(AudioSample.prototype, 'close');
    const file = await stating(4, await fileWith(new MkvOutputFormat(), whole));
    const { seconds, values } = await readPeaks(file, { signal });
    expect([seconds, values.length, close.mock.calls.length]).toEqual([2, 100, 1]);
  });

  describe('an unreadable file gets a reason', () => {
    const both = async (file: File) => {
      const onProgress = () => {};
      const errors = [
        await failure(convertToMp3(file, { signal, onProgress })),
        await failure(readPeaks(file, { signal })),
      ];
      expect(errors[0]!.reason).toBe(errors[1]!.reason);
      expect(errors[0]!.codec).toBe(errors[1]!.codec);
      return errors[0]!;
    };

    test('a file that is not a recording is unreadable', async () => {
      const text = new File(['This is text.\n'.repeat(500)], 'text.mp4');
      const { reason, cause } = await both(text);
      expect([reason, cause]).toEqual(['unreadable', expect.any(Error)]);
      expect((await both(fileOf(wavFile(new Float32Array(0), RATE)))).reason).toBe('unreadable');
    });

    test('sound that cannot be decoded is named by its codec', async () => {
      const error = await both(await webm({ sound: true, picture: true }));
      expect([error.reason, error.codec]).toEqual(['codec_unsupported', 'opus']);
    });

    test.each([
      ['NotReadableError', 'unreadable'],
      ['NotFoundError', 'unreadable'],
      ['QuotaExceededError', 'failed'],
    ])('a file that fails with %s while it is decoded is %s', async (name, reason) => {
      const decode = async () => {
        throw new DOMException('It is gone.', name);
      };
      const error = await failure(withAudioTrack(talk(1), signal, decode));
      expect([error.reason, (error.cause as Error).name]).toEqual([reason as 'failed', name]);
    });
  });

  describe('an aborted conversion', () => {
    test('ends with the reason, before it begins and while it runs', async () => {
      const early = AbortSignal.abort(new RangeError('enough'));
      const onProgress = () => {};
      const error = (work: Promise<unknown>) => work.catch((thrown: unknown) => thrown);
      expect(await error(convertToMp3(talk(2), { signal: early, onProgress }))).toEqual(
        new RangeError('enough'),
      );
      expect(await error(readPeaks(talk(2), { signal: early }))).toEqual(new RangeError('enough'));
      const stop = new AbortController();
      const told: number[] = [];
      const converting = convertToMp3(talk(4), {
        signal: stop.signal,
        onProgress(fraction) {
          told.push(fraction);
          stop.abort(new RangeError('enough'));
        },
      });
      expect([await error(converting), told.length]).toEqual([new RangeError('enough'), 1]);
    });
  });
});

describe('the sound track', () => {
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

    /** The beginning of a FLAC file: 16 kHz, mono, 16 bits. */

    test('is that of the first track that can be decoded', async () => {
      const file = await fileWith(new MkvOutputFormat(), [undecodable, second]);
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
  });
});

describe('the MP3', () => {
  const { signal } = new AbortController();

  const onProgress = () => {};

  afterEach(() => mock.restore());

  /** The index of the first loud value; there are fifty a second. */
  const onset = async (file: Blob) =>
    (await readPeaks(file, { signal })).values.findIndex((value) => value > 60);

  const matroska = (...packets: [time: number, sound: Uint8Array][]) =>
    fileWith(new MkvOutputFormat(), [{ codec: 'pcm-s16', packets }]);

  describe('the times of a recording', () => {
    test('stay those of the video if its sound begins later', async () => {
      const late = await matroska([1.5, tone(1)]);
      const { mp3, durationSeconds } = await convertToMp3(late, { signal, onProgress });
      expect(durationSeconds).toBe(2.5);
      expect(await onset(mp3)).toBe(75);
    });
  });

  test('titles and other names do not leave the computer', async () => {
    const sounds = [{ codec: 'pcm-s16', packets: [[0, tone(1)]] }] as const;
    const named = await fileWith(new WavOutputFormat(), sounds, { title: 'Secret' });
    expect(Buffer.from(await named.arrayBuffer()).includes('Secret')).toBe(true);
    const { mp3 } = await convertToMp3(named, { signal, onProgress });
    expect(Buffer.from(await mp3.arrayBuffer()).includes('Secret')).toBe(false);
  });

  test('a recording of more than seven hours is refused before it is converted', async () => {
    // Its header says that a second has 10 samples.
    const hours = (length: number) => fileOf(wavFile(new Float32Array(length * 36_000), 10));
    const told: number[] = [];
    const error = await failure(
      convertToMp3(hours(7.3), { signal, onProgress: (fraction) => void told.push(fraction) }),
    );
    expect([error.reason, error.message, told]).toEqual([
      'too_large',
      'A recording may have at most 7 hours.',
      [],
    ]);
  });

  test('a browser that can make no MP3 says so', async () => {
    const execute = async () => {
      throw new Error('It is not valid.');
    };
    spyOn(Conversion, 'init').mockResolvedValue({
      isValid: false,
      execute,
    } as unknown as Conversion);
    const error = await failure(convertToMp3(talk(1), { signal, onProgress }));
    expect(error.reason).toBe('failed');
  });
});

/** The fixture as the browser's muxer writes it: the information frame counted, and no encoder named. */
function muxed(): { bytes: Uint8Array<ArrayBuffer>; mark: number } {
  const bytes = new Uint8Array(fixture('mono-16k.mp3'));
  const mark = Buffer.from(bytes.buffer).indexOf('Info');
  bytes.set(new TextEncoder().encode('Xing'), mark);
  const view = new DataView(bytes.buffer);
  view.setUint32(mark + 8, view.getUint32(mark + 8) + 1);
  bytes.fill(0, mark + 120, mark + 156);
  return { bytes, mark };
}

test("players and our decoder skip the encoder's delay, to the sample", async () => {
  const { bytes } = muxed();
  expect((await indexMp3(source(bytes))).delaySamples).toBe(0);
  expect(await readEncoderDelay(new Blob([bytes]))).toBe(0);
  const { frameCount } = await indexMp3(source(bytes));
  for (const padding of [530, 1000, 1151]) {
    const samples = frameCount * 576 - 576 - padding;
    markEncoderDelay(bytes.buffer, samples);
    const index = await indexMp3(source(bytes));
    expect(index.delaySamples).toBe(576 + 529);
    expect(index.duration * 16_000).toBeCloseTo(samples, 6);
    muxed().bytes.forEach((byte, at) => (bytes[at] = byte));
  }
});

test('the delay is read after tags, and is zero if the file does not state it', async () => {
  const { bytes, mark } = muxed();
  markEncoderDelay(bytes.buffer, 70_000);
  // "Info" is a constant bit rate; some players know an encoder's delay by its name.
  expect(Buffer.from(bytes).toString('latin1', mark, mark + 4)).toBe('Info');
  expect(Buffer.from(bytes).indexOf('LAME3.100')).toBe(mark + 120);
  const expected = (576 + 529) / 16_000;
  expect(await readEncoderDelay(new Blob([bytes]))).toBe(expected);
  expect(await readEncoderDelay(new Blob([join(id3(5000), id3(10), bytes) as never]))).toBe(
    expected,
  );
  expect(await readEncoderDelay(new Blob([id3(100, 9_000_000) as never]))).toBe(0);
  expect(await readEncoderDelay(new Blob(['text']))).toBe(0);
  // An encoder may add nothing; the decoder's delay stays.
  bytes.fill(0, mark + 141, mark + 143);
  expect(await readEncoderDelay(new Blob([bytes]))).toBe(529 / 16_000);
  expect(await readEncoderDelay(new Blob([]))).toBe(0);
});

const mp3 = fixture('mono-16k.mp3');

const KIB = 1024;

test.each([
  ['bare', true, mp3],
  ['after a tag longer than one read', true, join(id3(300 * KIB), mp3)],
  ['after 60 KiB of something else', true, join(junk(60 * KIB), mp3)],
  ['of three frames', true, mp3.slice(0, 450)],
  ['of a single frame', true, fixture('mono-8k-no-info.mp3').slice(0, 72)],
  ['cut in its first frame', false, mp3.slice(0, 30)],
  ['after 70 KiB of something else', false, join(junk(70 * KIB), mp3)],
  ['after a tag that ends where the file does', false, id3(200 * KIB)],
  ['not there', false, new Uint8Array(0)],
])('MP3 %s: %p', async (_name, expected, bytes) => {
  expect(await isMp3(new Blob([bytes as Uint8Array<ArrayBuffer>]))).toBe(expected);
});
