/** Signing in: wrong addresses and codes, pasted codes, and keys that are no longer valid. */
import { describe, setDefaultTimeout } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  askForCode,
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

/** A wrong code. */
const wrong = (code: string): string => (code === '000000' ? '111111' : '000000');

describe('before a run', () => {
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
});
