/** One recording, from its conversion in the page to its run; and what is done with it after a run without captions. */
import { beforeEach, expect, test } from 'bun:test';
import { blockedResult, failedResult } from '../../../server/http/openapi/example-results.ts';
import { endSays } from '../../../web/words/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { sample } from '../../support/sample.ts';
import {
  all,
  control,
  field,
  has,
  input,
  one,
  openApp,
  pageText,
  refusal,
  texts,
  until,
  visit,
} from './support/app.ts';
import { endedRun } from './support/ended-run.ts';
import { choose, click, giveFiles, submit } from './support/hands.ts';
import { expectOutline } from './support/outline.ts';
import { halfRead, tone } from './support/tones.ts';

const ann = await openApp();
const { database } = ann.service.services;

beforeEach(async () => {
  ann.interrupt(null);
  if (location.hash === '#/new' && has(text.run.cancel)) await click(text.run.cancel);
  await visit('#/', text.start.make);
});

const sound = await Bun.file(sample).arrayBuffer();
const mp3 = (name: string) => new File([sound], name, { type: 'audio/mpeg' });
async function captioned(file: File): Promise<void> {
  await giveFiles(one('.drop input[type=file]'), [file]);
  await until('the choice', () => pageText().includes(file.name));
  await click(text.start.make);
}

const isStart = ({ method, url }: Request): boolean =>
  method === 'POST' && new URL(url).pathname === '/workflows/captioner';
const asksBeforeClosing = () =>
  !dispatchEvent(new Event('beforeunload', { cancelable: true, bubbles: true }));
const steps = () =>
  all('.steps li').map((line) => [
    line.className,
    one('.step-label', line).textContent,
    one('.step-note', line).textContent,
  ]);

/** Holds the requests to a path until the test lets them go on. */
function holding(holds: (request: Request) => boolean) {
  const { promise, resolve } = Promise.withResolvers<null>();
  ann.interrupt((request) => (holds(request) ? promise : null));
  return () => resolve(null);
}

test('a recording becomes an MP3 in the page, is uploaded, and its run is followed', async () => {
  const goOn = holding(({ url }) => url.includes('/audio/'));
  const start = Promise.withResolvers<null>();
  await captioned(tone(3));
  await until('the upload', () => steps()[1]?.[0] === 'step active');
  await until('all bytes', () => steps()[1]![2] === '0.0 MB of 0.0 MB');
  expect(steps()[0]).toEqual(['step done', text.run.made, '3 s of audio → 0.0 MB']);
  expect(one('.step.done .step-aside').textContent).toMatch(/^\d+(\.\d)? s$/);
  expect(one('.step.active progress').getAttribute('aria-label')).toBe(text.run.uploading);
  expect([asksBeforeClosing(), document.title]).toEqual([true, `talk.wav · ${text.name}`]);
  expect(pageText()).toContain(text.run.stayHere);
  ann.interrupt((request) => (isStart(request) ? start.promise : null));
  goOn();
  await until('the start', () => steps()[2]?.[1] === text.run.starting);
  expect(steps()[1]).toEqual(['step done', text.run.uploaded, '0.0 MB']);
  start.resolve(null);
  await until('the run', () => location.hash.startsWith('#/runs/run_'));
  await until('the queue', () => pageText().includes(text.run.queued));
  // What was done in the page stays above the stages of the run.
  expect(steps().map(([, label]) => label)).toEqual([
    text.run.made,
    text.run.uploaded,
    text.run.queued,
  ]);
  await until('that the page may be closed', () => !asksBeforeClosing());
});

test('while the MP3 is made, the page says so; an MP3 is uploaded as it is', async () => {
  holding(() => true);
  const { file, giveRest } = halfRead(tone(60, 'long.wav'));
  await captioned(file);
  await until('the conversion', () => steps()[0]?.[0] === 'step active');
  expect(steps()[0]![1]).toBe(text.run.making);
  await until('a note', () => /^\d+ s of 1:00 min$/.test(steps()[0]?.[2] ?? ''));
  expect(Number((one('.step.active progress') as HTMLProgressElement).value)).toBeLessThan(1);
  await click(text.run.cancel);
  await until('the start page', () => document.querySelector('form.start'));
  giveRest();
  await until('that the page may be closed', () => !asksBeforeClosing());
  holding(() => true);
  await captioned(mp3('talk.mp3'));
  await until('the upload', () => steps()[0]?.[0] === 'step active');
  expect(steps().map(([, label]) => label)).toEqual([text.run.uploading]);
});

