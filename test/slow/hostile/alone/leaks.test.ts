/** Thousands of broken or abandoned requests leave nothing behind. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ended, metricsOf, signUp, until } from '../../../support/servers/client.ts';
import { needs } from '../../../support/requirements.ts';
import { sample } from '../../../support/sample.ts';
import { testServer } from '../../../support/servers/test-server.ts';
import { expectUnharmed } from '../support/answers.ts';
import { dial } from '../../../support/servers/dial.ts';
import { head } from '../support/raw.ts';

setDefaultTimeout(300_000);

/** The requests of a batch, and how many are sent at a time. */
const BATCH = 1500;
const AT_ONCE = 25;
/** The memory growth allowed between equal batches: allocators keep some, a leak keeps growing. */
const GROWTH_MIB = 60;

const needsProc = needs(existsSync('/proc/self/fd'), 'there is no /proc here');

// Abandoned uploads are cleaned up slightly after their clients disconnect.
const server = await testServer({
  env: { UPLOADS_AT_ONCE: '1000', UPLOADS_PER_WORKSPACE: '1000' },
});
const ann = await signUp(server, 'ann@example.com');
const talk = (await readFile(sample)).toString('latin1');

const KEY = `Authorization: Bearer ${ann.key}`;
const json = (path: string, body: string, more = 0) =>
  head(`POST ${path} HTTP/1.1`, [
    KEY,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length + more}`,
  ]) + body;
const run = '{"audio":{"key":"none.mp3"}}';
const call =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"caption_audio","arguments":{"key":"none.mp3"}}}';
const upload = (lines: string[], body: string) =>
  head('PUT /audio/left.mp3 HTTP/1.1', [KEY, 'Content-Type: audio/mpeg', ...lines]) + body;

/** Bytes sent before the connection is dropped. */
const BROKEN_OFF: readonly string[] = [
  '',
  'GET /workflows/capt',
  head('GET /openapi.json HTTP/1.1'),
  head('GET /docs.md HTTP/1.1'),
  head('GET /workflows/captioner/none/events HTTP/1.1', [KEY]),
  json('/agent/auth', '{"type":', 1000),
  json('/workflows/captioner', '{"audio":', 1000),
  json('/mcp', '{"jsonrpc":', 1000),
  json('/workflows/captioner?wait=result', run),
  json('/mcp', call),
  upload(['Content-Length: 140688'], talk.slice(0, 50_000)),
  upload(['Transfer-Encoding: chunked'], `c350\r\n${talk.slice(0, 50_000)}\r\n`),
  upload(['Transfer-Encoding: chunked'], 'zz\r\n'),
  upload(['Content-Length: 140688'], 'no MP3'),
];

/** Requests whose bodies are read completely and refused. */
const REFUSED: readonly (() => Promise<Response>)[] = [
  () => ann.start('x'.repeat(100_000)),
  () => ann.start({ audio: { key: 'none.mp3' }, colour: 1 }),
  () => ann.start({ audio: { key: 'none.mp3' }, topic: 'x'.repeat(1_500_000) }),
  () => ann.put('left.mp3', 'ID3'),
  () => ann.put('left.mp3', new Uint8Array(50_000)),
  () => ann.get('/workflows/captioner?limit=x'),
];

/** Drops a connection, with an orderly end or a reset. */
async function breakOff(text: string, at: number): Promise<void> {
  const { socket } = dial(server.url);
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('connect', () => {
      socket.write(Buffer.from(text, 'latin1'));
      setTimeout(() => (at % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()), at % 20);
    });
  });
}

async function batch(): Promise<void> {
  let at = 0;
  const work = async () => {
    while (at < BATCH) {
      const now = (at += 1);
      const refused = REFUSED[now % 40];
      if (refused) expect((await refused()).status).toBeWithin(400, 500);
      else await breakOff(BROKEN_OFF[now % BROKEN_OFF.length] ?? '', now);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // The runs of clients that disconnected must end first.
  await until(async () => {
    const { runs } = await (await ann.get('/workflows/captioner?limit=100')).json();
    return runs.every(({ finishedAt }: { finishedAt: string | null }) => finishedAt !== null);
  });
  await until(noUploads);
}

const noUploads = async (): Promise<boolean> =>
  /^captioner_uploads_active 0$/m.test(await metricsOf(server));

const openFiles = async (): Promise<string[]> => readdir(`/proc/${server.pid}/fd`);

async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** The files of the data folder, except those that SQLite creates and removes by itself. */
async function files(): Promise<string[]> {
  const all = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && !/-(wal|shm|journal)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

needsProc('no descriptor, no file and no memory stays behind', async () => {
  await batch();
  const before = { open: (await openFiles()).length, files: await files() };
  const resident = await residentMib();
  for (let round = 0; round < 3; round += 1) await batch();
  // The runtime returns memory with a delay.
  await until(async () => (await residentMib()) < resident + GROWTH_MIB);
  // A few more for the client's keep-alive connections.
  await until(async () => (await openFiles()).length <= before.open + 5);
  expect(await files()).toEqual(before.files);
});

test('the service uses no more memory and files than before', async () => {
  await expectUnharmed(server);
  const { runId } = await (await ann.start({ audio: { key: 'none.mp3' } })).json();
  expect((await ended(ann, runId)).state).toBe('failed');
  await until(noUploads);
  // A client that disconnects is not an error of the service.
  expect(server.log()).not.toContain('"level":"error"');
});
