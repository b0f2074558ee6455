/** The appearance of the app outside the review: each screen in light and dark, wide and narrow. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { text } from '../../support/browser/words.ts';
import {
  askForCode,
  chooseFile,
  fill,
  goOffline,
  makeCaptions,
  openApp,
  openSettings,
  press,
  shownRun,
  shows,
  showsReview,
} from '../../support/browser/app.ts';
import { needsChromium, type Visit } from '../../support/browser/chromium.ts';
import { mailedCode, signUp } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { sample } from '../../support/sample.ts';
import { spoken } from '../../support/doubles/scripted-speech.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { DEEPGRAM_KEY, OPENAI_KEY } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const server = await testServer({
  env: {
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    OPENAI_API_KEY: OPENAI_KEY,
    OPENAI_BASE_URL: deepgram.origin,
    RUNS_AT_ONCE: '2',
    REGISTRATIONS_PER_IP: '1000',
  },
});
const { browser, folder } = await testBrowser();
const ann = await signUp(server, 'ann@example.com');
afterAll(() => deepgram.close());

const signedIn = (at = '/'): Promise<Visit> => openApp(browser(), server.url, { client: ann, at });

/** A run started in the page, with this response from the provider. */
async function runWith(answer: () => Promise<Response> | Response, until: string): Promise<Visit> {
  deepgram.behave(answer);
  const visited = await signedIn();
  await makeCaptions(visited.page, sample, 'deepgram');
  await shows(visited.page, until);
  return visited;
}

/** A response that never arrives while the browser is open. */
const never = (): Promise<Response> => new Promise(() => {});

const unfolded = [text.terms.packs, text.provider.title, text.format.title];

/** The screens, with the way to reach each. */
const SCREENS: Record<string, () => Promise<Visit>> = {
  start: () => openApp(browser(), server.url),
  async 'start-unfolded'() {
    const visited = await signedIn();
    await makeChoice(visited.page);
    await openSettings(visited.page, ...unfolded);
    await shows(visited.page, text.preview.title);
    await visited.page.waitForSelector('.preview-screen p');
    return visited;
  },
  async 'sign-in-email'() {
    const visited = await openApp(browser(), server.url);
    await makeCaptions(visited.page, sample);
    await fill(visited.page, text.signIn.email, 'ann at example');
    await press(visited.page, text.signIn.send);
    await shows(visited.page, text.signIn.problems['invalid_email'] ?? '');
    return visited;
  },
  async 'sign-in-code'() {
    const visited = await openApp(browser(), server.url);
    await makeCaptions(visited.page, sample);
    await askForCode(visited.page, 'code@example.com');
    const code = await mailedCode(server.dataDir, 'code@example.com');
    await visited.page.keyboard.type(code === '000000' ? '111111' : '000000');
    await shows(visited.page, text.signIn.problems['invalid_otp'] ?? '');
    await visited.page.waitForSelector('.code-boxes input:first-of-type:focus');
    await visited.page.keyboard.type('123');
    return visited;
  },
  async conversion() {
    const visited = await signedIn();
    const path = join(folder, 'A talk with quite a long name, as they have them.wav');
    await Bun.write(path, wave(400));
    // The resulting run must not block the others.
    await makeCaptions(visited.page, path, 'deepgram');
    await shows(visited.page, text.run.making);
    return visited;
  },
  async offline() {
    const visited = await signedIn();
    await goOffline(visited.page);
    await makeCaptions(visited.page, sample);
    await shows(visited.page, text.offline);
    return visited;
  },
  async unreadable() {
    const visited = await signedIn();
    const path = join(folder, 'notes.mp4');
    await Bun.write(path, 'This is text.\n'.repeat(500));
    await makeCaptions(visited.page, path);
    await shows(visited.page, text.run.conversion.unreadable);
    return visited;
  },
  running: () => runWith(never, text.run.stages['transcription'] ?? ''),
  failed: () => runWith(() => Response.json({}, { status: 401 }), text.run.failed),
  async 'failed-again'() {
    const visited = await runWith(() => Response.json({}, { status: 401 }), text.run.failed);
    const runId = await shownRun(visited.page);
    await visited.page.close();
    const other = await signedIn(`/runs/${runId}`);
    await press(other.page, text.run.again);
    await shows(other.page, text.run.needFile);
    return other;
  },
  blocked: () => {
    const said = spoken('Good evening. I am going to murder you tonight. Thank you.');
    return runWith(() => Response.json(deepgramAnswer(said)), text.run.blocked);
  },
  'no-speech': () => runWith(() => Response.json(deepgramAnswer([])), text.run.noSpeech),
  async 'past-runs'() {
    const visited = await runWith(() => Response.json(deepgramAnswer(TALK)), '');
    await showsReview(visited.page);
    await press(visited.page, text.header.pastRuns);
    await shows(visited.page, text.pastRuns.states['completed'] ?? '');
    return visited;
  },
  async 'past-runs-none'() {
    const nobody = await signUp(server, 'nobody@example.com');
    const visited = await openApp(browser(), server.url, { client: nobody, at: '/runs' });
    await shows(visited.page, text.pastRuns.none);
    return visited;
  },
  async menu() {
    const visited = await signedIn();
    await press(visited.page, text.header.account('ann@…'));
    await visited.page.waitForSelector('[role=menuitem]:focus');
    return visited;
  },
  async 'not-found'() {
    const visited = await signedIn('/runs/00000000-0000-4000-8000-000000000000');
    await shows(visited.page, text.run.notFound);
    return visited;
  },
};