test('a run is shown where the person has gone on to another page only there', async () => {
  const goOn = holding(isStart);
  await captioned(mp3('behind.mp3'));
  await until('the start', () => pageText().includes(text.run.starting));
  await visit('#/', text.start.make);
  expect(one('.notice a').textContent).toBe(text.start.underWay('behind.mp3'));
  expect(one('.notice a').getAttribute('href')).toBe('#/new');
  goOn();
  await until('no notice', () => !document.querySelector('.notice'));
  expect(location.hash).toBe('#/');
  await visit('#/runs', 'behind.mp3');
});

test('a cancelled upload is no failure, and leads back', async () => {
  holding(({ url }) => url.includes('/audio/'));
  await captioned(mp3('never.mp3'));
  await until('the upload', () => pageText().includes(text.run.uploading));
  await click(text.run.cancel);
  await until('the start page', () => document.querySelector('form.start'));
  expect(document.querySelector('.notice')).toBeNull();
  await until('that the page may be closed', () => !asksBeforeClosing());
});

test('what was not uploaded for want of a connection goes on by itself', async () => {
  let isOut = true;
  ann.interrupt((request) => {
    if (isOut && isStart(request)) throw new TypeError('no network');
    return null;
  });
  await captioned(mp3('patient.mp3'));
  await until('the notice', () => pageText().includes(text.offline));
  isOut = false;
  dispatchEvent(new Event('online'));
  await until('the run', () => location.hash.startsWith('#/runs/run_'));
  expect(pageText()).not.toContain(text.offline);
});

test('a failure that is nobody’s answer says that something went wrong', async () => {
  const { crypto } = globalThis;
  const { randomUUID } = crypto;
  let ids = 0;
  crypto.randomUUID = () => {
    ids += 1;
    if (ids > 1) throw new RangeError('no ids');
    return randomUUID.call(crypto);
  };
  try {
    await captioned(mp3('odd.mp3'));
    await until('the failure', () => pageText().includes(text.wrong) && has(endSays.tryAgain));
    expect(all('pre')).toHaveLength(0);
  } finally {
    crypto.randomUUID = randomUUID;
  }
});

test('who declines to sign in is back at the start, with the recording', async () => {
  await click(all('.header-end .menu > button')[0]!);
  await click(control(text.header.signOut));
  await until('the question', () => has(text.header.signOutKeep));
  await click(text.header.signOutKeep);
  await until('the way to sign in', () => has(text.header.signIn));
  await captioned(mp3('mine.mp3'));
  await until('the card', () => has(text.signIn.email));
  expect(pageText()).toContain(text.signIn.kept);
  await click(text.cancel);
  await until('the start page', () => document.querySelector('form.start'));
  expect(one('.drop-title').textContent).toContain('mine.mp3');
  const { signIn } = await import('../../../web/session.ts');
  signIn({ key: ann.key, email: 'ann@example.com' }, true);
});

/** The payload of the next run that is started, which is refused. */
function nextPayload(): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    ann.interrupt((request) =>
      isStart(request)
        ? request.json().then((payload: Record<string, unknown>) => {
            resolve(payload);
            return refusal(429, 'quota_exceeded', 'No more today.');
          })
        : null,
    );
  });
}

async function silentRun(input: object = {}): Promise<string> {
  const { runId, result } = await completedRun(database, ann.organizationId, spoken('Hello'));
  const silent = {
    ...result,
    input: { ...result.input, ...input },
    captions: { ...result.captions, cues: [] },
    transcript: { ...result.transcript, words: [] },
  };
  await database
    .updateTable('runs')
    .set({ result: JSON.stringify(silent) })
    .where('id', '=', runId)
    .execute();
  return runId;
}

test('a recording without speech is heard, tried in another language, or captioned by hand', async () => {
  await visit(
    `#/runs/${await silentRun({ language: 'en', transcription: { provider: 'deepgram', model: 'nova-3' } })}`,
    endSays.noSpeech,
  );
  await until('the way to open it', () => pageText().includes(endSays.notHere));
  await expectOutline('run-without-speech', 'main');
  await giveFiles(one('.listen input[type=file]'), [mp3('mine.mp3')]);
  const player = (await until('the player', () =>
    document.querySelector('audio.listen'),
  )) as HTMLAudioElement;
  expect(player.getAttribute('aria-label')).toBe(endSays.listen);
  player.dispatchEvent(new Event('loadedmetadata'));
  expect(player.currentTime).toBe(0);
  const sent = nextPayload();
  await choose(control(endSays.language) as HTMLSelectElement, 'de');
  await submit(one('.other-settings'));
  // The recording was opened, so it is not asked for again, and the same provider keeps its model.
  expect(await sent).toMatchObject({
    language: 'de',
    transcription: { provider: 'deepgram', model: 'nova-3' },
  });
});

