import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { decodeMono16k } from '../../server/mp3/decode.ts';
import { indexMp3, type AudioSource } from '../../server/mp3/frames.ts';
import { until } from '../support/servers/client.ts';
import { bestShift, chirp, difference, fixture, join, junk, source } from './support.ts';

setDefaultTimeout(300_000);

async function decode(
  audio: AudioSource,
  start = 0,
  end = Infinity,
  duration?: number,
): Promise<{ samples: Float32Array; duration: number }> {
  const found = await indexMp3(audio);
  const index = duration === undefined ? found : { ...found, duration };
  const blocks: Float32Array[] = [];
  for await (const block of decodeMono16k(audio, index, { start, end })) blocks.push(block);
  const samples = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let offset = 0;
  for (const block of blocks) {
    samples.set(block, offset);
    offset += block.length;
  }
  return { samples, duration: index.duration };
}

const RECORDINGS = [
  'mono-16k.mp3',
  'chirp-stereo-44k-vbr.mp3',
  'chirp-stereo-48k.mp3',
  'chirp-mono-22k-id3.mp3',
  'mono-8k-no-info.mp3',
];

describe('the whole recording', () => {
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
});

describe('a range', () => {
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

  test('reads only its own bytes', async () => {
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
});

describe('damage', () => {
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

  test('missing bytes affect only their frame', async () => {
    const bytes = fixture('mono-16k.mp3');
    const index = await indexMp3(source(bytes));
    const cut = index.byteOffset(40);
    const plain = await decode(source(bytes));
    const { samples } = await decode(source(join(bytes.slice(0, cut - 60), bytes.slice(cut))));
    expect(samples.length).toBe(plain.samples.length);
    expect(difference(samples, plain.samples, 55 * 576)).toBeLessThan(1e-3);
  });

  test('free format is refused with a suggestion', async () => {
    const failure = await decode(source(fixture('free-format.mp3'))).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StageFailure);
    expect((failure as StageFailure).failure).toMatchObject({ code: 'audio_unreadable' });
  });
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
