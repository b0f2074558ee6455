/** What the browser stores: runs, reviews that are opened and followed, and the form of the start page. */
import { lockElsewhere, refuseStorage } from './support/page.ts';
import { afterEach, expect, jest, spyOn, test, beforeEach } from 'bun:test';
import {
  forgetRun,
  keepRecording,
  keepRun,
  keepsAnything,
  keptRecording,
  keptRuns,
} from '../../../web/storage/runs.ts';
import { keepServiceCopy, serviceCopy } from '../../../web/storage/service-copies.ts';
import {
  readJournal,
  writeJournalChange,
  writeJournalPosition,
} from '../../../web/storage/journals.ts';
import { stores } from '../../../web/storage/stores.ts';
import { draft, forgetDraft, restoreDraft } from '../../../web/job/draft.ts';
import { edits } from '../review/support.ts';
import { openReviewOf, type OpenedReview } from '../../../web/review/save/open-review.ts';
import { text } from '../../support/browser/words.ts';
import { until } from './support/app.ts';
import { Channel } from '../support/tabs.ts';
import * as examples from '../../../server/http/openapi/examples.ts';
import { resultOfFile } from '../../../web/review/save/own-captions.ts';
import { srtOf } from './support/talks.ts';

afterEach(() => jest.restoreAllMocks());

test('a browser that stores no files stores their bytes', async () => {
  const { put } = IDBObjectStore.prototype;
  spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function store(
    this: IDBObjectStore,
    value: { mp3?: unknown },
    key?: IDBValidKey,
  ) {
    if (value.mp3 instanceof Blob) throw new DOMException('No files.', 'DataCloneError');
    return key === undefined ? put.call(this, value) : put.call(this, value, key);
  });
  await keepRecording('run_3', new Blob(['sound']));
  jest.restoreAllMocks();
  const recording = await keptRecording('run_3');
  expect([recording?.type, await recording?.text()]).toEqual(['audio/mpeg', 'sound']);
  await forgetRun('run_3');
  expect(await keptRecording('run_3')).toBeUndefined();
});

test('a browser that blocks storage stores nothing', async () => {
  await keepRun({ runId: 'run_4', name: 'talk.mp3', createdAt: 1 }, null);
  refuseStorage('count');
  expect(await keepsAnything()).toBe(false);
  jest.restoreAllMocks();
  await forgetRun('run_4');
});

const change = (kind: string) => ({ kind, splices: [], cueId: null });
const journalOf = async (runId: string) => {
  const { changes, position } = await readJournal(runId);
  return [changes.map(({ kind }) => kind), position];
};

test('the journal of a review keeps the changes before a new one, and drops those after it', async () => {
  expect(await journalOf('run_5')).toEqual([[], 0]);
  for (const [at, kind] of ['one', 'two', 'three'].entries()) {
    await writeJournalChange('run_5', at, change(kind));
    await writeJournalChange('run_6', at, change(kind));
  }
  expect(await journalOf('run_5')).toEqual([['one', 'two', 'three'], 3]);
  await writeJournalPosition('run_5', 1);
  expect(await journalOf('run_5')).toEqual([['one', 'two', 'three'], 1]);
  await writeJournalChange('run_5', 1, change('other'));
  expect(await journalOf('run_5')).toEqual([['one', 'other'], 2]);
  expect(await journalOf('run_6')).toEqual([['one', 'two', 'three'], 3]);
});

test('everything stored for a run is deleted with it, and nothing of another', async () => {
  const database = await stores();
  const copy = { tag: '"a"', seen: null, sent: null, finished: true };
  for (const runId of ['run_5', 'run_6']) {
    await keepRun({ runId, name: 'talk.mp3', createdAt: 1 }, new Blob(['sound']));
    await database.put('peaks', { values: new Uint8Array(1) } as never, runId);
    await database.put('results', {} as never, runId);
    await keepServiceCopy(runId, copy);
  }
  const left = async (runId: string) => [
    await database.get('runs', runId),
    await keptRecording(runId),
    await database.get('peaks', runId),
    await database.get('results', runId),
    (await readJournal(runId)).changes[0],
    await database.get('positions', runId),
    await serviceCopy(runId),
  ];
  await forgetRun('run_5');
  expect(await left('run_5')).toEqual(Array.from({ length: 7 }));
  expect((await left('run_6')).every((each) => each !== undefined)).toBe(true);
  await forgetRun('run_6');
  expect(await keepsAnything()).toBe(false);
});

test('the recordings of the twenty newest runs are kept, and the runs of all', async () => {
  const database = await stores();
  const ids = Array.from({ length: 21 }, (_, at) => `run_${at}`);
  for (const [at, runId] of ids.entries()) {
    await keepRun({ runId, name: 'talk.mp3', createdAt: at }, new Blob(['sound']));
    await database.put('peaks', { values: new Uint8Array(1) } as never, runId);
  }
  const [oldest, ...newer] = ids as [string, ...string[]];
  expect((await keptRuns()).map(({ runId }) => runId)).toEqual(ids.toReversed());
  expect(await database.getAllKeys('recordings')).toEqual(newer.toSorted());
  expect(await database.getAllKeys('peaks')).toEqual(newer.toSorted());
  expect(await keptRecording(oldest)).toBeUndefined();
  for (const runId of ids) await forgetRun(runId);
});

