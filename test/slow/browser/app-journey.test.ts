/** The whole job in a real browser, from a recording to a downloaded SRT file, also over broken connections and without one. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import {
  askForCode,
  chooseFile,
  goOffline,
  hides,
  makeCaptions,
  openApp,
  press,
  shownRun,
  shows,
  showsReview,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { downloaded, keepUploads, watchSent } from '../../support/browser/page-traffic.ts';
import { text } from '../../support/browser/words.ts';
import { encoder, needsBoth, probe, speech } from '../../support/media-files.ts';
import { sample } from '../../support/sample.ts';
import {
  client,
  type Client,
  ended,
  mailedCode,
  signUp,
  until,
} from '../../support/servers/client.ts';
import { startCuttingProxy } from '../../support/servers/cutting-proxy.ts';
import { removeFolder, startServerProcess } from '../../support/servers/server-process.ts';
import { appBench, startRun } from './support.ts';

setDefaultTimeout(300_000);

const { env, server, browser, folder, ann, hold, openRunning } = await appBench();

/** A film with the sample's speech, and its size. */
async function film(name: string): Promise<{ path: string; bytes: number }> {
  const codec = await encoder('libx264', 'libopenh264', 'mpeg4');
  // A video of a few hundred kilobits a second, the least for a recorded talk.
  const path = await speech(folder, name, '-c:a aac', `${codec} -b:v 600k`);
  return { path, bytes: Bun.file(path).size };
}

const captionsOf = async (of: Client, runId: string): Promise<string> =>
  (await of.get(`/workflows/captioner/${runId}/captions.srt`)).text();

/** The page's key, which is stored only with the user's consent. */
async function keyOf(page: Page): Promise<Client> {
  const kept = await page.evaluate(() => sessionStorage.getItem('captioner.session'));
  return client(server.url, JSON.parse(kept ?? '{}').key);
}

needsBoth('a film becomes an SRT; only its sound leaves the computer', async () => {
  const { path, bytes } = await film('Agent registration.mp4');
  const { page, faults } = await openApp(browser(), server.url);
  const sent = await watchSent(page);
  const uploaded = await keepUploads(page);
  await makeCaptions(page, path);

  // The sign-in dialog appears, and the MP3 is made in the meantime.
  await shows(page, text.signIn.kept);
  await askForCode(page, 'film@example.com');
  await shows(page, text.signIn.codeSent('film@example.com'));
  await page.keyboard.type(await mailedCode(server.dataDir, 'film@example.com'));
  await showsReview(page);
  const runId = await shownRun(page);

  const mp3 = await uploaded();
  const at = join(folder, 'uploaded.mp3');
  await Bun.write(at, mp3);
  expect(await probe(at)).toMatchObject({ codec: 'mp3', channels: 1, sampleRate: 16_000 });
  expect(mp3.length).toBeLessThan(bytes / 5);
  const bodies = sent.filter((request) => request.bytes > 0);
  expect(
    bodies.map(({ method, path: to }) => `${method} ${to.replace(/[\da-f-]{36}/, '…')}`),
  ).toEqual([
    'POST /agent/auth',
    'POST /agent/auth/claim/complete',
    'PUT /audio/app/…/Agent-registration.mp3',
    'POST /workflows/captioner',
  ]);
  const put = bodies.find(({ method }) => method === 'PUT');
  expect(put?.bytes).toBe(mp3.length);
  const others = bodies.filter((request) => request !== put);
  expect(Math.max(...others.map((request) => request.bytes))).toBeLessThan(2000);

  const { name, content } = await downloaded(page, folder, () => press(page, text.review.download));
  expect(name).toBe('Agent registration.srt');
  expect(content).toContain(' --> ');
  expect(content).toBe(await captionsOf(await keyOf(page), runId));
  expect(faults).toEqual([]);
  await page.close();
});

