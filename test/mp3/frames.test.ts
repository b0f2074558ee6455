import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fc from 'fast-check';
import { StageFailure } from '../../server/contract/failure.ts';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { parseFrameHeader } from '../../server/mp3/header.ts';
import { ape, ascii, fixture, id3, id3v1, join, junk, source } from './support.ts';
import { failureOf } from '../support/failure-of.ts';

setDefaultTimeout(300_000);

const indexOf = (bytes: Uint8Array, chunk?: number) => indexMp3(source(bytes, chunk));

const speech = fixture('mono-16k.mp3');

/** The fixtures: their frames without the information frame, and their true seconds. */
const FIXTURES = [
  ['mono-16k.mp3', 16_000, 1, 576, 4.447],
  ['chirp-stereo-44k-vbr.mp3', 44_100, 2, 1152, 2.5],
  ['chirp-stereo-48k.mp3', 48_000, 2, 1152, 2.5],
  ['chirp-mono-22k-id3.mp3', 22_050, 1, 576, 2.5],
] as const;

describe('indexMp3', () => {
  test.each(FIXTURES)('%s', async (name, sampleRate, channels, samplesPerFrame, seconds) => {
    const bytes = fixture(name);
    const index = await indexOf(bytes);
    expect(index).toMatchObject({ sampleRate, channels, samplesPerFrame });
    expect(Math.abs(index.duration - seconds)).toBeLessThan(0.001);
    expect(index.delaySamples).toBe(576 + 529);
    for (let frame = 0; frame < index.frameCount; frame++) {
      const offset = index.byteOffset(frame);
      const length = parseFrameHeader(bytes, offset)?.length ?? 0;
      expect(offset + length).toBe(index.byteOffset(frame + 1));
    }
    expect(index.byteOffset(index.frameCount)).toBe(index.audioEnd);
    expect(() => index.byteOffset(index.frameCount + 1)).toThrow(RangeError);
  });

  test('without an information frame no samples are removed', async () => {
    const index = await indexOf(fixture('mono-8k-no-info.mp3'));
    expect(index).toMatchObject({ delaySamples: 0, paddingSamples: 0, sampleRate: 8_000 });
    expect(index.duration).toBe((index.frameCount * 576) / 8_000);
    expect(index.audioStart).toBe(0);
  });

  test('free format: the size of a frame is the distance to the next', async () => {
    const index = await indexOf(fixture('free-format.mp3'));
    expect(index.freeFormatLength).not.toBeNull();
    expect(index.frameCount * 576).toBeGreaterThan(16_000);
    expect(index.audioEnd).toBe(fixture('free-format.mp3').length);
  });

  test.each([
    ['mono-16k.mp3', 1],
    ['mono-8k-no-info.mp3', 1],
    ['chirp-mono-22k-id3.mp3', 1],
  ])('%s is read only once', async (name, reads) => {
    const audio = source(fixture(name));
    await indexMp3(audio);
    expect(audio.reads).toBe(reads);
  });

  test('a recording is read again only if a tag may hide frames', async () => {
    const honest = source(join(id3(300), speech));
    await indexMp3(honest);
    expect(honest.reads).toBe(1);
    const lying = source(join(id3(300, 9000), speech));
    await indexMp3(lying);
    expect(lying.reads).toBe(2);
  });

  test('chunks of any size give the same index', async () => {
    const whole = await indexOf(speech, 1e6);
    for (const chunk of [1, 7, 143, 1000]) {
      const index = await indexOf(speech, chunk);
      expect(index.duration).toBe(whole.duration);
      expect(index.audioEnd).toBe(whole.audioEnd);
    }
  });

  test('tags before and after the sound are skipped', async () => {
    const plain = await indexOf(speech);
    const index = await indexOf(
      join(
        id3(300),
        id3(200_000, 200_000, 0xff),
        new Uint8Array(5_000),
        speech,
        ape(new Uint8Array(232)),
        id3v1(),
      ),
    );
    expect(index.duration).toBe(plain.duration);
    expect(index.audioStart).toBe(plain.audioStart + 310 + 200_010 + 5_000);
    expect(index.audioEnd).toBe(plain.audioEnd + 310 + 200_010 + 5_000);
  });

  test.each([
    ['far too large', 1_000, 50_000_000],
    ['into the audio', 1_000, 9_000],
    ['too small', 1_000, 20],
    ['of an empty tag', 0, 9_000],
  ])('a tag with a false size: %s', async (_name, size, told) => {
    const plain = await indexOf(speech);
    const index = await indexOf(join(id3(size, told), speech));
    expect(index.frameCount).toBe(plain.frameCount);
    expect(index.audioStart).toBe(plain.audioStart + size + 10);
    expect(index.duration).toBe(plain.duration);
  });

  test('a tag with a size of eight bits a byte', async () => {
    const tag = id3(40_000);
    tag.set([0, 0, 40_000 >> 8, 40_000 & 255], 6);
    expect((await indexOf(join(tag, speech))).audioStart).toBe(
      (await indexOf(speech)).audioStart + 40_010,
    );
  });

  test('junk between frames is skipped, and frames after missing bytes are found', async () => {
    const plain = await indexOf(speech);
    const cut = plain.byteOffset(20);
    const withJunk = await indexOf(join(speech.slice(0, cut), junk(10_000), speech.slice(cut)));
    expect(withJunk.frameCount).toBe(plain.frameCount);
    expect(withJunk.byteOffset(20)).toBe(cut + 10_000);
    const missing = await indexOf(join(speech.slice(0, cut - 50), speech.slice(cut)));
    expect(missing.frameCount).toBe(plain.frameCount);
    expect(missing.byteOffset(20)).toBe(cut - 50);
  });

  test.each([
    [0, true],
    [1, true],
    [-1, true],
    [2, false],
    [-2, false],
  ])('padding is removed if the frame counts differ by %p: %p', async (more, isTaken) => {
    const plain = await indexOf(speech);
    const told = speech.slice();
    const mark = Buffer.from(told.buffer).indexOf('Info');
    new DataView(told.buffer).setUint32(mark + 8, plain.frameCount + more);
    const { paddingSamples } = await indexOf(told);
    expect(plain.paddingSamples).toBeGreaterThan(0);
    expect(paddingSamples).toBe(isTaken ? plain.paddingSamples : 0);
  });

  test('as much junk as audio is skipped, and more is a failure', async () => {
    const { audioEnd, byteOffset } = await indexOf(speech);
    const [before, after] = [speech.slice(0, byteOffset(20)), speech.slice(byteOffset(20))];
    expect((await indexOf(join(before, junk(audioEnd), after))).byteOffset(20)).toBe(
      byteOffset(20) + audioEnd,
    );
    const failure = await failureOf(indexOf(join(before, junk(audioEnd + 2), after)));
    expect(failure.message).toStartWith('More than half of the recording cannot be read');
  });

  test('a large tag inside a recording that begins with junk is no junk', async () => {
    const plain = await indexOf(speech);
    const index = await indexOf(join(junk(50), speech, id3(100_000), speech));
    expect(index.frameCount).toBe(2 * plain.frameCount + 1);
  });

  test('a truncated last frame is omitted, and no padding removed', async () => {
    const plain = await indexOf(speech);
    const index = await indexOf(speech.slice(0, plain.byteOffset(50) + 30));
    expect(index).toMatchObject({ frameCount: 50, paddingSamples: 0, delaySamples: 1105 });
    expect(index.duration).toBeCloseTo((50 * 576 - 1105) / 16_000, 9);
  });

  test('frames with another sample rate count as junk', async () => {
    const plain = await indexOf(speech);
    const other = fixture('mono-8k-no-info.mp3');
    const index = await indexOf(join(speech, other, speech));
    // The second information frame is in the middle of the sound, as a frame of silence.
    expect(index.frameCount).toBe(2 * plain.frameCount + 1);
    const bare = await indexOf(join(speech.slice(plain.audioStart), speech));
    expect(bare).toMatchObject({ frameCount: 2 * plain.frameCount + 1, delaySamples: 0 });
    const failure = await failureOf(indexOf(join(other, speech)));
    expect(failure.code).toBe('audio_unreadable');
  });

  test.each(FIXTURES)('frameAt finds the frame that begins at a time: %s', async (name) => {
    const index = await indexOf(fixture(name));
    const { frameCount, samplesPerFrame, delaySamples, sampleRate } = index;
    for (let frame = 2; frame < frameCount; frame++)
      expect(index.frameAt((frame * samplesPerFrame - delaySamples) / sampleRate)).toBe(frame);
  });

  test('frameAt follows the true samples', async () => {
    const index = await indexOf(speech);
    expect(index.frameAt(-1)).toBe(0);
    expect(index.frameAt(0)).toBe(Math.floor(1105 / 576));
    expect(index.frameAt(1)).toBe(Math.floor((16_000 + 1105) / 576));
    expect(index.frameAt(1e9)).toBe(index.frameCount - 1);
  });

  test.each([
    ['nothing', new Uint8Array(0)],
    ['text', ascii('not a recording '.repeat(500))],
    ['zeros', new Uint8Array(5_000)],
    ['a tag alone', id3(5_000)],
    ['half a frame', speech.slice(0, 100)],
  ])('no audio: %s', async (_name, bytes) => {
    const failure = await failureOf(indexOf(bytes));
    expect(failure).toMatchObject({ code: 'audio_unreadable', retryable: false });
    expect(failure.suggestions[0]?.description).toContain('ffmpeg');
  });

  test('any bytes yield an index or a failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3_000 }),
        fc.nat(speech.length),
        fc.nat(3_000),
        async (noise, at, length) => {
          const spoilt = join(speech.slice(0, at), noise, speech.slice(at + length));
          const index = await indexOf(spoilt, 1 + (noise[0] ?? 0) * 20).catch((error: unknown) => {
            expect(error).toBeInstanceOf(StageFailure);
            return null;
          });
          if (!index) return;
          for (let frame = 0; frame < index.frameCount; frame++) {
            expect(index.byteOffset(frame + 1)).toBeGreaterThan(index.byteOffset(frame));
          }
          expect(index.audioEnd).toBeLessThanOrEqual(spoilt.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('an abort stops it immediately, even while the source hangs', async () => {
    const controller = new AbortController();
    const hanging = {
      size: 1e6,
      async *read() {
        yield speech.slice(0, 1000);
        await new Promise(() => {});
      },
    };
    const indexing = indexMp3(hanging, controller.signal);
    controller.abort(new Error('enough'));
    expect(indexing).rejects.toThrow('enough');
  });
});
