/** A single machine at its limits: uploads, disk space, waiting runs and expired data. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Any, signUp, until } from '../../support/servers/client.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { removeFolder, startServerProcess } from '../../support/servers/server-process.ts';
import { needsSmallDisk, smallDisk } from '../../support/servers/small-disk.ts';
import { payload, provider } from '../blackbox/support.ts';

setDefaultTimeout(300_000);

const { deepgram, env, slowly } = await provider();

describe('space', () => {
  needsSmallDisk(
    'a full disk is 503, and no restart is needed when there is room again',
    async () => {
      const disk = await smallDisk('24m');
      const server = await startServerProcess({
        dataDir: disk.path,
        env: { ...env, DISK_RESERVE: '0' },
      });
      const ann = await signUp(server, 'ann@example.com');
      await ann.put('talk.mp3', chirp);
      await disk.fill();
      const large = Buffer.concat(Array.from({ length: 300 }, () => chirp));
      const upload = await ann.put('large.mp3', large);
      expect([upload.status, upload.headers.get('retry-after')]).toEqual([503, '5']);
      const run = await until(async () => {
        const response = await ann.start(payload('talk.mp3'));
        return response.status !== 202 && response;
      });
      expect([run.status, (await run.json()).error.code]).toEqual([503, 'unavailable']);
      expect((await fetch(`${server.url}/auth.md`)).status).toBe(200);
      expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ ok: false });
      await disk.free();
      await ann.put('again.mp3', chirp);
      expect((await ann.caption(payload('again.mp3'))).result.status).toBe('completed');
      // Runs accepted while space was short are not lost either.
      await until(async () => {
        const { runs } = await (await ann.get('/workflows/captioner?limit=100')).json();
        return runs.every(({ finishedAt }: Any) => finishedAt);
      });
      expect(await server.stop()).toBe(0);
      await disk.close();
    },
  );
});

describe('sharing', () => {
  test('a workspace that queues many runs does not hold up another', async () => {
    const server = await startServerProcess({ env: { ...env, RUNS_AT_ONCE: '1' } });
    const [greedy, modest] = [
      await signUp(server, 'greedy@example.com'),
      await signUp(server, 'modest@example.com'),
    ];
    slowly(50);
    const keep = { storage: { retainSourceAudio: true } };
    for (const one of [greedy, modest]) await one.put('talk.mp3', chirp);
    await Promise.all(Array.from({ length: 40 }, () => greedy.start(payload('talk.mp3', keep))));
    await modest.caption(payload('talk.mp3', keep));
    const { runs } = await (await greedy.get('/workflows/captioner?limit=100')).json();
    const waiting = runs.filter(({ state }: Any) => state === 'queued');
    expect(waiting.length).toBeGreaterThan(20);
    await server.kill();
    await removeFolder(server.dataDir);
  });
});

describe('time', () => {
  test('expired audio, results and steps are deleted, except those in use', async () => {
    const server = await startServerProcess({
      env: { ...env, AUDIO_TTL: '10s', RESULT_TTL: '5s' },
    });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('kept.mp3', chirp);
    await ann.put('unused.mp3', chirp);
    await ann.put('used.mp3', chirp);
    const { _meta } = await ann.caption(
      payload('kept.mp3', { storage: { retainSourceAudio: true } }),
    );
    deepgram.behave(() => ({ fault: 'hang' }));
    const { runId } = await (await ann.start(payload('used.mp3'))).json();
    const recordings = async () =>
      (await readdir(join(server.dataDir, 'audio', 'objects'), { recursive: true })).filter(
        (name) => name.endsWith('.mp3'),
      ).length;
    expect(await recordings()).toBe(3);
    await until(async () => (await recordings()) === 1);
    await until(async () => (await ann.get(`/workflows/captioner/${_meta.runId}`)).status === 404);
    expect((await ann.run(runId)).state).toBe('running');
    expect(await (await fetch(`${server.url}/privacy.md`)).text()).toContain(
      'deleted 10 seconds after their upload',
    );
    const queue = new DatabaseSync(join(server.dataDir, 'runs.sqlite'), { readOnly: true });
    const kept = queue.prepare('SELECT count(*) AS count FROM workflow_runs');
    await until(async () => kept.get()?.['count'] === 1);
    await server.stop();
    expect(kept.get()).toEqual({ count: 1 });
    queue.close();
    await removeFolder(server.dataDir);
  });
});