/** Presses Tab until the element with this name is focused. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    const found = await page.evaluate((wanted) => {
      const at = document.activeElement;
      if (!(at instanceof HTMLElement)) return false;
      const labels = 'labels' in at ? (at.labels as NodeListOf<HTMLLabelElement>) : null;
      const label = labels?.[0] ?? at;
      return (at.getAttribute('aria-label') ?? label.textContent).trim().startsWith(wanted);
    }, name);
    if (found) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to “${name}”`);
}

needsChromium('the keyboard alone is enough', async () => {
  const { page, faults } = await openApp(browser(), server.url);
  await tabTo(page, text.skip);
  await tabTo(page, text.start.choose);
  await chooseFile(page, sample);
  await tabTo(page, text.start.topic);
  await page.keyboard.type('Agent registration');
  await tabTo(page, text.start.language);
  // Slowly typed letters would each start a new search in the list.
  const language = () => page.$eval('select', (list) => list.value);
  while ((await language()) !== 'de') await page.keyboard.press('ArrowDown');
  // The recording is in English, and captions in German would not be.
  while ((await language()) !== 'en') await page.keyboard.press('ArrowUp');
  await tabTo(page, text.start.more);
  await page.keyboard.press('Enter');
  await tabTo(page, text.terms.glossary);
  await page.keyboard.type('AuthKit');
  await tabTo(page, text.start.make);
  await page.keyboard.press('Enter');

  // The focus moves to the dialog, then to the first box, then to the next.
  await page.waitForSelector('.sign-in input[type=email]:focus');
  await page.keyboard.type('keys@example.com');
  await tabTo(page, text.signIn.send);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.code-boxes input:focus');
  await page.keyboard.type(await mailedCode(server.dataDir, 'keys@example.com'));
  await showsReview(page);
  const runId = await shownRun(page);

  const { content } = await downloaded(page, folder, async () => {
    await page.keyboard.down('Control');
    await page.keyboard.press('KeyS');
    await page.keyboard.up('Control');
  });
  expect(content).toBe(await captionsOf(await keyOf(page), runId));
  const run = await (await keyOf(page)).run(runId);
  expect(run.envelope.result.input).toMatchObject({
    topic: 'Agent registration',
    glossary: ['AuthKit'],
    language: 'en',
  });
  expect(faults).toEqual([]);
  await page.close();
});

describe('uploads of the app over interrupted connections', async () => {
  /** A talk of a few megabytes. */
  const talk = await readFile(sample);
  const long = Buffer.concat(Array.from({ length: 40 }, () => talk));
  const file = join(folder, 'long-talk.mp3');
  await writeFile(file, long);

  /** Waits until the service has the whole recording. */
  const isStored = () =>
    until(async () => {
      const objects = join(server.dataDir, 'audio', 'objects');
      const names = await readdir(objects, { recursive: true }).catch(() => []);
      for (const name of names.filter((each) => each.endsWith('.mp3'))) {
        const at = join(objects, name);
        if (Bun.file(at).size === long.length && long.equals(await readFile(at))) return true;
      }
      return false;
    });

  needsChromium('a connection that is cut three times', async () => {
    const release = hold();
    const proxy = await startCuttingProxy(server.url, { cuts: 3, bytes: 1_500_000 });
    const { page } = await openApp(browser(), proxy.url, { client: ann });
    await makeCaptions(page, file, 'deepgram');
    await shownRun(page);
    expect(await isStored()).toBe(true);
    expect(proxy.cuts()).toBe(3);
    release();
    await proxy.close();
    await page.close();
  });

  needsChromium('a page that is loaded again in the middle', async () => {
    const release = hold();
    const proxy = await startCuttingProxy(server.url, { cuts: 1000, bytes: 2_500_000 });
    const { page } = await openApp(browser(), proxy.url, { client: ann });
    const isOnItsWay = page.waitForResponse((response) => response.url().endsWith('/resumable'));
    await makeCaptions(page, file, 'deepgram');
    const address = (await isOnItsWay).headers()['location'] ?? '';
    await until(async () => proxy.cuts() > 0);
    // The browser asks before an unfinished upload is abandoned.
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto('about:blank');
    await page.goto(`${proxy.url}/app#/`);
    const sent = await watchSent(page);
    await chooseFile(page, file);
    await press(page, text.start.make);
    await shownRun(page);
    expect(sent.some(({ path }) => path === '/resumable')).toBe(false);
    expect(sent.some(({ path }) => path === new URL(address).pathname)).toBe(true);
    expect(await isStored()).toBe(true);
    release();
    await proxy.close();
    await page.close();
  });
});

describe('the app without a connection or without the service', () => {
  needsChromium('an upload waits with a message, and continues by itself', async () => {
    const { page } = await openApp(browser(), server.url, { client: ann });
    await goOffline(page);
    await makeCaptions(page, sample);
    await shows(page, text.offline);
    await shows(page, text.run.reading);
    await page.setOfflineMode(false);
    await showsReview(page);
    await hides(page, text.offline);
    await page.close();
  });

  needsChromium('a review whose code cannot be loaded waits for the connection', async () => {
    const runId = await startRun(ann, 'offline.mp3');
    await ended(ann, runId);
    const { page } = await openApp(browser(), server.url, { client: ann, at: '/runs' });
    await shows(page, 'offline.mp3');
    // The run itself is available, but the code that shows it is not.
    await page.setRequestInterception(true);
    let isAway = true;
    page.on('request', (request) => {
      const isPart = request.resourceType() === 'script' || request.url().endsWith('/health');
      void (isAway && isPart ? request.abort('internetdisconnected') : request.continue());
    });
    const failed = new Promise((resolve) => page.once('requestfailed', resolve));
    await press(page, 'offline.mp3');
    await failed;
    await shows(page, text.offline);
    isAway = false;
    await showsReview(page);
    await hides(page, text.offline);
    await page.close();
  });

  needsChromium('a page whose scripts do not load shows a message', async () => {
    const { page } = await openApp(browser(), server.url, {
      before: async (opened) => {
        await opened.setRequestInterception(true);
        opened.on('request', (request) => {
          void (request.resourceType() === 'script' ? request.abort() : request.continue());
        });
      },
    });
    await shows(page, 'If this message stays, reload the page.');
    await page.close();
  });

  needsChromium('a service that stops and starts again is waited for', async () => {
    const first = await startServerProcess({ env });
    const bob = await signUp(first, 'bob@example.com');
    const { page, release } = await openRunning(bob);
    await first.kill();
    await shows(page, text.offline);
    const again = await startServerProcess({
      dataDir: first.dataDir,
      env: { ...env, PORT: new URL(first.url).port },
    });
    await hides(page, text.offline);
    await shows(page, text.run.stages['transcription'] ?? '');
    release();
    await showsReview(page);
    await page.close();
    await again.stop();
    await removeFolder(first.dataDir);
  });
});
