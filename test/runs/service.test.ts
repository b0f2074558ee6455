/**
 * Submitting, reading, waiting for and cancelling runs: idempotency, quota, and isolation of
 * workspaces.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import { cancelledBeforeStart } from '../../server/runs/cancelled.ts';
import { createResultQuota } from '../../server/runs/result-quota.ts';
import type { RunEvent } from '../../server/runs/run-events.ts';
import { createRuns, IdempotencyConflict } from '../../server/runs/service.ts';
import { QuotaExceeded } from '../../server/storage/quota-exceeded.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { COMPLETED, newWorkspace, REACHED } from '../support/servers/run-rows.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { runParts } from './run-parts.ts';

const { database } = await sqliteDatabase();
const webhooks = createWebhookStore(database);
const told: RunEvent[] = [];
const queued: string[] = [];
let place = 0;
const parts = runParts(database, (runId, at) => {
  queued.push(runId);
  place = at;
});
const { store, partial, events, watches } = parts;
events.subscribe((event) => void told.push(event));
const runsWith = (quota: number | null) =>
  createRuns({ ...parts, resultQuota: createResultQuota(database, quota) });
const runs = createRuns(parts);
const payload = { audio: { key: 'talk.mp3' } };

const submit = (organizationId: string, more: object = {}) =>
  runs.submit({ organizationId, keyId: 'key', payload, ...more });
const rowOf = (id: string) =>
  database.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
beforeEach(() => {
  told.length = 0;
  queued.length = 0;
});

describe('another workspace', () => {
  test('cannot read a run', async () => {
    const [mine, other] = [newWorkspace(), newWorkspace()];
    const id = await submit(mine);
    expect(await runs.get(other, id)).toBeNull();
    expect(await runs.summary(other, id)).toBeNull();
    expect(await runs.list(other, 10, null)).toEqual([]);
    expect(await runs.get(mine, id)).toMatchObject({ id, organizationId: mine });
    expect(await runs.summary(mine, id)).toMatchObject({ id, organizationId: mine });
  });

  test('can use the same idempotency key for its own run', async () => {
    const [mine, other] = [newWorkspace(), newWorkspace()];
    const first = await submit(mine, { idempotencyKey: 'same' });
    const second = await submit(other, { idempotencyKey: 'same' });
    expect(second).not.toBe(first);
    // The repetition is answered with the run of the workspace that asks.
    expect(await submit(other, { idempotencyKey: 'same' })).toBe(second);
    expect(await submit(mine, { idempotencyKey: 'same' })).toBe(first);
    expect(queued).toEqual([first, second]);
  });
});

describe('a request', () => {
  test('is refused if its idempotency key was used for another payload', async () => {
    const mine = newWorkspace();
    await submit(mine, { idempotencyKey: 'once' });
    const other = { audio: { key: 'another.mp3' } };
    const again = submit(mine, { idempotencyKey: 'once', payload: other });
    await expect(again).rejects.toThrow(IdempotencyConflict);
    expect(queued).toHaveLength(1);
  });

  test('beyond the quota is neither stored nor queued', async () => {
    const mine = newWorkspace();
    const again = runsWith(1000).submit({ organizationId: mine, keyId: 'key', payload });
    await expect(again).rejects.toThrow(QuotaExceeded);
    expect(await runs.list(mine, 10, null)).toEqual([]);
    expect(queued).toEqual([]);
  });

  test('beyond the quota is refused for all that repeat it meanwhile', async () => {
    const request = { organizationId: newWorkspace(), keyId: 'key', idempotencyKey: 'k' };
    const full = runsWith(1000);
    const asked = [payload, payload, { ...payload, topic: 'another' }].map((each) =>
      full.submit({ ...request, payload: each }),
    );
    const outcomes = await Promise.allSettled(asked);
    const refusal = { status: 'rejected' as const, reason: expect.any(QuotaExceeded) };
    expect(outcomes).toEqual([refusal, refusal, refusal]);
  });

  test('counts with space for its result from the start', async () => {
    const id = await submit(newWorkspace());
    expect((await rowOf(id)).kept_bytes).toBeGreaterThanOrEqual(2 ** 20);
  });

  test('is announced, and recorded as queued, so that it is not queued again', async () => {
    const id = await submit(newWorkspace());
    expect(queued).toEqual([id]);
    expect(told).toEqual([{ type: 'queued' }]);
    for (let turn = 0; turn < 100 && (await rowOf(id)).enqueued === 0; turn += 1);
    expect((await rowOf(id)).enqueued).toBe(1);
    queued.length = 0;
    await runs.recover(Date.now() + 1000);
    expect(queued).not.toContain(id);
  });

  test('that was never queued is queued, unless it is new or has ended', async () => {
    const mine = newWorkspace();
    const made = async () => {
      const id = `run_${crypto.randomUUID()}`;
      const request = { id, organizationId: mine, keyId: 'key', payload, idempotencyKey: null };
      await store.insert(request);
      return id;
    };
    const [ended, lost] = [await made(), await made()];
    await store.finish(ended, 'completed', COMPLETED, REACHED);
    expect(await runs.recover((await rowOf(lost)).created_at)).toBe(0);
    await runs.recover(Date.now() + 1000);
    expect([queued, place]).toEqual([[lost], (await rowOf(lost)).queue_position]);
  });
});

describe('a run', () => {
  test('that waits is cancelled immediately, and its webhooks are notified', async () => {
    const mine = newWorkspace();
    const { id: hook } = (await webhooks.create(mine, 'key', { url: 'https://a.example/' }))!;
    const id = await submit(mine);
    told.length = 0;
    expect(await runs.cancel((await runs.summary(mine, id))!)).toBe(true);
    expect(told).toEqual([
      { type: 'cancel', runId: id },
      { type: 'ended', runId: id },
    ]);
    expect(await runs.summary(mine, id)).toMatchObject({ state: 'cancelled' });
    expect(await webhooks.deliveries(mine, hook)).toMatchObject([
      { event: 'run.failed', runId: id },
    ]);
    expect(await runs.cancel((await runs.summary(mine, id))!)).toBe(false);
  });

  test('in progress is requested to stop', async () => {
    const mine = newWorkspace();
    const id = await submit(mine);
    const before = (await runs.summary(mine, id))!;
    await store.markRunning(id);
    told.length = 0;
    expect(await runs.cancel((await runs.summary(mine, id))!)).toBe(true);
    // A worker may also have taken it after it was read.
    expect(await runs.cancel(before)).toBe(true);
    expect(told.map(({ type }) => type)).toEqual(['cancel', 'cancel']);
    expect(await runs.summary(mine, id)).toMatchObject({ state: 'running', cancelRequested: true });
    expect(await store.endQueued(id, 'cancelled', cancelledBeforeStart(before))).toBe(false);
  });

  test('that has ended cannot be cancelled, and nobody is notified', async () => {
    const mine = newWorkspace();
    const id = await submit(mine);
    const before = (await runs.summary(mine, id))!;
    await store.finish(id, 'failed', COMPLETED, REACHED);
    told.length = 0;
    expect(await runs.cancel(before)).toBe(false);
    expect(told).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ cancel_requested: 0, state: 'failed', progress: 0.5 });
  });

  test('that has ended shows no preview, and reports no progress', async () => {
    const mine = newWorkspace();
    const id = await submit(mine);
    await partial.add(id, 0, [{ start: 0, end: 1, text: 'Hello' }]);
    const going = (await runs.summary(mine, id))!;
    expect(await runs.heard(going, 0, 10)).toMatchObject([{ text: 'Hello', position: 1 }]);
    await store.finish(id, 'failed', COMPLETED, REACHED);
    // As another process may write it, which does not know yet that the run has ended.
    await partial.add(id, 0, [{ start: 0, end: 1, text: 'Hello' }]);
    await store.report(id, 'captioning', 0.9);
    const ended = (await runs.summary(mine, id))!;
    expect(ended.progress).toBe(0.5);
    expect(await runs.heard(ended, 0, 10)).toEqual([]);
  });

  test('notifies its webhooks of its end once', async () => {
    const mine = newWorkspace();
    const { id: hook } = (await webhooks.create(mine, 'key', { url: 'https://a.example/' }))!;
    const id = await submit(mine);
    await store.finish(id, 'completed', COMPLETED, REACHED);
    await store.finish(id, 'failed', COMPLETED, REACHED);
    expect(await webhooks.deliveries(mine, hook)).toMatchObject([
      { event: 'run.completed', runId: id },
    ]);
    expect(await runs.summary(mine, id)).toMatchObject({ state: 'completed', progress: 1 });
  });
});

describe('a wait', () => {
  test('ends with its run, or if the run is deleted', async () => {
    const id = await submit(newWorkspace());
    const waiting = runs.wait(id, new AbortController().signal);
    await store.finish(id, 'completed', COMPLETED, REACHED);
    events.publish({ type: 'ended', runId: id });
    await waiting;
    await runs.wait(`run_${crypto.randomUUID()}`, new AbortController().signal);
  });

  test('leaves no watch behind, which would leak memory', async () => {
    let open = 0;
    const counted = {
      ...watches,
      watch: (...given: Parameters<typeof watches.watch>) => {
        const watch = watches.watch(...given);
        open += 1;
        return { next: watch.next, close: () => (watch.close(), void (open -= 1)) };
      },
    };
    const counting = createRuns({ ...parts, watches: counted });
    await counting.wait('run_gone', new AbortController().signal);
    expect(open).toBe(0);
  });

  test('ends with its signal, and the run continues', async () => {
    const mine = newWorkspace();
    const id = await submit(mine);
    const controller = new AbortController();
    const waiting = runs.wait(id, controller.signal);
    controller.abort(new Error('the client has left'));
    await expect(waiting).rejects.toThrow('the client has left');
    expect(await runs.summary(mine, id)).toMatchObject({ state: 'queued', cancelRequested: false });
  });
});
