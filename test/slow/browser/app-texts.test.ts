/**
 * Every screen of somebody who is signed in with a long address, in seven widths, and in other languages, in the
 * narrowest and a usual one: no text lies over another or is cut off.
 */
import { expect, setDefaultTimeout } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import type { Page } from 'puppeteer-core';
import { needsChromium } from '../../support/browser/chromium.ts';
import { openApp, shows } from '../../support/browser/app.ts';
import { textFaults } from '../../support/browser/text-faults.ts';
import { reviewBench } from '../../support/browser/review.ts';
import { text } from '../../support/browser/words.ts';
import { post } from '../../support/servers/client.ts';
import { termsText } from '../../../web/texts/terms.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();
const EMAIL = 'maximiliane.von-hohenstein@translations.museum-of-modern-art.example';
const WIDTHS = [360, 390, 768, 1024, 1280, 1440, 1920];
const { ARTIFACTS_DIR } = process.env;

/** The screens, each with a text that it shows. */
const SCREENS: readonly (readonly [name: string, at: string, shown: string])[] = [
  ['start', '/', text.start.drop],
  ['past-runs', '/runs', text.pastRuns.title],
  ['terms', '/terms', termsText.title],
  ['settings', '/settings', text.header.settings],
];

/** Faults of a page in all widths. */
async function look(page: Page, name: string, widths = WIDTHS): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))),
    );
    if (ARTIFACTS_DIR) {
      await mkdir(`${ARTIFACTS_DIR}/texts`, { recursive: true });
      await page.screenshot({ path: `${ARTIFACTS_DIR}/texts/${name}-${width}.png` });
    }
    found.push(...(await textFaults(page)).map((fault) => `${name} ${width}: ${fault}`));
  }
  return found;
}

needsChromium('outside of a review', async () => {
  const found: string[] = [];
  for (const [name, at, shown] of SCREENS) {
    const { page } = await openApp(bench.browser, bench.server.url, {
      client: bench.client,
      email: EMAIL,
      at,
    });
    await shows(page, shown);
    found.push(...(await look(page, name)));
    await page.close();
  }
  expect(found).toEqual([]);
});

needsChromium('of a review, with each of its tabs', async () => {
  const run = await bench.run({ audit: { minConfidence: 0.98 } });
  // Whose work it is stands in the head, beside where it is saved.
  await fetch(`${bench.server.url}/workflows/captioner/${run.runId}/review-state`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${bench.client.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ assignee: EMAIL, due: '2026-12-24' }),
  });
  const review = await bench.open(run, { shared: true, email: EMAIL });
  await shows(review.page, termsText.finish);
  const found = await look(review.page, 'review');
  for (const name of ['terms', 'doubts', 'warnings', 'report', 'speakers', 'comments'] as const) {
    await review.page.setViewport({ width: 1280, height: 900 });
    await review.tab(name);
    await review.page.evaluate(() => {
      document.querySelector<HTMLElement>('.desk')!.dataset['part'] = 'check';
    });
    found.push(...(await look(review.page, `review-${name}`)));
  }
  // A clock in frames is longer.
  await review.tab('warnings');
  await review.page.select('.profile-choice select', 'netflix');
  await review.page.waitForSelector('.rule');
  found.push(...(await look(review.page, 'review-frames')));
  await review.close();
  const link = await post(
    `${bench.server.url}/workflows/captioner/${run.runId}/links`,
    { right: 'comment', sound: true },
    { authorization: `Bearer ${bench.client.key}` },
  );
  const { token } = await link.json();
  const guest = await openApp(bench.browser, bench.server.url, { at: `/shared/${token}` });
  await guest.page.waitForSelector('.cue');
  found.push(...(await look(guest.page, 'guest', [360, 390, 1024])));
  await guest.page.close();
  expect(found).toEqual([]);
});

/**
 * Each with what is done before a page loads: German, German from right to left, and a language of twice the length,
 * which is German said twice.
 */
const LANGUAGES: readonly (readonly [name: string, before: (page: Page) => Promise<unknown>])[] = [
  ['de', (page) => page.evaluateOnNewDocument(keepLanguage, 'de')],
  [
    'mirrored',
    async (page) => {
      await page.evaluateOnNewDocument(keepLanguage, 'de');
      await page.evaluateOnNewDocument(() => {
        addEventListener('DOMContentLoaded', () => {
          const mirror = () => {
            if (document.documentElement.dir !== 'rtl') document.documentElement.dir = 'rtl';
          };
          new MutationObserver(mirror).observe(document.documentElement, { attributes: true });
          mirror();
        });
      });
    },
  ],
  [
    'twice',
    async (page) => {
      await page.evaluateOnNewDocument(keepLanguage, 'de');
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (!/\/part-de-[^/]*\.js$/.test(pathname) || search !== '') return void request.continue();
        return void request.respond({ contentType: 'text/javascript', body: saidTwice(pathname) });
      });
    },
  ],
];

function keepLanguage(tag: string): void {
  localStorage.setItem('captioner.language', tag);
}

/** The dialogs of the desk, by the names of their commands, each with a key of its own that is the same in all languages. */
const DIALOGS = ['share', 'work', 'retime', 'burn', 'profiles', 'rebuild', 'frames', 'script'];
const CHORDS = DIALOGS.map((_, at) => `Alt+Shift+F${at + 1}`);

/** Keeps those keys in the browser. */
const keepKeys = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(
    (keys: string) => localStorage.setItem('captioner.desk.keys', keys),
    JSON.stringify(Object.fromEntries(DIALOGS.map((name, at) => [name, [CHORDS[at]]]))),
  );

/** The module of a piece of a language in which each text is said twice. */
const saidTwice = (path: string): string => `
  import * as once from '${path}?once';
  const twice = (text) =>
    typeof text === 'string' ? (text === '' ? '' : text + ' ' + text)
    : typeof text === 'function' ? (...values) => twice(text(...values))
    // A unit stays a unit.
    : Object.fromEntries(Object.entries(text).map(([key, each]) => [key, /^(?:speed|units)$/.test(key) ? each : twice(each)]));
  export const { first, others } = twice({ ...once });
`;

needsChromium.each(LANGUAGES)('in another language: %s', async (language, before) => {
  const found: string[] = [];
  const options = {
    client: bench.client,
    email: 'ann@example.com',
    before: async (page: Page) => {
      await before(page);
      await keepKeys(page);
    },
  };
  for (const [name, at] of SCREENS) {
    const { page } = await openApp(bench.browser, bench.server.url, { ...options, at });
    await page.waitForSelector('html[lang=de] main :is(h1, label)');
    await page.waitForNetworkIdle();
    found.push(...(await look(page, `${language}-${name}`, [360, 1280])));
    await page.close();
  }
  const run = await bench.run({ audit: { minConfidence: 0.98 } });
  const review = await bench.open(run, options);
  const { page } = review;
  await page.waitForSelector('.cue');
  await page.waitForNetworkIdle();
  found.push(...(await look(page, `${language}-review`, [1280, 360])));
  for (const [at, name] of DIALOGS.entries()) {
    await review.keys(CHORDS[at]!);
    await page.waitForSelector('dialog[open]');
    found.push(...(await look(page, `${language}-${name}`, [360])));
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { hidden: true });
  }
  await page.close();
  expect(found).toEqual([]);
});
