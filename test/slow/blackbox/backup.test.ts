/**
 * The drill of a lost machine, by the shell alone: a service under load is backed up and killed, and restored on another
 * machine; everything answers as before, and every run that was accepted ends. And the way from one machine to many and
 * back.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../support/checkout.ts';
import {
  client,
  ended,
  signUp,
  until,
  type Any,
  type Client,
} from '../../support/servers/client.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { needsPostgres } from '../../support/servers/postgres.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from '../../support/servers/server-process.ts';
import { send } from '../../support/ten-talks.ts';
import { spawned } from '../../scripts/support.ts';
import { payload, provider } from './support.ts';

setDefaultTimeout(600_000);

const { env, slowly } = await provider();
const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

/** Runs a command of the shell for a service. */
async function shell(args: string[], service: Record<string, string>): Promise<Any> {
  const base = { PATH: process.env['PATH'] ?? '', HOME: folder, INIT_CWD: folder };
  return spawned([process.execPath, join(root, 'scripts/copies.ts'), ...args], root, {
    ...base,
    ...service,
  });
}

async function succeeds(args: string[], service: Record<string, string>): Promise<string> {
  const { code, err } = await shell(args, service);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return err;
}

/** Everything that clients can read of a filled service. */
interface Known {
  ann: Client;
  bob: Client;
  path: string;
  /** The sound of a link, and the link's token. */
  sound: string;
  token: string;
}

/** Fills a service: runs, a review, terms, a rule, a webhook, a kept recording. */
async function fill(server: ServerProcess): Promise<Known> {
  const ann = await signUp(server, 'ann@example.com');
  const bob = await signUp(server, 'bob@example.com');
  await ann.put('kept.mp3', chirp);
  const storage = { retainSourceAudio: true };
  const { _meta } = await ann.caption(payload('kept.mp3', { storage }));
  const path = `/workflows/captioner/${_meta.runId}`;
  await bob.put('bob.mp3', chirp);
  await bob.caption(payload('bob.mp3'));
  const review = { cues: [{ start: 0.4, end: 1.5, lines: ['Welcome to Authkin.'] }] };
  await send(ann, 'PUT', `${path}/review`, review, { 'if-none-match': '*' });
  const terms = { terms: [{ canonical: 'OffKit', mishears: ['off kit'] }] };
  expect((await send(ann, 'PUT', '/terminology/terms', terms)).status).toBe(200);
  const hook = { url: 'https://hooks.example/captions' };
  expect((await send(ann, 'POST', '/webhooks', hook)).status).toBe(201);
  const link = await (await send(ann, 'POST', `${path}/links`, { right: 'view' })).json();
  const sound = `${path}/links/${link.id}/sound`;
  const headers = { authorization: `Bearer ${ann.key}`, 'content-type': 'audio/mpeg' };
  const kept = await fetch(server.url + sound, { method: 'PUT', headers, body: chirp });
  expect(kept.status).toBe(200);
  return { ann, bob, path, sound, token: link.token };
}

/** What a service answers about what was there before the load. */
async function answers(
  { ann, bob, path, sound, token }: Known,
  server: ServerProcess,
): Promise<Any> {
  const [her, him] = [ann, bob].map(({ key }) => client(server.url, key));
  const read = async (of: Client, at: string) => {
    const response = await of.get(at);
    // The webhook's address does not exist, so it begins to fail at some time.
    const text = (await response.text())
      .replaceAll(server.url, '')
      .replace(/"failingSince":[^}]*/, '');
    return [at, response.status, response.headers.get('etag'), text];
  };
  return Promise.all([
    ...['', '/captions.srt', '/captions.vtt', '/review', '/transcript.json'].map((end) =>
      read(her!, path + end),
    ),
    ...['/terminology/terms', '/terminology/rules', '/webhooks'].map((at) => read(her!, at)),
    read(him!, path),
    read(him!, '/workflows/captioner'),
    // Its tag names the file, which is another one after a move.
    read(client(server.url, token), sound).then(([at, status, , text]) => [at, status, text]),
  ]);
}

/** Starts runs until it is stopped, and returns those that were accepted. */
function load(ann: Client) {
  const accepted: string[] = [];
  const going = new AbortController();
  const lane = async (name: string) => {
    for (let at = 0; !going.signal.aborted; at += 1) {
      const key = `load-${name}-${at}.mp3`;
      try {
        await ann.put(key, chirp);
        const response = await ann.start(payload(key));
        if (response.ok) accepted.push((await response.json()).runId);
        await Bun.sleep(400);
      } catch {
        // The server was killed.
        return;
      }
    }
  };
  const lanes = ['a', 'b'].map(lane);
  return {
    accepted,
    async stop() {
      going.abort();
      await Promise.all(lanes);
    },
  };
}

/** Backs up a service under load and kills it; returns what has to be there after a restore. */
async function lost(
  server: ServerProcess,
  service: Record<string, string>,
  backup: string,
  keyFile: string,
) {
  const known = await fill(server);
  const before = await answers(known, server);
  slowly(700);
  const running = load(known.ann);
  await until(async () => running.accepted.length >= 6);
  const accepted = [...running.accepted];
  await succeeds(['backup', backup, '--key-file', keyFile], service);
  await server.kill();
  await running.stop();
  slowly(1);
  return { known, before, accepted };
}

