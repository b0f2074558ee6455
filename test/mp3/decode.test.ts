/** Samples of recordings: whole, in ranges, damaged, by the frame, and until an abort. */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { MPEGDecoder } from 'mpg123-decoder';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { decodeChannels, decodeMono16k, decodeRange } from '../../server/mp3/decode.ts';
import {
  createFrameDecoder,
  copiedSamples,
  internalsOf,
  samplesOfFrame,
} from '../../server/mp3/decoder.ts';
import { type AudioSource, indexMp3, longerThan } from '../../server/mp3/frames.ts';
import { createResampler, RESAMPLER_REACH, SPEECH_RATE } from '../../server/mp3/resample.ts';
import { failureOf } from '../support/failure-of.ts';
import { rounds } from '../support/fuzz.ts';
import { sample } from '../support/sample.ts';
import { until } from '../support/servers/client.ts';
import { bestShift, chirp, difference, fixture, id3, join, junk, source } from './support.ts';

setDefaultTimeout(300000);

async function decode(audio: AudioSource, start = 0, end = Infinity) {
  const index = await indexMp3(audio);
  return {
    samples: await decodeRange(audio, index, { start, end: Math.min(end, index.duration) }),
    duration: index.duration,
  };
}

const RECORDINGS = [
  'mono-16k.mp3',
  'chirp-stereo-44k-vbr.mp3',
  'chirp-stereo-48k.mp3',
  'chirp-mono-22k-id3.mp3',
  'mono-8k-no-info.mp3',
];

test.each(RECORDINGS)('%s has exactly its length', async (name) => {
  const { samples, duration } = await decode(source(fixture(name)));
  expect(samples.length).toBe(Math.round(duration * 16_000));
  expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
});

test.each(['mono-16k.mp3', 'mono-8k-no-info.mp3'])(
  '%s with the loudest gain in every frame stays within -1..1',
  async (name) => {
    const bytes = Uint8Array.from(fixture(name));
    const { byteOffset, frameCount } = await indexMp3(source(bytes));
    for (let frame = 0; frame < frameCount; frame += 1) {
      // MPEG-2, one channel: the global gain is bits 30 to 37 of the side information.
      const side = byteOffset(frame) + 4;
      bytes[side + 3]! |= 0b11;
      bytes[side + 4]! |= 0b1111_1100;
    }
    const { samples } = await decode(source(bytes));
    let loudest = 0;
    for (const sample of samples) loudest = Math.max(loudest, Math.abs(sample));
    expect(loudest).toBe(1);
  },
);

test.each([
  ['chirp-stereo-44k-vbr.mp3', 0.375],
  ['chirp-stereo-48k.mp3', 0.375],
  ['chirp-mono-22k-id3.mp3', 0.5],
])('%s decodes to the original sound, to the sample', async (name, amplitude) => {
  const { samples } = await decode(source(fixture(name)));
  const original = chirp(samples.length, amplitude);
  expect(bestShift(original, samples, 40)).toBe(0);
  const inner = difference(original, samples, 800, samples.length - 800);
  expect(inner).toBeLessThan(0.05 * amplitude);
  // There is no drift: the end matches as well as the start.
  const tail = samples.slice(-6_000, -400);
  expect(bestShift(original.slice(-6_000, -400), tail, 40)).toBe(0);
});

test.each(RECORDINGS)('%s: pieces join up to the whole', async (name) => {
  const audio = source(fixture(name), 1000);
  const { samples: whole, duration } = await decode(audio);
  const cuts = [0, 0.3125, 1, 1.1, 1.9375, duration];
  let total = 0;
  for (let i = 0; i + 1 < cuts.length; i++) {
    const start = cuts[i] ?? 0;
    const end = cuts[i + 1] ?? 0;
    const { samples } = await decode(audio, start, end);
    expect(samples.length).toBe(Math.round((end - start) * 16_000));
    const from = Math.round(start * 16_000);
    expect(difference(samples, whole.slice(from, from + samples.length))).toBeLessThan(1e-4);
    total += samples.length;
  }
  expect(total).toBe(whole.length);
});

test('a range reads only its own bytes', async () => {
  const bytes = fixture('chirp-stereo-48k.mp3');
  const plain = source(bytes);
  const asked: { start: number; end: number }[] = [];
  const audio: AudioSource = {
    size: bytes.length,
    read(range) {
      // The index reads everything.
      if (range && !range.isPassing) asked.push(range);
      return plain.read(range);
    },
  };
  await decode(audio, 2, 2.1);
  expect(asked.length).toBe(1);
  expect((asked[0]?.end ?? 0) - (asked[0]?.start ?? 0)).toBeLessThan(bytes.length / 2);
});

