/** The app in Firefox: from a recording to a file of captions, and the desk with the user's own captions. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { readSrt } from '../../../server/captions/files/srt.ts';
import { makeCaptions, showsReview } from '../../support/browser/app.ts';
import { needsFirefox, startFirefox } from '../../support/browser/firefox.ts';
import { rememberFiles, ReviewPage } from '../../support/browser/review-page.ts';
import { signUp } from '../../support/servers/client.ts';
import { deepgramServer } from '../../support/servers/deepgram-server.ts';
import { sample } from '../../support/sample.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const firefox = await startFirefox();
const folder = await temporaryFolder();
const server = await deepgramServer();
afterAll(async () => {
  await firefox?.close();
  await removeFolder(folder);
});

/** The start page. @param session the sign-in that the tab remembers */
async function open(session?: string): Promise<{ page: Page; faults: string[] }> {
  if (!firefox) throw new Error('there is no Firefox');
  const context = await firefox.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await rememberFiles(page);
  if (session) {
    await page.evaluateOnNewDocument((kept: string) => {
      sessionStorage.setItem('captioner.session', kept);
    }, session);
  }
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(`${server.url}/app`);
  return { page, faults };
}

/** The state of the player. */
const video = (page: Page) =>
  page.$eval('video', ({ currentTime, paused, videoWidth }) => ({
    currentTime,
    paused,
    videoWidth,
  }));

needsFirefox('a recording is captioned, edited by keys, and downloaded', async () => {
  const ann = await signUp(server, 'ann@example.com');
  const session = JSON.stringify({ key: ann.key, email: 'ann@example.com' });
  const { page, faults } = await open(session);
  await makeCaptions(page, sample, 'deepgram');
  await showsReview(page);
  await page.waitForSelector('.cue textarea');
  const review = new ReviewPage({ page, faults });
  const before = await review.cues();
  await review.type(1, ' indeed');
  await review.keys('Alt+ArrowDown', 'Control+ArrowRight', 'Alt+Enter');
  expect((await review.current()).caption).toBe(3);
  await review.keys('Backspace');
  const after = await review.cues();
  expect(after).toHaveLength(before.length);
  expect(after[0]?.lines.join(' ')).toEndWith('indeed');
  // A tool of the mouse leaves the cursor where it is.
  await review.focus(2, 6);
  await review.press('Split');
  expect(await review.cues()).toHaveLength(before.length + 1);
  await review.press('Undo');
  expect(await review.current()).toMatchObject({ caption: 2, typing: true });
  await review.keys('Control+KeyK');
  // A window that is not the active one has no `:focus` in Firefox.
  await page.waitForFunction(() => document.activeElement?.closest('.palette') !== null);
  await page.keyboard.type('vtt');
  await review.keys('Enter');
  await page.waitForFunction(() => document.querySelector('.said')?.textContent?.includes('.vtt'));
  expect(await review.lastFile()).toStartWith('WEBVTT');
  await review.keys('Control+Enter');
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.3);
  expect((await video(page)).paused).toBe(false);
  await review.keys('Alt+KeyK');
  // All of it is there again after a reload.
  await page.reload();
  await page.waitForSelector('.cue textarea');
  expect(readSrt(await review.srt())[0]?.lines.join(' ')).toEndWith('indeed');
  expect(faults).toEqual([]);
});

needsFirefox('captions that somebody has open with their video, and are kept', async () => {
  const film = join(folder, 'film.webm');
  const made = Bun.spawnSync(
    `ffmpeg -v error -f lavfi -i testsrc=size=160x90:rate=25:duration=6 -f lavfi -i sine=duration=6 -c:v libvpx -c:a libopus ${film}`.split(
      ' ',
    ),
  );
  expect(made.exitCode).toBe(0);
  const srt = join(folder, 'film.srt');
  await Bun.write(
    srt,
    '1\n00:00:01,000 --> 00:00:03,000\nHello there.\n\n2\n00:00:04,000 --> 00:00:05,500\nGood bye.\n',
  );
  const { page, faults } = await open();
  const input = await page.waitForSelector('input[type=file]');
  await input?.uploadFile(srt, film);
  await page.waitForSelector('.cue textarea');
  const review = new ReviewPage({ page, faults });
  await page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
  expect((await video(page)).videoWidth).toBe(160);
  await review.focus(2);
  await review.keys('Alt+ArrowUp', 'Alt+KeyP');
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1.2);
  await review.keys('Alt+KeyK', 'Alt+ArrowDown');
  await page.keyboard.type('Well. ');
  await review.settled();
  expect((await review.cues())[1]?.lines).toEqual(['Well. Good bye.']);
  expect(faults).toEqual([]);
});
