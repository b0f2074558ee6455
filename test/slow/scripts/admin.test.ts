/** What an operator does by shell while the service runs: each holds at once, and each is on record. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { prepareQueue } from '../../../server/runs/queue/openworkflow-queue.ts';
import { migrateDatabase } from '../../../server/storage/database.ts';
import { spawned } from '../../scripts/support.ts';
import { root } from '../../support/checkout.ts';
import { client, metricsOf } from '../../support/servers/client.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { needsPostgres, startPostgres } from '../../support/servers/postgres.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';

setDefaultTimeout(300_000);

/** What an operator does; returns a function that expects a command to be refused. */
async function operate(more: Record<string, string>) {
  const dataDir = await temporaryFolder();
  const server = await startServerProcess({ dataDir, env: more });
  afterAll(async () => {
    await server.kill();
    await removeFolder(dataDir);
  });
  const admin = (...args: string[]) =>
    spawned([process.execPath, join(root, 'scripts/admin.ts'), ...args], root, {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: dataDir,
      USER: 'rector',
      LOGNAME: 'rector',
      USERNAME: 'rector',
      SUDO_UID: '77',
      ...more,
    });
  /** The lines of a command that succeeds, as columns. */
  const lines = async (...args: string[]): Promise<string[][]> => {
    const { out, err, code } = await admin(...args);
    expect([args, code, code === 0 ? '' : err]).toEqual([args, 0, '']);
    return out
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t'));
  };
  const filled = async (): Promise<number> =>
    Number(/^captioner_quota_used_ratio (\S+)$/m.exec(await metricsOf(server))?.[1]);

  const key = (await lines('keys', 'create', 'ann@example.com')).at(-1)![0]!;
  const ann = client(server.url, key);
  const [listed] = await lines('keys', 'list');
  expect(listed).toContain('ann@example.com');
  const [[workspace = ''] = []] = await lines('workspaces');
  expect(workspace).toStartWith('org_');

  expect((await lines('members', 'list', workspace))[0]?.slice(0, 3)).toEqual([
    'ann@example.com',
    'owner',
    'active',
  ]);
  expect((await admin('members', 'disable', workspace, 'ann@example.com')).code).toBe(1);
  expect(await lines('members', 'audit', workspace)).toEqual([]);

  expect(await filled()).toBe(0);
  expect((await ann.put('a.mp3', chirp)).ok).toBe(true);
  await lines('quota', workspace, 'recordings', '40000');
  const refused = await ann.put('b.mp3', chirp);
  const { error } = await refused.json();
  expect([refused.status, error.code]).toEqual([429, 'quota_exceeded']);
  expect(await filled()).toBeCloseTo(chirp.length / 40_000, 6);
  const payload = { audio: { key: 'none.mp3' } };
  await lines('quota', workspace, 'results', '0');
  expect((await ann.start(payload)).status).toBe(429);
  const [used] = await lines('usage');
  expect(used).toEqual([
    workspace,
    `recordings ${chirp.length} of 40000 bytes`,
    'results 0 of 0 bytes',
  ]);
  await lines('quota', workspace, 'recordings', 'off');
  expect((await ann.put('b.mp3', chirp)).ok).toBe(true);
  await lines('quota', workspace, 'results', 'default');
  expect((await ann.start(payload)).status).toBe(202);

  // Used a moment ago, so it stays.
  await lines('keys', 'revoke-unused', '1');
  expect((await ann.get('/workflows/captioner')).status).toBe(200);
  await lines('keys', 'revoke', listed![0]!);
  expect((await ann.get('/workflows/captioner')).status).toBe(401);
  const record = async () =>
    (await lines('audit', 'export')).map(
      ([line = '']) => JSON.parse(line) as Record<string, string>,
    );
  const entries = await record();
  expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    'keys create ann@example.com',
    `quota ${workspace} recordings 40000`,
    `quota ${workspace} results 0`,
    `quota ${workspace} recordings off`,
    `quota ${workspace} results default`,
    'keys revoke-unused 1',
    `keys revoke ${listed![0]}`,
  ]);
  for (const { actor, at } of entries) {
    expect(actor).toMatch(/.@./);
    expect(Math.abs(Date.parse(at!) - Date.now())).toBeLessThan(300_000);
  }
  expect(JSON.stringify(entries)).not.toContain(key);
  // The name is the system's, whatever the environment says.
  const uid = process.getuid?.();
  for (const { actor } of entries) expect(actor).toContain(`(uid ${uid}, SUDO_UID=77)@`);
  expect(JSON.stringify(entries)).not.toContain('rector');

  const zoe = (await lines('keys', 'create', 'Zoe@Example.org')).at(-1)![0]!;
  expect((await client(server.url, zoe).put('z.mp3', chirp)).ok).toBe(true);
  await lines('people', 'disable', 'zoe@example.org');
  expect((await client(server.url, zoe).get('/workflows/captioner')).status).toBe(401);
  expect((await admin('keys', 'create', 'zoe@example.org')).code).toBe(1);
  await lines('people', 'enable', 'zoe@example.org');
  const again = (await lines('keys', 'create', 'zoe@example.org')).at(-1)![0]!;
  const exported = await admin('people', 'export', 'zoe@example.org');
  expect(JSON.parse(exported.out).keys).toHaveLength(2);
  await lines('people', 'erase', 'ZOE@example.org');
  expect((await client(server.url, again).get('/workflows/captioner')).status).toBe(401);
  const left = JSON.stringify([await record(), await lines('keys', 'list')]);
  expect(left).not.toMatch(/zoe@/i);
  expect(left).toContain('person_');
  const mine = (await lines('usage')).filter(([id]) => id !== workspace);
  expect(mine.map(([, recordings]) => recordings)).toEqual(
    mine.map(() => expect.stringMatching(/^recordings 0 of/)),
  );
  await lines('audit', 'prune', '2020-01-01');
  expect((await record()).at(-1)?.action).toBe('audit prune');
  await lines('audit', 'prune', '9999-01-01');
  // Even that is on record.
  expect((await record()).map(({ action }) => action)).toEqual(['audit prune']);

  return async (refusals: readonly [code: number, ...args: string[]][]) => {
    for (const [code, ...args] of refusals) {
      const wrong = await admin(...args.map((word) => word.replace('WORKSPACE', workspace)));
      expect([args, wrong.code, wrong.out]).toEqual([args, code, '']);
      expect(wrong.err).not.toMatch(/^\s+at /m);
    }
    expect(await record()).toHaveLength(1);
  };
}