test('what a decoder has decoded before changes no sample, and no decoder is made anew', async () => {
  const memories = spyOn(WebAssembly, 'Memory');
  const instances = spyOn(WebAssembly, 'instantiate');
  const noise = Uint8Array.from(fixture('mono-8k-no-info.mp3'));
  noise.set(junk(600), noise.length >> 1);
  const first = await Promise.all(
    RECORDINGS.map(async (name) => (await decode(source(fixture(name)))).samples),
  );
  memories.mockClear();
  instances.mockClear();
  for (const at of [3, 1, 4, 2, 0, 1, 3]) {
    await decode(source(noise));
    const { samples } = await decode(source(fixture(RECORDINGS[at]!)));
    expect(samples).toEqual(first[at]!);
  }
  expect([memories.mock.calls.length, instances.mock.calls.length]).toEqual([0, 0]);
  memories.mockRestore();
  instances.mockRestore();
});

test.each(['mono-16k.mp3', 'chirp-stereo-48k.mp3', 'chirp-stereo-44k-vbr.mp3'])(
  '%s: damaged frames do not shift the sound',
  async (name) => {
    const bytes = fixture(name);
    const plain = await decode(source(bytes));
    const index = await indexMp3(source(bytes));
    const from = index.byteOffset(30);
    const to = index.byteOffset(36);
    for (const noise of [junk(to - from), new Uint8Array(to - from), junk(to - from, 7)]) {
      const spoilt = bytes.slice();
      // Headers stay intact, so that the frames are still found.
      for (let frame = 30; frame < 36; frame++) {
        const start = index.byteOffset(frame) + 4;
        spoilt.set(noise.slice(start - from, index.byteOffset(frame + 1) - from), start);
      }
      const { samples } = await decode(source(spoilt));
      expect(samples.length).toBe(plain.samples.length);
      // Six damaged frames, and those with bits in them.
      const healed = Math.ceil(((50 * index.samplesPerFrame) / index.sampleRate) * 16_000);
      expect(difference(samples, plain.samples, healed)).toBeLessThan(1e-3);
    }
  },
);

test('free format is refused with a suggestion', async () => {
  const failure = await failureOf(decode(source(fixture('free-format.mp3'))));
  expect(failure.code).toBe('audio_unreadable');
  expect(failure.suggestions.length).toBeGreaterThan(0);
});

test('abort works between blocks, and leaving early closes the source', async () => {
  const bytes = fixture('mono-16k.mp3');
  const index = await indexMp3(source(bytes));
  let closed = 0;
  const audio: AudioSource = {
    size: bytes.length,
    async *read(range) {
      try {
        yield* source(bytes, 500).read(range);
      } finally {
        closed++;
      }
    },
  };
  const controller = new AbortController();
  const read = async () => {
    for await (const _block of decodeMono16k(
      audio,
      index,
      { start: 0, end: 9 },
      controller.signal,
    )) {
      controller.abort(new Error('enough'));
    }
  };
  expect(read()).rejects.toThrow('enough');
  for await (const _block of decodeMono16k(audio, index, { start: 0, end: 9 })) break;
  await until(async () => closed === 2);
});

test('the thread stays alive while a long recording is decoded', async () => {
  const once = fixture('chirp-stereo-48k.mp3');
  const audio = source(join(...Array.from({ length: 120 }, () => once)), 1e9);
  const index = await indexMp3(audio);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  let samples = 0;
  for await (const block of decodeMono16k(audio, index, { start: 0, end: 1e9 }))
    samples += block.length;
  clearInterval(timer);
  expect(samples).toBe(Math.round(index.duration * 16_000));
  // Five minutes take more than a hundred milliseconds, of which each turn gets at most a few dozen.
  expect(turns).toBeGreaterThan(2);
});

