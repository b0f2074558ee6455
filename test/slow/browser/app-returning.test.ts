/** Leaving the app and coming back: running and past runs, and the data kept in the browser. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'puppeteer-core';
import { text } from '../../support/browser/words.ts';
import {
  makeCaptions,
  openApp,
  press,
  shownRun,
  shows,
  showsReview,
  signInHere,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { ended, until } from '../../support/servers/client.ts';
import { sample } from '../../support/sample.ts';
import { appBench, startRun } from './support.ts';

setDefaultTimeout(300_000);

const { server, browser, ann, hold, openRunning } = await appBench();

describe('leaving and coming back', () => {
  needsChromium('a reload in the middle of a run continues to follow it', async () => {
    const { page, runId, release } = await openRunning();
    await page.reload();
    await shows(page, text.run.stages['transcription'] ?? '');
    await shows(page, text.run.title('agent-registration.mp3'));
    release();
    await showsReview(page);
    expect(await shownRun(page)).toBe(runId);
    await page.close();
  });

  needsChromium('without a stored key it asks for one, and then continues', async () => {
    const release = hold();
    const { page } = await openApp(browser(), server.url);
    await makeCaptions(page, sample, 'deepgram');
    await (await page.waitForSelector('.sign-in input[type=checkbox]'))!.click();
    await signInHere(page, server, 'forgetful@example.com');
    await shows(page, text.run.stages['transcription'] ?? '');
    await page.reload();
    await signInHere(page, server, 'forgetful@example.com');
    await shows(page, text.run.stages['transcription'] ?? '');
    release();
    await showsReview(page);
    await page.close();
  });

  needsChromium(
    'a person who dismisses the question can still sign in and sees the run',
    async () => {
      const runId = await startRun(ann, 'later.mp3');
      await ended(ann, runId);
      const { page } = await openApp(browser(), server.url, { at: `/runs/${runId}` });
      await press(page, text.cancel, '.sign-in');
      await shows(page, text.run.signIn);
      await press(page, text.header.signIn);
      await signInHere(page, server, 'ann@example.com');
      await showsReview(page);
      await page.close();
    },
  );
});

describe('signed in', () => {
  /** The number of entries in the browser's databases, by store. */
  const kept = (page: Page): Promise<Record<string, number>> =>
    page.evaluate(async () => {
      const asked = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.addEventListener('success', () => resolve(request.result));
          request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
        });
      const database = await asked(indexedDB.open('captioner'));
      const names = [...database.objectStoreNames];
      const store = (name: string) => database.transaction(name).objectStore(name);
      const counts = await Promise.all(names.map((name) => asked(store(name).count())));
      database.close();
      return Object.fromEntries(names.map((name, at) => [name, counts[at] ?? 0]));
    });

  /** Completes a run with a user who stays signed in. */
  async function reviewed(email: string): Promise<Page> {
    const { page } = await openApp(browser(), server.url);
    await makeCaptions(page, sample, 'deepgram');
    await signInHere(page, server, email);
    await showsReview(page);
    return page;
  }

  needsChromium('signing out and forgetting leaves nothing', async () => {
    const page = await reviewed('blank@example.com');
    // The waveform is stored once it has been read.
    await until(async () => (await kept(page))['peaks'] === 1);
    expect(await kept(page)).toMatchObject({ runs: 1, recordings: 1, results: 1 });
    await press(page, text.header.account('blank@…'));
    await press(page, text.header.signOut);
    // The address changes first, then the page reloads.
    const loadedAnew = new Promise((resolve) => page.once('load', resolve));
    await press(page, text.header.signOutForget, 'dialog');
    await loadedAnew;
    await shows(page, text.start.title);
    await until(async () => Object.values(await kept(page)).every((count) => count === 0));
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await press(page, text.header.pastRuns);
    await shows(page, text.pastRuns.signIn);
    await page.close();
  });
});
