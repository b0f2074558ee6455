/** What the browser stores: runs, and the versions that it has in common with the service. */
import './support/page.ts';
import { expect, test } from 'bun:test';
import { forgetRun, keepRun, keepsAnything, keptRuns } from '../../../web/storage/runs.ts';
import {
  forgetServiceCopies,
  keepServiceCopy,
  serviceCopy,
} from '../../../web/storage/service-copies.ts';

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