describe('frames decoded in the decoder’s memory, against the library’s own method', async () => {
  const bytes = await readFile(sample);
  const index = await indexMp3(source(bytes));
  const frames = Array.from({ length: 60 }, (_, number) =>
    bytes.subarray(index.byteOffset(number), index.byteOffset(number + 1)),
  );

  async function decoder(): Promise<MPEGDecoder> {
    const made = new MPEGDecoder({ enableGapless: false });
    await made.ready;
    return made;
  }

  test('the installed version of the library has the expected internals', async () => {
    const made = await decoder();
    expect(internalsOf(made)).not.toBeNull();
    expect(internalsOf({ ready: made.ready } as MPEGDecoder)).toBeNull();
    made.free();
  });

  test('both ways yield the same samples, also of damaged frames', async () => {
    const { error } = console;
    // The library prints what it cannot decode.
    console.error = () => {};
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              frame: fc.nat(59),
              at: fc.integer({ min: 4, max: 100 }),
              value: fc.nat(255),
            }),
            { maxLength: 5 },
          ),
          async (damages) => {
            const [ours, theirs] = [await decoder(), await decoder()];
            for (const [number, whole] of frames.entries()) {
              const frame = Uint8Array.from(whole);
              for (const { frame: where, at, value } of damages)
                if (where === number) frame[at] = value;
              const left = samplesOfFrame(ours, frame, index.samplesPerFrame);
              const right = copiedSamples(theirs, frame, index.samplesPerFrame);
              expect(left === null).toBe(right === null);
              if (!left || !right) break;
              expect(left.left).toEqual(right.left);
              expect(left.right).toEqual(right.right);
            }
            ours.free();
            theirs.free();
          },
        ),
        { numRuns: rounds(10) },
      );
    } finally {
      console.error = error;
    }
  });

  test("with other internals, or a frame longer than the buffer, the library's own method is used", async () => {
    const made = await decoder();
    const inside = internalsOf(made)!;
    const decode = (frame: Uint8Array) => made.decode(frame);
    const small = { ...inside._input, len: frames[0]!.length - 1, buf: new Uint8Array(1) };
    const plain = await decoder();
    for (const [number, other] of [{ decode }, { ...inside, _input: small, decode }].entries()) {
      const samples = samplesOfFrame(other as never, frames[number]!, index.samplesPerFrame);
      expect(samples).toEqual(copiedSamples(plain, frames[number]!, index.samplesPerFrame));
      expect(samples?.left.length).toBe(index.samplesPerFrame);
    }
    made.free();
    plain.free();
  });

  test('a frame is decoded from its first sample to its last, into the place of its samples alone', async () => {
    const made = await createFrameDecoder(index, ['both', 'left']);
    const tracks = [0, 1].map(() => new Float32Array(3 * index.samplesPerFrame + 1).fill(9));
    await made.decode(frames.slice(0, 3), tracks);
    made.free();
    for (const track of tracks) expect(track.indexOf(9)).toBe(3 * index.samplesPerFrame);
    // The sample's channels are equal.
    expect(tracks[0]).toEqual(tracks[1]);
  });

  test('after a frame that cannot be decoded, the decoder knows nothing of those before', async () => {
    const { samplesPerFrame } = index;
    const decoded = async (given: readonly Uint8Array[]) => {
      const made = await createFrameDecoder(index, ['both']);
      const track = new Float32Array(given.length * samplesPerFrame);
      await made.decode(given, [track]);
      made.free();
      return track;
    };
    const all = await decoded([
      ...frames.slice(0, 9),
      frames[9]!.subarray(0, 40),
      ...frames.slice(10, 20),
    ]);
    expect(
      all.subarray(9 * samplesPerFrame, 10 * samplesPerFrame).every((level) => level === 0),
    ).toBe(true);
    expect(all.subarray(10 * samplesPerFrame)).toEqual(await decoded(frames.slice(10, 20)));
  });
});

