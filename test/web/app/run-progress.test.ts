/** The page of a run in progress: its stages, the words so far, and refusals. */
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { STAGE_PROGRESS } from '../../../server/contract/stage-progress.ts';
import { text } from '../../support/browser/words.ts';
import { goToStart, has, openApp, pageText, refusal, until, visit } from './support/app.ts';
import { followedRun, line } from './support/followed-run.ts';
import { click } from './support/hands.ts';

const ann = await openApp();
beforeEach(() => ann.interrupt(null));
afterEach(() => {
  jest.restoreAllMocks();
});

test('a run says what happens now, with the time left of its transcription only', async () => {
  const { runId, progress } = await followedRun(ann);
  const { stages } = text.run;
  progress(0.004, { stage: 'storage' });
  await visit(`#/runs/${runId}`, text.run.loading);
  expect(line()).toEqual([text.run.loading, text.run.percent(0.4), '', '0.004']);
  progress(STAGE_PROGRESS.transcription);
  await until('the words', () => line()[0] === stages['transcription']);
  progress(STAGE_PROGRESS.terminology_audit, { stage: 'terminology_audit' });
  await until('the terms', () => line()[0] === stages['terminology_audit']);
  expect(line().slice(1)).toEqual(['', '', '0.93']);
});

test('a run shows nothing of its transcript before the first words', async () => {
  const { runId, progress, hear } = await followedRun(ann);
  progress(STAGE_PROGRESS.transcription);
  await visit(`#/runs/${runId}`, text.run.stages['transcription']!);
  expect(document.querySelector('.heard')).toBeNull();
  hear('Good evening.', 2);
  hear('Welcome to the talk.', 4);
  await until('the words', () => pageText().includes('Good evening. Welcome to the talk.'));
});

test('the time left follows from the pace since the page was opened', async () => {
  const { now } = performance;
  let passed = 0;
  spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passed);
  const { runId, progress } = await followedRun(ann);
  const label = text.run.stages['transcription']!;
  // The clock of this computer is behind that of the service.
  progress(0.1, { startedAt: new Date(Date.now() + 60_000).toISOString() });
  await visit(`#/runs/${runId}`, label);
  await until('the time so far', () => line()[2] === text.run.soFar(0));
  passed = 31_000;
  // Of four fifths, one is done in 31 seconds: three are left.
  progress(0.3);
  await until('the time left', () => line()[2] === text.run.left(100));
});

test('the browser tells that a run is done, also on another page', async () => {
  const shown: unknown[] = [];
  const permission = Promise.withResolvers<string>();
  class Told extends EventTarget {
    static permission = 'default';
    static requestPermission = () => permission.promise;
    constructor(title: string, { body }: { body: string }) {
      super();
      shown.push([title, body]);
    }
  }
  Reflect.set(globalThis, 'Notification', Told);
  const { runId, progress } = await followedRun(ann);
  progress(0.1);
  await visit(`#/runs/${runId}`, text.run.tell);
  await until('the name', () => document.title.startsWith('night'));
  // The service tells that the run has ended once it is asked again.
  const { promise: ended, resolve: end } = Promise.withResolvers<null>();
  ann.interrupt(({ url }) => (url.includes('/events') ? ended : null));
  await click(text.run.tell);
  permission.resolve('granted');
  await until('the promise', () => pageText().includes(text.run.telling));
  await goToStart();
  end(null);
  await until('the notification', () => shown.length === 1);
  expect(shown).toEqual([[text.run.told('night.mp3'), text.run.toldDone]]);
});

test('a refusal gives the reason, and offers to start over', async () => {
  const { runId } = await followedRun(ann);
  ann.interrupt(({ url }) =>
    new URL(url).pathname.endsWith('/events') ? refusal(403, 'forbidden', 'Not for you.') : null,
  );
  await visit(`#/runs/${runId}`, text.run.refused('Not for you.'));
  expect([pageText().includes(text.run.notFound), has(text.run.cancel)]).toEqual([false, false]);
  await click(text.run.startOver);
  await until('the start page', () => document.querySelector('form.start'));
});
