/** The information frame of an MP3 made in the browser, completed as players read it. */
import { expect, test } from 'bun:test';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { markEncoderDelay } from '../../server/mp3/encoder-delay.ts';
import { readEncoderDelay } from '../../web/media/encoder-delay.ts';
import { fixture, id3, join, source } from '../mp3/support.ts';

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

test('the padding fits into twelve bits, and is zero if the sound fills the frames', async () => {
  const { frameCount } = await indexMp3(source(muxed().bytes));
  for (const [samples, padding] of [
    [0, 4095 - 529],
    [frameCount * 576, 0],
  ] as const) {
    const { bytes } = muxed();
    markEncoderDelay(bytes.buffer, samples);
    expect((await indexMp3(source(bytes))).paddingSamples).toBe(padding);
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

test('an MP3 with another beginning is not changed', () => {
  const plain = new Uint8Array(fixture('mono-8k-no-info.mp3'));
  const before = plain.slice();
  markEncoderDelay(plain.buffer, 1000);
  expect(plain).toEqual(before);
  const uncounted = muxed();
  new DataView(uncounted.bytes.buffer).setUint32(uncounted.mark + 4, 14);
  const whole = uncounted.bytes.slice();
  markEncoderDelay(uncounted.bytes.buffer, 1000);
  expect(uncounted.bytes).toEqual(whole);
});

test('bytes that are no MP3 are not changed', () => {
  const bytes = new Uint8Array(2000);
  markEncoderDelay(bytes.buffer, 16_000);
  expect(bytes.every((byte) => byte === 0)).toBe(true);
});

test('an information frame without room for the delay is not changed', () => {
  // MPEG 2, 16 kHz, mono: 36 bytes a frame at 8 kbit/s, 72 at 16; the delay ends at byte 61.
  const frame = (bitrate: number): ArrayBuffer => {
    const bytes = new Uint8Array(200);
    bytes.set([0xff, 0xf3, (bitrate << 4) | 8, 0xc0]);
    bytes.set(new TextEncoder().encode('Xing'), 13);
    new DataView(bytes.buffer).setUint32(17, 1);
    new DataView(bytes.buffer).setUint32(21, 100);
    return bytes.buffer;
  };
  const isChanged = (bitrate: number): boolean => {
    const made = frame(bitrate);
    markEncoderDelay(made, 50_000);
    return Buffer.from(made).compare(Buffer.from(frame(bitrate))) !== 0;
  };
  // Free format has no length.
  expect([0, 1, 2].map(isChanged)).toEqual([false, false, true]);
});
