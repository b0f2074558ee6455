/** Runs in the app: several in one go, their words so far, every way they end, and coming back to them. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { createPartialTranscripts } from '../../../server/runs/store/partial-transcripts.ts';
import { createRunStore } from '../../../server/runs/store/run-store.ts';
import { openDatabase } from '../../../server/storage/database.ts';
import { queueText } from '../../../web/texts/run-ends.ts';
import {
  chooseFile,
  chooseProvider,
  fill,
  hides,
  makeCaptions,
  openApp,
  press,
  shownRun,
  shows,
  showsReview,
  signInHere,
  typeInFirstCaption,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { rememberFiles } from '../../support/browser/review-page.ts';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/doubles/scripted-speech.ts';
import { deepgramAnswer } from '../../support/doubles/speech-doubles.ts';
import { ffmpeg, needsBoth } from '../../support/media-files.ts';
import { sample } from '../../support/sample.ts';
import { ended, until } from '../../support/servers/client.ts';
import { appBench, startRun } from './support.ts';

setDefaultTimeout(300_000);

const { deepgram, server, browser, folder, ann, hold, openRunning } = await appBench();

describe('a failed run', () => {
  needsChromium('lists what may help; another provider starts it again', async () => {
    deepgram.behave(() => Response.json({ err_code: 'INVALID_AUTH' }, { status: 401 }));
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await chooseFile(page, sample);
    await fill(page, text.start.topic, 'Agents');
    await makeCaptions(page, sample, 'deepgram');
    await shows(page, text.run.failed);
    const failed = await ann.run(await shownRun(page));
    const { error } = failed.envelope.result;
    await shows(page, error.message);
    await shows(page, text.run.failedAt(text.run.stages['transcription'] ?? ''));
    const buttons = await page.$$eval('.suggestions button', (all) =>
      all.map((b) => b.textContent),
    );
    // The best step comes first, by the name that the start page gives the provider.
    const first = await page.$eval('.next-step .primary', (one) => one.textContent);
    expect([first, buttons[0]]).toEqual([text.run.transcribeHere, text.run.again]);
    expect(await page.$eval('main', (main) => main.innerText)).not.toMatch(/\bedge\b/);

    await press(page, text.run.transcribeHere);
    await showsReview(page);
    deepgram.behave(null);
    const run = await ann.run(await shownRun(page));
    const { input, transcript } = run.envelope.result;
    expect([input.topic, transcript.metadata.provider]).toEqual(['Agents', 'edge']);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('other ends of a run', () => {
  needsChromium('blocked by moderation', async () => {
    const said = spoken('Good evening. I am going to murder you tonight. Thank you.');
    deepgram.behave(() => Response.json(deepgramAnswer(said)));
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, sample, 'deepgram');
    await shows(page, text.run.blocked);
    deepgram.behave(null);
    await shows(page, text.run.blockedWhy('high'));
    await shows(page, text.run.blockedWhere);
    await shows(page, text.run.blockedAdvice);
    // The blocked passage can be played, and a recording without it can be chosen instead.
    await page.waitForFunction(() => document.querySelector('audio')?.duration);
    await chooseFile(page, sample);
    await showsReview(page);
    expect(faults).toEqual([]);
    await page.close();
  });

  needsBoth('without speech', async () => {
    const silence = '-f lavfi -i anullsrc=r=16000:cl=mono -t 4 -c:a libmp3lame';
    const path = await ffmpeg(join(folder, 'silence.mp3'), silence);
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.noSpeech);
    await page.waitForFunction(() => document.querySelector('audio')?.duration);

    // Written by hand: the first caption at the position of the recording, the next after it.
    await press(page, text.run.byHand);
    // Nothing is rated before there is a caption.
    await page.waitForSelector('[data-tab=report]');
    const form = () => page.$eval('[data-tab=report]', ({ textContent }) => textContent);
    expect(await form()).toBe(text.review.tabs.report(null));
    expect(await page.$('.all-done')).toBeNull();
    await press(page, text.review.tabs.warnings(0));
    await page.waitForFunction(
      (none) => document.querySelector('.tab-panel')?.textContent.endsWith(none),
      {},
      text.review.noneYet,
    );
    await press(page, text.review.firstCaption);
    await page.waitForSelector('.cue textarea:focus');
    await page.keyboard.type('Wind in the trees');
    await page.waitForFunction(() =>
      / \d+%$/.test(document.querySelector('[data-tab=report]')?.textContent ?? ''),
    );
    await page.keyboard.down('Alt');
    await page.keyboard.press('KeyI');
    await page.keyboard.up('Alt');
    await page.waitForSelector('[aria-posinset="2"] textarea:focus');
    await page.keyboard.type('A door');
    await shows(page, text.review.downloadIn('srt'));
    await page.waitForFunction(() => document.querySelectorAll('.cue').length === 2);
    await page.reload();
    await page.waitForSelector('[aria-posinset="2"] textarea');
    const written = await page.$$eval('.cue textarea', (all) => all.map((one) => one.value));
    expect(written).toEqual(['Wind in the trees', 'A door']);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('several recordings in one go', () => {
  const FILM = `-i ${sample} -f lavfi -i color=c=blue:s=64x36:r=5`;

  /** The states of the recordings of a queue, as the page names them. */
  const statesOf = (page: Page) =>
    page.$$eval('.queue .state', (all) => all.map(({ textContent }) => textContent));

  describe('several recordings', () => {
    needsChromium(
      'are captioned one after the other on one page, with links to their reviews',
      async () => {
        const paths = ['One.mp3', 'Two.mp3', 'Three.mp3'].map((name) => join(folder, name));
        for (const path of paths) await Bun.write(path, Bun.file(sample));
        const release = hold();
        const { page, faults } = await openApp(browser(), server.url, { client: ann });
        const input = await page.waitForSelector('input[type=file]');
        await input?.uploadFile(...paths);
        await shows(page, text.start.files(3));
        await chooseProvider(page, 'deepgram');
        await press(page, text.start.make);
        await page.waitForFunction(() => document.querySelectorAll('.queue li').length === 3);
        // One is cancelled while the service works on it, and says so at once.
        await page.waitForFunction(
          (working) => document.querySelector('.queue .state')?.textContent === working,
          {},
          queueText.running,
        );
        await press(page, queueText.cancel('One.mp3'));
        await shows(page, queueText.cancelled);
        // Other screens show a notice with a link back.
        await page.evaluate(() => (location.hash = '#/'));
        await shows(page, text.start.queueUnderWay(2));
        await page.locator('.notice a').click();
        release();
        await shows(page, queueText.allDone(3));
        expect(await statesOf(page)).toEqual([
          queueText.cancelled,
          queueText.completed,
          queueText.completed,
        ]);
        await expectToLookWell(page, 'queue');
        await press(page, queueText.review('Two.mp3'));
        await page.waitForSelector('.cue');
        expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Two');
        expect(faults).toEqual([]);
        await page.close();
      },
    );

    needsBoth('of five formats are captioned and downloaded together', async () => {
      const talk = '-t 8 -ar 16000 -ac 1';
      const paths = [
        join(folder, 'Mp3.mp3'),
        await ffmpeg(join(folder, 'M4a.m4a'), `-i ${sample} ${talk}`),
        await ffmpeg(join(folder, 'Film.webm'), FILM, talk, '-c:v libvpx -c:a libopus'),
        join(folder, 'Broken.mov'),
        await ffmpeg(join(folder, 'Silent.mp3'), '-f lavfi -i anullsrc=r=16000:cl=mono -t 4'),
      ];
      await Bun.write(paths[0]!, Bun.file(sample));
      await Bun.write(paths[3]!, 'This is no film.'.repeat(50));
      const { page, faults } = await openApp(browser(), server.url, {
        client: ann,
        before: async (opened) => void (await rememberFiles(opened)),
      });
      const input = await page.waitForSelector('input[type=file]');
      await input?.uploadFile(...paths);
      await press(page, text.start.make);
      await shows(page, queueText.allDone(5));
      await shows(page, text.run.conversion.unreadable);
      await shows(page, queueText.silent);
      expect(await statesOf(page)).toEqual([
        queueText.completed,
        queueText.completed,
        queueText.completed,
        queueText.failed,
        queueText.silent,
      ]);
      await page.waitForSelector(`[aria-label="${queueText.look('Silent.mp3')}"]`);
      await press(page, queueText.review('Film.webm'));
      await typeInFirstCaption(page, 'So: ');
      await page.goBack();
      await press(page, queueText.convert);
      await shows(page, `${queueText.converted(3)} ${queueText.without('Silent.mp3')}`);
      // The page also makes MP3 files, and the script that makes them.
      const made = await page.evaluate(() =>
        Promise.all((globalThis as any).filesMade.slice(-3).map((file: Blob) => file.text())),
      );
      expect(made.map((file) => file.slice(0, 5))).toEqual(['1\n00:', '1\n00:', '1\n00:']);
      expect(made.map((file) => file.includes('So:'))).toEqual([false, false, true]);
      expect(faults).toEqual([]);
      await page.close();
    });
  });
});

