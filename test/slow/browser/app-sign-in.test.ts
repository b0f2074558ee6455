/** Signing in: wrong addresses and codes, pasted codes, and keys that are no longer valid. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { text } from '../../support/browser/words.ts';
import {
  askForCode,
  chooseFile,
  fill,
  hides,
  makeCaptions,
  openApp,
  press,
  shows,
  showsReview,
  signInHere,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { client, mailedCode } from '../../support/servers/client.ts';
import { sample } from '../../support/sample.ts';
import { appBench } from './support.ts';
import { REGISTRATION } from '../../../server/contract/limits.ts';

setDefaultTimeout(300_000);

const { server, browser, ann } = await appBench();

const codes = (page: Page): Promise<string[]> =>
  page.$$eval('.code-boxes input', (boxes) => boxes.map(({ value }) => value));

/** A wrong code. */
const wrong = (code: string): string => (code === '000000' ? '111111' : '000000');

describe('before a run', () => {
  needsChromium('an invalid address is reported and can be corrected', async () => {
    const { page } = await openApp(browser(), server.url);
    await press(page, text.header.signIn);
    // There is no file that could stay selected.
    await shows(page, text.signIn.why);
    await hides(page, text.signIn.kept);
    await fill(page, text.signIn.email, 'ann at example');
    await press(page, text.signIn.send);
    await shows(page, text.signIn.problems['invalid_email'] ?? '');
    await askForCode(page, 'mended@example.com');
    await hides(page, text.signIn.problems['invalid_email'] ?? '');
    await page.close();
  });

  needsChromium('a wrong code empties the boxes, and the first has the focus', async () => {
    const { page } = await openApp(browser(), server.url);
    await press(page, text.header.signIn);
    await askForCode(page, 'wrong@example.com');
    const code = await mailedCode(server.dataDir, 'wrong@example.com');
    await page.keyboard.type(wrong(code));
    await shows(page, text.signIn.problems['invalid_otp'] ?? '');
    await page.waitForSelector('.code-boxes input:first-of-type:focus');
    expect(await codes(page)).toEqual(['', '', '', '', '', '']);
    await page.keyboard.type(code);
    await shows(page, 'wrong@…');
    await page.close();
  });

  needsChromium('after too many wrong codes the user has to request a new one', async () => {
    const { page } = await openApp(browser(), server.url);
    await press(page, text.header.signIn);
    await askForCode(page, 'many@example.com');
    const code = await mailedCode(server.dataDir, 'many@example.com');
    for (let tried = 1; tried < REGISTRATION.maxCodes; tried += 1) {
      await page.keyboard.type(wrong(code));
      await shows(page, text.signIn.problems['invalid_otp'] ?? '');
      await page.waitForSelector('.code-boxes input:first-of-type:focus');
    }
    await page.keyboard.type(wrong(code));
    await shows(page, text.signIn.problems['too_many_attempts'] ?? '');
    // The address is still there and focused: Enter sends a new code.
    await page.waitForSelector('.sign-in input[type=email]:focus');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.code-boxes input:focus');
    await page.keyboard.type(await mailedCode(server.dataDir, 'many@example.com'));
    await shows(page, 'many@…');
    await page.close();
  });

  needsChromium('a pasted code fills the boxes; Backspace walks back through them', async () => {
    const { page } = await openApp(browser(), server.url);
    await press(page, text.header.signIn);
    await askForCode(page, 'paste@example.com');
    await page.keyboard.type('12');
    await page.keyboard.press('Backspace');
    expect(await codes(page)).toEqual(['1', '', '', '', '', '']);
    await page.keyboard.press('Backspace');
    expect(await codes(page)).toEqual(['', '', '', '', '', '']);
    const code = await mailedCode(server.dataDir, 'paste@example.com');
    await page.$eval(
      '.code-boxes input',
      (box, pasted) => {
        box.focus();
        document.execCommand('insertText', false, ` ${pasted.slice(0, 3)} ${pasted.slice(3)}\n`);
      },
      code,
    );
    await shows(page, 'paste@…');
    await page.close();
  });

  needsChromium('a user who declines to sign in gets the form back unchanged', async () => {
    const { page } = await openApp(browser(), server.url);
    await chooseFile(page, sample);
    await fill(page, text.start.topic, 'Agents');
    await press(page, text.start.make);
    await shows(page, text.signIn.kept);
    await press(page, text.cancel);
    await shows(page, text.start.make);
    await shows(page, 'agent-registration.mp3');
    const topic = await page.$eval('input[type=text]', (field) => field.value);
    expect(topic).toBe('Agents');
    await page.close();
  });
});

describe('a key that is no longer valid', () => {
  needsChromium('is asked for again in place, and the run starts', async () => {
    const stale = client(server.url, `${ann.key.slice(0, -4)}AAAA`);
    const { page } = await openApp(browser(), server.url, { client: stale });
    await makeCaptions(page, sample);
    await shows(page, text.signIn.expired);
    await shows(page, text.run.uploading);
    await signInHere(page, server, 'renewed@example.com');
    await showsReview(page);
    await page.close();
  });

  needsChromium('is asked for again in the list of runs', async () => {
    const stale = client(server.url, 'no-key');
    const { page } = await openApp(browser(), server.url, { client: stale, at: '/runs' });
    await shows(page, text.signIn.expired);
    await signInHere(page, server, 'listed@example.com');
    await shows(page, text.pastRuns.none);
    await page.close();
  });
});
