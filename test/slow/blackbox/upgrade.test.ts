/**
 * Databases left by released versions under the current service: nothing is lost, what they answered they still answer,
 * and newer features work. And a database of a later version is refused, and stays as it is.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import postgres from 'postgres';
import contents from '../../fixtures/version-1.0/contents.json';
import of1m12 from '../../fixtures/version-1.12/contents.json';
import of1m19 from '../../fixtures/version-1.19/contents.json';
import { client, ended, signUp, type Any } from '../../support/servers/client.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { needsPostgres, startPostgres } from '../../support/servers/postgres.ts';
import {
  logged,
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from '../../support/servers/server-process.ts';
import { send } from '../../support/ten-talks.ts';
import { payload, provider } from './support.ts';

setDefaultTimeout(300_000);

const { env: speech } = await provider();
// The data gets older every day.
const env = { ...speech, RESULT_TTL: '36500d', AUDIO_TTL: '36500d' };
const left = (version: string, name: string): Promise<string> =>
  readFile(
    fileURLToPath(new URL(`../../fixtures/version-${version}/${name}`, import.meta.url)),
    'utf8',
  );

interface Left {
  ann: { key: string; organizationId: string };
  bob: { key: string; organizationId: string };
  runs: { completed: string; failed: string; running: string; bobs: string };
  recordings: string[];
  /** The time at which they were written, in whole seconds. */
  writtenAt: number;
  /** Absent on PostgreSQL, which has it in a table. */
  pepper?: string;
}

/** The data folder of 1.0, with its recordings. */
async function folderOf({ recordings, writtenAt }: Left): Promise<string> {
  const dataDir = await temporaryFolder();
  afterAll(() => removeFolder(dataDir));
  for (const path of recordings) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true });
    await writeFile(join(dataDir, path), chirp);
    // 1.0 identified the version of a recording by its modification time.
    await utimes(join(dataDir, path), writtenAt, writtenAt);
  }
  return dataDir;
}

/** The data folder with SQLite files that a version left. */
async function sqliteOf(version: string, of: Left): Promise<string> {
  const dataDir = await folderOf(of);
  await writeFile(join(dataDir, 'pepper'), of.pepper ?? '');
  await chmod(join(dataDir, 'pepper'), 0o600);
  for (const name of ['captioner', 'runs']) {
    const database = new DatabaseSync(join(dataDir, `${name}.sqlite`));
    database.exec(await left(version, `${name}.sql`));
    database.close();
  }
  return dataDir;
}

/** Does work with the address of the database that a version left in PostgreSQL. */
async function onPostgres(version: string, work: (url: string) => Promise<void>): Promise<void> {
  const server = await startPostgres();
  try {
    const url = await server.database();
    const sql = postgres(url, { max: 1, onnotice() {} });
    await sql.unsafe(await left(version, 'postgres.sql'));
    await sql.end();
    await work(url);
  } finally {
    await server.close();
  }
}

/** Checks everything that an upgrade must preserve. */
async function upgraded(
  of: Left & { srt: string },
  dataDir: string,
  more: Record<string, string>,
): Promise<void> {
  const { runs, srt } = of;
  const start = async () => {
    const started = await startServerProcess({ dataDir, env: { ...env, ...more } });
    afterAll(() => started.kill());
    return started;
  };
  let server = await start();
  const who = ({ key, organizationId }: Left['ann']) => client(server.url, key, organizationId);
  let [ann, bob] = [who(of.ann), who(of.bob)];
  const path = `/workflows/captioner/${runs.completed}`;

  await moved(server);
  const { runs: listed } = await (await ann.get('/workflows/captioner')).json();
  expect(listed.map(({ runId }: Any) => runId).toSorted()).toEqual(
    [runs.completed, runs.failed, runs.running].toSorted(),
  );
  const { runs: others } = await (await bob.get('/workflows/captioner')).json();
  expect(others.map(({ runId }: Any) => runId)).toEqual([runs.bobs]);
  expect((await bob.get(path)).status).toBe(404);
  expect(await (await ann.get(`${path}/captions.srt`)).text()).toBe(srt);
  expect((await ann.run(runs.failed)).envelope.result.error.code).toBe('audio_not_found');
  // The run that was being transcribed when 1.0 was killed is completed now.
  const resumed = await ended(ann, runs.running);
  expect(resumed.state).toBe('completed');
  const again = await ann.caption(payload('kept.mp3', { topic: 'MCP Night' }));
  expect(again.result.captions.srt).toBe(srt);
  const other = await signUp(server, 'ann@example.com');
  expect(other.organizationId).toBe(of.ann.organizationId);
  expect((await other.get(path)).status).toBe(200);

  // Features that 1.0 did not have: reviews, terms, rules.
  const review = { cues: [{ start: 0.4, end: 1.5, lines: ['Welcome to Authkin.'] }] };
  const created = await send(ann, 'PUT', `${path}/review`, review, { 'if-none-match': '*' });
  expect(created.status).toBe(201);
  expect(await (await ann.get(`${path}/captions.srt`)).text()).toContain('Authkin');
  expect(await (await ann.get(`${path}/captions.srt?version=original`)).text()).toBe(srt);
  const terms = { terms: [{ canonical: 'OffKit', mishears: ['off kit'] }] };
  expect((await send(ann, 'PUT', '/terminology/terms', terms)).status).toBe(200);
  expect((await ann.get('/terminology/rules')).status).toBe(200);

  expect(await server.stop()).toBe(0);
  server = await start();
  [ann, bob] = [who(of.ann), who(of.bob)];
  const kept = await ann.get(`${path}/review`);
  expect(kept.headers.get('etag')).toBe(created.headers.get('etag'));
  const next = await ann.caption(payload('queued.mp3'));
  expect(next.result.captions.srt).toContain('Welcome to OffKit.');
  expect((await bob.caption(payload('bob.mp3'))).result.captions.srt).toContain('off kit.');
  const archive = Buffer.from(await (await ann.get('/workspace/export')).arrayBuffer());
  const text = gunzipSync(archive).toString();
  for (const runId of [runs.completed, runs.failed, runs.running]) expect(text).toContain(runId);
  expect(text).toContain('Authkin');
  expect(text).not.toContain(runs.bobs);
  expect(await server.stop()).toBe(0);
}