const KEY = 'captioner.draft';
const kept = () => sessionStorage.getItem(KEY);
const keep = (stored: string) => sessionStorage.setItem(KEY, stored);

const FIELDS = [
  ...(['topic', 'language', 'glossary', 'exclude'] as const),
  ...(['maxLineChars', 'maxLines', 'maxDuration', 'minDuration'] as const),
  'sound' as const,
];
const values = () => [...FIELDS.map((name) => draft[name].value), [...draft.packs.value]];
const initial = values();

beforeEach(() => {
  for (const [at, name] of FIELDS.entries()) draft[name].value = initial[at] as never;
  draft.packs.value = new Set();
  sessionStorage.clear();
});

test.each([
  'no JSON',
  'null',
  '"text"',
  '{"topic":1,"language":null,"glossary":[],"maxLines":"2","maxLineChars":null,"packs":"mcp"}',
  '{"packs":["mcp",2]}',
])('%s changes nothing', (stored) => {
  keep(stored);
  restoreDraft();
  expect(values()).toEqual(initial);
});

test('every field is restored, and stored once one changes', () => {
  const stored = {
    topic: 'Auth',
    language: 'de',
    glossary: 'SCIM',
    exclude: 'SAML',
    maxLineChars: 37,
    maxLines: 1,
    maxDuration: 7,
    minDuration: 1,
    sound: 'delete',
    packs: ['protocols/mcp'],
  };
  const packed = JSON.stringify(stored);
  keep(packed);
  restoreDraft();
  expect(values()).toEqual(Object.values(stored));
  sessionStorage.clear();
  draft.packs.value = new Set();
  expect(JSON.parse(kept()!)).toEqual({ ...stored, packs: [] });
  draft.topic.value = 'SSO';
  expect(kept()).toContain('"topic":"SSO"');
  forgetDraft();
  expect(kept()).toBeNull();
});

test('a form that was never touched is not stored', () => {
  restoreDraft();
  expect(kept()).toBeNull();
});

const { BroadcastChannel } = globalThis;
beforeEach(() => Reflect.set(globalThis, 'BroadcastChannel', Channel));
afterEach(() => {
  jest.restoreAllMocks();
  Reflect.set(globalThis, 'BroadcastChannel', BroadcastChannel);
});

test('a tab that is still opening a review hands it over to one that asks', async () => {
  const name = 'captioner review run_1';
  const other = new Channel(name);
  let release = () => {};
  const told: string[] = [];
  other.addEventListener('message', (event) => {
    const { kind } = (event as MessageEvent<{ kind: string }>).data;
    told.push(kind);
    if (kind !== 'taken') return;
    // Queues for the lock, as another tab does, before it asks for it.
    release = lockElsewhere(name);
    other.postMessage({ kind: 'take' });
  });
  const { lock } = await openReviewOf('run_1', 'talk.mp3', examples.completedResult);
  expect([told, lock.role.peek()]).toEqual([['taken'], 'following']);
  lock.leave();
  release();
});

/** Another tab of a review, and the kinds of what it is told. */
function tabOf(runId: string) {
  const other = new Channel(`captioner review ${runId}`);
  const told: string[] = [];
  other.addEventListener('message', (event) => {
    told.push((event as MessageEvent<{ kind: string }>).data.kind);
  });
  return { other, told };
}

/** A change that another tab has stored. */
const FIRST = { kind: 'sure', splices: [], cueId: 1, decisions: [] };

const open = (runId: string) => openReviewOf(runId, 'talk.mp3', examples.completedResult);

/** Opens a review again, as a reload does. */
async function reopened(runId: string, { review, lock }: OpenedReview): Promise<OpenedReview> {
  await review.flush();
  lock.leave();
  // The lock is free a turn later.
  await new Promise((resolve) => setTimeout(resolve));
  return open(runId);
}
const type = ({ review }: OpenedReview, words: string) =>
  review.edit('text', edits.setText(review.cues.peek(), 0, words), { group: 'typing' });
const shown = ({ review }: OpenedReview) => [
  review.message.peek(),
  review.state.peek().position,
  review.cues.peek()[0]!.lines.join(' '),
];

test('a change that cannot be stored is reported, and other tabs are notified only of stored ones', async () => {
  const opened = await open('run_2');
  const { told } = tabOf('run_2');
  const { review } = opened;
  const put = refuseStorage('put', 'QuotaExceededError');
  type(opened, 'Mine');
  expect(review.saving.peek()).toBe('saving');
  expect(await review.flush()).toBe(false);
  expect([review.saving.peek(), told]).toEqual(['not-saved', []]);
  put.mockRestore();
  type(opened, 'Mine too');
  // Until the change is stored, the failure is reported.
  expect(review.saving.peek()).toBe('not-saved');
  expect(await review.flush()).toBe(true);
  expect([review.saving.peek(), told]).toEqual(['saved', ['changed']]);
  expect((await readJournal('run_2')).changes).toHaveLength(1);
  opened.lock.leave();
});

