/** The page of a run in progress: its stages, the words so far, and refusals. */
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { STAGE_PROGRESS } from '../../../server/contract/stage-progress.ts';
import { text } from '../../support/browser/words.ts';
import { has, one, openApp, pageText, refusal, until, visit } from './support/app.ts';
import { followedRun, lines } from './support/followed-run.ts';
import { click } from './support/hands.ts';

const ann = await openApp();
beforeEach(() => ann.interrupt(null));
afterEach(() => {
  jest.restoreAllMocks();
});

test('a run past its transcription shows no time for the stages that follow', async () => {
  const { runId, progress } = await followedRun(ann);
  progress(STAGE_PROGRESS.terminology_audit);
  const { stages } = text.run;
  await visit(`#/runs/${runId}`, stages['transcription']!);
  await until('the stages', () => lines().length > 3);
  expect(lines().map((line) => line.slice(0, 4))).toEqual([
    ['done', stages['transcription']!, '', ''],
    ['done', stages['moderation']!, '', ''],
    ['active', stages['terminology_audit']!, '0%', ''],
    ['waiting', stages['captioning']!, '', ''],
  ]);
  expect(one('progress').getAttribute('value')).toBe('0');
});

test('a run shows nothing of its transcript before the first words', async () => {
  const { runId, progress, hear } = await followedRun(ann);
  progress(0);
  await visit(`#/runs/${runId}`, text.run.stages['transcription']!);
  await until('the stages', () => lines().length > 3);
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
  await until('the time so far', () => lines()[0]?.[3] === text.run.soFar(0));
  passed = 31_000;
  // Of four fifths, one is done in 31 seconds: three are left.
  progress(0.3);
  await until('the time left', () => lines()[0]![3] === text.run.left(100));
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
