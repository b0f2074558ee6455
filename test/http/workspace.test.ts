/** Exporting a workspace as an archive, and erasing it. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeTarGz, textFile, type ArchiveFile } from '../../server/http/tar-gz.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import type { Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sample } from '../support/sample.ts';

const app = await mountedApp();
const { database } = app.services;
const talk = new Uint8Array(await readFile(sample));
const folders: string[] = [];
afterAll(() => Promise.all(folders.map(removeFolder)));

/**
 * Unpacks an archive with the system's tar; returns the names of its files, and a function to read
 * them.
 */
async function unpacked(archive: Uint8Array) {
  const folder = await temporaryFolder();
  folders.push(folder);
  await writeFile(join(folder, 'a.tar.gz'), archive);
  const into = join(folder, 'out');
  await Bun.$`mkdir ${into} && tar -xzf ${join(folder, 'a.tar.gz')} -C ${into}`.quiet();
  const found = await readdir(into, { recursive: true, withFileTypes: true });
  return {
    names: found
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(into.length + 1)),
    read: (name: string) => readFile(join(into, name)),
    json: async (name: string): Promise<Any> =>
      JSON.parse(await readFile(join(into, name), 'utf8')),
  };
}
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
  test('has everything of the workspace, no secret, and nothing of another', async () => {
    const response = await exported(ann.key);
    expect(response.headers.get('content-disposition')).toContain('captioner-export.tar.gz');
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
    expect(new Uint8Array(await read(`recordings/${KEY}`))).toEqual(talk);
    const answer = await app.ask(`/workflows/captioner/${ann.runId}`, { key: ann.key });
    const { envelope } = await answer.json();
    expect(await document(`runs/${ann.runId}/result.json`)).toEqual(envelope.result);
    expect((await document('keys.json'))[0].owner_email).toBe('ann@example.com');
    expect((await document('terms.json')).terms[0].canonical).toBe('Zanzibarium');
    const all = (await Promise.all(names.map(read))).join('\n');
    for (const hidden of [ann.key, ann.secret, bob.runId, 'bob@example.org', bob.secret]) {
      expect(all).not.toContain(hidden);
    }
  });

  test('is written as it is read, once at a time for a workspace, and ends with its reader', async () => {
    const first = await exported(ann.key);
    const second = await exported(ann.key);
    expect([second.status, (await second.json()).error.code]).toEqual([429, 'rate_limited']);
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

  test('needs the scope, and takes no query', async () => {
    const reader = await app.signUp('reader@example.com', ['captioner:terminology:read']);
    expect((await exported(reader.key)).status).toBe(403);
    expect((await app.ask('/workspace/export')).status).toBe(401);
    expect((await app.ask('/workspace/export?all=1', { key: bob.key })).status).toBe(422);
  });
});

describe('an archive', () => {
  const collect = async (files: AsyncIterable<ArchiveFile>): Promise<Uint8Array> => {
    const parts: Uint8Array[] = [];
    await writeTarGz(files, async (bytes) => void parts.push(bytes.slice()));
    return Buffer.concat(parts);
  };

  test('keeps long names, odd names, empty files and many chunks', async () => {
    const long = `${'a'.repeat(90)}/${'ü'.repeat(80)}.txt`;
    const chunks = Array.from({ length: 300 }, (_, at) => new Uint8Array(1000).fill(at));
    const { read } = await unpacked(
      await collect(
        (async function* () {
          yield textFile(long, 'long');
          yield textFile('empty', '');
          yield { name: 'big', size: 300_000, body: chunks };
          yield textFile("it's; a $(name)", 'odd');
        })(),
      ),
    );
    expect((await read(long)).toString()).toBe('long');
    expect((await read('empty')).byteLength).toBe(0);
    expect(Buffer.concat(chunks).equals(await read('big'))).toBe(true);
    expect((await read("it's; a $(name)")).toString()).toBe('odd');
  });

  test('is read no faster than it is written', async () => {
    let taken = 0;
    const noise = Array.from({ length: 16 }, () => crypto.getRandomValues(new Uint8Array(65_536)));
    async function* files(): AsyncGenerator<ArchiveFile> {
      for (; taken < 50; taken += 1) yield { name: `${taken}`, size: 2 ** 20, body: noise };
    }
    const gate = Promise.withResolvers<void>();
    let written = 0;
    const writing = writeTarGz(files(), async (bytes) => {
      written += bytes.byteLength;
      await gate.promise;
    });
    // Nothing is consumed: the program reads ahead as far as it may, and then stops.
    for (let quiet = 0, seen = -1; quiet < 20; quiet += 1) {
      await Bun.sleep(5);
      if (taken !== seen) [quiet, seen] = [0, taken];
    }
    expect(taken).toBeLessThan(5);
    gate.resolve();
    await writing;
    expect(taken).toBe(50);
    expect(written).toBeGreaterThan(50 * 2 ** 20);
  });

  test('fails with its file, or with whoever writes it', async () => {
    const broken = (async function* () {
      yield textFile('one', '1');
      throw new Error('the database is down');
    })();
    await expect(collect(broken)).rejects.toThrow('the database is down');
    const short = (async function* () {
      yield { name: 'short', size: 10, body: [new Uint8Array(3)] };
    })();
    await expect(collect(short)).rejects.toThrow(/size/i);
    const endless = (async function* () {
      for (let at = 0; ; at += 1) {
        const body = [crypto.getRandomValues(new Uint8Array(60_000))];
        yield { name: `${at}`, size: 60_000, body };
      }
    })();
    const refuse = async () => {
      throw new Error('the client is gone');
    };
    await expect(writeTarGz(endless, refuse)).rejects.toThrow('the client is gone');
  });

  test('ends wherever its reader leaves', async () => {
    const turns = async (count: number) => {
      for (let at = 0; at < count; at += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    // The reader leaves a number of turns of the event loop after the first bytes: while a file is written, between
    // two chunks, while one is drained, or after the last one.
    const left = async (size: number, after: number) => {
      async function* body() {
        for (let chunk = 0; chunk < 2; chunk += 1) {
          await turns(2);
          yield crypto.getRandomValues(new Uint8Array(size));
        }
        await turns(2);
      }
      async function* files(): AsyncGenerator<ArchiveFile> {
        for (let file = 0; ; file += 1) yield { name: `${file}`, size: 2 * size, body: body() };
      }
      const written = writeTarGz(files(), async () => {
        await turns(after);
        throw new Error('the client is gone');
      });
      return written.catch((error: Error) => error.message);
    };
    for (const size of [100, 20_000, 65_536]) {
      for (let after = 0; after < 16; after += 1) {
        expect(await left(size, after)).toBe('the client is gone');
      }
    }
  });
});

describe('DELETE /workspace/data', () => {
  const erase = (key: string, query: string) =>
    app.ask(`/workspace/data${query}`, { key, method: 'DELETE' });

  test('has to be confirmed, waits for runs, and leaves other workspaces alone', async () => {
    const cat = await furnished('cat@example.net');
    for (const query of ['', '?confirm=', `?confirm=${bob.organizationId}`]) {
      expect((await erase(cat.key, query)).status).toBe(422);
    }
    const { organizationId } = cat;
    const confirm = `?confirm=${organizationId}`;
    const id = `run_${crypto.randomUUID()}`;
    const payload = { audio: { key: 'a.mp3' } };
    const store = createRunStore(database);
    await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
    const early = await erase(cat.key, confirm);
    expect([early.status, (await early.json()).error.code]).toEqual([409, 'runs_in_progress']);
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

  test('finds recordings that an earlier version stored, where a run names them', async () => {
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
