/** Recognising MP3 by its bytes in a real Chromium, before the conversion library is loaded. */
import { expect, setDefaultTimeout } from 'bun:test';
import { sample } from '../../support/sample.ts';
import { mediaBench } from './bench.ts';
import { AAC, ffmpeg, needsBoth, speech } from '../../support/media-files.ts';

setDefaultTimeout(300_000);

const { folder, at, isMp3, loadedSizes, written } = await mediaBench();

needsBoth('the first bundle is small: the library comes with the first conversion', async () => {
  const sizes = await loadedSizes();
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000);
});

needsBoth(
  'an MP3 is recognised by its bytes: bare, with tags, after zeros, after junk',
  async () => {
    const bare = await ffmpeg(
      at('bare.mp3'),
      '-i',
      sample,
      '-c copy -id3v2_version 0 -write_xing 0',
    );
    const tags = '-metadata title=Talk -c:a libmp3lame -ar 44100 -ac 2';
    const tagged = await speech(folder, 'tagged.mp3', tags);
    const frames = await Bun.file(bare).bytes();
    expect(frames[0]).toBe(0xff);
    const behind = (before: Uint8Array): Uint8Array => new Uint8Array([...before, ...frames]);
    const zeros = await written('zeros.mp3', behind(new Uint8Array(60_000)));
    const junk = await written('junk.mp3', behind(new Uint8Array(3_000).fill(0xab)));
    const buried = await written('buried.mp3', behind(new Uint8Array(70_000).fill(0xab)));
    for (const path of [sample, bare, tagged, zeros, junk]) {
      expect([path, await isMp3(path)]).toEqual([path, true]);
    }
    expect(await isMp3(buried)).toBe(false);
  },
);

needsBoth('nothing else is recognised as an MP3, even with MP3 inside', async () => {
  const others = [
    await speech(folder, 'other.wav', '-ac 2'),
    await speech(folder, 'inside.wav', '-c:a libmp3lame'),
    await speech(folder, 'inside.mkv', '-c:a libmp3lame'),
    await speech(folder, 'inside.mp4', '-c:a libmp3lame'),
    await speech(folder, 'other.m4a', AAC),
    await speech(folder, 'other.aac', AAC),
    await speech(folder, 'layer2.mp2', '-c:a mp2'),
    await speech(folder, 'other.flac', '-c:a flac'),
    await written('text.mp3', 'This is text.\n'.repeat(100)),
    await written('empty.mp3', ''),
  ];
  for (const path of others) {
    expect([path, await isMp3(path)]).toEqual([path, false]);
  }
});
