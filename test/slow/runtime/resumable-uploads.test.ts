/** Uploads over repeatedly cut connections, with tus-js-client, an independent client. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Upload } from 'tus-js-client';
import { signUp, type Client } from '../../support/servers/client.ts';
import { startCuttingProxy } from '../../support/servers/cutting-proxy.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { needsPostgres } from '../../support/servers/postgres.ts';
import { removeFolder, startServerProcess } from '../../support/servers/server-process.ts';
import { sample } from '../../support/sample.ts';
import { UPLOAD } from '../../../server/contract/limits.ts';

setDefaultTimeout(300_000);

const MEBIBYTE = 2 ** 20;
const talk = await readFile(sample);
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A recording of a given size, made of repeated frames of the sample. */
function recording(bytes: number): Buffer {
  const frame = talk.subarray(0, 144 * 400);
  const made = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += frame.length) frame.copy(made, at);
  // No two pieces are equal, so that one in the wrong place is detected.
  for (let at = 100_000; at < bytes; at += 1000) made.writeUInt32BE(at, at - 4);
  return made;
}

/** Uploads with tus-js-client, which retries immediately as often as needed. */
const upload = (url: string, { key }: Client, mp3: Buffer, name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    new Upload(mp3, {
      endpoint: `${url}/resumable`,
      headers: { authorization: `Bearer ${key}` },
      metadata: { key: name },
      retryDelays: Array.from({ length: 500 }, (_, at) => Math.min(200, at * 5)),
      storeFingerprintForResuming: false,
      onError: reject,
      onSuccess: () => resolve(),
    }).start();
  });

test('100 MiB, cut 50 times, on SQLite and a disk', async () => {
  const server = await startServerProcess();
  afterAll(async () => {
    await server.kill();
    await removeFolder(server.dataDir);
  });
  const ann = await signUp(server, 'ann@example.com');
  const mp3 = recording(UPLOAD.maxBytes);
  const proxy = await startCuttingProxy(server.url, { cuts: 50, bytes: 1_800_000 });
  await upload(proxy.url, ann, mp3, 'long/talk.mp3');
  expect(proxy.cuts()).toBe(50);
  // It resumed: starting over each time would have sent far more.
  expect(proxy.sent()).toBeLessThan(3 * mp3.length);
  await proxy.close();
  const folder = join(server.dataDir, 'audio', 'objects');
  const [name, ...others] = (await readdir(folder, { recursive: true })).filter((file) =>
    file.endsWith('.mp3'),
  );
  expect(others).toEqual([]);
  expect(digest(await readFile(join(folder, name ?? '')))).toBe(digest(mp3));
});

needsPostgres(
  'on PostgreSQL and S3, a process dies in the middle and another goes on',
  async () => {
    const fleet = await startFleet();
    afterAll(() => fleet.close());
    const [web, other] = await Promise.all([fleet.start('web'), fleet.start('web')]);
    const ann = await signUp(web, 'ann@example.com');
    const mp3 = recording(14 * MEBIBYTE);
    const proxy = await startCuttingProxy(web.url, {
      cuts: 6,
      bytes: 3 * MEBIBYTE,
      onCut(count) {
        if (count !== 3) return;
        proxy.moveTo(other.url);
        void web.kill();
      },
    });
    await upload(proxy.url, ann, mp3, 'talk.mp3');
    expect(proxy.cuts()).toBeGreaterThanOrEqual(3);
    await proxy.close();
    // The other process reads it like a run: the workspace's archive contains every byte.
    const archive = await fetch(`${other.url}/workspace/export`, {
      headers: { authorization: `Bearer ${ann.key}` },
    });
    const tar = Bun.gunzipSync(new Uint8Array(await archive.arrayBuffer()));
    expect(Buffer.from(tar).includes(mp3)).toBe(true);
  },
);
