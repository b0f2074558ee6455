/** A recording becomes a run, how that may end, and what comes next. */
import { expect, test } from 'bun:test';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import {
  control,
  field,
  goToStart,
  has,
  input,
  one,
  pageText,
  texts,
  until,
  visit,
  all,
  isStart,
  nextPayload,
  refusal,
} from './support/app.ts';
import { choose, click, giveFiles, submit, type } from './support/hands.ts';
import { expectScreen } from './support/screen.ts';
import { halfRead, tone } from './support/tones.ts';
import {
  ann,
  asksBeforeClosing,
  captioned,
  holding,
  mp3,
  silentRun,
  step,
  useJobs,
} from './support/job.ts';
import { signInAs, signOut } from './support/signing.ts';
import { endedRun } from './support/talks.ts';
import * as examples from '../../../server/http/openapi/examples.ts';

const { keepRun, keptRecording } = await import('../../../web/storage/runs.ts');

useJobs();

test('a recording becomes an MP3 in the page, is uploaded, and its run is followed', async () => {
  const goOn = holding(({ url }) => url.includes('/audio/'));
  const start = Promise.withResolvers<null>();
  const recording = tone(3);
  await captioned(recording);
  await until('all bytes', () => step()[1] === '0.0 of 0.0 MB');
  expect(step()[0]).toBe(text.run.uploading);
  expect(one('.step progress').getAttribute('aria-label')).toBe(text.run.uploading);
  expect([asksBeforeClosing(), document.title]).toEqual([true, `talk.wav · ${text.name}`]);
  expect(pageText()).toContain(text.run.stayHere);
  ann.interrupt((request) => (isStart(request) ? start.promise : null));
  goOn();
  await until('the start', () => step()[0] === text.run.starting);
  start.resolve(null);
  await until('the run', () => location.hash.startsWith('#/runs/run_'));
  await until('the queue', () => pageText().includes(text.run.queued));
  // The bar goes on where the upload has left it.
  expect(Number(one('.step progress').getAttribute('value'))).toBeCloseTo(0.4);
  await until('that the page may be closed', () => !asksBeforeClosing());
  // The run keeps the name of the file, and the MP3 that was made from it.
  expect(document.title).toBe(`talk.wav · ${text.name}`);
  const kept = await keptRecording(location.hash.split('/').at(-1)!);
  expect(kept!.size).toBeLessThan(recording.size);
});

test('the page says that it is making the MP3; an MP3 is uploaded unchanged', async () => {
  holding(() => true);
  const { file, giveRest } = halfRead(tone(60, 'long.wav'));
  await captioned(file);
  await until('a note', () => /^0:\d\d of 1:00$/.test(step()[1] ?? ''));
  expect(step()[0]).toBe(text.run.making);
  expect((one('.step progress') as HTMLProgressElement).value).toBeLessThan(0.25);
  await click(text.run.cancel);
  await until('the start page', () => document.querySelector('form.start'));
  giveRest();
  await until('that the page may be closed', () => !asksBeforeClosing());
  holding(() => true);
  await captioned(mp3('talk.mp3'));
  await until('the upload', () => step()[0] === text.run.uploading);
});

test('a run that starts while the user is on another page does not open by itself', async () => {
  const goOn = holding(isStart);
  await captioned(mp3('behind.mp3'));
  await until('the start', () => pageText().includes(text.run.starting));
  await visit('#/', text.start.title);
  expect(one('.notice a').textContent).toBe(text.start.underWay('behind.mp3'));
  expect(one('.notice a').getAttribute('href')).toBe('#/new');
  goOn();
  await until('no notice', () => !document.querySelector('.notice'));
  expect(location.hash).toBe('#/');
  await visit('#/runs', 'behind.mp3');
  // The page of its upload leads to the run.
  location.hash = '#/new';
  await until('the run', () => location.hash.startsWith('#/runs/run_'));
});

test('a cancelled upload is not a failure, and leads back to the start', async () => {
  holding(({ url }) => url.includes('/audio/'));
  await captioned(mp3('never.mp3'));
  await until('the upload', () => pageText().includes(text.run.uploading));
  const { length } = history;
  await click(text.run.cancel);
  await until('the start page', () => document.querySelector('form.start'));
  expect([document.querySelector('.notice'), history.length]).toEqual([null, length]);
  await until('that the page may be closed', () => !asksBeforeClosing());
});

test('a start that lost its connection is repeated automatically, as the same attempt', async () => {
  const attempts: (string | null)[] = [];
  let isOut = true;
  ann.interrupt((request) => {
    if (!isStart(request)) return null;
    attempts.push(request.headers.get('idempotency-key'));
    if (isOut) throw new TypeError('no network');
    return null;
  });
  await captioned(mp3('patient.mp3'));
  await until('the notice', () => pageText().includes(text.offline));
  isOut = false;
  dispatchEvent(new Event('online'));
  await until('the run', () => location.hash.startsWith('#/runs/run_'));
  expect(pageText()).not.toContain(text.offline);
  expect(attempts.length).toBeGreaterThan(1);
  expect(attempts[0]).toMatch(/^[\da-f-]{36}$/);
  expect([...new Set(attempts)]).toHaveLength(1);
});

test('declining to sign in leads back to the start, with the recording still chosen', async () => {
  await signOut();
  await captioned(mp3('mine.mp3'));
  await until('the card', () => has(text.signIn.email));
  await expectScreen('.sign-in');
  expect(pageText()).toContain(text.signIn.kept);
  await click(text.cancel);
  await until('the start page', () => document.querySelector('form.start'));
  expect(one('.drop-title').textContent).toContain('mine.mp3');
  await signInAs(ann);
});

