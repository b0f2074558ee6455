/** Exporting a workspace as an archive, and erasing it. */
import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { createRunStore } from '../../server/runs/run-store.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { sample } from '../support/sample.ts';
import { unpacked } from '../support/unpacked.ts';

const app = await mountedApp({ env: { REGISTRATIONS_PER_IP: '100' } });
const { database } = app.services;
const talk = new Uint8Array(await readFile(sample));
const exported = (key: string) => app.ask('/workspace/export', { key });
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const json = (key: string, method: string, body: object) => ({
  method,
  key,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const KEY = 'talks/Grüße an alle, Folge 1.mp3';

/** A workspace with all kinds of data. */
async function furnished(email: string) {
  const owner = await app.signUp(email);
  const words = spoken(`We met ${email} today.`);
  const { runId, cues } = await completedRun(database, owner.organizationId, words);
  const put = await app.ask(`/audio/${encodeURI(KEY)}`, {
    method: 'PUT',
    key: owner.key,
    body: talk,
  });
  expect(put.status).toBe(200);
  const { key } = owner;
  const lines = cues.map(({ start, end, lines }) => ({ start, end, lines }));
  const review = await app.ask(`/workflows/captioner/${runId}/review`, {
    ...json(key, 'PUT', { cues: lines, finished: true }),
    headers: { 'content-type': 'application/json', 'if-none-match': '*' },
  });
  const term = { canonical: 'Zanzibarium' };
  const terms = await app.ask('/terminology/terms', json(key, 'PATCH', { terms: [term] }));
  const hook = await app.ask('/webhooks', json(key, 'POST', { url: 'https://hooks.example/a' }));
  expect([review.status, terms.status, hook.status]).toEqual([201, 200, 201]);
  return { ...owner, runId, secret: (await hook.json()).secret as string };
}
type Furnished = MountedKey & { runId: string; secret: string };
const ann: Furnished = await furnished('ann@example.com');
const bob: Furnished = await furnished('bob@example.org');

describe('GET /workspace/export', () => {
  test('is not written for HEAD, which would have to wait for its end', async () => {
    const response = await app.ask('/workspace/export', { method: 'HEAD', key: ann.key });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    expect(response.headers.get('content-type')).toBe('application/gzip');
  });

  test('of a further workspace gets Retry-After while 32 are being written', async () => {
    const emails = Array.from({ length: 33 }, (_, at) => `w@w${at}.example.net`);
    const owners: MountedKey[] = [];
    for (const email of emails) owners.push(await app.signUp(email));
    // An archive that nobody reads is not written to its end.
    const recording = { method: 'PUT', body: talk };
    for (const { key } of owners) await app.ask('/audio/talk.mp3', { ...recording, key });
    const [last, ...others] = owners.toReversed();
    const open = await Promise.all(others.map(({ key }) => exported(key)));
    expect(open.every(({ status }) => status === 200)).toBe(true);
    const refused = await exported(last!.key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    for (const response of open) await bytesOf(response);
    expect((await exported(last!.key)).status).toBe(200);
  });

  test('has everything of the workspace, no secrets, and nothing of another', async () => {
    const response = await exported(ann.key);
    expect(response.headers.get('content-disposition')).toContain('captioner-export.tar.gz');
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { names, read, json: document } = await unpacked(await bytesOf(response));
    expect(names.toSorted()).toEqual(
      [
        'export.json',
        'keys.json',
        `recordings/${KEY}`,
        `runs/${ann.runId}/result.json`,
        `runs/${ann.runId}/review.json`,
        `runs/${ann.runId}/run.json`,
        'terms.json',
        'webhooks.json',
      ].toSorted(),
    );
    expect(new Uint8Array(read(`recordings/${KEY}`))).toEqual(talk);
    const answer = await app.ask(`/workflows/captioner/${ann.runId}`, { key: ann.key });
    const { envelope } = await answer.json();
    expect(document(`runs/${ann.runId}/result.json`)).toEqual(envelope.result);
    expect(document('export.json')).toEqual({
      workspace: ann.organizationId,
      exportedAt: expect.any(String),
      contents: expect.objectContaining({
        'terms.json': expect.any(String),
        'keys.json': expect.any(String),
        'webhooks.json': expect.any(String),
        'runs/{runId}/run.json': expect.any(String),
        'runs/{runId}/result.json': expect.any(String),
        'runs/{runId}/review.json': expect.any(String),
        'runs/{runId}/moderation.json': expect.any(String),
        'recordings/{key}': expect.any(String),
      }),
    });
    expect(document('keys.json')[0].owner_email).toBe('ann@example.com');
    expect(document('terms.json').terms[0].canonical).toBe('Zanzibarium');
    const all = names.map(read).join('\n');
    for (const hidden of [ann.key, ann.secret, bob.runId, 'bob@example.org', bob.secret]) {
      expect(all).not.toContain(hidden);
    }
  });

  test('is written while it is read, one at a time per workspace, and ends with its reader', async () => {
    const first = await exported(ann.key);
    const second = await exported(ann.key);
    expect([second.status, (await second.json()).error.code]).toEqual([429, 'rate_limited']);
    expect(second.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const reader = first.body!.getReader();
    await reader.read();
    await reader.cancel();
    let again = await exported(ann.key);
    while (again.status === 429) {
      await Bun.sleep(5);
      again = await exported(ann.key);
    }
    expect((await unpacked(await bytesOf(again))).names).toContain('export.json');
    const head = await app.ask('/workspace/export', { key: ann.key, method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('needs the scope, and accepts no query', async () => {
    const reader = await app.signUp('reader@example.com', ['captioner:terminology:read']);
    expect((await exported(reader.key)).status).toBe(403);
    expect((await app.ask('/workspace/export')).status).toBe(401);
    expect((await app.ask('/workspace/export?all=1', { key: bob.key })).status).toBe(422);
  });
});

describe('DELETE /workspace/data', () => {
  const erase = (key: string, query: string) =>
    app.ask(`/workspace/data${query}`, { key, method: 'DELETE' });

  test('has to be confirmed, refuses while runs are in progress, and leaves other workspaces alone', async () => {
    const cat = await furnished('cat@example.net');
    for (const query of ['', '?confirm=', `?confirm=${bob.organizationId}`]) {
      const refused = await erase(cat.key, query);
      expect(refused.status).toBe(422);
      expect((await refused.json()).error.details).toEqual([
        { path: 'confirm', message: expect.any(String) },
      ]);
    }
    const { organizationId } = cat;
    const confirm = `?confirm=${organizationId}`;
    const id = `run_${crypto.randomUUID()}`;
    const payload = { audio: { key: 'a.mp3' } };
    const store = createRunStore(database);
    await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
    const early = await erase(cat.key, confirm);
    expect([early.status, (await early.json()).error.code]).toEqual([409, 'runs_in_progress']);
    expect(early.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await app.ask(`/workflows/captioner/${id}`, { method: 'DELETE', key: cat.key });

    const done = await erase(cat.key, confirm);
    expect(await done.json()).toEqual({
      erased: { runs: 2, recordings: 1, webhooks: 1, terms: true },
      recordingsLeft: 0,
    });
    const { names } = await unpacked(await bytesOf(await exported(cat.key)));
    expect(names.toSorted()).toEqual(['export.json', 'keys.json', 'webhooks.json']);
    const { names: others } = await unpacked(await bytesOf(await exported(bob.key)));
    expect(others).toContain(`recordings/${KEY}`);
    expect(others).toContain(`runs/${bob.runId}/result.json`);
  });

  test('finds recordings stored by an earlier version through runs that name them', async () => {
    const dan = await furnished('dan@example.net');
    const put = await app.ask('/audio/old.mp3', { method: 'PUT', key: dan.key, body: talk });
    expect(put.status).toBe(200);
    await database.updateTable('audio_usage').set({ key: null }).execute();
    await database
      .updateTable('runs')
      .set({ payload: JSON.stringify({ audio: { key: KEY } }) })
      .where('id', '=', dan.runId)
      .execute();
    const done = await erase(dan.key, `?confirm=${dan.organizationId}`);
    expect(await done.json()).toMatchObject({ erased: { recordings: 1 }, recordingsLeft: 1 });
  });
});
