/** Opening a review and storing it: other tabs that ask for it, and storage that fails. */
import { lockElsewhere } from './support/page.ts';
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { completedResult } from '../../../server/http/openapi/example-results.ts';
import { openReviewOf } from '../../../web/review/open-review.ts';
import { createJournalWriter } from '../../../web/review/journal-writer.ts';
import { readJournal } from '../../../web/storage/changes.ts';
import { Channel } from '../support/tabs.ts';

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
  const { lock } = await openReviewOf('run_1', 'talk.mp3', completedResult);
  expect([told, lock.role.peek()]).toEqual([['taken'], 'following']);
  lock.leave();
  release();
});

test('a change that cannot be stored is reported, and other tabs are notified only of stored ones', async () => {
  const told = jest.fn();
  const writer = createJournalWriter('run_2', told);
  const change = { kind: 'typing', splices: [], cueId: 1, decisions: [] };
  const put = spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('Full.', 'QuotaExceededError');
  });
  writer.change(0, change);
  expect(writer.saving.peek()).toBe('saving');
  expect(await writer.flush()).toBe(false);
  expect([writer.saving.peek(), told.mock.calls.length]).toEqual(['not-saved', 0]);
  put.mockRestore();
  writer.change(0, change);
  expect(await writer.flush()).toBe(true);
  expect([writer.saving.peek(), told.mock.calls.length]).toEqual(['saved', 1]);
  expect(await readJournal('run_2')).toEqual({ changes: [change], position: 1 });
});