/** Opens the recording on the page of a run, and returns its player. */
async function playerOfMine(): Promise<HTMLAudioElement> {
  await until('the way to open it', () => pageText().includes(runEndText.notHere));
  await giveFiles(one('.listen input[type=file]'), [mp3('mine.mp3')]);
  return until('the player', () => document.querySelector<HTMLAudioElement>('audio.listen'));
}

test('a recording without speech can be played, run in another language, or captioned by hand', async () => {
  await visit(
    `#/runs/${await silentRun({ language: 'en', transcription: { provider: 'deepgram', model: 'nova-3' } })}`,
    runEndText.noSpeech,
  );
  const player = await playerOfMine();
  expect(player.getAttribute('aria-label')).toBe(runEndText.listen);
  player.dispatchEvent(new Event('loadedmetadata'));
  expect(player.currentTime).toBe(0);
  const sent = nextPayload(ann);
  await choose(control(runEndText.language) as HTMLSelectElement, 'de');
  await submit(one('.other-settings'));
  // The recording is open, so the page does not ask for it again; the same provider keeps its model.
  expect(await sent).toMatchObject({
    language: 'de',
    transcription: { provider: 'deepgram', model: 'nova-3' },
  });
});

test('captions can be written by hand, starting with the first', async () => {
  const runId = await silentRun();
  await visit(`#/runs/${runId}`, runEndText.noSpeech);
  await click(runEndText.byHand);
  await until('the editor', () => has(text.review.firstCaption));
  expect(pageText()).toContain(text.review.noneYet);
  expect(input(text.review.seek).max).toBe('1');
  await click(text.review.firstCaption);
  await until('the caption', () => texts().length === 1);
  expect(document.activeElement === field(1)).toBe(true);
  await type(field(1), 'Good evening.');
  await goToStart();
  // The next time, the review opens at once.
  location.hash = `#/runs/${runId}`;
  await until('the review', () => texts()[0] === 'Good evening.');
});

test('a blocked recording is played from the part that was blocked', async () => {
  const source = { key: 'talks/old.mp3', filename: 'old.mp3' };
  const input = { ...examples.blockedResult.input, source };
  const runId = await endedRun(ann, 'blocked', { ...examples.blockedResult, input });
  await visit(`#/runs/${runId}`, runEndText.blocked);
  expect(pageText()).toContain(`${runEndText.blockedWhere}: 00:30.5 – 00:58.0`);
  const player = await playerOfMine();
  player.dispatchEvent(new Event('loadedmetadata'));
  expect(player.currentTime).toBe(30.5);
  const sent = nextPayload(ann);
  await giveFiles(one('.next-step input[type=file]'), [mp3('clean.mp3')]);
  expect(await sent).toMatchObject({ audio: { filename: 'clean.mp3' } });
});

test('a refused run can be retried or abandoned', async () => {
  let tries = 0;
  ann.interrupt((request) => {
    if (!isStart(request)) return null;
    tries += 1;
    return refusal(429, 'quota_exceeded', 'No more today.');
  });
  await captioned(mp3('talk.mp3'));
  await until(
    'the refusal',
    () => pageText().includes('No more today.') && has(runEndText.tryAgain),
  );
  await click(runEndText.tryAgain);
  await until('another try', () => tries === 2 && has(runEndText.tryAgain));
  await click(runEndText.back);
  await until('the start page', () => document.querySelector('form.start'));
});

test('a file that is not a recording is refused, and another one can be chosen', async () => {
  ann.interrupt((request) =>
    isStart(request) ? refusal(429, 'quota_exceeded', 'No more today.') : null,
  );
  await captioned(new File(['nothing at all'], 'broken.mp4', { type: 'video/mp4' }));
  await until('another choice', () => has(runEndText.otherFile));
  expect(has(runEndText.tryAgain)).toBe(false);
  await giveFiles(one('.card input[type=file]'), [mp3('better.mp3')]);
  await until('the other one', () => pageText().includes('better.mp3'));
  await until('its refusal', () => pageText().includes('No more today.'));
});

test('a failed run can run again with its recording, which the user chooses if it is not stored', async () => {
  const source = { key: 'talks/keynote.mp3', filename: 'keynote.mp4' };
  const input = { ...examples.failedResult.input, source };
  const runId = await endedRun(ann, 'failed', { ...examples.failedResult, input });
  await keepRun({ runId, name: 'keynote.mp4', createdAt: 1, speakers: '3' }, null);
  await visit(`#/runs/${runId}`, text.run.failed);
  await click(runEndText.again);
  await until('the request', () => pageText().includes(runEndText.needFile));
  expect(document.activeElement?.closest('.actions')).not.toBeNull();
  const payload = nextPayload(ann);
  await giveFiles(all('.card input[type=file]').at(-1)!, [mp3('again.mp3')]);
  // It is the same recording, whatever its file is called here.
  expect(await payload).toMatchObject({
    audio: { key: expect.stringContaining('again'), filename: 'keynote.mp4' },
  });
  // The number of speakers is no part of the payload.
  expect(ann.requests.at(-1)).toContain('speakers=3');
});

test('the app shows a message while the browser is offline', async () => {
  const online = (is: boolean) => {
    Object.defineProperty(navigator, 'onLine', { value: is, configurable: true });
    dispatchEvent(new Event(is ? 'online' : 'offline'));
  };
  online(false);
  await until('the notice', () => pageText().includes(text.offline));
  online(true);
  await until('no notice', () => !pageText().includes(text.offline));
});
