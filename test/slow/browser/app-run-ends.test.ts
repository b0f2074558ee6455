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
import { sample } from '../../support/sample.ts';
import { spoken } from '../../support/doubles/scripted-speech.ts';
import { deepgramAnswer } from '../../support/doubles/speech-doubles.ts';
import { ffmpeg, needsBoth } from '../../support/media-files.ts';
import { appBench } from './support.ts';

setDefaultTimeout(300_000);

const { deepgram, server, browser, folder, ann } = await appBench();

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