test('where no service is, a command says so and makes none', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const DATA_DIR = join(folder, 'wrong');
  for (const args of [
    ['keys', 'list'],
    ['keys', 'create', 'ann@example.com'],
    ['workspaces'],
    ['usage'],
    ['audit', 'export'],
    ['people', 'erase', 'ann@example.com'],
    ['migrate'],
  ]) {
    const command = [process.execPath, join(root, 'scripts/admin.ts'), ...args];
    const { code, out, err } = await spawned(command, root, { PATH: '/bin', DATA_DIR });
    expect([args, code, out]).toEqual([args, 1, '']);
    expect(err).toContain(`There is no service at ${DATA_DIR}`);
    expect(existsSync(DATA_DIR)).toBe(false);
  }
});

test('on SQLite, beside the running service', async () => {
  const refuses = await operate({});
  await refuses([
    [1, 'quota', 'org_none', 'recordings', '1G'],
    [2, 'quota', 'WORKSPACE', 'recordings', 'much'],
    [2, 'quota', 'WORKSPACE', 'minutes', '5G'],
    [2, 'usage', 'all'],
    [2, 'keys', 'revoke-unused', '0'],
    [2, 'audit', 'prune', 'yesterday'],
    [2, 'people', 'erase', 'everybody'],
    [2, 'members', 'role', 'org_1', 'ann@example.com', 'king'],
    [1, 'people', 'enable', 'nobody@example.com'],
    [2, 'toString'],
  ]);
});

needsPostgres('on PostgreSQL, by a user that can only read and write rows', async () => {
  const server = await startPostgres();
  afterAll(() => server.close());
  const owner = await server.database();
  await migrateDatabase(owner, () => prepareQueue(owner));
  const sql = postgres(owner, { max: 1 });
  await sql.unsafe(`
    create role service login;
    grant usage on schema public, openworkflow to service;
    grant select, insert, update, delete on all tables in schema public, openworkflow to service`);
  await sql.end();
  await operate({ DATABASE_URL: owner.replace('//captioner@', '//service@') });
});
