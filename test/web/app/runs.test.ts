/** Runs that ended without captions, runs in progress, and the list of past runs. */
import { beforeEach, expect, test } from 'bun:test';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { eraseText } from '../../../web/texts/past-runs.ts';
import { blockedResult, failedResult } from '../../../server/http/openapi/example-results.ts';
import { text } from '../../support/browser/words.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import {
  all,
  control,
  has,
  one,
  openApp,
  openFile,
  pageText,
  refusal,
  until,
  visit,
} from './support/app.ts';
import { endedRun } from './support/ended-run.ts';
import { followedRun } from './support/followed-run.ts';
import { click } from './support/hands.ts';
import { expectScreen } from './support/screen.ts';
import { srtOf } from './support/srt.ts';

const ann = await openApp();
const { database } = ann.service.services;
const says = text.pastRuns;

beforeEach(() => ann.interrupt(null));

test('a failed run says what happened, and offers the most helpful step first', async () => {
  await visit(`#/runs/${await endedRun(ann, 'failed', failedResult)}`, text.run.failed);
  expect(has(text.run.startOver)).toBe(true);
  expect(pageText()).toContain('This service has no key for deepgram.');
  expect(pageText()).toContain(runEndText.failedAt(text.run.stages['payload']!));
  expect(one('.next-step button').textContent).toBe(runEndText.transcribeHere);
  expect(one('.next-step button').className).toContain('primary');
  expect(all('.suggestions li').length).toBe(2);
});

test('a run with a too long file shows the command suggested by the service', async () => {
  const error = {
    ...failedResult.error,
    code: 'audio_too_long',
    suggestions: [
      { label: 'Split it', description: 'Cut it: ffmpeg -i talk.mp3 -f segment out%d.mp3' },
    ],
  };
  await visit(
    `#/runs/${await endedRun(ann, 'failed', { ...failedResult, error })}`,
    runEndText.tooLongHint,
  );
  expect(one('pre').textContent).toBe('ffmpeg -i talk.mp3 -f segment out%d.mp3');
  expect(one('.next-step').textContent).toContain(runEndText.otherFile);
});

test('a cancelled run is not shown as an error, and reports what happened to the recording', async () => {
  const error = { ...failedResult.error, code: 'cancelled', suggestions: [] };
  await visit(
    `#/runs/${await endedRun(ann, 'cancelled', { ...failedResult, error })}`,
    runEndText.cancelledNote,
  );
  expect(pageText()).toContain(runEndText.recording.deleted);
  expect(pageText()).not.toContain(text.run.failed);
  expect(one('.next-step button').textContent).toBe(runEndText.again);
});

test('a blocked run shows where', async () => {
  await visit(`#/runs/${await endedRun(ann, 'blocked', blockedResult)}`, runEndText.blocked);
  expect(pageText()).toContain(runEndText.blockedWhy('high'));
  expect(pageText()).toContain('00:30.5');
  expect(pageText()).toContain('00:58');
});

test('a run of another workspace, or an unknown run, is not found', async () => {
  const bea = await ann.service.signUp('bea@example.com');
  const { runId } = await completedRun(database, bea.organizationId, spoken('Secret words'));
  await visit(`#/runs/${runId}`, text.run.notFound);
  expect(pageText()).not.toContain('Secret');
  await visit('#/runs/..', text.run.notFound);
});

test('a run in progress shows its stages and the words so far, and can be cancelled', async () => {
  const { runId, cancelled, progress, hear } = await followedRun(ann);
  progress(0.01);
  hear('Good evening', 2);
  await visit(`#/runs/${runId}`, text.run.stages['transcription']!);
  await until('the title', () => one('#run-title').textContent === text.run.title('night.mp3'));
  // Before any words are recognised, the elapsed time shows that the run is alive.
  const aside = () => one('.step-aside').textContent;
  const first = aside();
  expect(first).toMatch(/^1:\d\d min so far$/);
  await expectScreen('main');
  progress(0.4);
  await until('a part that is done', () => one('.step progress').getAttribute('value') === '0.4');
  await until('the time goes on', () => aside() !== first);
  expect(pageText()).toContain(text.run.canClose);
  expect(has(text.run.startOver)).toBe(false);
  await click(text.run.cancel);
  await until('the request', () => cancelled[0] === `/workflows/captioner/${runId}`);
  expect(has(text.run.cancelling)).toBe(true);
});

