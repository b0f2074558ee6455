/** The lock between processes, with SQLite and on Node versions without it. */
import { afterAll, afterEach, describe, expect, mock, spyOn, test } from 'bun:test';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tryFileLock, waitForFileLock } from '../../server/storage/file-lock.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

/** Node before 22 has no SQLite. */
const withoutSqlite = () => spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
afterEach(() => mock.restore());

describe.each([['SQLite'], ['a file that names the process']])('by %s', (kind) => {
  const path = join(folder, `${kind}.lock`);
  const begin = () => {
    if (kind !== 'SQLite') withoutSqlite();
  };

  test('is held by one process at a time, until it is released', async () => {
    begin();
    const lock = tryFileLock(path);
    expect(lock).not.toBeNull();
    expect(tryFileLock(path)).toBeNull();
    expect(await waitForFileLock(path, async () => true)).toBeNull();
    lock?.release();
    const again = await waitForFileLock(path, async () => false);
    expect(again).not.toBeNull();
    again?.release();
    const gone = waitForFileLock(path, async () => false, AbortSignal.abort('no longer needed'));
    expect(await gone.catch((reason: unknown) => reason)).toBe('no longer needed');
    const last = tryFileLock(path);
    expect(last).not.toBeNull();
    last?.release();
  });
});

const ended = Bun.spawnSync(['sh', '-c', 'echo $$']).stdout.toString().trim();

test.each([
  ['a dead process', ended],
  ['no process', ''],
  // Signals to these would reach whole groups of processes.
  ['process 0', '0'],
  ['all processes', '-1'],
])('is not held by %s', async (_by, holder) => {
  withoutSqlite();
  const path = join(folder, 'dead.lock');
  await writeFile(`${path}.pid`, holder);
  const lock = tryFileLock(path);
  expect(lock).not.toBeNull();
  lock?.release();
  // The attempt leaves nothing behind.
  expect((await readdir(folder)).filter((name) => name.startsWith('dead'))).toEqual([]);
});

test('is held by a process of another user, which may not be signalled', async () => {
  withoutSqlite();
  const refusal = Object.assign(new Error('not permitted'), { code: 'EPERM' });
  spyOn(process, 'kill').mockImplementation(() => {
    throw refusal;
  });
  const path = join(folder, 'foreign.lock');
  await writeFile(`${path}.pid`, '4711');
  expect(tryFileLock(path)).toBeNull();
});
