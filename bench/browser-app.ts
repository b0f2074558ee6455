/** The browser app in Chromium: what it loads, what it converts in a second, what a key costs. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'puppeteer-core';
import { chooseFile, openApp, press } from '../test/support/app.ts';
import { startChromium } from '../test/support/chromium.ts';
import { ended, signUp, type Client } from '../test/support/client.ts';
import { startHttpDouble } from '../test/support/http-double.ts';
import { removeFolder, startServerProcess } from '../test/support/server-process.ts';
import { deepgramAnswer, deepgramWire } from '../test/support/speech-doubles.ts';
import { bundleApp } from '../web/bundle.ts';
import { talk } from './captions.ts';
import { median } from './measure.ts';
import { recordingOfSeconds } from './recording.ts';

const MINUTES = 20;
/** About as many as make 3,000 captions. */
const LONG_TALK = 27_000;
const SHORT_TALK = 300;

/** A figure of the app, and what it is to be seen against. */
interface Figure {
  what: string;
  figure: string;
  against: string;
}

export async function browserApp(): Promise<Figure[]> {
  const browser = await startChromium();
  if (!browser || !Bun.which('ffmpeg')) {
    console.log('the browser app: no Chromium or no ffmpeg here');
    return [];
  }
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer([])));
  const server = await startServerProcess({
    env: { DEEPGRAM_API_KEY: 'key', DEEPGRAM_BASE_URL: deepgram.origin },
  });
  const client = await signUp(server, 'bench@example.com');
  const review = async (words: number): Promise<Typing> => {
    deepgram.behave(deepgramWire(deepgramAnswer(talk(words))));
    return typing(browser, client, await captioned(client));
  };
  const figures = [
    ...(await weights()),
    ...(await media(browser, client)),
    ...typed(await review(SHORT_TALK), await review(LONG_TALK)),
  ];
  await browser.close();
  await server.stop();
  await deepgram.close();
  await removeFolder(server.dataDir);
  return figures;
}

async function weights(): Promise<Figure[]> {
  const started = performance.now();
  const files = await bundleApp();
  const took = performance.now() - started;
  const kilobytes = (found: typeof files): string =>
    `${(found.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0) / 1000).toFixed(1)} KB`;
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  const entry = scripts.find(({ name }) => name.startsWith('main-'));
  const source = entry ? new TextDecoder().decode(entry.bytes) : '';
  // What the entry imports by itself, rather than on demand.
  const first = scripts.filter(
    ({ name }) => name === entry?.name || new RegExp(`from"\\./${name}"`).test(source),
  );
  return [
    { what: 'script of the first screen, gzip', figure: kilobytes(first), against: '60 KB' },
    { what: 'all script, gzip', figure: kilobytes(scripts), against: '' },
    { what: 'to bundle it', figure: `${took.toFixed(0)} ms`, against: '' },
  ];
}

/** A video of 20 minutes, from the file to its MP3 and its waveform. */
async function media(browser: Browser, client: Client): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'captioner-bench-'));
  const [mp3, mp4] = [join(folder, 'talk.mp3'), join(folder, 'talk.mp4')];
  await writeFile(mp3, recordingOfSeconds(MINUTES * 60));
  const video = '-f lavfi -i testsrc=size=640x360:rate=5'.split(' ');
  const codecs = '-shortest -c:v libx264 -preset ultrafast -c:a aac'.split(' ');
  spawnSync('ffmpeg', ['-y', '-loglevel', 'error', ...video, '-i', mp3, ...codecs, mp4]);
  const { page } = await openApp(browser, client.url, { client });
  await chooseFile(page, mp4);
  const started = performance.now();
  await press(page, 'Make captions');
  await page.waitForFunction(() => document.body.innerText.includes('Made MP3'), {
    timeout: 300_000,
  });
  const took = performance.now() - started;
  await page.browserContext().close();
  await rm(folder, { recursive: true });
  const times = (ms: number): string => `${Math.round((MINUTES * 60_000) / ms)} × real time`;
  return [
    { what: `MP4 of ${MINUTES} min to MP3, in the page`, figure: times(took), against: '278 ×' },
  ];
}

async function captioned(client: Client): Promise<string> {
  await client.put('bench.mp3', recordingOfSeconds(60));
  const started = await client.start({
    audio: { key: 'bench.mp3' },
    transcription: { provider: 'deepgram' },
  });
  const { runId } = await started.json();
  await ended(client, runId, 120_000);
  return runId;
}

interface Typing {
  cues: number;
  /** Milliseconds from asking for the review to its captions. */
  opened: number;
  /** Milliseconds of script and layout for each key. */
  keys: number[];
}

const KEYS = 80;

async function typing(browser: Browser, client: Client, runId: string): Promise<Typing> {
  const started = performance.now();
  const { page } = await openApp(browser, client.url, { client, at: `/runs/${runId}` });
  await page.waitForSelector('.cue textarea');
  const opened = performance.now() - started;
  const cues = await page.$eval('.cue', (row) => Number(row.getAttribute('aria-setsize')));
  // In the middle of the talk.
  await page.$eval('.cue-list', (list) => list.scrollTo(0, list.scrollHeight / 2));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await measureKeys(page);
  const rows = await page.$$('.cue textarea');
  await rows[Math.floor(rows.length / 2)]?.click();
  for (let key = 0; key < KEYS; key += 1)
    await page.keyboard.press(key % 7 === 6 ? 'Space' : 'KeyE');
  const keys = await page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys);
  await page.browserContext().close();
  return { cues, opened, keys };
}

/** From the key to the page that is laid out anew: all that keeps the next frame waiting. */
const measureKeys = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const keys: number[] = [];
    Object.assign(globalThis, { keys });
    let pressed = 0;
    addEventListener('keydown', () => (pressed = performance.now()), { capture: true });
    addEventListener('input', () => {
      // Preact renders in a microtask.
      setTimeout(() => {
        void document.body.offsetHeight;
        keys.push(performance.now() - pressed);
      });
    });
  });

function typed(short: Typing, long: Typing): Figure[] {
  const percentile = (list: number[], part: number): number =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length * part)] ?? 0;
  const of = ({ keys }: Typing): string =>
    `${median(keys).toFixed(1)} ms, 99th ${percentile(keys, 0.99).toFixed(1)} ms`;
  return [
    {
      what: `to open a review of ${long.cues} captions`,
      figure: `${long.opened.toFixed(0)} ms`,
      against: `${short.opened.toFixed(0)} ms for ${short.cues}`,
    },
    {
      what: `a key typed among ${long.cues} captions`,
      figure: of(long),
      against: `${of(short)} among ${short.cues}`,
    },
  ];
}
