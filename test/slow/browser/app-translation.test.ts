/** A translation at the desk, from the button to the files, with a language model that makes mistakes. */
import { expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { openApp } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { keepFromService, rememberFiles, ReviewPage } from '../../support/browser/review-page.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { dictionaryOf } from '../../support/doubles/translators.ts';
import { type Any, ended, signUp } from '../../support/servers/client.ts';
import { LEFT, translatingServer } from '../../support/servers/translating-server.ts';
import { SHORT_TALK } from '../../support/browser/review.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(300_000);

const { model, server } = await translatingServer();
const { browser, folder } = await testBrowser();

needsChromium(
  'captions are translated, changed, proved again and downloaded at the desk',
  async () => {
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('talk.mp3', Bun.file(sample));
    const started = await ann.start({
      audio: { key: 'talk.mp3', filename: 'talk.mp3' },
      transcription: { provider: 'deepgram' },
    });
    const { runId } = await started.json();
    await ended(ann, runId);
    const visit = await openApp(browser(), server.url, {
      client: ann,
      at: `/runs/${runId}`,
      before: async (page) => {
        await keepFromService(page);
        await rememberFiles(page);
      },
    });
    const desk = new ReviewPage(visit);
    const { page } = desk;
    await page.waitForSelector('.cue-list [aria-posinset]');
    const waitFor = (selector: string) => page.waitForSelector(selector, { timeout: 30_000 });
    const textOf = (selector: string) => page.$eval(selector, (found) => found.textContent ?? '');

    // A film or its sound may be opened at any time.
    await (await page.waitForSelector('.stage-note input[type=file]'))?.uploadFile(sample);
    await page.waitForSelector('video');

    // What is sent, and to whom, is said before.
    await desk.press('Translate…');
    await waitFor('dialog select');
    expect(await textOf('dialog .notice')).toContain('double-llm');
    expect(await textOf('dialog .notice')).toContain('No sound and no picture');
    await expectToLookWell(page, 'translate-dialog');
    const before = model.requests.length;
    await page.select('dialog select', 'he');
    await desk.press('Translate');
    await waitFor('.pair');
    expect(model.requests.length).toBeGreaterThan(before);
    const rows = () => page.$$eval('.pair', (all) => all.length);
    expect(await rows()).toBe(SHORT_TALK.length);
    expect(
      await page.$eval('.pair-cues', (found) => [
        (found as HTMLElement).dir,
        (found as HTMLElement).lang,
      ]),
    ).toEqual(['rtl', 'he']);

    // The sentence that was left in English is in doubt, and settled by a person.
    const doubted = SHORT_TALK.findIndex(([sentence]) => sentence === LEFT) + 1;
    const row = `.pair:nth-child(${doubted})`;
    expect(await textOf(`${row} .pair-doubt`)).toContain('repeats words');
    expect(await textOf('.translation-counts')).toContain('1 doubt');
    await expectToLookWell(page, 'translation');
    await page.click(`${row} .pair-cues`);
    await waitFor(`${row} textarea`);
    const fresh = 'אחרי חמישה קודים שגויים ההרשמה נגמרת.';
    await page.$eval(`${row} textarea`, (field) => field.select());
    await page.keyboard.type(fresh);
    await desk.keys('Control+Enter');
    await page.waitForFunction(() => document.querySelector('.translation-counts .all-done'));
    expect((await textOf(`${row} .pair-cues`)).replaceAll(/\s/g, '')).toBe(
      fresh.replaceAll(' ', ''),
    );
    await desk.keys('Escape');

    // The playhead is one: the sentence at it is marked, and shown over the picture in both languages.
    await page.$eval('.seek', (found) => {
      const field = found as HTMLInputElement;
      field.value = '1';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await page.waitForFunction(() => document.querySelector('.pair:first-child[aria-current]'));

    // Another language beside it; all of it as one file.
    await desk.press('Another language…');
    await waitFor('dialog select');
    await page.select('dialog select', 'de');
    await desk.press('Translate');
    await page.waitForFunction(() => document.querySelector('.pair-cues[lang=de]'), {
      timeout: 30_000,
    });
    expect(
      await page.$$eval('.translation-choice option', (all) => all.map((one) => one.textContent)),
    ).toEqual(['German: not all translated', 'Hebrew']);
    const missing = `${SHORT_TALK.length - 1} of ${SHORT_TALK.length} sentences are translated; 1 is still in English.`;
    expect(await page.$$eval('.notice p', (all) => all.map((one) => one.textContent))).toContain(
      missing,
    );
    expect(await page.$$eval('track', (all) => all.map((one) => one.srclang))).toEqual([
      'en',
      'he',
      'de',
    ]);
    await desk.choose('Download', 'All languages and formats (ZIP)');
    await page.waitForFunction(() =>
      (globalThis as Any).filesMade.some((file: Blob) => file.type === 'application/zip'),
    );
    const zip = await page.evaluate(async () => {
      const made = (globalThis as Any).filesMade.find(
        (file: Blob) => file.type === 'application/zip',
      );
      return [...new Uint8Array(await made.arrayBuffer())];
    });
    const files = unzipSync(new Uint8Array(zip));
    const formats = ['srt', 'vtt', 'ass', 'ttml', 'txt', 'json'];
    expect(Object.keys(files).sort()).toEqual(
      formats
        .flatMap((format) => [
          `talk.${format}`,
          `talk.de.incomplete.${format}`,
          `talk.he.${format}`,
        ])
        .sort(),
    );
    expect(new TextDecoder().decode(files['talk.he.srt']).replaceAll('\n', ' ')).toContain(
      fresh.slice(-12),
    );

    // What was changed is there again after a reload.
    await page.reload();
    await page.waitForSelector('.cue-list [aria-posinset]');
    await desk.keys('Alt+Shift+KeyL');
    await waitFor('.translation-choice option:nth-child(2)');
    const hebrew = await page.$eval('.translation-choice option:nth-child(2)', (one) => one.value);
    await page.select('.translation-choice select', hebrew);
    await page.waitForFunction(() => document.querySelector('.pair-cues[lang=he]'));
    expect((await textOf(`${row} .pair-cues`)).replaceAll(/\s/g, '')).toBe(
      fresh.replaceAll(' ', ''),
    );

    // What was translated before is offered, and one sentence is translated anew; the others stay.
    const squeezed = (text: string) => text.replaceAll(/\s/g, '');
    const first = '.pair:nth-child(1)';
    const byModel = squeezed(await textOf(`${first} .pair-cues`));
    await page.click(`${first} .pair-cues`);
    await waitFor(`${first} textarea`);
    await page.$eval(`${first} textarea`, (field) => field.select());
    await page.keyboard.type('שלום לכולם.');
    await desk.keys('Control+Enter');
    await waitFor('.pair:nth-child(2) textarea');
    await page.click(`${first} .pair-cues`);
    const offer = await waitFor(`${first} .pair-offers [lang=he]`);
    expect(squeezed(await textOf(`${first} .pair-offers [lang=he]`))).toBe(byModel);
    await offer?.click();
    expect(squeezed(await page.$eval(`${first} textarea`, (field) => field.value))).toBe(byModel);
    await expectToLookWell(page, 'translation-offers');
    await desk.press('Translate this sentence again');
    await page.waitForFunction(
      (selector: string, text: string) =>
        document.querySelector(selector)?.textContent?.replaceAll(/\s/g, '') === text,
      { timeout: 30_000 },
      `${first} .pair-cues`,
      byModel,
    );
    expect(squeezed(await textOf(`${row} .pair-cues`))).toBe(squeezed(fresh));
    expect(visit.faults).toEqual([]);
    await page.close();
  },
);

needsChromium('captions opened from a file are translated, and are there again', async () => {
  const ann = await signUp(server, 'ann@example.com');
  const srt = join(folder, 'Film.srt');
  const said = ['People walk along quiet rivers.', 'The letters answer every question.'];
  const at = (second: number) => `00:00:0${second},000`;
  await Bun.write(
    srt,
    said
      .map((text, index) => `${index + 1}\n${at(index * 3)} --> ${at(index * 3 + 2)}\n${text}\n`)
      .join('\n'),
  );
  const visit = await openApp(browser(), server.url, { client: ann });
  const desk = new ReviewPage(visit);
  const { page } = desk;
  await page.waitForSelector('.start');
  const waits = page.waitForFileChooser({ timeout: 20_000 });
  await page.evaluate(() => {});
  const [dialog] = await Promise.all([waits, desk.keys('Control+KeyO')]);
  await dialog.accept([srt]);
  await page.waitForSelector('.cue textarea');
  const translations = () =>
    page.$$eval('.pair-cues', (all) => all.map((one) => one.textContent?.replaceAll(/\s/g, '')));
  const expected = said.map(dictionaryOf('de')).map((text) => text.replaceAll(' ', ''));
  await desk.press('Translate…');
  await page.waitForSelector('dialog select', { timeout: 30_000 });
  await page.select('dialog select', 'de');
  await desk.press('Translate');
  await page.waitForSelector('.pair-cues[lang=de]', { timeout: 30_000 });
  expect(await translations()).toEqual(expected);
  const { translations: sent } = await (await ann.get('/translations')).json();
  expect(sent).toMatchObject([{ language: 'de', basis: 'sent', state: 'completed' }]);

  await page.reload();
  await page.waitForSelector('.cue-list [aria-posinset]');
  await desk.keys('Alt+Shift+KeyL');
  await page.waitForSelector('.pair-cues[lang=de]', { timeout: 30_000 });
  expect(await translations()).toEqual(expected);
  expect(visit.faults).toEqual([]);
  await page.close();
});

needsChromium('a person’s sentence is kept while somebody else changes the original', async () => {
  const ann = await signUp(server, 'ann@example.com');
  await ann.put('shared.mp3', Bun.file(sample));
  const started = await ann.start({
    audio: { key: 'shared.mp3', filename: 'shared.mp3' },
    transcription: { provider: 'deepgram' },
  });
  const { runId } = await started.json();
  await ended(ann, runId);
  const visits = [0, 1].map(() =>
    openApp(browser(), server.url, { client: ann, at: `/runs/${runId}` }),
  );
  const [translator, editor] = (await Promise.all(visits)).map((visit) => new ReviewPage(visit));
  const pages = [translator!.page, editor!.page];
  for (const page of pages) await page.waitForSelector('.cue-list [aria-posinset]');
  const { page } = translator!;
  await page.bringToFront();
  const inRow = (number: number) => `.pair:nth-child(${number})`;
  await translator!.press('Translate…');
  await page.waitForSelector('dialog select', { timeout: 30_000 });
  await page.select('dialog select', 'de');
  await translator!.press('Translate');
  await page.waitForSelector('.pair-cues[lang=de]', { timeout: 30_000 });
  const own = 'Das Team hat gestern einen Server für alle herausgebracht.';
  await page.click(`${inRow(5)} .pair-cues`);
  await page.waitForSelector(`${inRow(5)} textarea`);
  await page.$eval(`${inRow(5)} textarea`, (field) => field.select());
  await page.keyboard.type(own);
  await translator!.keys('Control+Enter');

  await editor!.page.bringToFront();
  await editor!.type(2, ' Really.');
  const review = `/workflows/captioner/${runId}/review`;
  while (!(await (await ann.get(review)).text()).includes('Really.')) await editor!.settled();

  await page.bringToFront();
  await page.reload();
  await page.waitForSelector('.cue-list [aria-posinset]');
  await translator!.keys('Alt+Shift+KeyL');
  await page.waitForSelector('.pair-cues[lang=de]', { timeout: 30_000 });
  expect(await page.$eval('body', (found) => found.innerText)).toContain('older than the original');
  await translator!.press('Translate again');
  await page.waitForSelector('dialog select');
  await page.select('dialog select', 'de');
  await translator!.press('Translate');
  await page.waitForFunction(
    () =>
      document.querySelector('.pair-cues[lang=de]') &&
      !document.body.innerText.includes('older than the original'),
    { timeout: 30_000 },
  );
  const pairs = await page.$$eval('.pair-cues', (all) => all.map((one) => one.textContent));
  const whole = pairs.join('').replaceAll(/\s/g, '');
  expect(whole).toContain(own.replaceAll(' ', ''));
  expect(whole).toContain(dictionaryOf('de')('Really.'));
  expect([translator!.faults, editor!.faults]).toEqual([[], []]);
  await Promise.all(pages.map((each) => each.close()));
});
