/** The page of a run. */
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import {
  all,
  one,
  type Person,
  goToStart,
  has,
  openApp,
  pageText,
  until,
  visit,
  drawn,
  openRun,
  texts,
} from './support/app.ts';
import { afterEach, beforeEach, describe, expect, jest, test, spyOn } from 'bun:test';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import { endedRun } from './support/talks.ts';
import { click } from './support/hands.ts';
import { expectScreen } from './support/screen.ts';
import { STAGE_PROGRESS } from '../../../server/contract/stage-progress.ts';
import * as examples from '../../../server/http/openapi/examples.ts';

/** A run of a person that the service reports as running, with nothing done yet. */
async function followedRun(person: Person) {
  const { database } = person.service.services;
  const { runId } = await completedRun(database, person.organizationId, spoken('Hello'));
  const run = {
    runId,
    state: 'running',
    stage: 'transcription',
    progress: 0,
    createdAt: new Date(Date.now() - 70_000).toISOString(),
    startedAt: new Date(Date.now() - 65_000).toISOString(),
    finishedAt: null,
    audioKey: 'talks/night.mp3',
    envelope: null,
  };
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  /** The paths of the runs that the page has cancelled. */
  const cancelled: string[] = [];
  person.interrupt(({ method, url }) => {
    const { pathname } = new URL(url);
    if (method === 'DELETE') {
      cancelled.push(pathname);
      return Response.json({});
    }
    return pathname.endsWith('/events')
      ? new Response(readable, { headers: { 'content-type': 'text/event-stream' } })
      : null;
  });
  /** Sends an event to the page, which may not listen yet. */
  const tell = (event: string, data: object): void =>
    void writer.write(
      new TextEncoder().encode(`id: 1\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    );
  return {
    runId,
    cancelled,
    progress: (progress: number, change: object = {}) =>
      tell('run', { ...run, progress, ...change }),
    hear: (words: string, end: number) =>
      tell('transcript', { text: words, start: end - 2, end, words: [] }),
  };
}

/** The progress of the page: its label, note, the time, and the value of its bar; empty where there is none. */
const line = () =>
  all('.step').flatMap((line) => [
    one('.step-label', line).textContent,
    one('.step-note', line).textContent,
    one('.step-aside', line).textContent,
    line.querySelector('progress')?.getAttribute('value'),
  ]);

const ann = await openApp();

describe('a run', () => {
  const { database } = ann.service.services;

  beforeEach(() => ann.interrupt(null));

  test('a cancelled run is not shown as an error, and reports what happened to the recording', async () => {
    const error = { ...examples.failedResult.error, code: 'cancelled', suggestions: [] };
    await visit(
      `#/runs/${await endedRun(ann, 'cancelled', { ...examples.failedResult, error })}`,
      runEndText.cancelledNote,
    );
    expect(pageText()).toContain(runEndText.recording.deleted);
    expect(pageText()).not.toContain(text.run.failed);
    expect(one('.next-step button').textContent).toBe(runEndText.again);
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
});

describe('the progress of a run', () => {
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
    progress(0.0086, { stage: 'storage', loadingBytes: 73_000_000 });
    await until('the size', () => line()[1] === '63 of 73 MB');
    progress(STAGE_PROGRESS.transcription);
    await until('the words', () => line()[0] === stages['transcription']);
    progress(STAGE_PROGRESS.terminology_audit, { stage: 'terminology_audit' });
    await until('the terms', () => line()[0] === stages['terminology_audit']);
    expect(line().slice(1)).toEqual(['', '', '0.93']);
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
});

const { signIn } = await import('../../../web/tab/session.ts');
afterEach(() => {
  jest.restoreAllMocks();
  ann.interrupt(null);
});

const eventsOf = (runId: string) => ann.requests.filter((each) => each.includes(`${runId}/events`));

/** Makes the browser wait with what it reads from one of its stores. */
function holdStorage(name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { get } = IDBObjectStore.prototype;
  let reads = 0;
  spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function wait(
    this: IDBObjectStore,
    key,
  ) {
    const request = get.call(this, key);
    if (this.name !== name) return request;
    reads += 1;
    const { addEventListener } = request;
    request.addEventListener = (kind: string, listener: (event: Event) => void) =>
      addEventListener.call(request, kind, (event) => void promise.then(() => listener(event)));
    return request;
  });
  return { goOn: resolve, isReading: () => reads > 0 };
}

/** Leaves the page of a run, and waits until its effects have ended. */
async function leave(): Promise<void> {
  one('#content').focus();
  one('#content').blur();
  await goToStart();
  await until('the focus', () => document.activeElement?.id === 'content');
}

test('a run whose page was left before the browser has read its data is not requested', async () => {
  const { runId } = await followedRun(ann);
  const { isReading, goOn } = holdStorage('results');
  location.hash = `#/runs/${runId}`;
  await until('the reading', isReading);
  await leave();
  goOn();
  await drawn();
  expect(eventsOf(runId)).toEqual([]);
});

test('a review that was left while it was opening is free for other tabs', async () => {
  const { runId } = await openRun(ann, spoken('Good evening.'));
  await goToStart();
  const { isReading, goOn } = holdStorage('positions');
  location.hash = `#/runs/${runId}`;
  await until('the reading', isReading);
  await leave();
  goOn();
  const options = { ifAvailable: true };
  const isFree = () =>
    navigator.locks.request(`captioner review ${runId}`, options, (lock) => lock !== null);
  await until('its lock', isFree);
});

test('a run that is followed is not requested again after signing in with another tab', async () => {
  const { runId, progress } = await followedRun(ann);
  progress(0.1);
  await visit(`#/runs/${runId}`, text.run.stages['transcription']!);
  await until('its progress', () => line().length > 0);
  signIn({ key: ann.key, email: 'bea@example.com' }, false);
  await drawn();
  expect(eventsOf(runId)).toHaveLength(1);
  expect(one('#run-title').textContent).toBe(text.run.title('night.mp3'));
});

test('the page of a run becomes that of another one', async () => {
  const { runId } = await openRun(ann, spoken('Good evening.'));
  await openRun(ann, spoken('Good morning.'));
  expect(texts()).toEqual(['Good morning.']);
  location.hash = `#/runs/${runId}`;
  await until('the other', () => texts()[0] === 'Good evening.');
  const followed = await followedRun(ann);
  followed.progress(0.1);
  location.hash = `#/runs/${followed.runId}`;
  await until('its stages', () => line().length > 0);
  expect(texts()).toEqual([]);
});
