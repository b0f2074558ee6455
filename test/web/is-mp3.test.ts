/** Recognising MP3 by its bytes, however they are read. */
import { expect, test } from 'bun:test';
import { isMp3 } from '../../web/media/mp3.ts';
import { fixture, id3, join, junk } from '../mp3/support.ts';

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

test('the file is read only until its bytes decide, each part once', async () => {
  const reads: unknown[] = [];
  const file = new Blob([join(id3(300 * KIB), mp3, new Uint8Array(500 * KIB)) as never]);
  const { slice } = file;
  file.slice = (...range) => {
    reads.push(range);
    return slice.apply(file, range);
  };
  expect(await isMp3(file)).toBe(true);
  expect(reads).toEqual([0, 128, 256].map((from) => [from * KIB, (from + 128) * KIB]));
});
