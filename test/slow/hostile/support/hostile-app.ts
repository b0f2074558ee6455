/** The app on a service whose recogniser returns hostile words, and checks that they have no effect. */
import { afterAll, expect } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { openApp, type AppOptions } from '../../../support/browser/app.ts';
import type { Visit } from '../../../support/browser/chromium.ts';
import { ended, signUp, type Any, type Client } from '../../../support/servers/client.ts';
import { startHttpDouble } from '../../../support/doubles/http-double.ts';
import { ReviewPage } from '../../../support/browser/review-page.ts';
import { sample } from '../../../support/sample.ts';
import { deepgramAnswer, deepgramWire } from '../../../support/doubles/speech-doubles.ts';
import { testBrowser } from '../../../support/browser/test-browser.ts';
import { testServer } from '../../../support/servers/test-server.ts';
import { HOSTILE_WORDS } from './hostile-text.ts';
import { DEEPGRAM_KEY } from '../../../support/doubles/provider-keys.ts';

/** Becomes an element if it is taken for markup. */
export const IMG = '"><img src=x onerror=window.hacked=1>';

export interface HostileApp {
  ann: Client;
  /** A folder for files. */
  folder: string;
  /**
   * Opens a page that records everything refused by its policy; `faults` records errors and
   * requests to other hosts.
   */
  open(at: string, options?: AppOptions): Promise<Visit & { review: ReviewPage }>;
  /** Runs the service with the hostile words; returns the finished run. */
  run(payload?: object): Promise<Any>;
}

/** Starts the service, its transcription and a browser, which all end with the test file. */
export async function hostileApp(): Promise<HostileApp> {
  const words = HOSTILE_WORDS.map(([heard], at) => ({
    text: heard,
    start: at * 0.5,
    end: at * 0.5 + 0.45,
    confidence: 0.9,
  }));
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(words)));
  afterAll(() => deepgram.close());
  const server = await testServer({
    env: {
      DEEPGRAM_API_KEY: DEEPGRAM_KEY,
      DEEPGRAM_BASE_URL: deepgram.origin,
      // The form shows the name of the model.
      EDGE_SPEECH_URL: deepgram.origin,
      EDGE_SPEECH_MODEL: IMG,
    },
  });
  const { browser, folder } = await testBrowser();
  const ann = await signUp(server, 'ann@example.com');
  return {
    ann,
    folder,
    async open(at, options = {}) {
      const visit = await openApp(browser(), server.url, {
        client: ann,
        at,
        ...options,
        before: async (page) => {
          await noteRefusals(page);
          await options.before?.(page);
        },
      });
      return { ...visit, review: new ReviewPage(visit) };
    },
    async run(payload = {}) {
      await ann.put('talk.mp3', Bun.file(sample));
      const started = await ann.start({
        audio: { key: 'talk.mp3', filename: IMG },
        topic: IMG,
        glossary: [IMG, '<b>AuthKit</b>'],
        terminology: { include: [IMG], packs: 'vendors/workos' },
        transcription: { provider: 'deepgram', keyterms: [IMG] },
        ...payload,
      });
      return ended(ann, (await started.json()).runId);
    },
  };
}

const noteRefusals = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    const refused: string[] = [];
    Object.assign(globalThis, { refused });
    document.addEventListener('securitypolicyviolation', (event) =>
      refused.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });

/**
 * Expects text to have stayed text: no element, no handler, no script, nothing refused by the
 * policy.
 */
export async function expectOnlyText(page: Page, faults: readonly string[]): Promise<void> {
  const seen = await page.evaluate(() => {
    const { hacked, refused } = globalThis as unknown as { hacked?: unknown; refused: string[] };
    // The icon in the header is the only image.
    const made = [
      ...document.querySelectorAll('body script, img:not([src="/favicon.svg"]), iframe, c, v, u'),
    ];
    const handlers = [...document.querySelectorAll('*')].filter((element) =>
      [...element.attributes].some(({ name }) => name.startsWith('on')),
    );
    return {
      hacked: hacked ?? null,
      refused,
      made: [...made, ...handlers].map(({ outerHTML }) => outerHTML),
    };
  });
  expect(seen).toEqual({ hacked: null, refused: [], made: [] });
  expect(faults).toEqual([]);
}

/** Drops a file with a name that no file dialog would return. */
export async function drop(page: Page, name: string): Promise<void> {
  const bytes = Buffer.from(await Bun.file(sample).arrayBuffer()).toString('base64');
  // The previous file may still be chosen, and the page takes no drop before it listens.
  await page.waitForFunction(
    (content, named) => {
      const data = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
      const file = new File([data], named, { type: 'audio/mpeg' });
      const chosen = document.querySelector('.drop.chosen .drop-title')?.firstChild?.textContent;
      if (chosen === file.name) return true;
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(file);
      dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      return false;
    },
    { polling: 100 },
    bytes,
    name,
  );
}
