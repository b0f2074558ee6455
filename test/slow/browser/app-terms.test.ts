/** Terms after a review and on their own page: questions, answers, editing, undo, import and export. */
import { expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { text } from '../../support/browser/words.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { fill, hides, press, shows } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { until } from '../../support/servers/client.ts';
import { reviewBench, wordsOf, type Spoken } from '../../support/browser/review.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();

const TALK: readonly Spoken[] = [
  ['Every trace that we keep is stored in mosaic for a month.', 0.36],
  ['Nobody has to look for it anywhere else.', 0.36],
];

needsChromium('a review teaches a name, and the page of terms has it', async () => {
  if (!bench) throw new Error('there is no Chromium');
  const { client } = bench;
  bench.hear(wordsOf(TALK));
  const run = await bench.run({ topic: 'Tracing' });
  const review = await bench.open(run, { shared: true });
  const { page } = review;
  const at = 1 + run.cues.findIndex((cue) => cue.text.includes('mosaic'));
  const place = (await review.text(at)).indexOf('mosaic');
  await review.focus(at, place + 'mosaic'.length);
  for (let key = 0; key < 'mosaic'.length; key += 1) await page.keyboard.press('Backspace');
  await page.keyboard.type('Mozaiq');
  await press(page, termsText.finish);
  await shows(page, termsText.questions(1));
  await shows(page, 'mosaic → Mozaiq');
  await expectToLookWell(page, 'review-finished');
  await page.setViewport({ width: 1280, height: 900 });
  await press(page, termsText.ruleLabel(termsText.yes, 'mosaic → Mozaiq'));
  await shows(page, termsText.states.applied);
  const kept = await (await client.get(`/workflows/captioner/${run.runId}/review`)).json();
  expect(kept).toMatchObject({ finished: true });

  await press(page, termsText.all);
  await shows(page, termsText.title);
  await shows(page, termsText.heard(['mosaic']));
  await press(page, termsText.add);
  await fill(page, termsText.canonical, 'Zyphora');
  await fill(page, termsText.mishears, 'sci fora, cipher a');
  await press(page, termsText.save);
  await shows(page, termsText.heard(['sci fora', 'cipher a']));
  await press(page, termsText.edit('Zyphora'));
  await fill(page, termsText.canonical, 'Zyphoria');
  await page.locator('.term-form summary').click();
  await page.select('.term-form select', 'product_name');
  await fill(page, termsText.risky, 'sofa');
  await fill(page, termsText.nearWords, 'crystal');
  await fill(page, termsText.aliases, 'Zyph');
  await expectToLookWell(page, 'term-form');
  await page.setViewport({ width: 1280, height: 900 });
  await press(page, termsText.save);
  await shows(page, 'Zyphoria');
  await shows(page, termsText.heard(['sci fora', 'cipher a', 'sofa']));

  const folder = await temporaryFolder();
  const file = join(folder, 'list.txt');
  await Bun.write(file, 'Kestrelbase\n');
  const input = await page.waitForSelector('input[type=file]');
  await input?.uploadFile(file);
  await shows(page, termsText.imported(3));
  await removeFolder(folder);
  await press(page, termsText.exportList);
  await page.waitForFunction(
    () => (globalThis as unknown as { filesMade: Blob[] }).filesMade.length > 0,
  );
  expect(await review.lastFile()).toContain('Kestrelbase');
  await expectToLookWell(page, 'terms');
  await page.setViewport({ width: 1280, height: 900 });
  await press(page, termsText.remove('Kestrelbase'));
  await hides(page, 'Kestrelbase');

  // Undoing the rule withdraws the term, and nothing more is learned.
  await press(page, termsText.ruleLabel(termsText.undo, 'mosaic → Mozaiq'));
  await shows(page, termsText.states.undone);
  // The list above follows.
  await hides(page, termsText.heard(['mosaic']));
  await press(page, termsText.switch);
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>('.check input')?.checked === false,
  );
  const { terms } = (await (await client.get('/terminology/terms')).json()) as {
    terms: { canonical: string }[];
  };
  expect(terms.find(({ canonical }) => canonical === 'Zyphoria')).toMatchObject({
    kind: 'product_name',
    risky: ['sofa'],
    near: ['crystal'],
    aliases: ['Zyph'],
  });
  expect(terms.map(({ canonical }) => canonical)).not.toContain('Zyphora');
  // The box is empty at once; the service hears of it a moment later.
  await until(async () => {
    const settings = await (await client.get('/terminology/learning')).json();
    return Bun.deepEquals(settings, { automatic: false });
  });
  expect(review.faults).toEqual([]);
  await review.close();
});

needsChromium('a user who is not signed in is asked to sign in', async () => {
  if (!bench) throw new Error('there is no Chromium');
  const page = await bench.browser.newPage();
  await page.goto(`${bench.server.url}/app#/terms`);
  await shows(page, termsText.signIn);
  await shows(page, text.header.signIn);
  await page.close();
});
