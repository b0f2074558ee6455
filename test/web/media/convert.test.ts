/** A recording becomes a small MP3, whose times are those of the recording. */
import { expect, afterEach, describe, mock, spyOn, test } from 'bun:test';
import { wavFile } from '../../../server/speech/host/pocketsphinx.ts';
import { ConversionError } from '../../../web/media/conversion-error.ts';
import {
  type AudioCodec,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  type MetadataTags,
  Output,
  type OutputFormat,
  AudioSample,
  Conversion,
  Input,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  WavOutputFormat,
} from 'mediabunny';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { type AudioTrack, withAudioTrack } from '../../../web/media/audio-track.ts';
import { convertToMp3, estimateMp3Bytes } from '../../../web/media/convert.ts';
import { readPeaks } from '../../../web/media/peaks.ts';
import { fixture, id3, join, junk, source } from '../../mp3/support.ts';
import { isMp3 } from '../../../web/media/mp3.ts';
import { markEncoderDelay } from '../../../server/mp3/header.ts';

/** Samples a second. */
const RATE = 16_000;

const fileOf = (bytes: Uint8Array, name = 'talk.wav') => new File([new Uint8Array(bytes)], name);

/** Silence for a second, then a loud tone. */
const toneAfter = (seconds: number, rate = RATE): Float32Array =>
  Float32Array.from({ length: seconds * rate }, (_, at) =>
    at < rate ? 0 : Math.sin((at / rate) * 2 * Math.PI * 440),
  );

const talk = (seconds: number) => fileOf(wavFile(toneAfter(seconds), RATE));

/** A sound track, and its packets by the time at which they begin, in seconds. */
interface Sound {
  codec: AudioCodec;
  packets: readonly (readonly [time: number, bytes: Uint8Array])[];
}

/** A tone as it is stored without compression. */
const tone = (seconds: number): Uint8Array =>
  new Uint8Array(
    Int16Array.from(toneAfter(seconds + 1).subarray(RATE), (value) => value * 32_767).buffer,
  );

/** A file with these sound tracks, in a container. */
async function fileWith(
  format: OutputFormat,
  sounds: readonly Sound[],
  tags: MetadataTags = {},
): Promise<File> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const sources = sounds.map(({ codec }) => {
    const source = new EncodedAudioPacketSource(codec);
    output.addAudioTrack(source);
    return source;
  });
  output.setMetadataTags(tags);
  await output.start();
  for (const [at, { codec, packets }] of sounds.entries()) {
    const decoderConfig = { codec, numberOfChannels: 1, sampleRate: RATE };
    for (const [time, bytes] of packets) {
      const packet = new EncodedPacket(bytes, 'key', time, bytes.length / 2 / RATE);
      await sources[at]!.add(packet, { decoderConfig });
    }
  }
  await output.finalize();
  return new File([target.buffer!], 'talk');
}

/** A Matroska file that says it is as long as this, in seconds. */
async function stating(seconds: number, file: Blob): Promise<File> {
  const bytes = Buffer.from(await file.arrayBuffer());
  bytes.writeDoubleBE(seconds * 1000, bytes.indexOf(Buffer.of(0x44, 0x89, 0x88)) + 3);
  return fileOf(bytes);
}

/** The error of a conversion or reading. */
const failure = async (work: Promise<unknown>): Promise<ConversionError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConversionError);
  return error as ConversionError;
};

const { signal } = new AbortController();
const onProgress = () => {};
afterEach(() => mock.restore());

const convert = (file: File) => convertToMp3(file, { signal, onProgress });

const undecodable = { codec: 'opus', packets: [[0, new Uint8Array(8)]] } as const;