describe('leaving the app and coming back', () => {
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
});

describe('the words of a running run', () => {
  // All visual rules are checked in four variants, which takes a minute or more on a busy machine.

  const database = openDatabase(join(server.dataDir, 'captioner.sqlite'));
  afterAll(() => database.destroy());
  const partial = createPartialTranscripts(database);
  const runs = createRunStore(database);

  const SAID = [
    'Good evening, and welcome to this short talk about how agents register with a service.',
    'An agent that wants to act for a person needs a key, and the person has to know about it.',
    'So the service mails a code of six digits, and only the person can read that mail.',
  ];
  const many = Array.from({ length: 30 }, (_, at) => `${at + 4}: ${SAID[at % 3]}`);

  needsChromium(
    'the words appear while the run goes on, and make room for the review',
    async () => {
      const { page, runId, release } = await openRunning();
      expect(await page.$('.heard')).toBe(null);
      let position = 0;
      /** Like a worker: stores the words, then reports progress, which notifies the watchers. */
      const hear = async (texts: readonly string[]) => {
        const parts = texts.map((said, at) => ({
          start: (position + at) * 28,
          end: (position + at) * 28 + 27.5,
          text: said,
        }));
        await partial.add(runId, position, parts);
        position += texts.length;
        await runs.report(runId, 'transcription', 0.5 + position / 100);
      };
      await hear(SAID.slice(0, 1));
      await shows(page, text.run.heardTitle);
      await shows(page, SAID[0]!);
      expect(await page.$eval('.heard [role=status]', (one) => one.textContent)).toBe(
        text.run.heardFirst,
      );
      await hear(SAID.slice(1));
      await shows(page, `${SAID[0]} ${SAID[1]} ${SAID[2]}`);
      await expectToLookWell(page, 'heard-so-far');

      // The newest words stay in view until the user scrolls up.
      await hear(many);
      await shows(page, many.at(-1)!);
      const fromEnd = () =>
        page.$eval('.heard-words', (box) => box.scrollHeight - box.clientHeight - box.scrollTop);
      expect(await fromEnd()).toBeLessThan(2);
      await page.$eval('.heard-words', (box) => box.scrollTo(0, 0));
      await page.waitForFunction(() => document.querySelector('.heard-words')!.scrollTop === 0);
      await hear(['And the last words.']);
      await shows(page, 'And the last words.');
      expect(await page.$eval('.heard-words', (box) => box.scrollTop)).toBe(0);
      // Screen readers get a single message for all of that.
      expect(await page.$eval('.heard [role=status]', (one) => one.textContent)).toBe(
        text.run.heardFirst,
      );

      // A page opened later shows everything, once.
      await page.reload();
      await shows(page, 'And the last words.');
      const said = await page.$eval('.heard-words', (box) => (box as HTMLElement).innerText);
      expect(said).toBe([...SAID, ...many, 'And the last words.'].join(' '));

      release();
      await showsReview(page);
      await hides(page, text.run.heardTitle);
    },
  );
});
