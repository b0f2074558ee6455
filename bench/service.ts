/** The service against bare Bun: documents, uploads, and the memory uploads take. */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../test/support/client.ts';
import { removeFolder, startServerProcess } from '../test/support/server-process.ts';
import { inTurn, row, type Row } from './measure.ts';
import { peakMemory } from './memory.ts';
import { MEBIBYTE, recordingOfBytes } from './recording.ts';

const REQUESTS = 2000;
const AT_ONCE = 32;

async function load(url: string, headers: Record<string, string>): Promise<void> {
  let left = REQUESTS;
  const lane = async () => {
    while (left-- > 0) await (await fetch(url, { headers })).arrayBuffer();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

export async function service(): Promise<Row[]> {
  const server = await startServerProcess();
  const headers = { accept: 'text/html', 'accept-encoding': 'identity' };
  const page = await (await fetch(`${server.url}/`, { headers })).text();
  const part = join(tmpdir(), `captioner-bench-${process.pid}`);
  const bare = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 1024 * MEBIBYTE,
    async fetch(request) {
      if (request.method === 'GET') return new Response(page);
      const file = Bun.file(part).writer();
      for await (const chunk of request.body ?? []) {
        await file.write(chunk);
        await file.flush();
      }
      await file.end();
      return new Response('ok');
    },
  });
  const ann = await signUp(server, 'bench@example.com');
  const large = recordingOfBytes(100 * MEBIBYTE);
  const bareUrl = `http://127.0.0.1:${bare.port}/`;

  const documents = await inTurn(5, {
    ours: () => load(`${server.url}/`, headers),
    bare: () => load(bareUrl, headers),
  });
  const uploads = await inTurn(3, {
    ours: () => ann.put('large.mp3', large),
    bare: () => fetch(bareUrl, { method: 'PUT', body: large }),
    disk: () => writeFile(part, large),
  });
  const { idle, peak } = await peakMemory(server.pid, () =>
    Promise.all(Array.from({ length: 8 }, (_, at) => ann.put(`large-${at}.mp3`, large))),
  );
  await bare.stop(true);
  await server.stop();
  await removeFolder(server.dataDir);
  await rm(part, { force: true });
  if (
    !documents['ours'] ||
    !documents['bare'] ||
    !uploads['ours'] ||
    !uploads['bare'] ||
    !uploads['disk']
  )
    return [];
  return [
    row(
      `GET / as HTML, ${REQUESTS} requests, ${AT_ONCE} at once`,
      'bare Bun.serve',
      documents['ours'],
      documents['bare'],
    ),
    row('upload of 100 MiB, checked', 'a plain stream to disk', uploads['ours'], uploads['bare']),
    row('upload of 100 MiB, checked', 'the disk itself', uploads['ours'], uploads['disk']),
    {
      what: 'memory: 8 uploads of 100 MiB at once',
      against: 'idle',
      ratio: `${(peak / idle).toFixed(2)} ×`,
      median: `${peak.toFixed(0)} MiB / ${idle.toFixed(0)} MiB`,
      spread: '',
    },
  ];
}