/** Checks a service that was restored or moved. */
async function same(
  server: ServerProcess,
  { known, before, accepted }: Awaited<ReturnType<typeof lost>>,
): Promise<void> {
  expect(await answers(known, server)).toEqual(before);
  const ann = client(server.url, known.ann.key);
  for (const runId of accepted) {
    const { state, envelope } = await ended(ann, runId);
    expect([state, envelope.result.error]).toEqual(['completed', undefined]);
  }
  const open = async () =>
    (await (await ann.get('/workflows/captioner?limit=100')).json()).runs.filter(
      ({ state }: Any) => state !== 'completed',
    );
  await until(async () => (await open()).every(({ state }: Any) => !/queued|running/.test(state)));
  expect(await open()).toEqual([]);
  // The recording that was kept can be used again.
  expect((await ann.caption(payload('kept.mp3'))).result.status).toBe('completed');
}

test('one machine: backed up under load, killed, restored on another', async () => {
  const dataDir = await temporaryFolder();
  const service = { DATA_DIR: dataDir };
  const keyFile = join(folder, 'passphrase');
  await writeFile(keyFile, 'correct horse battery staple\n');
  const server = await startServerProcess({ dataDir, env: { ...env, RUNS_AT_ONCE: '24' } });
  const state = await lost(server, service, 'backup', keyFile);

  const backup = join(folder, 'backup');
  const names = await readdir(backup, { recursive: true });
  for (const name of names.filter((each) => each.includes('.'))) {
    const bytes = await readFile(join(backup, name)).catch(() => Buffer.from(''));
    expect([name, bytes.includes('OffKit'), bytes.includes('ann@example.com')]).toEqual([
      name,
      false,
      false,
    ]);
  }
  expect(await succeeds(['verify', 'backup', '--key-file', keyFile], service)).toContain('whole');
  const into = await shell(['restore', 'backup', '--key-file', keyFile], service);
  expect([into.code, into.err]).toEqual([1, expect.stringContaining('no file is overwritten')]);

  const other = join(folder, 'other machine');
  await succeeds(['restore', 'backup', '--key-file', keyFile], { DATA_DIR: other });
  expect((await readdir(other)).toSorted()).toEqual(
    ['audio', 'captioner.sqlite', 'lock.sqlite', 'pepper', 'runs.sqlite'].toSorted(),
  );
  const restored = await startServerProcess({ dataDir: other, env });
  const busy = await shell(['move', '--to', 'elsewhere'], { DATA_DIR: other });
  expect([busy.code, busy.err]).toEqual([1, expect.stringContaining('Another server is running')]);
  await same(restored, state);
  expect(await restored.stop()).toBe(0);
  await removeFolder(dataDir);
});

needsPostgres(
  'many machines: backed up under load into a bucket, restored, and on SQLite',
  async () => {
    const fleet = await startFleet(env);
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, crypto.getRandomValues(new Uint8Array(32)));
    const web = await fleet.start('all', { RUNS_AT_ONCE: '24' });
    const state = await lost(web, fleet.env, 's3://backups/monday', keyFile);
    const second = {
      ...fleet.env,
      DATABASE_URL: await fleet.postgres.database(),
      AUDIO_STORE_URL: 's3://others',
    };
    const from = ['s3://backups/monday', '--key-file', keyFile];
    await succeeds(['verify', ...from], fleet.env);
    expect((await shell(['restore', ...from], fleet.env)).err).toContain('not empty');
    await succeeds(['restore', ...from], second);
    const restored = await fleet.start('all', second);
    const busy = await shell(['move', '--to', 'x'], second);
    expect([busy.code, busy.err]).toEqual([1, expect.stringContaining('is running')]);
    await same(restored, state);

    const { AUDIO_STORE_URL: _, DATABASE_URL: __, ...buckets } = fleet.env;
    const alone = { ...buckets, DATA_DIR: join(folder, 'alone') };
    await succeeds(['restore', ...from], alone);
    const server = await startServerProcess({ dataDir: alone.DATA_DIR, env });
    await same(server, state);
    expect(await server.stop()).toBe(0);
    await fleet.close();
  },
);

needsPostgres('from one machine to many, and back', async () => {
  const fleet = await startFleet(env);
  const dataDir = await temporaryFolder();
  const server = await startServerProcess({ dataDir, env: { ...env, RUNS_AT_ONCE: '2' } });
  const known = await fill(server);
  const before = await answers(known, server);
  slowly(700);
  const running = load(known.ann);
  await until(async () => running.accepted.length >= 6);
  // Killed, so that runs are in the middle of their steps.
  await server.kill();
  await running.stop();
  slowly(1);
  const state = { known, before, accepted: [...running.accepted] };
  const { DATABASE_URL: url = '', AUDIO_STORE_URL: audio = '', ...buckets } = fleet.env;
  const to = ['move', '--to', url, '--audio', audio];
  // Interrupted, then repeated.
  const cut = Bun.spawn([process.execPath, join(root, 'scripts/copies.ts'), ...to], {
    env: { ...buckets, DATA_DIR: dataDir, PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await until(
    async () => cut.exitCode !== null || (await fleet.s3.objects(fleet.bucket)).length > 1,
  );
  cut.kill('SIGKILL');
  await cut.exited;
  await succeeds(to, { ...buckets, DATA_DIR: dataDir });
  const many = await fleet.start('all');
  await same(many, state);
  expect(await many.stop()).toBe(0);

  const back = join(folder, 'back');
  await succeeds(['move', '--to', back], fleet.env);
  const again = await startServerProcess({ dataDir: back, env });
  const ann = client(again.url, known.ann.key);
  for (const runId of state.accepted) expect((await ann.run(runId)).state).toBe('completed');
  expect((await answers(known, again)).map(([, status]: Any) => status)).toEqual(
    before.map(([, status]: Any) => status),
  );
  expect(await again.stop()).toBe(0);
  await removeFolder(dataDir);
  await fleet.close();
});