describe('abort', async () => {
  const speech = fixture('mono-16k.mp3');
  const index = await indexMp3(source(speech));
  const range = { start: 0, end: 4 };

  /** A recording that never ends: each read gives these bytes and then waits. */
  function stuck(bytes: Uint8Array) {
    const waits = Promise.withResolvers<void>();
    const audio: AudioSource = {
      size: 1e9,
      async *read() {
        yield bytes;
        waits.resolve();
        await new Promise(() => {});
      },
    };
    return { audio, waits: waits.promise };
  }

  type Read = (audio: AudioSource, signal: AbortSignal) => Promise<unknown>;

  /** Everything that reads a recording. */
  const READERS: [string, Read][] = [
    ['indexMp3', indexMp3],
    ['longerThan', (audio, signal) => longerThan(audio, 60, signal)],
    ['decodeRange', (audio, signal) => decodeRange(audio, index, range, signal)],
    ['decodeChannels', (audio, signal) => decodeChannels(audio, index, range, signal)],
  ];

  test.each(READERS)('%s stops while the source hangs', async (_name, read) => {
    const { audio, waits } = stuck(speech.slice(0, 500));
    const controller = new AbortController();
    const reading = read(audio, controller.signal).catch((error: unknown) => error);
    await waits;
    controller.abort(new RangeError('enough'));
    expect(await reading).toEqual(new RangeError('enough'));
  });

  test.each(READERS)('%s does not begin with a signal that has aborted', async (_name, read) => {
    const audio = source(speech);
    await expect(read(audio, AbortSignal.abort(new RangeError('enough')))).rejects.toThrow(
      'enough',
    );
    expect(audio.reads).toBe(0);
  });

  test.each(READERS.slice(0, 2))('%s stops while it reads inside a tag', async (_name, read) => {
    // The size of the tag extends past the end, so the recording is read again.
    const first = source(join(id3(300, 5_000_000)));
    const second = stuck(id3(300, 5_000_000));
    let reads = 0;
    const audio: AudioSource = {
      size: 1e9,
      read: () => (++reads === 1 ? first.read() : second.audio.read()),
    };
    const controller = new AbortController();
    const reading = read(audio, controller.signal).catch((error: unknown) => error);
    await second.waits;
    controller.abort(new RangeError('enough'));
    expect(await reading).toEqual(new RangeError('enough'));
  });

  test('a recording that was read leaves no listener at the signal', async () => {
    const { signal } = new AbortController();
    const [added, removed] = [
      spyOn(signal, 'addEventListener'),
      spyOn(signal, 'removeEventListener'),
    ];
    await indexMp3(source(speech), signal);
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

/** All sample rates of MP3 except 16 kHz. */
const RATES = [48_000, 44_100, 32_000, 24_000, 22_050, 12_000, 11_025, 8000];

const wave = (rate: number, hertz: number, seconds: number): Float32Array =>
  new Float32Array(rate * seconds).map((_, at) => Math.cos((2 * Math.PI * hertz * at) / rate));

/** Pushes samples in blocks of these sizes, repeated, and then silence. */
function resampled(rate: number, samples: Float32Array, sizes: readonly number[]): Float32Array {
  const resampler = createResampler(rate);
  const out: number[] = [];
  for (let at = 0, turn = 0; at < samples.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    out.push(...resampler.push(samples.subarray(at, at + size)));
    at += size;
  }
  out.push(...resampler.push(new Float32Array(1024)));
  return Float32Array.from(out);
}

describe.each(RATES)('from %i Hz', (rate) => {
  const highest = Math.min(rate, SPEECH_RATE) * 0.45;
  test('audible sound keeps its time and level', () => {
    for (const hertz of [0, 100, 1000, highest * 0.99]) {
      const out = resampled(rate, wave(rate, hertz, 1), [rate]);
      const right = wave(SPEECH_RATE, hertz, 1);
      // The edges are next to the silence around the samples.
      const errors = right.slice(200, -200).map((value, at) => Math.abs(value - out[at + 200]!));
      expect(Math.max(...errors)).toBeLessThan(0.001);
    }
  });
  test('the division into blocks changes nothing', () => {
    const samples = wave(rate, 440, 1).slice(0, 5000);
    const whole = resampled(rate, samples, [samples.length]);
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(sizes, (cut) => {
        expect(resampled(rate, samples, cut)).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });
});

test.each([48_000, 44_100, 32_000, 24_000])(
  'from %i Hz, frequencies above the limit of 16 kHz are removed',
  (rate) => {
    for (const hertz of [9000, 10_000, 11_900]) {
      const out = resampled(rate, wave(rate, hertz, 1), [rate]).slice(200, 15_800);
      expect(Math.max(...out.map(Math.abs))).toBeLessThan(0.001);
    }
  },
);

test.each([
  [48_000, 68],
  [44_100, 60],
  [8000, 24],
])('from %i Hz, a sample affects only what is at most %i samples away', (rate, reach) => {
  const samples = new Float32Array(3 * rate);
  samples[rate] = 1;
  const out = resampled(rate, samples, [rate]);
  const affected = [...out.keys()].filter((at) => out[at] !== 0);
  const farthest = Math.max(...affected.map((at) => Math.abs((at * rate) / SPEECH_RATE - rate)));
  expect(farthest).toBeLessThanOrEqual(reach);
  expect(farthest).toBeGreaterThan(reach - 4);
  expect(reach).toBeLessThan(RESAMPLER_REACH);
});