test('a queued run shows how many runs of the workspace are ahead of it', async () => {
  const { runId } = await completedRun(database, ann.organizationId, spoken('Hello'));
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const queued = {
    runId,
    state: 'queued',
    stage: null,
    progress: 0,
    createdAt: at(0),
    startedAt: null,
    finishedAt: null,
    audioKey: 'talks/night.mp3',
    envelope: null,
  };
  const others = [
    { ...queued, runId: 'run_later', createdAt: at(5) },
    queued,
    { ...queued, runId: 'run_earlier', createdAt: at(-5), state: 'running' },
    { ...queued, runId: 'run_done', createdAt: at(-9), finishedAt: at(-1) },
  ];
  ann.interrupt((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/workflows/captioner') {
      return Response.json({ runs: others, nextCursor: null });
    }
    if (!pathname.endsWith('/events')) return null;
    const { readable, writable } = new TransformStream();
    const event = `id: 1\nevent: run\ndata: ${JSON.stringify(queued)}\n\n`;
    void writable.getWriter().write(new TextEncoder().encode(event));
    return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
  });
  await visit(`#/runs/${runId}`, text.run.queued);
  await until('the number', () => one('.step-note').textContent === text.run.queuedBehind(1));
});

test('the events of an earlier version of the server are understood', async () => {
  const { runId } = await completedRun(database, ann.organizationId, spoken('Hello'));
  const asked: string[] = [];
  ann.interrupt((request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.endsWith('/events')) return null;
    asked.push(search);
    return search === '' ? null : refusal(422, 'invalid_query', 'No.');
  });
  await visit(`#/runs/${runId}`, text.review.tabs.warnings(0));
  expect(asked).toEqual(['?include=transcript', '']);
});

test('past runs are listed with their states, page by page', async () => {
  for (let at = 0; at < 21; at += 1)
    await completedRun(database, ann.organizationId, spoken('Hello there'));
  await visit('#/runs', says.title);
  await until('a page', () => all('.runs a').length === 20);
  expect(all('.state').some(({ textContent }) => textContent === says.states['completed'])).toBe(
    true,
  );
  await click(says.more);
  await until('more', () => all('.runs a').length > 20);
  expect(all('.runs time')[0]!.getAttribute('datetime')).toMatch(/^\d{4}-/);
});

test('a run is erased after a confirmation, and one of this browser deleted', async () => {
  await openFile(srtOf('Good night.'), 'mine.srt');
  await visit('#/runs', says.here);
  await until('the list', () => has(says.forget('mine.srt')));
  await click(says.forget('mine.srt'));
  await until('it is gone', () => !has(says.forget('mine.srt')));
  const erase = all('.runs button').find((button) =>
    button.getAttribute('aria-label')?.startsWith('Erase'),
  )!;
  const link = one('a', erase.closest('li')!).getAttribute('href')!;
  await click(erase);
  await until('the question', () => pageText().includes(eraseText.title));
  await click(text.cancel);
  expect(all(`.runs a[href="${link}"]`)).toHaveLength(1);
  await click(erase);
  await click(control(eraseText.confirm, one('dialog')));
  await until('it is erased', () => all(`.runs a[href="${link}"]`).length === 0);
  const left = await ann.service.ask(`/workflows/captioner/${link.split('/').at(-1)}`, {
    key: ann.key,
  });
  expect(left.status).toBe(404);
});

test('a failure to load the list is reported', async () => {
  ann.interrupt((request) =>
    new URL(request.url).pathname === '/workflows/captioner'
      ? refusal(403, 'forbidden', 'Not for this key.')
      : null,
  );
  await visit('#/runs', says.title);
  await until('the reason', () => pageText().includes(text.run.refused('Not for this key.')));
});
