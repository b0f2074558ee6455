/** `npm run keys`: what it prints and stores, and the arguments that it refuses. */
import {
  afterAll,
  afterEach,
  beforeEach,
  expect,
  setSystemTime,
  spyOn,
  test,
  type Mock,
} from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailure, UsageError } from '../../scripts/command-line.ts';
import { manageKeys, requireUse } from '../../scripts/key-commands.ts';
import { readConfig } from '../../server/config.ts';
import { SCOPES } from '../../server/contract/scopes.ts';
import { createHasher, readPepper } from '../../server/identity/secrets.ts';
import { lockDataFolder } from '../../server/storage/data-folder.ts';
import { openDatabase } from '../../server/storage/database.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const umask = process.umask();
const AT = Date.parse('2026-11-26T10:20:30Z');
setSystemTime(AT);
afterAll(() => {
  setSystemTime();
  process.umask(umask);
});
let folder = '';
let stderr: Mock<typeof process.stderr.write>;
beforeEach(async () => {
  folder = join(await temporaryFolder(), 'data');
  stderr = spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  stderr.mockRestore();
  await removeFolder(join(folder, '..'));
});

/** Runs a command; returns the lines that it prints on standard output. */
const keys = async (words: string[], env: Record<string, string> = {}): Promise<string[]> => {
  const printed: string[] = [];
  const config = readConfig({ DATA_DIR: folder, ...env });
  await manageKeys(words, config, (line) => printed.push(line));
  return printed;
};
const said = () => stderr.mock.calls.map(([text]) => String(text)).join('');
/** The columns of each key in the list. */
const listed = async () => (await keys(['list'])).map((line) => line.split('\t'));

test.each([
  [[], 'Choose a command: list, create or revoke.'],
  [['create'], 'Nothing is not an email address.'],
  [['create', 'nobody'], 'nobody is not an email address.'],
  [['create', 'ann@example.com', 'captioner:caption:run', 'no:scope'], 'no:scope is not a scope.'],
  [['create', 'ann@example.com', 'no:scope'], 'no:scope is not a scope.'],
  [['revoke'], 'revoke needs the id of one key.'],
  [['revoke', 'a', 'b'], 'revoke needs the id of one key.'],
  [['list', 'all'], 'list all is not a command: use list, create or revoke.'],
  [['delete', 'a'], 'delete a is not a command: use list, create or revoke.'],
])('%j is incorrect usage: %s', (words, says) => {
  expect(() => requireUse(words)).toThrow(UsageError);
  expect(() => requireUse(words)).toThrow(says);
});

test.each([
  [['list']],
  [['create', 'ann@example.com']],
  [['create', 'ann@example.com', 'captioner:caption:run', 'captioner:audio:upload']],
  [['revoke', 'a']],
])('%j is correct usage', (words) => {
  expect(() => requireUse(words)).not.toThrow();
});

test('a key is printed once, and stored as the hash that the service compares', async () => {
  const printed = await keys(['create', 'Ann@Example.COM', 'captioner:caption:run']);
  expect(printed).toEqual([expect.stringMatching(/^cap_live_/)]);
  const [key = ''] = printed;
  const id = key.split('_')[2] ?? '';
  expect(said()).toBe(`Key ${id} for Ann@Example.COM. It is shown only once:\n`);
  expect(await listed()).toEqual([
    [
      id,
      'good',
      'ann@example.com',
      expect.stringMatching(/^personal:/),
      'created 2026-11-26T10:20Z',
      'never used',
      'captioner:caption:run',
    ],
  ]);
  const database = openDatabase(readConfig({ DATA_DIR: folder }).databaseUrl);
  const row = await database.selectFrom('api_keys').select('key_hash').executeTakeFirst();
  await database
    .updateTable('api_keys')
    .set({ last_used_at: AT + 60_000 })
    .execute();
  await database.destroy();
  expect(row?.key_hash).toBe(createHasher(await readPepper(folder)).hash('key', key));
  expect((await listed())[0]?.[5]).toBe('used 2026-11-26T10:21Z');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('a key has all scopes if none is named, in the workspace of its team', async () => {
  await keys(['create', 'ann@team.example'], {
    TEAM_EMAIL_DOMAIN: 'team.example',
    TEAM_EMAIL_ALLOW: 'ann@team.example',
  });
  const [[, , , workspace, , , scopes] = []] = await listed();
  expect(workspace).toBe('team:team.example');
  expect(scopes).toBe(SCOPES.join(' '));
});

test('a revoked key stays in the list, with the time; an unknown one is reported', async () => {
  const [key = ''] = await keys(['create', 'ann@example.com']);
  const id = key.split('_')[2] ?? '';
  expect(await keys(['revoke', id])).toEqual([]);
  expect(said()).toEndWith(`${id} is revoked.\n`);
  expect((await listed())[0]?.slice(0, 2)).toEqual([id, 'revoked 2026-11-26T10:20Z']);
  await expect(keys(['revoke', 'nothing'])).rejects.toThrow(CommandFailure);
  await expect(keys(['revoke', 'nothing'])).rejects.toThrow('There is no key nothing.');
});

test('the commands work next to a running service, which has locked the folder', async () => {
  expect(await keys(['list'])).toEqual([]);
  const unlock = lockDataFolder(folder);
  expect(await keys(['create', 'ann@example.com'])).toHaveLength(1);
  unlock();
  // Nobody keeps it locked.
  lockDataFolder(folder)();
});

test('keys of WorkOS are managed there', async () => {
  const workos = { IDENTITY: 'workos', WORKOS_API_KEY: 'sk_1', WORKOS_CLIENT_ID: 'client_1' };
  await expect(keys(['list'], workos)).rejects.toThrow('Keys are managed at WorkOS');
});

test.skipIf(process.platform !== 'linux')('the database is closed after each command', async () => {
  await keys(['list']);
  await keys(['revoke', 'nobody']).catch(() => {});
  const open = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
});
