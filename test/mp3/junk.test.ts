/** Junk and tags in the middle of a recording. */
import { expect, test } from 'bun:test';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { failureOf } from '../support/failure-of.ts';
import { ape, fixture, id3, id3v1, join, junk, source } from './support.ts';

const indexOf = (bytes: Uint8Array) => indexMp3(source(bytes));

const speech = fixture('mono-16k.mp3');

test.each([
  ['as many bytes of junk as of sound, less a few', -8, true],
  ['more junk than sound', 8, false],
])('%s', async (_name, more, isRead) => {
  const { byteOffset, audioEnd, frameCount } = await indexOf(speech);
  const cut = byteOffset(20);
  const damaged = join(speech.slice(0, cut), junk(audioEnd + more), speech.slice(cut, audioEnd));
  if (isRead) expect((await indexOf(damaged)).frameCount).toBe(frameCount);
  else expect((await failureOf(indexOf(damaged))).message).toContain('More than half');
});

test.each([
  ['an ID3 tag', (inside: Uint8Array) => join(id3(0, inside.length).slice(0, 10), inside)],
  ['an APE tag', ape],
  ['an ID3v1 tag', id3v1],
])('frames inside %s within junk do not belong to the sound', async (_name, tagged) => {
  const plain = await indexOf(speech);
  const cut = plain.byteOffset(20);
  // Three frames of 36 bytes, 8 kbit/s at 16 kHz; the next frame of the sound follows them.
  const inside = new Uint8Array(108);
  for (const at of [0, 36, 72]) inside.set([0xff, 0xf3, 0x18, 0xc4], at);
  const damaged = join(speech.slice(0, cut), junk(700), tagged(inside), speech.slice(cut));
  expect((await indexOf(damaged)).frameCount).toBe(plain.frameCount);
  const untagged = join(speech.slice(0, cut), junk(700), inside, speech.slice(cut));
  expect((await indexOf(untagged)).frameCount).toBe(plain.frameCount + 3);
});