test('a database of 1.0 on SQLite', async () => {
  await upgraded(contents.sqlite, await sqliteOf('1.0', contents.sqlite), {});
});

needsPostgres('a database of 1.0 on PostgreSQL', () =>
  onPostgres('1.0', async (url) => {
    await upgraded(contents.postgres, await folderOf(contents.postgres), { DATABASE_URL: url });
  }),
);

interface Answered extends Left {
  /** What the version answered Ann. */
  answers: { path: string; etag: string | null; body: unknown }[];
}

/** Waits until the results that a version left in the rows of runs have moved, which nobody sees. */
async function moved(server: ServerProcess): Promise<void> {
  const { count } = JSON.parse(
    (await logged(server, '"results_moved"')).find((line) => line.includes('"results_moved"'))!,
  );
  expect(count).toBeGreaterThan(0);
}

/** Asks for everything that the version that left the data has answered. */
async function answersTheSame(of: Answered, dataDir: string, more: Any): Promise<void> {
  const server = await startServerProcess({ dataDir, env: { ...env, ...more } });
  afterAll(() => server.kill());
  const ann = client(server.url, of.ann.key, of.ann.organizationId);
  const { runs } = of;
  const ask = async (answers: Answered['answers']) => {
    for (const { path, etag, body } of answers) {
      const answer = await ann.get(path);
      // Later versions add fields.
      if (typeof body === 'string') expect(await answer.text()).toBe(body);
      else expect(await answer.json()).toMatchObject(body as object);
      // What clients hold to save with.
      if (/\/(?:review|terms)$/.test(path)) expect(answer.headers.get('etag')).toBe(etag);
    }
  };
  await ask(of.answers);
  await moved(server);
  await ask(of.answers.filter(({ path }) => path.includes(runs.completed)));
  const resumed = await ended(ann, runs.running);
  expect(resumed.state).toBe('completed');
  const path = `/workflows/captioner/${runs.completed}`;
  const review = of.answers.find((answer) => answer.path === `${path}/review`);
  const cues = [{ start: 0.4, end: 1.5, lines: ['Welcome, all.'] }];
  const match = { 'if-match': review?.etag ?? '' };
  expect((await send(ann, 'PUT', `${path}/review`, { cues }, match)).status).toBe(200);
  const bob = client(server.url, of.bob.key, of.bob.organizationId);
  expect((await bob.get(path)).status).toBe(404);
  expect((await bob.get(`/workflows/captioner/${runs.bobs}/captions.srt`)).status).toBe(200);
  expect((await signUp(server, 'ann@example.com')).organizationId).toBe(of.ann.organizationId);
  expect(await server.stop()).toBe(0);
}

const VERSIONS: Record<string, Answered> = {
  '1.12': of1m12.sqlite,
  '1.19': of1m19.sqlite,
};
test.each(Object.keys(VERSIONS))('a database of %s on SQLite', async (version) => {
  const of = VERSIONS[version]!;
  await answersTheSame(of, await sqliteOf(version, of), {});
});

needsPostgres('a database of 1.19 on PostgreSQL', () =>
  onPostgres('1.19', async (url) => {
    const of = of1m19.postgres;
    await answersTheSame(of, await folderOf(of), { DATABASE_URL: url });
  }),
);
