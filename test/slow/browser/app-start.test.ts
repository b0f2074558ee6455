/** The first page: its appearance, and its messages for missing, empty or unusable recordings. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { text } from '../../support/browser/words.ts';
import {
  chooseFile,
  makeCaptions,
  openApp,
  press,
  shows,
  showsReview,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { sample } from '../../support/sample.ts';
import { encoder, ffmpeg, needsBoth, speech } from '../../support/media-files.ts';
import { appBench } from './support.ts';

setDefaultTimeout(300_000);

const { server, browser, folder, ann } = await appBench();

describe('before a run', () => {
  needsChromium('all that is needed is on the first screen, wide and narrow', async () => {
    const { page, faults } = await openApp(browser(), server.url);
    await chooseFile(page, sample);
    await shows(page, 'agent-registration.mp3');
    for (const [width, height] of [
      [1280, 800],
      [360, 740],
    ] as const) {
      await page.setViewport({ width, height });
      const bottom = await page.$eval('button[type=submit]', (button) => {
        scrollTo(0, 0);
        return button.getBoundingClientRect().bottom;
      });
      expect(bottom).toBeLessThan(height);
    }
    expect(faults).toEqual([]);
    await page.close();
  });
});

needsChromium('a sample opens for review with its sound, without a run or a key', async () => {
  const { page, faults } = await openApp(browser(), server.url);
  await press(page, text.start.sample);
  await page.waitForSelector('.cue');
  await shows(page, 'Terms (1)');
  expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Sample talk');
  await page.waitForFunction(() => (document.querySelector('video')?.duration ?? 0) > 30);
  await page.setViewport({ width: 360, height: 800 });
  await press(page, 'Check');
  await press(page, text.review.editCaption(1));
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('cue-text');
  expect(faults).toEqual([]);
  await page.close();
});

describe('a file that cannot be converted to MP3', () => {
  needsChromium('is no media', async () => {
    const path = join(folder, 'notes.mp4');
    await Bun.write(path, 'This is text.\n'.repeat(500));
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.unreadable);
    expect(await page.$('pre')).toBeNull();
    expect(faults).toEqual([]);
    // Another file in its place starts at once.
    await page.waitForFunction(() => document.querySelector('main input[type=file]'));
    await chooseFile(page, sample);
    await showsReview(page);
    await page.close();
  });

  needsBoth('is a video without sound', async () => {
    const codec = await encoder('libx264', 'libopenh264', 'mpeg4');
    const pictures = '-f lavfi -i testsrc2=size=160x90:rate=10 -t 3';
    const path = await ffmpeg(join(folder, 'mute.mp4'), pictures, codec);
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.no_audio);
    expect(faults).toEqual([]);
    await page.close();
  });

  needsBoth('has sound that this browser cannot read: a line makes the MP3', async () => {
    const path = await speech(folder, `Ann's talk.m4a`, '-c:a alac');
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.codec_unsupported);
    const line = await page.$eval('pre', (block) => block.textContent);
    // The displayed command works in a shell.
    expect(await Bun.spawn(['sh', '-c', line], { cwd: folder, stderr: 'ignore' }).exited).toBe(0);
    expect(Bun.file(join(folder, `Ann's talk.mp3`)).size).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
    await page.close();
  });
});
