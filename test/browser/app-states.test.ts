/** Every state of the app outside the review: what it says, and how one goes on. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { MAX_CODES } from '../../server/contract/limits.ts';
import { text } from '../../web/strings.ts';
import {
  askForCode,
  chooseFile,
  fill,
  hides,
  makeCaptions,
  openApp,
  press,
  shownRun,
  shows,
  showsReview,
  signInHere,
} from '../support/app.ts';
import { needsChromium } from '../support/chromium.ts';
import {
  client,
  ended,
  endStates,
  mailedCode,
  signUp,
  until,
  type Client,
} from '../support/client.ts';
import { startHttpDouble, type HttpDouble } from '../support/http-double.ts';
import { sample } from '../support/sample.ts';
import { spoken } from '../support/scripted-speech.ts';
import { removeFolder, startServerProcess } from '../support/server-process.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../support/speech-doubles.ts';
import { testBrowser } from '../support/test-browser.ts';
import { testServer } from '../support/test-server.ts';
import { tinyModelEnvironment } from '../support/tiny-model-environment.ts';
import { encoder, ffmpeg, needsFfmpeg, speech } from '../web/support/media-files.ts';

setDefaultTimeout(120_000);

/** `test` where there are both. */
const needsBoth = needsChromium === test ? needsFfmpeg : needsChromium;

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const { env: tinyModel } = await tinyModelEnvironment();
const env = {
  ...tinyModel,
  DEEPGRAM_API_KEY: 'key',
  DEEPGRAM_BASE_URL: deepgram.origin,
  REGISTRATIONS_PER_IP: '1000',
};
const server = await testServer({ env });
const { browser, folder } = await testBrowser();
const ann = await signUp(server, 'ann@example.com');
afterAll(() => deepgram.close());

/** Lets the provider answer only after this is called. */
function hold(double: HttpDouble = deepgram): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  double.behave(async () => {
    await promise;
    return Response.json(deepgramAnswer(TALK));
  });
  return () => {
    double.behave(null);
    resolve();
  };
}

const codes = (page: Page): Promise<string[]> =>
  page.$$eval('.code-boxes input', (boxes) => boxes.map(({ value }) => value));

/** A code that is not the one that was mailed. */
const wrong = (code: string): string => (code === '000000' ? '111111' : '000000');

/** A page of somebody signed in, on one of their runs while it goes. */
async function openRunning(at = ann): Promise<{ page: Page; runId: string; release(): void }> {
  const release = hold();
  const { page } = await openApp(browser(), at.url, { client: at });
  await makeCaptions(page, sample, 'deepgram');
  const runId = await shownRun(page);
  await shows(page, text.run.stages['transcription'] ?? '');
  return { page, runId, release };
}

/** Starts a run by the API, its audio uploaded before. */
async function startRun(of: Client, name: string, payload: object = {}): Promise<string> {
  const key = `talks/${crypto.randomUUID()}/${name}`;
  await of.put(key, Bun.file(sample));
  const transcription = { provider: 'deepgram' };
  const response = await of.start({ audio: { key }, transcription, ...payload });
  const { runId } = (await response.json()) as { runId: string };
  return runId;
}

