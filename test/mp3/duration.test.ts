/** Refusing recordings that are too long by their frames, without reading them completely. */
import { describe, expect, test } from 'bun:test';
import { longerThan } from '../../server/mp3/duration.ts';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { tagLength } from '../../server/mp3/tags.ts';
import { fixture, id3, join, junk, source } from './support.ts';

/** Frames of silence at 8 kbit/s and 8 kHz (MPEG 2.5), with 72 bytes and 72 ms each. */
function sparse(frames: number): Uint8Array {
  const bytes = new Uint8Array(frames * 72);
  for (let at = 0; at < bytes.length; at += 72) bytes.set([0xff, 0xe3, 0x18, 0xc0], at);
  return bytes;
}

/** A recording that counts the bytes read. */
function counted(bytes: Uint8Array) {
  const audio = source(bytes);
  let read = 0;
  return {
    size: audio.size,
    async *read() {
      for await (const chunk of audio.read()) {
        read += chunk.length;
        yield chunk;
      }
    },
    bytesRead: () => read,
  };
}

describe('the maximum length', () => {
  test.each([
    'mono-16k.mp3',
    'chirp-stereo-44k-vbr.mp3',
    'chirp-stereo-48k.mp3',
    'free-format.mp3',
  ])('%s exceeds half of its length, and not its length', async (name) => {
    const bytes = fixture(name);
    const { duration } = await indexMp3(source(bytes));
    expect(await longerThan(source(bytes), duration / 2)).toBeGreaterThan(duration / 2);
    // The encoder's delay and the information frame count too: a tenth of a second.
    expect(await longerThan(source(bytes), duration + 0.2)).toBeNull();
  });

  test('frames are counted if the size allows more than the limit', async () => {
    const bytes = sparse(10_000);
    expect(await longerThan(source(bytes), 719)).toBeGreaterThan(719);
    expect(await longerThan(source(bytes), 720.1)).toBeNull();
    expect(await longerThan(source(bytes), 720)).toBeNull();
    expect(await longerThan(source(bytes), 719.95)).toBeCloseTo(720, 6);
    // Bytes that are no frames could be some, but do not count.
    expect(await longerThan(source(join(bytes, junk(5000))), 720)).toBeNull();
  });

  test('a dense recording is measured from its first bytes', async () => {
    const audio = counted(
      join(...Array.from({ length: 50 }, () => fixture('chirp-stereo-48k.mp3'))),
    );
    expect(await longerThan(audio, 12 * 3600)).toBeNull();
    expect(audio.bytesRead()).toBeLessThanOrEqual(8192);
  });

  test.each([
    ['chirp-stereo-48k.mp3', 96, 1152 / 48_000],
    ['chirp-stereo-44k-vbr.mp3', 104, 1152 / 44_100],
    ['chirp-mono-22k-id3.mp3', 26, 576 / 22_050],
    ['mono-16k.mp3', 36, 576 / 16_000],
    ['mono-8k-no-info.mp3', 72, 576 / 8000],
    ['free-format.mp3', 24, 576 / 16_000],
  ])('%s: its size allows no more than frames of %p bytes', async (name, shortest, seconds) => {
    const bytes = fixture(name);
    const recording = join(bytes, junk(60_000));
    const most = ((recording.length - tagLength(bytes, 0)) / shortest) * seconds;
    const [sure, unsure] = [counted(recording), counted(recording)];
    expect(await longerThan(sure, most + 0.01)).toBeNull();
    expect(sure.bytesRead()).toBeLessThanOrEqual(16_384);
    expect(await longerThan(unsure, most - 0.01)).toBeNull();
    expect(unsure.bytesRead()).toBe(recording.length);
  });

  test('a far too long recording is read only up to the limit', async () => {
    const audio = counted(sparse(10_000));
    expect(await longerThan(audio, 60)).toBeGreaterThan(60);
    expect(audio.bytesRead()).toBeLessThan(audio.size / 8);
  });

  test('an information frame that claims one second has no effect', async () => {
    const liar = fixture('mono-16k.mp3').slice();
    const text = Buffer.from(liar.buffer).indexOf(Buffer.from('Info'));
    const mark = text === -1 ? Buffer.from(liar.buffer).indexOf(Buffer.from('Xing')) : text;
    expect(mark).toBeGreaterThan(0);
    new DataView(liar.buffer).setUint32(mark + 8, 1);
    const { duration } = await indexMp3(source(liar));
    expect(await longerThan(source(liar), duration / 2)).not.toBeNull();
  });

  test('frames behind tags, behind a false tag, and none at all', async () => {
    const bytes = sparse(2000);
    expect(await longerThan(source(join(id3(5000), bytes)), 100)).toBeGreaterThan(100);
    expect(await longerThan(source(join(id3(500, 90_000_000), bytes)), 100)).toBeGreaterThan(100);
    expect(await longerThan(source(junk(5000)), 1)).toBeNull();
    expect(await longerThan(source(new Uint8Array(0)), 1)).toBeNull();
  });
});
