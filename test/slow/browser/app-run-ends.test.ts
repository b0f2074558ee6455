/** Every way a run can end or wait, and the next steps the app offers. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { text } from '../../support/browser/words.ts';
import {
  chooseFile,
  fill,
  makeCaptions,
  openApp,
  press,
  shownRun,
  shows,
  showsReview,
} from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { ended, endStates, signUp } from '../../support/servers/client.ts';
import { sample } from '../../support/sample.ts';
import { spoken } from '../../support/doubles/scripted-speech.ts';
import { removeFolder, startServerProcess } from '../../support/servers/server-process.ts';
import { deepgramAnswer } from '../../support/doubles/speech-doubles.ts';
import { ffmpeg, needsBoth } from '../../web/support/media-files.ts';
import { appBench, startRun } from './support.ts';

setDefaultTimeout(300_000);

const { deepgram, env, server, browser, folder, ann, hold, openRunning } = await appBench();

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

  needsChromium('is run again unchanged, with the recording that the browser keeps', async () => {
    deepgram.behave(() => Response.json({}, { status: 401 }));
    const { page } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, sample, 'deepgram');
    await shows(page, text.run.failed);
    await page.reload();
    await shows(page, text.run.failed);
    deepgram.behave(null);
    await press(page, text.run.again);
    await showsReview(page);
    await page.close();
  });

  needsChromium('started by another client asks for its recording', async () => {
    deepgram.behave(() => Response.json({}, { status: 401 }));
    const runId = await startRun(ann, 'elsewhere.mp3');
    await ended(ann, runId);
    deepgram.behave(null);
    const { page } = await openApp(browser(), server.url, { client: ann, at: `/runs/${runId}` });
    await press(page, text.run.transcribeHere);
    await shows(page, text.run.needFile);
    await page.waitForSelector('input[type=file]:focus');
    await chooseFile(page, sample);
    await showsReview(page);
    const run = await ann.run(await shownRun(page));
    expect(run.envelope.result.transcript.metadata.provider).toBe('edge');
    await page.close();
  });

  needsChromium.each([429, 500])('of a provider that answers %i is explained', async (status) => {
    deepgram.behave(() => Response.json({}, { status, headers: { 'retry-after': '3600' } }));
    const { page } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, sample, 'deepgram');
    await shows(page, text.run.failed);
    await shows(page, text.run.transcribeHere);
    deepgram.behave(null);
    await page.close();
  });
});

describe('other ends of a run', () => {
  needsChromium('cancelled', async () => {
    const { page, runId, release } = await openRunning();
    await press(page, text.run.cancel);
    await shows(page, text.run.cancelledNote);
    await shows(page, text.run.recording.skipped);
    release();
    expect((await ended(ann, runId)).state).toBe('cancelled');
    await press(page, text.run.again);
    await showsReview(page);
    await page.close();
  });

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
    const address = page.url();

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

    // Tried again by another recogniser, in another language.
    const { page: other } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(other, path);
    await shows(other, text.run.noSpeech);
    expect(other.url()).not.toBe(address);
    // In a browser that has stored neither run, the list shows that this one had no speech and that the other has
    // captions by now.
    const list = await openApp(browser(), server.url, { client: ann, at: '/runs' });
    const { silent = '', completed = '' } = text.pastRuns.states;
    await shows(list.page, silent);
    const states = await list.page.$$eval('.runs .state', (all) =>
      all.slice(0, 2).map((one) => one.textContent),
    );
    expect(states).toEqual([silent, completed]);
    expect(list.faults).toEqual([]);
    await list.page.close();
    await fill(other, text.run.language, 'de');
    await fill(other, text.run.provider, 'deepgram');
    await press(other, text.run.tryAgain);
    await showsReview(other);
    const { input } = (await ann.run(await shownRun(other))).envelope.result;
    expect([input.language, input.transcription.provider]).toEqual(['de', 'deepgram']);
    await other.close();
  });

  needsChromium('after those before it', async () => {
    const one = await startServerProcess({ env: { ...env, RUNS_AT_ONCE: '1' } });
    const eve = await signUp(one, 'eve@example.com');
    const release = hold();
    const first = [await startRun(eve, 'a.mp3'), await startRun(eve, 'b.mp3')];
    const { page } = await openApp(browser(), one.url, { client: eve });
    await makeCaptions(page, sample, 'deepgram');
    await shows(page, text.run.queued);
    await shows(page, text.run.queuedBehind(2));
    release();
    await showsReview(page);
    expect([...(await endStates(eve, first))]).toEqual(['completed']);
    await page.close();
    await one.stop();
    await removeFolder(one.dataDir);
  });
});