describe('before a run', () => {
  needsChromium('without a recording it says what is missing', async () => {
    const { page, faults } = await openApp(browser(), server.url);
    await press(page, text.start.make);
    await shows(page, text.start.nothing);
    await chooseFile(page, sample);
    await hides(page, text.start.nothing);
    await shows(page, 'agent-registration.mp3');
    expect(faults).toEqual([]);
    await page.close();
  });

  needsChromium('an empty file is refused, and another may be chosen', async () => {
    const path = join(folder, 'empty.mp3');
    await Bun.write(path, '');
    const { page } = await openApp(browser(), server.url);
    await chooseFile(page, path);
    await shows(page, text.start.empty);
    await chooseFile(page, sample);
    await hides(page, text.start.empty);
    await page.close();
  });

  needsChromium('what is no address is told of, and can be mended', async () => {
    const { page } = await openApp(browser(), server.url);
    await press(page, text.header.signIn);
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

  needsChromium('after too many wrong codes a new one is asked for', async () => {
    const { page } = await openApp(browser(), server.url);
    await press(page, text.header.signIn);
    await askForCode(page, 'many@example.com');
    const code = await mailedCode(server.dataDir, 'many@example.com');
    for (let tried = 1; tried < MAX_CODES; tried += 1) {
      await page.keyboard.type(wrong(code));
      await shows(page, text.signIn.problems['invalid_otp'] ?? '');
      await page.waitForSelector('.code-boxes input:first-of-type:focus');
    }
    await page.keyboard.type(wrong(code));
    await shows(page, text.signIn.problems['too_many_attempts'] ?? '');
    // The address is still there, and has the focus: Enter sends a new code.
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

  needsChromium('whoever would rather not sign in has the form as it was', async () => {
    const { page } = await openApp(browser(), server.url);
    await fill(page, text.start.topic, 'Agents');
    await makeCaptions(page, sample);
    await shows(page, text.signIn.kept);
    await press(page, text.cancel);
    await shows(page, text.start.make);
    await shows(page, 'agent-registration.mp3');
    const topic = await page.$eval('input[type=text]', (field) => field.value);
    expect(topic).toBe('Agents');
    await page.close();
  });
});

describe('a file that no MP3 can be made of', () => {
  needsChromium('is no media', async () => {
    const path = join(folder, 'notes.mp4');
    await Bun.write(path, 'This is text.\n'.repeat(500));
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.unreadable);
    expect(await page.$('pre')).toBeNull();
    expect(faults).toEqual([]);
    await press(page, text.run.startOver);
    await shows(page, text.start.make);
    await page.close();
  });

  needsBoth('is a video without sound', async () => {
    const codec = await encoder('libx264', 'libopenh264', 'mpeg4');
    const pictures = '-f lavfi -i testsrc2=size=160x90:rate=10 -t 3';
    const path = await ffmpeg(join(folder, 'mute.mp4'), pictures, codec);
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.no_audio);
    expect(faults).toEqual([]);
    await page.close();
  });

  needsBoth('has sound that this browser cannot read: a line makes the MP3', async () => {
    const path = await speech(folder, `Ann's talk.m4a`, '-c:a alac');
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.run.conversion.codec_unsupported);
    const line = await page.$eval('pre', (block) => block.textContent);
    // What is shown does what it says, in a shell.
    expect(await Bun.spawn(['sh', '-c', line], { cwd: folder, stderr: 'ignore' }).exited).toBe(0);
    expect(Bun.file(join(folder, `Ann's talk.mp3`)).size).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('without a connection', () => {
  needsChromium('an upload waits, says so, and goes on by itself', async () => {
    const { page } = await openApp(browser(), server.url, { client: ann });
    await page.setOfflineMode(true);
    await makeCaptions(page, sample);
    await shows(page, text.offline);
    await shows(page, text.run.uploading);
    await page.setOfflineMode(false);
    await showsReview(page);
    await hides(page, text.offline);
    await page.close();
  });

  needsChromium(
    'who goes elsewhere meanwhile finds the way back, and is not taken away',
    async () => {
      const { page } = await openApp(browser(), server.url, { client: ann });
      await page.setOfflineMode(true);
      await makeCaptions(page, sample);
      await shows(page, text.run.uploading);
      await press(page, text.header.start);
      await press(page, text.start.underWay('agent-registration.mp3'));
      await shows(page, text.run.stayHere);
      await press(page, text.header.start);
      await page.setOfflineMode(false);
      await hides(page, text.start.underWay('agent-registration.mp3'));
      expect(new URL(page.url()).hash).toBe('#/');
      await press(page, text.header.pastRuns);
      await press(page, 'agent-registration.mp3');
      await showsReview(page);
      await page.close();
    },
  );

  needsChromium('an upload that breaks off in the middle is done again', async () => {
    const { page } = await openApp(browser(), server.url, { client: ann });
    const slow = { upload: 20_000, download: 1e7, latency: 0 };
    await page.emulateNetworkConditions(slow);
    await makeCaptions(page, sample);
    await page.waitForFunction(() => {
      const bar = document.querySelector('progress');
      return bar !== null && bar.value > 0;
    });
    await page.setOfflineMode(true);
    await shows(page, text.offline);
    await page.emulateNetworkConditions(null);
    await page.setOfflineMode(false);
    await showsReview(page);
    await page.close();
  });

  needsBoth('the converter is loaded once there is one', async () => {
    const path = await speech(folder, 'talk.m4a', '-c:a aac');
    const { page } = await openApp(browser(), server.url, { client: ann });
    await page.setOfflineMode(true);
    const failed = new Promise((resolve) => page.once('requestfailed', resolve));
    await makeCaptions(page, path);
    await failed;
    await shows(page, text.offline);
    await shows(page, text.run.making);
    await page.setOfflineMode(false);
    await showsReview(page);
    await page.close();
  });

  needsChromium('so is the review', async () => {
    const runId = await startRun(ann, 'offline.mp3');
    await ended(ann, runId);
    const { page } = await openApp(browser(), server.url, { client: ann, at: '/runs' });
    await shows(page, 'offline.mp3');
    // The run itself is there, and the part that shows it is not.
    await page.setRequestInterception(true);
    let isAway = true;
    page.on('request', (request) => {
      const isPart = request.resourceType() === 'script' || request.url().endsWith('/health');
      void (isAway && isPart ? request.abort('internetdisconnected') : request.continue());
    });
    const failed = new Promise((resolve) => page.once('requestfailed', resolve));
    await press(page, 'offline.mp3');
    await failed;
    await shows(page, text.offline);
    isAway = false;
    await showsReview(page);
    await hides(page, text.offline);
    await page.close();
  });

  needsChromium('a run is followed again, and the notice goes before the run ends', async () => {
    const { page, release } = await openRunning();
    await page.setOfflineMode(true);
    await shows(page, text.offline);
    await page.setOfflineMode(false);
    await hides(page, text.offline);
    await shows(page, text.run.stages['transcription'] ?? '');
    release();
    await showsReview(page);
    await page.close();
  });

  needsChromium('a service that stops and starts again is waited for', async () => {
    const first = await startServerProcess({ env });
    const bob = await signUp(first, 'bob@example.com');
    const { page, release } = await openRunning(bob);
    await first.kill();
    await shows(page, text.offline);
    const again = await startServerProcess({
      dataDir: first.dataDir,
      env: { ...env, PORT: new URL(first.url).port },
    });
    await hides(page, text.offline);
    await shows(page, text.run.stages['transcription'] ?? '');
    release();
    await showsReview(page);
    await page.close();
    await again.stop();
    await removeFolder(first.dataDir);
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

describe('a run that failed', () => {
  needsChromium('lists what may help; another provider starts it again', async () => {
    deepgram.behave(() => Response.json({ err_code: 'INVALID_AUTH' }, { status: 401 }));
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
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
    const labels = error.suggestions.map(({ label }: { label: string }) => label);
    expect(labels).toContain('Transcribe with edge');
    expect(buttons).toEqual([...labels, text.run.again]);

    await press(page, 'Transcribe with edge');
    await showsReview(page);
    deepgram.behave(null);
    const run = await ann.run(await shownRun(page));
    const { input, transcript } = run.envelope.result;
    expect([input.topic, transcript.metadata.provider]).toEqual(['Agents', 'edge']);
    expect(faults).toEqual([]);
    await page.close();
  });

  needsChromium('is run again as it was, from what the browser keeps', async () => {
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

  needsChromium('elsewhere asks for its recording', async () => {
    deepgram.behave(() => Response.json({}, { status: 401 }));
    const runId = await startRun(ann, 'elsewhere.mp3');
    await ended(ann, runId);
    deepgram.behave(null);
    const { page } = await openApp(browser(), server.url, { client: ann, at: `/runs/${runId}` });
    await press(page, 'Transcribe with edge');
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
    await shows(page, 'Transcribe with edge');
    deepgram.behave(null);
    await page.close();
  });
});

describe('how else a run goes', () => {
  needsChromium('cancelled', async () => {
    const { page, runId, release } = await openRunning();
    await press(page, text.run.cancel);
    await shows(page, text.run.cancelledNote);
    release();
    expect((await ended(ann, runId)).state).toBe('cancelled');
    await press(page, text.run.startOver);
    await shows(page, text.start.make);
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
    expect(faults).toEqual([]);
    await page.close();
  });

  needsBoth('without speech', async () => {
    const silence = '-f lavfi -i anullsrc=r=16000:cl=mono -t 4 -c:a libmp3lame';
    const path = await ffmpeg(join(folder, 'silence.mp3'), silence);
    const { page, faults } = await openApp(browser(), server.url, { client: ann });
    await makeCaptions(page, path);
    await shows(page, text.review.noSpeech);
    expect(faults).toEqual([]);
    await press(page, text.run.startOver);
    await shows(page, text.start.make);
    await page.close();
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

describe('leaving and coming back', () => {
  needsChromium('a reload in the middle of a run follows it on', async () => {
    const { page, runId, release } = await openRunning();
    await page.reload();
    await shows(page, text.run.stages['transcription'] ?? '');
    await shows(page, text.run.title('agent-registration.mp3'));
    release();
    await showsReview(page);
    expect(await shownRun(page)).toBe(runId);
    await page.close();
  });

  needsChromium('without a kept key it asks for one, and then follows on', async () => {
    const release = hold();
    const { page } = await openApp(browser(), server.url);
    await makeCaptions(page, sample, 'deepgram');
    await signInHere(page, server, 'forgetful@example.com');
    await shows(page, text.run.stages['transcription'] ?? '');
    await page.reload();
    await signInHere(page, server, 'forgetful@example.com');
    await shows(page, text.run.stages['transcription'] ?? '');
    release();
    await showsReview(page);
    await page.close();
  });

  needsChromium('who waves the question off may still sign in, and sees the run', async () => {
    const runId = await startRun(ann, 'later.mp3');
    await ended(ann, runId);
    const { page } = await openApp(browser(), server.url, { at: `/runs/${runId}` });
    await press(page, text.cancel);
    await shows(page, text.run.signIn);
    await press(page, text.header.signIn);
    await signInHere(page, server, 'ann@example.com');
    await showsReview(page);
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
    await hides(page, text.pastRuns.loading);
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
  /** What the databases of the browser hold, by store. */
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

  /** Goes through a run as somebody who agreed to stay signed in. */
  async function reviewed(email: string): Promise<Page> {
    const { page } = await openApp(browser(), server.url);
    await makeCaptions(page, sample, 'deepgram');
    await press(page, text.signIn.keep);
    await signInHere(page, server, email);
    await showsReview(page);
    return page;
  }

  needsChromium('who signs out is asked again, and keeps what the browser has', async () => {
    const page = await reviewed('outward@example.com');
    await press(page, text.header.account('outward@…'));
    await press(page, text.header.signOut);
    await shows(page, text.header.signIn);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(await kept(page)).toMatchObject({ runs: 1, results: 1 });
    await press(page, text.header.pastRuns);
    await shows(page, text.pastRuns.signIn);
    await shows(page, text.pastRuns.here);
    // A review needs no key.
    await press(page, 'agent-registration.mp3');
    await showsReview(page);
    await page.close();
  });

  needsChromium('“forget everything” leaves nothing', async () => {
    const page = await reviewed('blank@example.com');
    expect(await kept(page)).toMatchObject({ runs: 1, recordings: 1, results: 1 });
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    await press(page, text.header.account('blank@…'));
    await Promise.all([page.waitForNavigation(), press(page, text.header.forget)]);
    expect(asked).toEqual([text.header.forgetAsk]);
    await shows(page, text.start.make);
    await until(async () => Object.values(await kept(page)).every((count) => count === 0));
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await press(page, text.header.pastRuns);
    await shows(page, text.pastRuns.signIn);
    await page.close();
  });

  needsChromium('a single run is forgotten alone', async () => {
    const page = await reviewed('single@example.com');
    await press(page, text.header.account('single@…'));
    await press(page, text.header.signOut);
    await press(page, text.header.pastRuns);
    await press(page, text.pastRuns.forget('agent-registration.mp3'));
    await hides(page, 'agent-registration.mp3');
    await until(async () => Object.values(await kept(page)).every((count) => count === 0));
    await page.close();
  });
});

needsChromium('light or dark is what was chosen, also after a reload', async () => {
  const { page } = await openApp(browser(), server.url);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await press(page, text.header.toDark);
  await until(async () => (await ground()) !== light);
  const dark = await ground();
  await page.reload();
  expect(await ground()).toBe(dark);
  await press(page, text.header.toLight);
  await until(async () => (await ground()) === light);
  // Back at the system's choice, the system decides.
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await until(async () => (await ground()) === dark);
  await page.close();
});
