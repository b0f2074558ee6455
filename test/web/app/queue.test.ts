/** Several recordings are captioned one after the other. */
import {
  drawn,
  all,
  one,
  openApp,
  pageText,
  until,
  visit,
  control,
  has,
  refusal,
  texts,
} from './support/app.ts';
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { buildCues } from '../../../server/captions/build/build.ts';
import { text } from '../../support/browser/words.ts';
import { sample } from '../../support/sample.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { click, giveFiles, choose } from './support/hands.ts';
import * as examples from '../../../server/http/openapi/examples.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';
import { queueText as says } from '../../../web/texts/run-ends.ts';
import { saved } from './support/page.ts';
import { signInAs, signOut } from './support/signing.ts';

/** The waits between two looks at the runs, which end when a test says so; others run by the clock. */
const LOOK_EVERY_MS = 2000;
const looks = new Set<() => void>();
const { setTimeout: wait, clearTimeout: clear } = globalThis;
const holdLooks = (): void =>
  void Object.assign(globalThis, {
    setTimeout(work: () => void, ms?: number, ...given: unknown[]) {
      return ms === LOOK_EVERY_MS ? looks.add(work) && work : wait(work, ms, ...given);
    },
    clearTimeout: (id: never) => looks.delete(id) || clear(id),
  });
async function look(): Promise<void> {
  await until('the next look', () => looks.size === 1);
  for (const work of looks) if (looks.delete(work)) work();
  await drawn();
}

const ann = await openApp();
const { database } = ann.service.services;
holdLooks();

/** Begins each test at the start page, with an empty queue; the clock runs again after the last test. */
beforeEach(async () => {
  ann.interrupt(null);
  for (const each of all('.queue button')) {
    if (each.getAttribute('aria-label')?.startsWith('Cancel')) await click(each);
  }
  await visit('#/', text.start.title);
});
afterAll(() => void Object.assign(globalThis, { setTimeout: wait, clearTimeout: clear }));

const sound = await Bun.file(sample).arrayBuffer();
const mp3 = (name: string) => new File([sound], name, { type: 'audio/mpeg' });

async function enqueue(...names: string[]): Promise<void> {
  await giveFiles(one('.drop input[type=file]'), names.map(mp3));
  await until('the files', () => pageText().includes(names.at(-1)!));
  await click(text.start.make);
  await until('the queue', () => document.querySelector('.queue'));
}

const rowOf = (name: string) =>
  all('.queue li').findLast((row) => one('.queue-name', row).textContent === name)!;
const stateOf = (name: string) => one('.state', rowOf(name)).textContent;
const barOf = (name: string) => Number(rowOf(name).querySelector('progress')?.value);
const whole = () => (one('progress.whole') as HTMLProgressElement).value;
const are = (what: string, states: Record<string, string>) =>
  until(what, () => Object.entries(states).every(([name, state]) => stateOf(name) === state));
const status = () => all('[role=status]', one('main'))[0]!.textContent;
/** Whether the browser asks before the page is closed. */
const asksBeforeClosing = () =>
  !dispatchEvent(new Event('beforeunload', { cancelable: true, bubbles: true }));

/** The ids of the runs of a file, the newest last. */
async function runOf(name: string): Promise<string> {
  const rows = await database
    .selectFrom('runs')
    .select(['id', 'payload'])
    .orderBy('created_at')
    .execute();
  const found = rows.findLast(({ payload }) => JSON.parse(payload).audio.filename === name);
  if (!found) throw new Error(`no run of ${name}`);
  return found.id;
}

/** The state of a run on the service. */
async function become(
  name: string,
  state: 'running' | 'completed' | 'blocked' | 'failed' | 'cancelled',
  { progress = 1, result }: { progress?: number; result?: object } = {},
): Promise<void> {
  const id = await runOf(name);
  const isOver = state !== 'running';
  await database
    .updateTable('runs')
    .set({
      state,
      progress,
      ...(isOver && { finished_at: Date.now() }),
      ...(result && { result: JSON.stringify({ ...result, id }) }),
    })
    .where('id', '=', id)
    .execute();
}

const captioned = (words: string) => ({
  ...examples.completedResult,
  transcript: { ...examples.completedResult.transcript, words: words === '' ? [] : spoken(words) },
  audit: { ...examples.completedResult.audit, corrections: [] },
  captions: {
    ...examples.completedResult.captions,
    cues: words === '' ? [] : buildCues(spoken(words), DEFAULT_CAPTION_SETTINGS, 'en'),
  },
});

