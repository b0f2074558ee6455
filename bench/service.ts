/** Uploads against bare Bun and against the disk, and the memory they take. */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../test/support/client.ts';
import { removeFolder, startServerProcess } from '../test/support/server-process.ts';
import { inTurn, row, type Row } from './measure.ts';
import { peakMemory } from './memory.ts';
import { MEBIBYTE, recordingOfBytes } from './recording.ts';

export async function service(): Promise<Row[]> {
  const server = await startServerProcess();
  const part = join(tmpdir(), `captioner-bench-${process.pid}`);
  const bare = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 1024 * MEBIBYTE,
    async fetch(request) {
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
  if (!uploads['ours'] || !uploads['bare'] || !uploads['disk']) return [];
  return [
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
