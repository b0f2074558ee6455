/** Permissions of the data folder: only the service's own user can read it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMailer } from '../../server/identity/mail.ts';
import { readPepper } from '../../server/identity/secrets.ts';
import { createLog } from '../../server/log.ts';
import { migrateDatabase } from '../../server/storage/database.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { keepPrivate } from '../../server/storage/private-files.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

// POSIX permissions; other systems have their own.
const onPosix = process.platform === 'win32' ? test.skip : test;
let umask: number;
beforeAll(() => void (umask = process.umask(0o022)));
afterAll(() => void process.umask(umask));

const modeOf = async (path: string) => ((await lstat(path)).mode & 0o777).toString(8);
async function modes(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const pairs = names.toSorted().map(async (name) => [name, await modeOf(join(folder, name))]);
  return Object.fromEntries(await Promise.all(pairs));
}

onPosix('what an earlier version left readable is closed; what is not ours stays', async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'audio', 'org_1'), { recursive: true });
  await mkdir(join(folder, 'notes'));
  const files = ['captioner.sqlite', 'captioner.sqlite-wal', 'pepper', 'audio/org_1/a', 'mine.txt'];
  for (const name of files) await writeFile(join(folder, name), 'x');
  const outside = join(tmpdir(), `captioner-outside-${crypto.randomUUID()}`);
  await writeFile(outside, 'x');
  await symlink(outside, join(folder, 'models'));
  keepPrivate(folder);
  expect(await modeOf(folder)).toBe('700');
  const found = await modes(folder);
  delete found['models'];
  expect(found).toEqual({
    audio: '700',
    'audio/org_1': '700',
    'audio/org_1/a': '600',
    'captioner.sqlite': '600',
    'captioner.sqlite-wal': '600',
    'mine.txt': '644',
    notes: '755',
    pepper: '600',
  });
  expect(await modeOf(outside)).toBe('644');
  await rm(outside);
  await removeFolder(folder);
});

onPosix('what is made from then on is private from the beginning', async () => {
  const folder = await temporaryFolder();
  keepPrivate(folder);
  const database = join(folder, 'captioner.sqlite');
  await migrateDatabase(database);
  const open = openSqlite(database);
  open.exec('CREATE TABLE t (a)');
  await mkdir(join(folder, 'audio', 'org_1'), { recursive: true });
  await writeFile(join(folder, 'audio', 'org_1', 'a'), 'x');
  const found = await modes(folder);
  expect(Object.keys(found)).toContain('captioner.sqlite-wal');
  for (const [name, mode] of Object.entries(found)) {
    expect(`${name} ${mode}`).toBe(`${name} ${/^audio(\/org_1)?$/.test(name) ? '700' : '600'}`);
  }
  open.close();
  await removeFolder(folder);
});

onPosix('the pepper and mails are private whatever the process allows', async () => {
  process.umask(0o022);
  const folder = join(await temporaryFolder(), 'data');
  await readPepper(folder);
  const log = createLog('silent', () => {});
  const mailer = createMailer({ smtpUrl: null, mailFrom: 'a@example.org', dataDir: folder, log });
  await mailer.deliver({ to: 'b@example.com', subject: 's', text: 't' });
  const [mail = ''] = await readdir(join(folder, 'outbox'));
  expect(await modes(folder)).toEqual({ outbox: '700', [`outbox/${mail}`]: '600', pepper: '600' });
  await removeFolder(folder);
});

onPosix('a folder that is not there yet is made, for its user alone', async () => {
  const folder = join(await temporaryFolder(), 'new', 'data');
  keepPrivate(folder);
  expect(await modeOf(folder)).toBe('700');
  await removeFolder(folder);
});

onPosix(
  'a file that cannot be closed does not keep the service from starting; other faults do',
  async () => {
    const folder = await temporaryFolder();
    for (const name of ['pepper', 'captioner.sqlite']) {
      await writeFile(join(folder, name), 'x');
      await chmod(join(folder, name), 0o644);
    }
    const failing = (code: string) => {
      const asked: string[] = [];
      keepPrivate(folder, (path, mode) => {
        asked.push(`${path.slice(folder.length + 1)} ${(mode & 0o777).toString(8)}`);
        throw Object.assign(new Error(code), { code });
      });
      return asked.toSorted();
    };
    for (const code of ['EPERM', 'EACCES', 'EROFS', 'ENOTSUP', 'ENOENT']) {
      expect(failing(code)).toEqual(['captioner.sqlite 600', 'pepper 600']);
    }
    expect(() => failing('EIO')).toThrow('EIO');
    await removeFolder(folder);
  },
);

onPosix(
  'only names of our own are closed, with plain permissions, if they are still there',
  async () => {
    const folder = await temporaryFolder();
    for (const name of ['captioner.sqlite', 'pepper', 'my-pepper', 'pepper.txt']) {
      await writeFile(join(folder, name), 'x');
      await chmod(join(folder, name), 0o644);
    }
    await mkdir(join(folder, 'audio'));
    await chmod(join(folder, 'audio'), 0o755);
    const asked: string[] = [];
    const note = (path: string, mode: number) =>
      void asked.push(`${path.slice(folder.length + 1)} ${mode.toString(8)}`);
    keepPrivate(folder, note);
    expect(asked.toSorted()).toEqual(['audio 700', 'captioner.sqlite 600', 'pepper 600']);
    asked.length = 0;
    keepPrivate(folder, (path, mode) => {
      note(path, mode);
      for (const name of ['audio', 'captioner.sqlite', 'pepper']) {
        rmSync(join(folder, name), { recursive: true, force: true });
      }
    });
    expect(asked).toHaveLength(1);
    await removeFolder(folder);
  },
);