describe('a recording becomes a small MP3', () => {
  test('of 16 kHz, mono and 32 kbit/s, as long as its sound, which begins where it did', async () => {
    const { mp3, durationSeconds, tookMs } = await convert(talk(3));
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
    const { mp3, durationSeconds } = await convert(fileOf(bytes));
    expect(durationSeconds).toBeCloseTo(1, 6);
    const { channels } = await indexMp3(source(new Uint8Array(await mp3.arrayBuffer())));
    expect(channels).toBe(1);
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
    const errors = [await failure(convert(file)), await failure(readPeaks(file, { signal }))];
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
    const error = await both(await fileWith(new MkvOutputFormat(), [undecodable]));
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

test('an aborted conversion ends with the reason, before it begins and while it runs', async () => {
  const early = AbortSignal.abort(new RangeError('enough'));
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

  test('is that of the first track that can be decoded', async () => {
    const file = await fileWith(new MkvOutputFormat(), [undecodable, second]);
    expect((await readPeaks(file, { signal })).seconds).toBe(1);
    expect((await convert(file)).durationSeconds).toBe(1);
  });
});

const lengthOf = (file: Blob) =>
  withAudioTrack(file, signal, async ({ durationSeconds }) => durationSeconds);

test('the length of a sound is what the file states, or else what it holds', async () => {
  expect(await lengthOf(talk(2))).toBeCloseTo(2, 6);
  expect(await lengthOf(fileOf(fixture('mono-8k-no-info.mp3')))).toBeCloseTo(2.16, 6);
  // As a browser records it: without its length, nor that of its last block.
  const untold = new MkvOutputFormat({ appendOnly: true });
  const packets = [0, 1].map((time) => [time, tone(1)] as const);
  expect(await lengthOf(await fileWith(untold, [{ codec: 'pcm-s16', packets }]))).toBe(1);
});

test('a file is closed when its sound has been read, and when reading failed', async () => {
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

/** The index of the first loud value; there are fifty a second. */
const onset = async (file: Blob) =>
  (await readPeaks(file, { signal })).values.findIndex((value) => value > 60);

const matroska = (...packets: [time: number, sound: Uint8Array][]) =>
  fileWith(new MkvOutputFormat(), [{ codec: 'pcm-s16', packets }]);

test('the times of a recording stay those of the video if its sound begins later', async () => {
  const late = await matroska([1.5, tone(1)]);
  const { mp3, durationSeconds } = await convert(late);
  expect(durationSeconds).toBe(2.5);
  expect(await onset(mp3)).toBe(75);
});

test('titles and other names do not leave the computer', async () => {
  const sounds = [{ codec: 'pcm-s16', packets: [[0, tone(1)]] }] as const;
  const named = await fileWith(new WavOutputFormat(), sounds, { title: 'Secret' });
  expect(Buffer.from(await named.arrayBuffer()).includes('Secret')).toBe(true);
  const { mp3 } = await convert(named);
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
  const error = await failure(convert(talk(1)));
  expect(error.reason).toBe('failed');
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

test("an MP3 begins after its encoder's delay, which is read after tags, and is zero if it is not stated", async () => {
  const startOf = (...parts: Uint8Array[]) =>
    withAudioTrack(
      new Blob([join(...parts) as never]),
      signal,
      async ({ startSeconds }) => startSeconds,
    );
  const { bytes, mark } = muxed();
  expect([(await indexMp3(source(bytes))).delaySamples, await startOf(bytes)]).toEqual([0, 0]);
  markEncoderDelay(bytes.buffer, 70_000);
  // "Info" is a constant bit rate; some players know an encoder's delay by its name.
  expect(Buffer.from(bytes).toString('latin1', mark, mark + 4)).toBe('Info');
  expect(Buffer.from(bytes).indexOf('LAME3.100')).toBe(mark + 120);
  const { delaySamples, duration } = await indexMp3(source(bytes));
  expect([delaySamples, Math.round(duration * RATE)]).toEqual([576 + 529, 70_000]);
  expect(await startOf(bytes)).toBe((576 + 529) / RATE);
  expect(await startOf(id3(5000), id3(10), bytes)).toBe((576 + 529) / RATE);
  // An encoder may add nothing; the decoder's delay stays.
  bytes.fill(0, mark + 141, mark + 143);
  expect(await startOf(bytes)).toBe(529 / RATE);
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
