/**
 * Makes every picture of the README and of the front page from the real app, and the film of its sample: starts the
 * service, opens the sample, and photographs it. Run it after a change of the app: `npm run pictures`. Needs Chromium and
 * ffmpeg.
 */
import { $ } from 'bun';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, type Page } from 'puppeteer-core';
import { readConfig } from '../server/config/config.ts';
import { createLog } from '../server/base/log.ts';
import { startServer } from '../server/main.ts';
import { phone } from '../web/texts/desk-parts.ts';
import { say } from './terminal.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const recording = join(root, 'sample/agent-registration.mp3');
const film = join(root, 'sample/agent-registration.webm');
const firstPicture = join(root, 'sample/agent-registration.webp');
/** When the misheard term is spoken, in seconds. */
const TERM_AT = 23.9;

/** The talk as a film would show it: a speaker beside the slide. */
const SCENE = `<!doctype html><body style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1280 720" width="1280" height="720" font-family="system-ui,sans-serif">
<defs>
<linearGradient id="hall" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#101a2b"/><stop offset="1" stop-color="#27384f"/></linearGradient>
<radialGradient id="light" cx=".22" cy=".3" r=".55"><stop offset="0" stop-color="#ffe9c4" stop-opacity=".55"/><stop offset="1" stop-color="#ffe9c4" stop-opacity="0"/></radialGradient>
<linearGradient id="floor" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#3b4b63"/><stop offset="1" stop-color="#1a2536"/></linearGradient>
</defs>
<rect width="1280" height="720" fill="url(#hall)"/>
<rect y="560" width="1280" height="160" fill="url(#floor)"/>
<rect x="500" y="70" width="700" height="410" rx="10" fill="#f7f7f2"/>
<text x="550" y="165" font-size="54" font-weight="700" fill="#172033">Agents that sign up</text>
<text x="550" y="212" font-size="28" fill="#5b6472">on their own, with a person’s consent</text>
<g fill="none" stroke="#0b5c8a" stroke-width="4">
<rect x="552" y="280" width="150" height="90" rx="14"/><rect x="775" y="280" width="150" height="90" rx="14"/><rect x="998" y="280" width="150" height="90" rx="14"/>
<path d="M706 325h58m-14-11 14 11-14 11M929 325h58m-14-11 14 11-14 11"/>
</g>
<g font-size="27" font-weight="600" fill="#172033" text-anchor="middle"><text x="627" y="334">agent</text><text x="850" y="334">code</text><text x="1073" y="334">key</text></g>
<text x="550" y="440" font-size="24" fill="#5b6472">MCP Night</text>
<rect width="1280" height="720" fill="url(#light)"/>
<g>
<path d="M150 720c4-140 20-228 52-262 26-26 60-34 96-34s74 10 98 36c30 34 42 120 48 260z" fill="#20344d"/>
<path d="M262 424l38 66 38-66-12-30h-52z" fill="#f1e3d3"/><path d="M300 490l-13-30 13-12 13 12z" fill="#0b5c8a"/>
<ellipse cx="300" cy="335" rx="58" ry="72" fill="#d9a67f"/>
<path d="M238 330c-8-62 24-96 66-96 46 0 72 34 60 98-10-34-28-50-52-54-30 8-56 14-74 52z" fill="#2b1d17"/>
<path d="M392 500c40 4 66-36 92-92l26 14c-20 66-56 130-112 140z" fill="#20344d"/><circle cx="500" cy="404" r="20" fill="#d9a67f"/>
</g>
<g><path d="M118 520h150v200H118z" fill="#6b4a32"/><path d="M104 500h178v26H104z" fill="#825c40"/><path d="M205 500c0-46 20-60 38-80" stroke="#0d121b" stroke-width="5" fill="none"/><circle cx="246" cy="416" r="9" fill="#0d121b"/></g>
</svg>`;

const executablePath = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => Bun.which(name))
  .find((path) => path !== null);
if (!executablePath || !Bun.which('ffmpeg')) throw new Error('Chromium and ffmpeg are needed.');