test('recordings are uploaded in turn, and the page may be closed when all are', async () => {
  const [upload, start] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
  ann.interrupt((request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/one.mp3')) return upload.promise;
    return request.method === 'POST' ? start.promise : null;
  });
  await enqueue('one.mp3', 'two.mp3');
  await are('the upload', { 'one.mp3': says.uploading, 'two.mp3': says.waiting });
  await until('all bytes', () => barOf('one.mp3') === 0.4);
  // The second has not begun; the first is two fifths done.
  expect([barOf('two.mp3'), whole()]).toEqual([0, 0.2]);
  expect([status(), asksBeforeClosing()]).toEqual([says.done(0, 2), true]);
  expect(pageText()).toContain(says.stay);
  expect([has(says.cancel('one.mp3')), has(says.again('one.mp3'))]).toEqual([true, false]);
  upload.resolve(null);
  await are('the start', { 'one.mp3': says.starting, 'two.mp3': says.waiting });
  start.resolve(null);
  await are('both runs', { 'one.mp3': says.queued, 'two.mp3': says.queued });
  await until('no more hint', () => !pageText().includes(says.stay));
  expect(barOf('one.mp3')).toBe(0.4);
  await until('that the page may be closed', () => !asksBeforeClosing());
});

test('the runs are polled every two seconds, and each links to its outcome', async () => {
  const names = ['done.mp3', 'silent.mp3', 'blocked.mp3', 'failed.mp3', 'stopped.mp3'];
  await enqueue(...names);
  await are('all runs', Object.fromEntries(names.map((name) => [name, says.queued])));
  await become('done.mp3', 'running', { progress: 0.5 });
  await look();
  await are('progress', { 'done.mp3': says.running, 'silent.mp3': says.queued });
  // A queue may be longer than a page of past runs.
  expect(ann.requests.at(-1)).toBe('GET /workflows/captioner?limit=100');
  expect([barOf('done.mp3'), barOf('silent.mp3')]).toEqual([0.7, 0.4]);
  expect(whole()).toBeCloseTo((0.7 + 4 * 0.4) / 5, 6);
  expect(has(says.convert)).toBe(false);
  await become('done.mp3', 'completed', { result: captioned('Good evening.') });
  await become('silent.mp3', 'completed', { result: captioned('') });
  await become('blocked.mp3', 'blocked', { result: examples.blockedResult });
  await become('failed.mp3', 'failed', { result: examples.failedResult });
  await look();
  await are('the ends', {
    'done.mp3': says.completed,
    'silent.mp3': says.silent,
    'blocked.mp3': says.blocked,
    'failed.mp3': says.failed,
    'stopped.mp3': says.queued,
  });
  expect(status()).toBe(says.done(4, 5));
  await become('stopped.mp3', 'cancelled', {
    result: {
      ...examples.failedResult,
      error: { ...examples.failedResult.error, code: 'cancelled' },
    },
  });
  await look();
  await are('the last', { 'stopped.mp3': says.cancelled });
  expect([status(), whole()]).toEqual([says.allDone(5), 1]);
  await look();
  // Polling has stopped.
  expect(looks.size).toBe(0);
  expect(all('.queue progress')).toHaveLength(0);
  const actions = names.map((name) =>
    all('.queue-action > *', rowOf(name)).map((action) => action.getAttribute('aria-label')),
  );
  expect(actions).toEqual([
    [says.review('done.mp3')],
    [says.look('silent.mp3')],
    [says.look('blocked.mp3')],
    [says.look('failed.mp3')],
    [],
  ]);
  expect(control(says.look('failed.mp3')).getAttribute('href')).toBe(
    `#/runs/${await runOf('failed.mp3')}`,
  );
});

