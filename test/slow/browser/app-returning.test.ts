/** Leaving the app and coming back: running and past runs, and the data kept in the browser. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { eraseText } from '../../../web/texts/past-runs.ts';
import { text } from '../../support/browser/words.ts';
import {
  hides,
  makeCaptions,
  openApp,
  press,
  shownRun,
  shows,
  showsReview,
  signInHere,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { ended, endStates, signUp, until } from '../../support/servers/client.ts';
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

  needsChromium('a past run is erased, after a question', async () => {
    const owner = await signUp(server, 'erases@example.com');
    const runId = await startRun(owner, 'secret-talk.mp3');
    await ended(owner, runId);
    const { page } = await openApp(browser(), server.url, { client: owner, at: '/runs' });
    await press(page, eraseText.button('secret-talk.mp3'));
    await press(page, text.cancel, 'dialog');
    expect((await owner.get(`/workflows/captioner/${runId}`)).status).toBe(200);
    await press(page, eraseText.button('secret-talk.mp3'));
    await shows(page, eraseText.ask('secret-talk.mp3'));
    await press(page, eraseText.confirm, 'dialog');
    await hides(page, 'secret-talk.mp3');
    expect((await owner.get(`/workflows/captioner/${runId}`)).status).toBe(404);
    await page.close();
  });

  needsChromium('the list of past runs has a link to each, page by page', async () => {
    const many = await signUp(server, 'many-runs@example.com');
    const ids: string[] = [];
    for (let at = 1; at <= 23; at += 1) ids.push(await startRun(many, `talk-${at}.mp3`));
    await endStates(many, ids);
    const { page, faults } = await openApp(browser(), server.url, { client: many, at: '/runs' });
    const links = () => page.$$eval('.runs a', (all) => all.map((link) => link.textContent));
    await shows(page, 'talk-23.mp3');
    expect(await links()).toHaveLength(20);
    await press(page, text.pastRuns.more);
    await shows(page, 'talk-1.mp3');
    await hides(page, text.loading);
    expect(await links()).toEqual(ids.map((_, at) => `talk-${23 - at}.mp3`));
    expect(await page.$$('.state.completed')).toHaveLength(23);
    await press(page, 'talk-7.mp3');
    await showsReview(page);
    expect(await shownRun(page)).toBe(ids[6] ?? '');
    await page.goBack();
    await shows(page, 'talk-23.mp3');
    expect(faults).toEqual([]);
    await page.close();
  });

  needsChromium('a run of another workspace is not found', async () => {
    const runId = await startRun(ann, 'mine.mp3');
    const mallory = await signUp(server, 'mallory@example.net');
    const at = `/runs/${runId}`;
    const { page } = await openApp(browser(), server.url, { client: mallory, at });
    await shows(page, text.run.notFound);
    await page.close();
  });
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

  needsChromium('signing out asks again, and keeps the data in the browser', async () => {
    const page = await reviewed('outward@example.com');
    await press(page, text.header.account('outward@…'));
    await press(page, text.header.signOut);
    // Somebody else may use this browser next, so the app asks whether to delete the recording.
    await shows(page, text.header.signOutAsk);
    await press(page, text.cancel, 'dialog');
    await press(page, text.header.account('outward@…'));
    await press(page, text.header.signOut);
    await press(page, text.header.signOutKeep, 'dialog');
    await shows(page, text.header.signIn);
    expect(await page.evaluate(() => sessionStorage.getItem('captioner.session'))).toBeNull();
    expect(await kept(page)).toMatchObject({ runs: 1, results: 1 });
    await press(page, text.header.pastRuns);
    await shows(page, text.pastRuns.signIn);
    await shows(page, text.pastRuns.here);
    // A review needs no key.
    await press(page, 'agent-registration.mp3');
    await showsReview(page);
    await page.close();
  });

  needsChromium('a list that arrives after its owner has signed out is not shown', async () => {
    const leaver = await signUp(server, 'leaver@example.com');
    await ended(leaver, await startRun(leaver, 'private.mp3'));
    const { page } = await openApp(browser(), server.url, { client: leaver });
    const asked = Promise.withResolvers<HTTPRequest>();
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/workflows/captioner') asked.resolve(request);
      else void request.continue();
    });
    await press(page, text.header.pastRuns);
    const request = await asked.promise;
    await press(page, text.header.account('ann@…'));
    await press(page, text.header.signOut);
    await shows(page, text.pastRuns.signIn);
    const answered = page.waitForResponse((response) => response.request() === request);
    await request.continue();
    expect(await (await answered).text()).toContain('private.mp3');
    await Bun.sleep(200);
    expect(await page.$$('.runs a')).toHaveLength(0);
    await page.close();
  });

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

  needsChromium('a single run is forgotten without the others', async () => {
    const page = await reviewed('single@example.com');
    await press(page, text.header.account('single@…'));
    await press(page, text.header.signOut);
    await press(page, text.header.signOutKeep, 'dialog');
    await press(page, text.header.pastRuns);
    await press(page, text.pastRuns.forget('agent-registration.mp3'));
    await hides(page, 'agent-registration.mp3');
    await until(async () => Object.values(await kept(page)).every((count) => count === 0));
    await page.close();
  });
});
