/** Every screen of somebody who is signed in with a long address, in seven widths: no text lies over another or is cut off. */
import { expect, setDefaultTimeout } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { needsChromium } from '../../support/browser/chromium.ts';
import { openApp, shows } from '../../support/browser/app.ts';
import { textFaults } from '../../support/browser/text-faults.ts';
import { reviewBench } from '../../support/browser/review.ts';
import { text } from '../../support/browser/words.ts';
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
async function look(page: import('puppeteer-core').Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
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
  await review.close();
  expect(found).toEqual([]);
});
