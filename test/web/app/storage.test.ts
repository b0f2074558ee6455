/** The browser's storage: runs, and the versions that it has in common with the service. */
import './support/page.ts';
import { afterEach, expect, jest, spyOn, test } from 'bun:test';
import { stores, storedRuns, storedJournals, serviceCopies } from '../../../web/storage/runs.ts';

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
  await storedRuns.keepRecording('run_3', new Blob(['sound']));
  jest.restoreAllMocks();
  const recording = await storedRuns.recording('run_3');
  expect([recording?.type, await recording?.text()]).toEqual(['audio/mpeg', 'sound']);
  await storedRuns.forget('run_3');
  expect(await storedRuns.recording('run_3')).toBeUndefined();
});

test('a browser that blocks storage stores nothing', async () => {
  await storedRuns.keep({ runId: 'run_4', name: 'talk.mp3', createdAt: 1 }, null);
  spyOn(IDBObjectStore.prototype, 'count').mockImplementation(() => {
    throw new DOMException('No.', 'SecurityError');
  });
  expect(await storedRuns.keepsAnything()).toBe(false);
  jest.restoreAllMocks();
  await storedRuns.forget('run_4');
});

const change = (kind: string) => ({ kind, splices: [], cueId: null });
const journalOf = async (runId: string) => {
  const { changes, position } = await storedJournals.read(runId);
  return [changes.map(({ kind }) => kind), position];
};

test('the journal of a review keeps the changes before a new one, and drops those after it', async () => {
  expect(await journalOf('run_5')).toEqual([[], 0]);
  for (const [at, kind] of ['one', 'two', 'three'].entries()) {
    await storedJournals.write('run_5', at, change(kind));
    await storedJournals.write('run_6', at, change(kind));
  }
  expect(await journalOf('run_5')).toEqual([['one', 'two', 'three'], 3]);
  await storedJournals.move('run_5', 1);
  expect(await journalOf('run_5')).toEqual([['one', 'two', 'three'], 1]);
  await storedJournals.write('run_5', 1, change('other'));
  expect(await journalOf('run_5')).toEqual([['one', 'other'], 2]);
  expect(await journalOf('run_6')).toEqual([['one', 'two', 'three'], 3]);
});

test('everything stored for a run is deleted with it, and nothing of another', async () => {
  const database = await stores();
  const copy = { tag: '"a"', seen: null, sent: null, finished: true };
  for (const runId of ['run_5', 'run_6']) {
    await storedRuns.keep({ runId, name: 'talk.mp3', createdAt: 1 }, new Blob(['sound']));
    await database.put('peaks', { values: new Uint8Array(1) } as never, runId);
    await database.put('results', {} as never, runId);
    await serviceCopies.keep(runId, copy);
  }
  const left = async (runId: string) => [
    await database.get('runs', runId),
    await storedRuns.recording(runId),
    await database.get('peaks', runId),
    await database.get('results', runId),
    (await storedJournals.read(runId)).changes[0],
    await database.get('positions', runId),
    await serviceCopies.get(runId),
  ];
  await storedRuns.forget('run_5');
  expect(await left('run_5')).toEqual(Array.from({ length: 7 }));
  expect((await left('run_6')).every((each) => each !== undefined)).toBe(true);
  await storedRuns.forget('run_6');
  expect(await storedRuns.keepsAnything()).toBe(false);
});

test('the recordings of the twenty newest runs are kept, and the runs of all', async () => {
  const database = await stores();
  const ids = Array.from({ length: 21 }, (_, at) => `run_${at}`);
  for (const [at, runId] of ids.entries()) {
    await storedRuns.keep({ runId, name: 'talk.mp3', createdAt: at }, new Blob(['sound']));
    await database.put('peaks', { values: new Uint8Array(1) } as never, runId);
  }
  const [oldest, ...newer] = ids as [string, ...string[]];
  expect((await storedRuns.all()).map(({ runId }) => runId)).toEqual(ids.toReversed());
  expect(await database.getAllKeys('recordings')).toEqual(newer.toSorted());
  expect(await database.getAllKeys('peaks')).toEqual(newer.toSorted());
  expect(await storedRuns.recording(oldest)).toBeUndefined();
  for (const runId of ids) await storedRuns.forget(runId);
});