/** Fills in the form like a user. */
async function makeChoice(page: Page): Promise<void> {
  await chooseFile(page, sample);
  await fill(page, text.start.topic, 'MCP Night, agent auth');
}

/** A wave file with a low hum of this many seconds. */
function wave(seconds: number): Uint8Array<ArrayBuffer> {
  const rate = 16_000;
  const bytes = new Uint8Array(44 + seconds * rate * 2);
  const view = new DataView(bytes.buffer);
  const write = (at: number, word: string) => bytes.set(new TextEncoder().encode(word), at);
  write(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, bytes.length - 44, true);
  for (let at = 0; at < seconds * rate; at += 1) {
    view.setInt16(44 + at * 2, 3000 * Math.sin(at / 20), true);
  }
  return bytes;
}

/** Console errors for refused requests or a missing network are not errors of the page. */
const own = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !fault.startsWith('console: Failed to load resource'));

/** The screens on which something moves: briefly, and not at all if the system asks for reduced motion. */
const MOVING = new Set(['start-unfolded', 'sign-in-code', 'running', 'menu']);

/** The longest transition or animation in the page, in seconds. */
const longestMotion = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const lengths = [...document.querySelectorAll('*')].flatMap((one) =>
      ['', '::before', '::after'].flatMap((part) => {
        const { transitionDuration, animationDuration } = getComputedStyle(one, part || null);
        return `${transitionDuration}, ${animationDuration}`
          .split(', ')
          .map((length) => Number.parseFloat(length) / (length.endsWith('ms') ? 1000 : 1));
      }),
    );
    return Math.max(...lengths.filter((length) => !Number.isNaN(length)));
  });

needsChromium.each(Object.keys(SCREENS))(
  '%s passes WCAG 2.2 AA, fits, loads from here alone, and moves little',
  async (name) => {
    const { page, faults } = await SCREENS[name]!();
    if (MOVING.has(name)) expect(await longestMotion(page)).toBeLessThan(0.2);
    // The looks ask for reduced motion.
    await expectToLookWell(page, name);
    if (MOVING.has(name)) expect(await longestMotion(page)).toBe(0);
    expect(own(faults)).toEqual([]);
    await page.close();
  },
);
