/** Stopping or killing a single machine: the runs it finishes, and those that continue at the next start. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { client, ended, signUp, until } from '../../support/servers/client.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { openUpload, payload, provider } from '../blackbox/support.ts';

setDefaultTimeout(300_000);

const { deepgram, env, slowly } = await provider();

describe('stopping', () => {
  test('a run that finishes within the grace time is returned to the waiting client', async () => {
    const server = await startServerProcess({ env });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    slowly(1500);
    const waiting = ann.caption(payload('talk.mp3'));
    await until(async () => deepgram.requests.length > 0);
    const stopping = server.stop();
    expect((await waiting).result.status).toBe('completed');
    expect(await stopping).toBe(0);
    await removeFolder(server.dataDir);
  });

  test('other runs continue at the next start, long before their leases end', async () => {
    const dataDir = await temporaryFolder();
    const leased = { ...env, RUN_LEASE: '20m' };
    const first = await startServerProcess({ dataDir, env: leased });
    const ann = await signUp(first, 'ann@example.com');
    await ann.put('talk.mp3', chirp);
    deepgram.behave(() => ({ fault: 'hang' }));
    const { runId } = await (await ann.start(payload('talk.mp3'))).json();
    await until(async () => (await ann.run(runId)).stage === 'transcription');
    expect(await first.stop()).toBe(0);
    deepgram.behave(null);
    const before = deepgram.requests.length;
    const second = await startServerProcess({ dataDir, env: leased });
    await until(async () => deepgram.requests.length > before);
    const run = await ended(client(second.url, ann.key), runId);
    expect(run.state).toBe('completed');
    await second.stop();
    await removeFolder(dataDir);
  });

  test('kill -9 during an upload or a run leaves no partial files', async () => {
    const dataDir = await temporaryFolder();
    const first = await startServerProcess({ dataDir, env });
    const ann = await signUp(first, 'ann@example.com');
    const upload = await openUpload(ann, 'half.mp3');
    const incoming = join(dataDir, 'audio', 'incoming');
    await until(async () => (await readdir(incoming)).length === 1);
    await first.kill();
    upload.break();
    const second = await startServerProcess({ dataDir, env });
    expect(await readdir(incoming)).toEqual([]);
    expect(
      (await readdir(join(dataDir, 'tmp'), { withFileTypes: true })).filter((entry) =>
        entry.isDirectory(),
      ),
    ).toHaveLength(1);
    await second.stop();
    await removeFolder(dataDir);
  });
});
