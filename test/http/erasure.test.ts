/** Erasing a run over HTTP and MCP: permissions, timing, and the quota it frees. */
import { expect, test } from 'bun:test';
import { eraseRun } from '../../server/http/runs/erasure.ts';
import type { RunSummary } from '../../server/runs/stored-run.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp({ env: { RESULT_QUOTA: '1100000' } });
const { database } = app.services;
const words = spoken('We signed in with AuthKit.');
const erase = (runId: string, key: string) =>
  app.ask(`/workflows/captioner/${runId}/data`, { method: 'DELETE', key });
const start = (key: string) =>
  app.ask('/workflows/captioner', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    body: JSON.stringify({ audio: { key: 'a.mp3' } }),
  });

test('DELETE …/data erases a run, only for its workspace, and frees its quota', async () => {
  const ann = await app.signUp('ann@example.com');
  const bob = await app.signUp('bob@example.org');
  const { runId } = await completedRun(database, ann.organizationId, words);
  await database.updateTable('runs').set({ kept_bytes: 600_000 }).where('id', '=', runId).execute();
  const refused = await start(ann.key);
  expect(refused.status).toBe(429);
  expect((await refused.json()).error.message).toContain('Erase runs');
  const none = await erase('run_that_never_was', bob.key);
  const theirs = await erase(runId, bob.key);
  expect([theirs.status, await theirs.text()]).toEqual([404, await none.text()]);
  const more = `/workflows/captioner/${runId}/data?all=1`;
  expect((await app.ask(more, { method: 'DELETE', key: ann.key })).status).toBe(422);
  const done = await erase(runId, ann.key);
  expect(done.status).toBe(200);
  expect(await done.json()).toMatchObject({ runId, erased: { result: true }, recording: 'none' });
  for (const path of ['', '/captions.srt', '/review', '/events']) {
    const gone = await app.ask(`/workflows/captioner/${runId}${path}`, { key: ann.key });
    expect([path, gone.status]).toEqual([path, 404]);
  }
  expect((await start(ann.key)).status).toBe(202);
});

test('a run in progress is refused until it is cancelled, over HTTP and MCP', async () => {
  const ann = await app.signUp('cancels@example.com');
  const other = await app.signUp('other@example.org');
  const id = `run_${crypto.randomUUID()}`;
  const payload = { audio: { key: 'a.mp3' } };
  const { organizationId } = ann;
  const store = createRunStore(database);
  await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
  const early = await erase(id, ann.key);
  expect([early.status, (await early.json()).error.code]).toEqual([409, 'run_not_ended']);
  expect(early.headers.get('retry-after')).toMatch(/^\d+$/);
  const refusal = await callTool(app, ann, 'erase_run', { runId: id });
  expect(refusal).toMatchObject({ isError: true });
  expect(refusal.words).toContain('run_not_ended');
  await app.ask(`/workflows/captioner/${id}`, { method: 'DELETE', key: ann.key });
  const stranger = await callTool(app, other, 'erase_run', { runId: id });
  expect(stranger.words).toContain('run_not_found');
  const told = await callTool(app, ann, 'erase_run', { runId: id });
  expect(told.structuredContent).toMatchObject({ runId: id, erased: { result: true } });
  expect((await callTool(app, ann, 'erase_run', { runId: id })).words).toContain('run_not_found');
});

test('a run erased by another request in the meantime is not found', async () => {
  const run = { id: 'run_1', state: 'completed', finishedAt: 5 } as RunSummary;
  const erased = eraseRun({ erase: async () => null, forgetDeleted: async () => {} }, run);
  await expect(erased).rejects.toMatchObject({ status: 404, code: 'run_not_found' });
});