const folder = await mkdtemp(join(tmpdir(), 'captioner-pictures-'));
const config = readConfig({
  ...process.env,
  DATA_DIR: folder,
  DATABASE_URL: '',
  AUDIO_STORE_URL: '',
  IDENTITY: 'embedded',
  HOST: '127.0.0.1',
  PORT: '0',
  BASE_URL: '',
});
const browser = await launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  protocolTimeout: 600_000,
});
// The film first: it is a part of the app. It is kept, because it takes minutes; without it, it is made again.
if (!(await Bun.file(film).exists())) await insisting(makeFilm);
const server = await startServer(config, { ...createLog('error'), audit: () => {} });
try {
  await insisting(wide);
  await insisting(narrow);
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Tries once more: on a machine that is short of memory, Chromium ends a page now and then. */
async function insisting(work: () => Promise<void>): Promise<void> {
  await work().catch(async (error: unknown) => {
    say(`Once more, after: ${String(error)}`);
    await work();
  });
}

/** Films the scene, with the sound of the sample: the video of the sample. */
async function makeFilm(): Promise<void> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 720 });
  await page.setContent(SCENE);
  const still = join(folder, 'still.png') as `${string}.png`;
  await page.screenshot({ path: still });
  await page.close();
  await $`ffmpeg -loglevel error -y -loop 1 -framerate 25 -i ${still} -i ${recording} -vf scale=960:540 -c:v libvpx-vp9 -deadline good -cpu-used 4 -g 250 -crf 36 -b:v 0 -c:a libopus -b:a 24k -ac 1 -t 35 ${film}`;
  await $`ffmpeg -loglevel error -y -i ${film} -frames:v 1 -c:v libwebp -quality 70 ${firstPicture}`;
  for (const file of [film, firstPicture]) await chmod(file, 0o644);
  say(`agent-registration.webm: ${Math.ceil(Bun.file(film).size / 1000)} kB`);
}

/** The desk on a wide screen, and the film before and after the term is corrected. */
async function wide(): Promise<void> {
  const look = { width: 1440, height: 960 };
  const dark = await openSample({ ...look, scheme: 'dark' });
  await photograph(dark, 'desk-dark', 1000);
  await dark.close();
  const page = await openSample({ ...look, scheme: 'light' });
  await photograph(page, 'desk-light', 1000);
  await Bun.write(join(root, 'docs/review.png'), await page.screenshot({ type: 'png' }));
  await photograph(page, 'desk-narrow', 716, await leftOf(page));
  await photograph(page, 'frame-after', 640, await filmIn(page));
  await page.click('.term-actions button:last-child');
  await seek(page, TERM_AT);
  await photograph(page, 'frame-before', 640, await filmIn(page));
  await page.close();
}

/** The desk on a phone: the captions, and the terms to check. */
async function narrow(): Promise<void> {
  const page = await openSample({ width: 360, height: 740, scheme: 'light' });
  await photograph(page, 'phone-desk', 320);
  await page.waitForFunction(
    (wanted) => {
      const button = [...document.querySelectorAll<HTMLElement>('.phone-bar button')].find(
        (each) => each.textContent?.trim() === wanted,
      );
      button?.click();
      return button !== undefined;
    },
    {},
    phone.parts.check,
  );
  await new Promise((done) => setTimeout(done, 1000));
  await photograph(page, 'phone-check', 320);
  await page.close();
}

/** The recording and what is to be checked, which a phone shows large enough to be read. */
function leftOf(page: Page): Promise<Rect> {
  return page.$eval('.desk-left', (part) => {
    const { x, y, width } = part.getBoundingClientRect();
    return { x, y, width, height: width };
  });
}

/** The place of the film in the page, without the bars beside it. */
function filmIn(page: Page): Promise<Rect> {
  return page.$eval('video', (video) => {
    const { x, y, width, height } = video.getBoundingClientRect();
    const shown = Math.min(width, (height * 16) / 9);
    return {
      x: x + (width - shown) / 2,
      y: y + (height - (shown * 9) / 16) / 2,
      width: shown,
      height: (shown * 9) / 16,
    };
  });
}

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Look {
  width: number;
  height: number;
  scheme: 'light' | 'dark';
}

/** Opens the sample, at the misheard term. */
async function openSample({ width, height, scheme }: Look): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.goto(`${server.url}/app#/sample`);
  await page.waitForSelector('.cue textarea');
  await page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
  await seek(page, TERM_AT);
  // The term is chosen where it is shown, and the waveform is drawn.
  if (width > 1000) await page.click('.term-sentence');
  await new Promise((done) => setTimeout(done, 7000));
  await seek(page, TERM_AT);
  return page;
}

async function seek(page: Page, time: number): Promise<void> {
  await page.evaluate(async (at) => {
    const video = document.querySelector('video')!;
    video.pause();
    video.currentTime = at;
    await new Promise((done) => setTimeout(done, 1000));
  }, time);
}

/**
 * Keeps a picture of the page, or of a part of it, for the front page.
 * @param width the width in pixels at which it is kept
 */
async function photograph(page: Page, name: string, width: number, clip?: Rect): Promise<void> {
  const png = join(folder, `${name}.png`);
  await Bun.write(png, await page.screenshot({ type: 'png', ...(clip && { clip }) }));
  const kept = join(root, `content/pictures/${name}.webp`);
  await $`ffmpeg -loglevel error -y -i ${png} -vf ${`scale=${width}:-2:flags=lanczos`} -c:v libwebp -quality 40 -compression_level 6 ${kept}`;
  await chmod(kept, 0o644);
  say(`${name}.webp: ${Math.ceil(Bun.file(kept).size / 1000)} kB`);
}