test('the captions of all finished runs are downloaded together, with the edits made here', async () => {
  await enqueue('first.mp3', 'second.mp3', 'quiet.mp3', 'wrong.mp3', 'going.mp3');
  await are('the runs', { 'going.mp3': says.queued });
  await become('first.mp3', 'completed', { result: captioned('Good evening.') });
  await become('second.mp3', 'completed', { result: captioned('Good night.') });
  await become('quiet.mp3', 'completed', { result: captioned('') });
  await become('wrong.mp3', 'failed', { result: examples.failedResult });
  await look();
  await are('the ends', { 'second.mp3': says.completed, 'quiet.mp3': says.silent });
  await click(says.review('second.mp3'));
  await until('the review', () => document.querySelector('.cue-text:not([readonly])'));
  const field = one('.cue-text') as HTMLTextAreaElement;
  field.value = 'Good morning.';
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  expect(texts()).toEqual(['Good morning.']);
  await visit('#/queue', says.convert);
  saved.clear();
  await click(says.convert);
  await until('what came of it', () =>
    pageText().includes(`${says.converted(2)} ${says.without('quiet.mp3')}`),
  );
  expect([...saved.keys()].toSorted()).toEqual(['first.srt', 'second.srt']);
  expect(await saved.get('first.srt')!.text()).toContain('Good evening.');
  expect(await saved.get('second.srt')!.text()).toContain('Good morning.');
  await choose(one('.actions select') as HTMLSelectElement, 'vtt');
  await click(says.convert);
  await until('the other format', () => saved.has('second.vtt'));
  await click(says.cancel('going.mp3'));
  // The lock of the review was released.
  await click(says.review('second.mp3'));
  await until('the review', () => document.querySelector('.cue-text:not([readonly])'));
});

test('further recordings join a queue, and a finished queue makes room for the next', async () => {
  await enqueue('0.mp3', 'a.mp3', 'b.mp3');
  await are('the runs', { '0.mp3': says.queued, 'a.mp3': says.queued, 'b.mp3': says.queued });
  await click(says.cancel('0.mp3'));
  await click(says.more);
  await until('the start page', () => document.querySelector('form.start'));
  const { length } = all('.notice a');
  expect([length, one('.notice a').textContent]).toEqual([1, text.start.queueUnderWay(2)]);
  expect(one('.notice a').getAttribute('href')).toBe('#/queue');
  // One more is added, because the others are not finished.
  await enqueue('c.mp3');
  await are('its run', { 'a.mp3': says.queued, 'c.mp3': says.queued });
  for (const name of ['a.mp3', 'b.mp3', 'c.mp3']) await click(says.cancel(name));
  expect(status()).toBe(says.allDone(4));
  await visit('#/', text.start.title);
  expect(document.querySelector('.notice')).toBeNull();
  await enqueue('d.mp3', 'e.mp3');
  expect(all('.queue li').map((row) => one('.queue-name', row).textContent)).toEqual([
    'd.mp3',
    'e.mp3',
  ]);
});

test('a recording is cancelled during its upload, and retried', async () => {
  let isHeld = true;
  ann.interrupt((request) =>
    isHeld && new URL(request.url).pathname.endsWith('/slow.mp3') ? new Promise(() => {}) : null,
  );
  await enqueue('slow.mp3', 'next.mp3');
  await are('the upload', { 'slow.mp3': says.uploading });
  await click(says.cancel('slow.mp3'));
  await are('the next one', { 'slow.mp3': says.cancelled, 'next.mp3': says.queued });
  expect(has(says.cancel('slow.mp3'))).toBe(false);
  isHeld = false;
  await click(says.again('slow.mp3'));
  await are('its run', { 'slow.mp3': says.queued });
});

test('after declining to sign in, the user can do so later and retry each recording', async () => {
  await signOut();
  await enqueue('h.mp3', 'i.mp3');
  await until('the card', () => has(text.signIn.email));
  // An MP3 needs no conversion.
  await until('the wait', () => barOf('h.mp3') === 0.25);
  expect(one('.sign-in').textContent).toContain(text.signIn.kept);
  await click(text.cancel);
  await are('the end of all', { 'h.mp3': says.cancelled, 'i.mp3': says.cancelled });
  expect([has(says.again('h.mp3')), has(says.again('i.mp3'))]).toEqual([true, true]);
});

test('a refusal of one recording leaves the others alone', async () => {
  await signInAs(ann);
  ann.interrupt((request) =>
    new URL(request.url).pathname.endsWith('/j.mp3')
      ? refusal(413, 'too_large', 'It is too large.')
      : null,
  );
  await enqueue('j.mp3', 'k.mp3');
  await are('both', { 'j.mp3': says.failed, 'k.mp3': says.queued });
  expect(one('.queue-trouble', rowOf('j.mp3')).textContent).toBe(
    text.run.refused('It is too large.'),
  );
});