test('another provider does not get the model of the first', async () => {
  await visit(
    `#/runs/${await silentRun({ language: 'sw', transcription: { provider: 'deepgram', model: 'nova-3' } })}`,
    endSays.noSpeech,
  );
  await until('the settings', () => document.querySelector('.other-settings'));
  // A language that the list does not have is offered as well.
  expect(input(endSays.language).value).toBe('sw');
  await choose(control(endSays.provider) as HTMLSelectElement, 'edge');
  const sent = nextPayload();
  await submit(one('.other-settings'));
  await until('the request', () => pageText().includes(endSays.needFile));
  await giveFiles(all('main input[type=file]').at(-1)!, [mp3('mine.mp3')]);
  expect(await sent).toMatchObject({ language: 'sw', transcription: { provider: 'edge' } });
  expect(JSON.stringify(await sent)).not.toContain('nova-3');
});

test('captions are written by hand from the first on', async () => {
  await visit(`#/runs/${await silentRun()}`, endSays.noSpeech);
  await click(endSays.byHand);
  await until('the editor', () => has(text.review.firstCaption));
  expect(pageText()).toContain(text.review.noneYet);
  await click(text.review.firstCaption);
  await until('the caption', () => texts().length === 1);
  expect(document.activeElement === field(1)).toBe(true);
});

test('a blocked recording is played from the part that was found', async () => {
  const runId = await endedRun(ann, 'blocked', blockedResult);
  await visit(`#/runs/${runId}`, endSays.blocked);
  await until('the way to open it', () => pageText().includes(endSays.notHere));
  await giveFiles(one('.listen input[type=file]'), [mp3('mine.mp3')]);
  const player = (await until('the player', () =>
    document.querySelector('audio.listen'),
  )) as HTMLAudioElement;
  player.dispatchEvent(new Event('loadedmetadata'));
  expect(player.currentTime).toBe(30.5);
  const sent = nextPayload();
  await giveFiles(one('.next-step input[type=file]'), [mp3('clean.mp3')]);
  expect(await sent).toMatchObject({ audio: { filename: 'clean.mp3' } });
});

test('a failed run runs again with other settings, or another file', async () => {
  const runId = await endedRun(ann, 'failed', failedResult);
  await visit(`#/runs/${runId}`, text.run.failed);
  await giveFilesLater(runId);
  const sent = nextPayload();
  await click(endSays.transcribeHere);
  expect(await sent).toMatchObject({ transcription: { provider: 'edge' } });
  await until('the refusal', () => pageText().includes('No more today.'));
});

/** The recording of a run is at hand, as after an upload from this page. */
async function giveFilesLater(runId: string): Promise<void> {
  const { keepRun } = await import('../../../web/storage/runs.ts');
  await keepRun({ runId, name: 'kept.mp3', createdAt: 0 }, mp3('kept.mp3'));
}

test('a run that cannot be cancelled can be cancelled again', async () => {
  await captioned(mp3('busy.mp3'));
  await until('the run', () => location.hash.startsWith('#/runs/run_'));
  await until('the queue', () => pageText().includes(text.run.queued));
  ann.interrupt((request) =>
    request.method === 'DELETE' ? refusal(403, 'forbidden', 'Not you.') : null,
  );
  await click(text.run.cancel);
  await until('the button again', () => has(text.run.cancel));
  ann.interrupt(null);
  await click(text.run.cancel);
  await until('the end', () => pageText().includes(endSays.cancelledNote));
});

test('a run is shown after all once the person has signed in', async () => {
  const { runId } = await completedRun(database, ann.organizationId, spoken('Good evening'));
  await click(all('.header-end .menu > button')[0]!);
  await click(control(text.header.signOut));
  await until('the question', () => has(text.header.signOutKeep));
  await click(text.header.signOutKeep);
  location.hash = `#/runs/${runId}`;
  await until('the card', () => has(text.signIn.email));
  await click(text.cancel);
  await until('the way to sign in', () => pageText().includes(text.run.signIn));
  const { signIn } = await import('../../../web/session.ts');
  signIn({ key: ann.key, email: 'ann@example.com' }, true);
  await until('the review', () => texts().length === 1);
});
