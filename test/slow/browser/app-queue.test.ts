/** Several recordings in one go: their progress, their ends, and their files. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { queueText } from '../../../web/texts/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import {
  chooseProvider,
  openApp,
  press,
  shows,
  typeInFirstCaption,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { rememberFiles } from '../../support/browser/review-page.ts';
import { sample } from '../../support/sample.ts';
import { ffmpeg, needsBoth } from '../../support/media-files.ts';
import { appBench } from './support.ts';

setDefaultTimeout(300_000);

const { server, browser, folder, ann, hold } = await appBench();
const FILM = `-i ${sample} -f lavfi -i color=c=blue:s=64x36:r=5`;

/** The states of the recordings of a queue, as the page names them. */
const statesOf = (page: Page) =>
  page.$$eval('.queue .state', (all) => all.map(({ textContent }) => textContent));

describe('several recordings', () => {
  needsChromium(
    'are captioned one after the other on one page, with links to their reviews',
    async () => {
      const paths = ['One.mp3', 'Two.mp3', 'Three.mp3'].map((name) => join(folder, name));
      for (const path of paths) await Bun.write(path, Bun.file(sample));
      const release = hold();
      const { page, faults } = await openApp(browser(), server.url, { client: ann });
      const input = await page.waitForSelector('input[type=file]');
      await input?.uploadFile(...paths);
      await shows(page, text.start.files(3));
      await chooseProvider(page, 'deepgram');
      await press(page, text.start.make);
      await page.waitForFunction(() => document.querySelectorAll('.queue li').length === 3);
      // One is cancelled while the service works on it, and says so at once.
      await page.waitForFunction(
        (working) => document.querySelector('.queue .state')?.textContent === working,
        {},
        queueText.running,
      );
      await press(page, queueText.cancel('One.mp3'));
      await shows(page, queueText.cancelled);
      // Other screens show a notice with a link back.
      await page.evaluate(() => (location.hash = '#/'));
      await shows(page, text.start.queueUnderWay(2));
      await page.locator('.notice a').click();
      release();
      await shows(page, queueText.allDone(3));
      expect(await statesOf(page)).toEqual([
        queueText.cancelled,
        queueText.completed,
        queueText.completed,
      ]);
      await expectToLookWell(page, 'queue');
      await press(page, queueText.review('Two.mp3'));
      await page.waitForSelector('.cue');
      expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Two');
      expect(faults).toEqual([]);
      await page.close();
    },
  );

  needsBoth('of five formats are captioned and downloaded together', async () => {
    const talk = '-t 8 -ar 16000 -ac 1';
    const paths = [
      join(folder, 'Mp3.mp3'),
      await ffmpeg(join(folder, 'M4a.m4a'), `-i ${sample} ${talk}`),
      await ffmpeg(join(folder, 'Film.webm'), FILM, talk, '-c:v libvpx -c:a libopus'),
      join(folder, 'Broken.mov'),
      await ffmpeg(join(folder, 'Silent.mp3'), '-f lavfi -i anullsrc=r=16000:cl=mono -t 4'),
    ];
    await Bun.write(paths[0]!, Bun.file(sample));
    await Bun.write(paths[3]!, 'This is no film.'.repeat(50));
    const { page, faults } = await openApp(browser(), server.url, {
      client: ann,
      before: async (opened) => void (await rememberFiles(opened)),
    });
    const input = await page.waitForSelector('input[type=file]');
    await input?.uploadFile(...paths);
    await press(page, text.start.make);
    await shows(page, queueText.allDone(5));
    await shows(page, text.run.conversion.unreadable);
    await shows(page, queueText.silent);
    expect(await statesOf(page)).toEqual([
      queueText.completed,
      queueText.completed,
      queueText.completed,
      queueText.failed,
      queueText.silent,
    ]);
    await page.waitForSelector(`[aria-label="${queueText.look('Silent.mp3')}"]`);
    await press(page, queueText.review('Film.webm'));
    await typeInFirstCaption(page, 'So: ');
    await page.goBack();
    await press(page, queueText.convert);
    await shows(page, `${queueText.converted(3)} ${queueText.without('Silent.mp3')}`);
    // The page also makes MP3 files, and the script that makes them.
    const made = await page.evaluate(() =>
      Promise.all((globalThis as any).filesMade.slice(-3).map((file: Blob) => file.text())),
    );
    expect(made.map((file) => file.slice(0, 5))).toEqual(['1\n00:', '1\n00:', '1\n00:']);
    expect(made.map((file) => file.includes('So:'))).toEqual([false, false, true]);
    expect(faults).toEqual([]);
    await page.close();
  });
});
