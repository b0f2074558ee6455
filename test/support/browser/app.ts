/** Drives the browser app in a real Chromium as users do. */
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import { visit, type Visit, type VisitOptions } from './chromium.ts';
import { text } from './words.ts';
import { mailedCode, type Client } from '../servers/client.ts';

export interface AppOptions extends VisitOptions {
  /** The user who is already signed in and allowed the tab to remember it. */
  client?: Client | undefined;
  /** The user's address (default: ann@example.com). */
  email?: string | undefined;
  /** The part of the address after `#`. */
  at?: string;
}

/** Opens the app in a browser without data from earlier visits. */
export async function openApp(
  browser: Browser,
  url: string,
  { client, email = 'ann@example.com', at = '/', ...options }: AppOptions = {},
): Promise<Visit> {
  const context = await browser.createBrowserContext();
  const session = client && JSON.stringify({ key: client.key, email });
  return visit(context, `${url}/app#${at}`, {
    ...options,
    before: async (page) => {
      await options.before?.(page);
      if (!session) return;
      await page.evaluateOnNewDocument((kept: string) => {
        sessionStorage.setItem('captioner.session', kept);
      }, session);
    },
  });
}

/** Looking at every frame, as browsers do by default, would take more of the processor than what is waited for. */
const POLLING = { polling: 60 } as const;

/** The elements that people press. */
export const CONTROLS =
  ':is(button, a, summary, label, [role^=menuitem], [role=tab], [role=option])';

/** Finds, in the page, the element shown under a name: its own, or the beginning of its text. */
export const shownAs = (among: string, wanted: string): Element | undefined => {
  const says = (element: Element): string =>
    (element.getAttribute('aria-label') ?? element.textContent).replace('✓', '').trim();
  const shown = [...document.querySelectorAll(among)].filter((one) => one.checkVisibility());
  return (
    shown.find((one) => says(one) === wanted) ?? shown.find((one) => says(one).startsWith(wanted))
  );
};

/**
 * Presses the control with a name, within a part of the page: a button, a tab, a menu item, a check
 * box.
 */
export async function press(page: Page, name: string, within = ''): Promise<void> {
  const selector = `${within} ${CONTROLS}`;
  for (let tries = 1; ; tries += 1) {
    try {
      return await (await named(page, selector, name)).click();
    } catch (error) {
      // It may be rendered again, or scrolled, between being found and being pressed.
      if (tries === 3 || !/not clickable|detached/.test(String(error))) throw error;
    }
  }
}

/** Waits for the element shown under a name: its own, or the beginning of its text. */
async function named(page: Page, selector: string, name: string): Promise<ElementHandle> {
  const found = await page
    .waitForFunction(shownAs, POLLING, selector, name)
    .catch(async (error: unknown) => {
      const said = await page.evaluate(() => document.body.innerText);
      throw new Error(`the page has no “${name}”, but: ${said}`, { cause: error });
    });
  const element = found.asElement();
  if (!element) throw new Error(`“${name}” is gone`);
  return element as ElementHandle;
}

/** Cuts the connection of a page, once it has loaded the parts that it shows while a recording is prepared. */
export async function goOffline(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('part-job-screen')),
  );
  await page.waitForNetworkIdle();
  await page.setOfflineMode(true);
}

/** Chooses a file, as the browser's dialog would. */
export async function chooseFile(page: Page, path: string): Promise<void> {
  const input = await page.waitForSelector('input[type=file]');
  await input?.uploadFile(path);
}

/** Waits until the page shows a text. */
export async function shows(page: Page, words: string): Promise<void> {
  await page
    .waitForFunction((wanted) => document.body.innerText.includes(wanted), POLLING, words)
    .catch(async (error: unknown) => {
      const said = await page.evaluate(() => document.body.innerText);
      throw new Error(`the page does not say “${words}”, but: ${said}`, { cause: error });
    });
}

/** Waits until the page no longer shows a text. */
export async function hides(page: Page, words: string): Promise<void> {
  await page.waitForFunction((wanted) => !document.body.innerText.includes(wanted), POLLING, words);
}

/** Fills in a field by its label, or selects from a list. */
export async function fill(page: Page, label: string, value: string): Promise<void> {
  const id = await (await named(page, 'label', label)).evaluate((one) => one.getAttribute('for'));
  await page.locator(`[id="${id}"]`).fill(value);
}

/** Unfolds the rarer settings of the chosen recording, and the groups within them. */
export async function openSettings(page: Page, ...groups: string[]): Promise<void> {
  for (const name of [text.start.more, ...groups]) await press(page, name);
}

/** Selects the transcription provider of the chosen recording. */
export async function chooseProvider(page: Page, provider: string): Promise<void> {
  await openSettings(page, text.provider.title);
  await fill(page, text.provider.speech, provider);
}

/** Chooses a file and starts captioning it. */
export async function makeCaptions(page: Page, path: string, provider?: string): Promise<void> {
  await chooseFile(page, path);
  if (provider) await chooseProvider(page, provider);
  await press(page, text.start.make);
}

/** Requests a code in the sign-in dialog, and waits for the boxes to type it in. */
export async function askForCode(page: Page, email: string): Promise<void> {
  await fill(page, text.signIn.email, email);
  await press(page, text.signIn.send);
  await page.waitForSelector('.code-boxes input:focus');
}

/** Signs in through the sign-in dialog with the mailed code. */
export async function signInHere(
  page: Page,
  { dataDir }: { dataDir: string },
  email: string,
): Promise<void> {
  await askForCode(page, email);
  await page.keyboard.type(await mailedCode(dataDir, email));
  await page.waitForFunction(() => !document.querySelector('.sign-in'));
}

/** Waits until a run is shown, and returns its id. */
export async function shownRun(page: Page): Promise<string> {
  await page.waitForFunction(() => /^#\/runs\/./.test(location.hash));
  return decodeURIComponent(new URL(page.url()).hash.replace('#/runs/', ''));
}

/** Waits until the captions of a run are shown. */
export async function showsReview(page: Page): Promise<void> {
  await page.waitForSelector('.desk').catch(async (error: unknown) => {
    const said = await page.evaluate(() => document.body.innerText);
    throw new Error(`the page shows no review, but: ${said}`, { cause: error });
  });
}

/** Types words at the start of the first caption of a review. */
export async function typeInFirstCaption(page: Page, words: string): Promise<void> {
  await page.waitForSelector('.cue textarea');
  await page.type('.cue textarea', words);
  await page.waitForFunction(
    (typed) => document.querySelector('textarea')?.value.includes(typed),
    {},
    words,
  );
}