test('a review opens as it was left, and says how many changes are in force', async () => {
  let opened = await open('run_3');
  expect(opened.review.message.peek()).toBe('');
  type(opened, 'First');
  opened = await reopened('run_3', opened);
  expect(shown(opened)).toEqual([text.review.restored(1), 1, 'First']);
  expect((await readJournal('run_3')).position).toBe(1);
  // Typing after a reload is a step of its own.
  type(opened, 'Second');
  opened.review.undo();
  opened = await reopened('run_3', opened);
  expect(shown(opened)).toEqual([text.review.restored(1), 1, 'First']);
  opened.review.redo();
  expect(shown(opened).slice(1)).toEqual([2, 'Second']);
});

test('what a review began with is no change of the user, and stays', async () => {
  let opened = await open('run_4');
  const { review } = opened;
  review.edit('opened', edits.setText(review.cues.peek(), 0, 'Theirs'), { fixed: true });
  for (let time = 0; time < 2; time += 1) {
    opened = await reopened('run_4', opened);
    opened.review.undo();
    expect(shown(opened)).toEqual(['', 1, 'Theirs']);
  }
});

test('changes that no longer fit are left out, which the review says', async () => {
  const gone = { at: 99, removed: [], inserted: [] };
  await writeJournalChange('run_5', 0, {
    kind: 'text',
    splices: [gone],
    cueId: 1,
    decisions: [],
  });
  expect(shown(await open('run_5')).slice(0, 2)).toEqual([text.review.dropped, 0]);
});

test('a review opens from the start in a browser that cannot read what it stored', async () => {
  await writeJournalChange('run_6', 0, FIRST);
  refuseStorage('getAll', 'UnknownError');
  expect(shown(await open('run_6')).slice(0, 2)).toEqual(['', 0]);
});

test('a review opens once it is known which tab writes it', async () => {
  const { request } = navigator.locks;
  const { promise, resolve } = Promise.withResolvers<void>();
  spyOn(navigator.locks, 'request').mockImplementation((async (
    ...given: Parameters<typeof request>
  ) => {
    await promise;
    return request(...given);
  }) as typeof request);
  let isOpen = false;
  const opening = open('run_7').finally(() => (isOpen = true));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setTimeout(done));
  expect(isOpen).toBe(false);
  resolve();
  expect((await opening).lock.role.peek()).toBe('writing');
});

test('what another tab writes while a review opens is in it', async () => {
  const release = lockElsewhere('captioner review run_8');
  const { getAll } = IDBObjectStore.prototype;
  spyOn(IDBObjectStore.prototype, 'getAll').mockImplementationOnce(function read(
    this: IDBObjectStore,
    ...given
  ) {
    void writeJournalChange('run_8', 0, FIRST);
    return getAll.apply(this, given);
  });
  const opened = await open('run_8');
  expect([opened.lock.role.peek(), opened.review.state.peek().position]).toEqual(['following', 1]);
  opened.lock.leave();
  release();
});

test('a change that could not be stored is not handed over to a tab that asks, nor replaced', async () => {
  const opened = await open('run_9');
  const { other, told } = tabOf('run_9');
  refuseStorage('put', 'QuotaExceededError');
  type(opened, 'Mine');
  other.postMessage({ kind: 'take' });
  // While it stores what it has, it follows what others have stored.
  other.postMessage({ kind: 'changed' });
  await until('the answer', () => told.length > 0);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setTimeout(done));
  expect([told, opened.lock.role.peek(), ...shown(opened).slice(1)]).toEqual([
    ['unsaved'],
    'writing',
    1,
    'Mine',
  ]);
  opened.lock.leave();
});

const bytes = new TextEncoder().encode(srtOf('Bonjour.', 'Salut.'));

test('a review has the language of its run, and the speakers that were recognised', async () => {
  const result = (await resultOfFile(bytes, 'fr'))!;
  const words = ['b', 'a'].map((speaker, at) => ({
    text: 'x',
    start: at * 3 + 1,
    end: at * 3 + 1.4,
    speaker,
  }));
  const heard = { ...result, transcript: { ...result.transcript, words } } as typeof result;
  const { review } = await openReviewOf('file-heard', 'talk.srt', heard);
  expect(review.language).toBe('fr');
  expect(review.cues.value.map(({ speakers }) => speakers)).toEqual(
    [1, 2].map((number) => [text.review.unnamedSpeaker(number)]),
  );
  const input = {} as typeof result.input;
  const untold = await openReviewOf('file-untold', 'talk.srt', { ...result, input });
  expect(untold.review.language).toBe('en');
});
