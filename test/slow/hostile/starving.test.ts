/**
 * Tenants that try to use up what all share: deliveries, the readers of results, exports, the disk. A well-behaved one
 * is served meanwhile.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../server/storage/database.ts';
import { needs } from '../../support/requirements.ts';
import { signUp, until, type Client } from '../../support/servers/client.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { dial, type Connection } from '../../support/servers/dial.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const needsProc = needs(existsSync('/proc/self/fd'), 'there is no /proc here');
const MEBIBYTE = 2 ** 20;
const server = await testServer({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const ann = await signUp(server, 'ann@example.com');
const eves = await Promise.all(
  Array.from({ length: 8 }, (_, at) => signUp(server, `eve${at}@example.com`)),
);
const [eve] = eves as [Client];
const open: Connection[] = [];
afterAll(() => open.forEach(({ socket }) => socket.destroy()));

const bearer = ({ key }: Client) => ({ authorization: `Bearer ${key}` });
/** A completed run with a result of many mebibytes. */
async function largeRun(of: Client, mebibytes: number): Promise<string> {
  const path = join(server.dataDir, 'captioner.sqlite');
  const database = openDatabase(path);
  const { runId } = await completedRun(database, of.organizationId, spoken('Welcome, all.'));
  await database.destroy();
  const file = new DatabaseSync(path, { timeout: 60_000 });
  file
    .prepare(
      `update runs set result = json_set(result, '$.raw', json_object('text', ?)) where id = ?`,
    )
    .run(randomBytes((mebibytes * MEBIBYTE * 3) / 4).toString('base64'), runId);
  file.close();
  return runId;
}

const descriptors = async () => (await readdir(`/proc/${server.pid}/fd`)).length;

/** Asks for a path, and then reads nothing. */
function stall(of: Client, path: string): Connection {
  const connection = dial(server.url);
  connection.socket.pause();
  connection.socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${of.key}\r\n\r\n`,
  );
  open.push(connection);
  return connection;
}

describe('readers that do not read', () => {
  needsProc('keep nobody from results and exports, and are disconnected', async () => {
    const own = await largeRun(ann, 1);
    const many = await Promise.all(eves.map((one) => largeRun(one, 16)));
    // Twelve of one workspace, and one of each other; of their exports as many.
    const more = await Promise.all(Array.from({ length: 11 }, () => largeRun(eve, 16)));
    const before = await descriptors();
    const results = more.map((id) => stall(eve, `/workflows/captioner/${id}`));
    for (const [at, one] of eves.entries()) {
      results.push(stall(one, `/workflows/captioner/${many[at]}`));
    }
    for (const one of eves) stall(one, '/workspace/export');
    await until(async () => results.filter(({ socket }) => socket.bytesRead > 0).length >= 8);

    for (let round = 0; round < 5; round += 1) {
      const began = performance.now();
      const run = await ann.get(`/workflows/captioner/${own}`);
      expect([run.status, (await run.json()).envelope.result.raw.text.length]).toEqual([
        200,
        MEBIBYTE,
      ]);
      expect((await ann.get(`/workflows/captioner/${own}/captions.srt`)).status).toBe(200);
      const archive = await ann.get('/workspace/export');
      expect(archive.status).toBe(200);
      expect(Bun.gunzipSync(await archive.bytes()).byteLength).toBeGreaterThan(MEBIBYTE);
      expect(performance.now() - began).toBeLessThan(20_000);
    }
    const started = await ann.start({ audio: { key: 'none.mp3' } });
    expect(started.status).toBe(202);

    // They are cut off within the time in which the least has to be read; some of the smallest are still in buffers.
    await until(async () => (await descriptors()) <= before + 4);
    await until(async () => (await eve.get(`/workflows/captioner/${many[0]}`)).status === 200);
    expect(server.log()).not.toContain('"level":"error"');
  });
});

test('writes without any run neither fill the disk nor keep others from writing', async () => {
  const log = join(server.dataDir, 'captioner.sqlite-wal');
  const write = (of: Client, count: number) =>
    fetch(`${server.url}/terminology/terms`, {
      method: 'PUT',
      headers: { ...bearer(of), 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify({
        terms: Array.from({ length: count }, (_, at) => ({
          canonical: `Term ${at} ${crypto.randomUUID()}`,
          note: 'n'.repeat(500),
        })),
      }),
    });
  const first = await fetch(`${server.url}/terminology/terms`, {
    method: 'PUT',
    headers: { ...bearer(eve), 'content-type': 'application/json', 'if-none-match': '*' },
    body: JSON.stringify({ terms: [{ canonical: 'Oktavia' }] }),
  });
  expect(first.status).toBe(200);
  let largest = 0;
  for (let at = 0; at < 100; at += 1) {
    const answer = await write(eve, 900);
    // How soon it has used up its minute depends on the machine.
    expect([200, 429]).toContain(answer.status);
    largest = Math.max(largest, (await stat(log)).size);
    if (answer.status === 200) continue;
    expect((await answer.json()).error.code).toBe('rate_limited');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    break;
  }
  // The log is copied into the file about once a second.
  expect(largest).toBeLessThan(40 * MEBIBYTE);
  await until(async () => (await stat(log)).size <= 16 * MEBIBYTE, 30_000);
  const small = await fetch(`${server.url}/terminology/terms`, {
    method: 'PUT',
    headers: { ...bearer(ann), 'content-type': 'application/json', 'if-none-match': '*' },
    body: JSON.stringify({ terms: [{ canonical: 'Oktavia', note: 'n'.repeat(400) }] }),
  });
  expect(small.status).toBe(200);
});
