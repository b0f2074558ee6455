/** The browser's storage: runs, and the versions that it has in common with the service. */
import './support/page.ts';
import { afterEach, expect, jest, spyOn, test } from 'bun:test';
import {
  forgetRun,
  keepRecording,
  keepRun,
  keepsAnything,
  keptRecording,
  keptRuns,
} from '../../../web/storage/runs.ts';
import {
  forgetServiceCopies,
  keepServiceCopy,
  serviceCopy,
} from '../../../web/storage/service-copies.ts';

afterEach(() => jest.restoreAllMocks());

test('the browser knows whether it stores anything', async () => {
  expect(await keepsAnything()).toBe(false);
  await keepRun({ runId: 'run_1', name: 'talk.mp3', createdAt: 1 }, null);
  await keepRun({ runId: 'run_2', name: 'later.mp3', createdAt: 2 }, null);
  expect((await keptRuns()).map(({ runId }) => runId)).toEqual(['run_2', 'run_1']);
  expect(await keepsAnything()).toBe(true);
  await forgetRun('run_1');
  expect((await keptRuns()).map(({ runId }) => runId)).toEqual(['run_2']);
  await forgetRun('run_2');
  expect(await keepsAnything()).toBe(false);
});

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
  spyOn(IDBObjectStore.prototype, 'count').mockImplementation(() => {
    throw new DOMException('No.', 'SecurityError');
  });
  expect(await keepsAnything()).toBe(false);
  jest.restoreAllMocks();
  await forgetRun('run_4');
});

test('the copy of one review is deleted without the others, or all are', async () => {
  const copy = { tag: '"a"', seen: null, sent: null, finished: true };
  await keepServiceCopy('run_1', copy);
  await keepServiceCopy('run_2', { ...copy, finished: false });
  await forgetServiceCopies('run_1');
  expect([await serviceCopy('run_1'), await serviceCopy('run_2')]).toEqual([
    undefined,
    { ...copy, finished: false },
  ]);
  await keepServiceCopy('run_1', copy);
  await forgetServiceCopies();
  expect([await serviceCopy('run_1'), await serviceCopy('run_2')]).toEqual([undefined, undefined]);
});
