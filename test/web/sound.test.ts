/** Reading and converting WAV and MP3, which need no browser to decode. */
import { afterEach, describe, expect, mock, spyOn, test } from 'bun:test';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { wavFile } from '../../server/speech/host/pocketsphinx.ts';
import { withAudioTrack } from '../../web/media/audio-track.ts';
import { convertToMp3, estimateMp3Bytes } from '../../web/media/convert.ts';
import { readPeaks } from '../../web/media/peaks.ts';
import { findShots } from '../../web/media/shots.ts';
import { source } from '../mp3/support.ts';
import { RATE, failure, fileOf, fileWith, stating, talk, tone, webm } from './support/sounds.ts';
import { AudioSample, MkvOutputFormat } from 'mediabunny';

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
    const { mp3, durationSeconds } = await convertToMp3(fileOf(bytes), { signal, onProgress() {} });
    expect(durationSeconds).toBeCloseTo(1, 6);
    const { channels } = await indexMp3(source(new Uint8Array(await mp3.arrayBuffer())));
    expect(channels).toBe(1);
  });

  test('telling its progress at most ten times a second, and its end once', async () => {
    let now = 0;
    const wav = talk(2);
    /** The progress reports if the clock advances by this much at each reading. */
    const toldAt = async (step: number) => {
      spyOn(performance, 'now').mockImplementation(() => (now += step));
      const told: [number, number, number][] = [];
      await convertToMp3(wav, { signal, onProgress: (...progress) => void told.push(progress) });
      return told;
    };
    const [never, every, seldom] = [await toldAt(0), await toldAt(100), await toldAt(99)];
    expect(never).toHaveLength(2);
    // A block has 128 ms.
    expect(every.length).toBeGreaterThan(14);
    expect(seldom.length).toBeLessThan(every.length);
    for (const progress of [never, every, seldom]) {
      const fractions = progress.map(([fraction]) => fraction);
      expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
      expect(fractions.filter((fraction) => fraction === 1)).toEqual([1]);
      for (const [fraction, done, all] of progress) expect(fraction).toBeCloseTo(done / all, 6);
      expect(progress[0]![2]).toBeCloseTo(2, 6);
    }
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

  test('is reported four times a second during reading, always at its full length', async () => {
    let now = 0;
    const toldAt = async (step: number) => {
      spyOn(performance, 'now').mockImplementation(() => (now += step));
      const told: [Uint8Array, number][] = [];
      const onPeaks = (...seen: [Uint8Array, number]) => void told.push(seen);
      return { told, ...(await readPeaks(talk(6), { signal, onPeaks })) };
    };
    const { told: every, values } = await toldAt(125);
    expect(every.length).toBeGreaterThan(10);
    for (const [peaks, done] of every) {
      expect(peaks).toHaveLength(300);
      const read = Math.floor(done * 50) - 1;
      expect(peaks.slice(0, read)).toEqual(values.slice(0, read));
      expect(Math.max(0, ...peaks.slice(read + 3))).toBe(0);
    }
    const { told: seldom } = await toldAt(80);
    expect(Math.abs(seldom.length / every.length - 0.5)).toBeLessThan(0.1);
  });

  test('yields to the page every six milliseconds', async () => {
    let now = 0;
    let pauses = 0;
    let away = 0;
    const scheduler = {
      yield: async () => {
        pauses += 1;
        now += away;
      },
    };
    Reflect.set(globalThis, 'scheduler', scheduler);
    const pausesOf = async (every: number) => {
      spyOn(performance, 'now').mockImplementation(() => (now += every));
      pauses = 0;
      await readPeaks(talk(6), { signal });
      return pauses;
    };
    try {
      const every = await pausesOf(3);
      expect(every).toBeGreaterThan(10);
      expect(Math.abs((await pausesOf(2.9)) / every - 0.5)).toBeLessThan(0.1);
      expect(await pausesOf(0)).toBe(0);
      // What the page does in the meantime does not count.
      away = 100;
      expect(await pausesOf(2.9)).toBeLessThan(every * 0.6);
    } finally {
      Reflect.deleteProperty(globalThis, 'scheduler');
    }
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

  test('a video without sound has none', async () => {
    const { name, reason, message } = await both(await webm({ picture: true }));
    expect([name, reason, message]).toEqual([
      'ConversionError',
      'no_audio',
      'The video has no sound.',
    ]);
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

  test('of a waveform as well', async () => {
    let now = 0;
    spyOn(performance, 'now').mockImplementation(() => (now += 250));
    const stop = new AbortController();
    let told = 0;
    const onPeaks = () => {
      told += 1;
      stop.abort(new RangeError('enough'));
    };
    const reading = readPeaks(talk(4), { signal: stop.signal, onPeaks });
    expect([await reading.catch((error: unknown) => error), told]).toEqual([
      new RangeError('enough'),
      1,
    ]);
  });
});

test('a video that cannot be decoded has no shots', async () => {
  expect(await findShots(await webm({ picture: true }), { signal })).toBeNull();
  expect(await findShots(talk(1), { signal })).toBeNull();
});
