/** Next steps after a run without captions: play the recording, change the settings, write captions by hand. */
import { expect, test } from 'bun:test';
import { blockedResult, failedResult } from '../../../server/http/openapi/example-results.ts';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
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
} from './support/app.ts';
import { endedRun } from './support/ended-run.ts';
import { choose, click, giveFiles, submit, type } from './support/hands.ts';
import { ann, mp3, nextPayload, silentRun, giveFilesLater, useJobs } from './support/job.ts';

useJobs();

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
  const sent = nextPayload();
  await choose(control(runEndText.language) as HTMLSelectElement, 'de');
  await submit(one('.other-settings'));
  // The recording is open, so the page does not ask for it again; the same provider keeps its model.
  expect(await sent).toMatchObject({
    language: 'de',
    transcription: { provider: 'deepgram', model: 'nova-3' },
  });
});

test('another provider does not get the model of the first', async () => {
  await visit(
    `#/runs/${await silentRun({ language: 'sw', transcription: { provider: 'deepgram', model: 'nova-3' } })}`,
    runEndText.noSpeech,
  );
  await until('the settings', () => document.querySelector('.other-settings'));
  // A language that is not in the list is offered too.
  expect(input(runEndText.language).value).toBe('sw');
  await choose(control(runEndText.provider) as HTMLSelectElement, 'edge');
  const sent = nextPayload();
  await submit(one('.other-settings'));
  await until('the request', () => pageText().includes(runEndText.needFile));
  await giveFiles(all('main input[type=file]').at(-1)!, [mp3('mine.mp3')]);
  expect(await sent).toMatchObject({ language: 'sw', transcription: { provider: 'edge' } });
  expect(JSON.stringify(await sent)).not.toContain('nova-3');
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
  const input = { ...blockedResult.input, source };
  const runId = await endedRun(ann, 'blocked', { ...blockedResult, input });
  await visit(`#/runs/${runId}`, runEndText.blocked);
  expect(pageText()).toContain(`${runEndText.blockedWhere}: 00:30.5 – 00:58.0`);
  const player = await playerOfMine();
  player.dispatchEvent(new Event('loadedmetadata'));
  expect(player.currentTime).toBe(30.5);
  const sent = nextPayload();
  await giveFiles(one('.next-step input[type=file]'), [mp3('clean.mp3')]);
  expect(await sent).toMatchObject({ audio: { filename: 'clean.mp3' } });
});

test('a recording that is blocked at its beginning names that place', async () => {
  const { metadata } = blockedResult;
  const flaggedChunk = { index: 0, start: 0, end: 28 };
  const moderation = { ...metadata.moderation, flaggedChunk };
  const result = { ...blockedResult, metadata: { ...metadata, moderation } };
  const runId = await endedRun(ann, 'blocked', result);
  await visit(`#/runs/${runId}`, `${runEndText.blockedWhere}: 00:00.0 – 00:28.0`);
  expect(pageText()).toContain(runEndText.blockedListen);
});

test('a block without a place names none', async () => {
  const { metadata } = blockedResult;
  const { flaggedChunk: _, ...moderation } = metadata.moderation;
  const result = { ...blockedResult, metadata: { ...metadata, moderation } };
  await visit(`#/runs/${await endedRun(ann, 'blocked', result)}`, runEndText.blocked);
  expect(pageText()).not.toContain(runEndText.blockedWhere);
  expect(pageText()).not.toContain(runEndText.blockedListen);
});

test('another file runs with the settings of one that cannot be read', async () => {
  const error = { ...failedResult.error, code: 'audio_unreadable', suggestions: [] };
  const input = { ...failedResult.input, topic: 'Agents' };
  const runId = await endedRun(ann, 'failed', { ...failedResult, error, input });
  await visit(`#/runs/${runId}`, runEndText.otherFileHint);
  const sent = nextPayload();
  await giveFiles(one('.next-step input[type=file]'), [mp3('better.mp3')]);
  expect(await sent).toMatchObject({ audio: { filename: 'better.mp3' }, topic: 'Agents' });
});

test('a step says what it leaves out', async () => {
  const suggestions = [{ label: 'No audit', payloadPatch: { audit: { provider: 'none' } } }];
  const error = { ...failedResult.error, code: 'audit_failed', stage: 'newer', suggestions };
  await visit(
    `#/runs/${await endedRun(ann, 'failed', { ...failedResult, error })}`,
    runEndText.auditNone,
  );
  expect(one('.next-step .hint').textContent).toBe(runEndText.auditNoneHint);
  // A stage that this version does not know is named as the service names it.
  expect(pageText()).toContain(runEndText.failedAt('newer'));
});

test('a failed run runs again with other settings', async () => {
  const runId = await endedRun(ann, 'failed', failedResult);
  await visit(`#/runs/${runId}`, text.run.failed);
  await giveFilesLater(runId);
  const sent = nextPayload();
  await click(runEndText.transcribeHere);
  expect(await sent).toMatchObject({
    audio: { filename: 'kept.mp3' },
    transcription: { provider: 'edge' },
  });
  await until('the refusal', () => pageText().includes('No more today.'));
});
