/** The files of the service on disk: recordings, their writing and their deletion, permissions and locks. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  mock,
  setDefaultTimeout,
  spyOn,
  test,
} from 'bun:test';
import { Kysely, sql } from 'kysely';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMailer } from '../../server/identity/mail.ts';
import { readPepper } from '../../server/identity/secrets.ts';
import { createLog } from '../../server/log.ts';
import { objectName } from '../../server/storage/audio.ts';
import { type Database, migrateDatabase } from '../../server/storage/database.ts';
import { deletingSecurely } from '../../server/storage/secure-delete.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import {
  tryFileLock,
  waitForFileLock,
  DataFolderBusy,
  lockDataFolder,
  claimTemporaryFolder,
} from '../../server/storage/file-lock.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { openSqlite, sqliteDialect } from '../../server/storage/sqlite.ts';
import { writeFileFrom, keepPrivate } from '../../server/storage/write-file.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { audioStoreSuite, chunks, filled } from './audio-store.suite.ts';

setDefaultTimeout(300000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
let stores = 0;
const newStore = () => {
  const own = join(folder, `store-${(stores += 1)}`);
  return { own, store: createDiskAudioStore(own) };
};
const pathOf = (own: string, key: string) => join(own, objectName({ organizationId: 'org', key }));

describe('an upload', () => {
  test('is in its place once it is stored, and private', async () => {
    const { own, store } = newStore();
    for (let at = 0; at < 5; at += 1) {
      await store.put('org', `${at}.mp3`, chunks(filled(10, at)));
      expect(existsSync(pathOf(own, `${at}.mp3`))).toBe(true);
    }
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
  });

  test('that fails leaves nothing, and says why, even if its file was never there', async () => {
    const { own, store } = newStore();
    async function* failing() {
      yield filled(4, 1);
      throw new Error('the client is gone');
    }
    await expect(store.put('org', 'a.mp3', failing())).rejects.toThrow('the client is gone');
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
    // The folder of the recording is a file, so that it cannot be moved there.
    mkdirSync(join(own, 'objects'));
    writeFileSync(dirname(pathOf(own, 'a.mp3')), '');
    await expect(store.put('org', 'a.mp3', chunks(filled(4, 1)))).rejects.toThrow('EEXIST');
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
  });
});

describe('a recording', () => {
  test('whose file cannot be deleted is an error, a missing one is not', async () => {
    const { own, store } = newStore();
    expect(await store.delete('org', 'a.mp3')).toBe(false);
    expect(await store.delete('org', 'a.mp3', 'version')).toBe(false);
    mkdirSync(pathOf(own, 'a.mp3'), { recursive: true });
    await expect(store.delete('org', 'a.mp3')).rejects.toThrow();
    const { version } = (await store.stat('org', 'a.mp3'))!;
    await expect(store.delete('org', 'a.mp3', version)).rejects.toThrow();
  });

  test.each([
    ['an upload that replaced it is kept', [2], [], 2],
    ['of two uploads, the later one is kept', [2], [3], 3],
    ['an upload after its deletion is kept', [], [3], 3],
  ])('is deleted in one version only: %s', async (_, before, after, kept) => {
    const own = join(folder, `store-${(stores += 1)}`);
    const put = async (values: number[]) => {
      for (const value of values) await store.put('org', 'a.mp3', chunks(filled(4, value)));
    };
    const store = createDiskAudioStore(own, async (path, aside) => {
      await put(before);
      await rename(path, aside);
      await put(after);
    });
    await put([1]);
    const { version } = (await store.stat('org', 'a.mp3'))!;
    expect(await store.delete('org', 'a.mp3', version)).toBe(before.length === 0);
    expect(readFileSync(pathOf(own, 'a.mp3'))).toEqual(Buffer.from(filled(4, kept)));
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
  });

  test('that replaced a deleted one and cannot be put back is an error, but not lost', async () => {
    const own = join(folder, `store-${(stores += 1)}`);
    const store = createDiskAudioStore(own, async (path, aside) => {
      await store.put('org', 'a.mp3', chunks(filled(4, 2)));
      await rename(path, aside);
      rmdirSync(dirname(pathOf(own, 'a.mp3')));
      writeFileSync(dirname(pathOf(own, 'a.mp3')), '');
    });
    await store.put('org', 'a.mp3', chunks(filled(4, 1)));
    const { version } = (await store.stat('org', 'a.mp3'))!;
    await expect(store.delete('org', 'a.mp3', version)).rejects.toThrow('ENOTDIR');
    const [aside] = readdirSync(join(own, 'incoming'));
    expect(readFileSync(join(own, 'incoming', aside!))).toEqual(Buffer.from(filled(4, 2)));
  });

  test('written exactly at the instant expires, a later one and one in use do not', async () => {
    const { own, store } = newStore();
    for (const [key, seconds] of Object.entries({ old: 100, used: 100, at: 200, later: 201 })) {
      await store.put('org', `${key}.mp3`, chunks(filled(1, 1)));
      utimesSync(pathOf(own, `${key}.mp3`), seconds, seconds);
    }
    const used = [{ organizationId: 'org', key: 'used.mp3' }];
    expect(await store.expire(200_000, used)).toBe(2);
    const left = ['old', 'used', 'at', 'later'].filter((key) =>
      existsSync(pathOf(own, `${key}.mp3`)),
    );
    expect(left).toEqual(['used', 'later']);
  });

  test('written at the same instant as another of the same size is another version', async () => {
    const { own, store } = newStore();
    const versions: string[] = [];
    for (const value of [1, 2]) {
      await store.put('org', 'a.mp3', chunks(filled(4, value)));
      utimesSync(pathOf(own, 'a.mp3'), 100, 100);
      versions.push((await store.stat('org', 'a.mp3'))!.version);
    }
    expect(await store.delete('org', 'a.mp3', versions[0])).toBe(false);
    expect(await store.delete('org', 'a.mp3', versions[1])).toBe(true);
  });

  test('in part is swept once it was not touched for that long', async () => {
    const { own, store } = newStore();
    mkdirSync(join(own, 'incoming'), { recursive: true });
    const now = Date.now() / 1000;
    for (const [name, age] of Object.entries({ 'old.part': 100, 'new.part': 10 })) {
      writeFileSync(join(own, 'incoming', name), '');
      utimesSync(join(own, 'incoming', name), now - age, now - age);
    }
    await store.sweep(60_000);
    expect(readdirSync(join(own, 'incoming'))).toEqual(['new.part']);
  });
});

describe('writing a stream to a file', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const probe = await open(join(folder, 'probe'), 'w');
  const handles: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();

  let done: string[] = [];
  const spies: { mockRestore(): void }[] = [];
  /** Replaces a call on a file, and notes it. */
  function instead(
    name: 'write' | 'datasync' | 'sync' | 'close',
    work: (this: FileHandle, ...given: never[]) => unknown,
  ) {
    const made = spyOn(handles, name).mockImplementation(async function (
      this: FileHandle,
      ...given: never[]
    ) {
      done.push(name);
      return work.apply(this, given);
    } as never);
    spies.push(made);
  }
  /** Pretends to write everything. */
  const written = (chunk: Uint8Array, _from: number, length: number) => ({
    bytesWritten: length,
    buffer: chunk,
  });
  let files = 0;
  const path = () => join(folder, `file-${(files += 1)}`);

  beforeEach(() => void (done = []));
  afterEach(() => {
    for (const made of spies.splice(0)) made.mockRestore();
  });

  /** A stream of chunks of these sizes, with some time in between. */
  async function* body(...sizes: number[]) {
    for (const size of sizes) {
      yield new Uint8Array(size);
      await nextTurn();
      await nextTurn();
    }
  }
  const MIB = 2 ** 20;

  test('a file has all bytes in order, is private, and is never written over', async () => {
    const own = path();
    async function* text() {
      for (const part of ['one ', 'two ', '', 'three']) yield new TextEncoder().encode(part);
    }
    expect(await writeFileFrom(own, text(), { durable: false })).toBe(13);
    expect(readFileSync(own, 'utf8')).toBe('one two three');
    expect(statSync(own).mode & 0o777).toBe(0o600);
    await expect(writeFileFrom(own, text(), { durable: false })).rejects.toThrow('EEXIST');
  });

  test('a partial write is continued', async () => {
    const parts: [number, number][] = [];
    instead('write', (_chunk: Uint8Array, from: number, length: number) => {
      parts.push([from, length]);
      return { bytesWritten: Math.min(4, length) };
    });
    expect(await writeFileFrom(path(), body(10), { durable: false })).toBe(10);
    expect(parts).toEqual([
      [0, 10],
      [4, 6],
      [8, 2],
    ]);
  });

  describe('a durable file', () => {
    test('is not complete before it is flushed', async () => {
      instead('write', written);
      instead('datasync', async () => {
        await nextTurn();
        done.push('flushed');
      });
      instead('sync', () => {});
      await writeFileFrom(path(), body(16 * MIB), { durable: true });
      expect(done).toEqual(['write', 'datasync', 'flushed', 'sync']);
    });
  });

  describe('a failure', () => {
    const refused = new Error('the disk is full');
    test('of a flush is that of the file, however late the next chunk comes', async () => {
      instead('write', written);
      instead('datasync', () => Promise.reject(refused));
      await expect(writeFileFrom(path(), body(16 * MIB, 1), { durable: true })).rejects.toBe(
        refused,
      );
      await expect(writeFileFrom(path(), body(16 * MIB, 16 * MIB), { durable: true })).rejects.toBe(
        refused,
      );
    });
  });
});

describe('disk audio', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));

  const store = createDiskAudioStore(folder);
  await store.prepare(0);
  audioStoreSuite(
    'the store on disk',
    store,
    async () => (await readdir(join(folder, 'incoming'))).length,
  );

  test('a recording is on disk before it is reported as stored', async () => {
    const probe = await open(join(folder, 'probe'), 'w');
    const prototype: FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    const done: string[] = [];
    const sync = spyOn(prototype, 'sync').mockImplementation(async () => void done.push('synced'));
    try {
      await store.put('org', 'safe.mp3', chunks(filled(10, 1)));
      done.push('told');
    } finally {
      sync.mockRestore();
    }
    expect(done).toEqual(['synced', 'told']);
  });

  test.each([
    ['ENOSPC', true],
    ['EDQUOT', true],
    ['EACCES', false],
  ])('a write that the system refuses with %s is a lack of space: %p', async (code, isFull) => {
    const probe = await open(join(folder, 'probe'), 'w');
    const prototype: FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    const refusal = Object.assign(new Error('refused'), { code });
    const write = spyOn(prototype, 'write').mockRejectedValue(refusal);
    const error = await store.put('org', 'full.mp3', chunks(filled(10, 1))).catch((one) => one);
    write.mockRestore();
    expect(error instanceof StorageUnavailable).toBe(isFull);
    expect(isFull ? error.cause : error).toBe(refusal);
    expect(await store.stat('org', 'full.mp3')).toBeNull();
  });
});

describe('permissions of the data folder', async () => {
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
    const files = [
      'captioner.sqlite',
      'captioner.sqlite-wal',
      'pepper',
      'audio/org_1/a',
      'mine.txt',
    ];
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
    expect(await modes(folder)).toEqual({
      outbox: '700',
      [`outbox/${mail}`]: '600',
      pepper: '600',
    });
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
});

describe('secure deletion', async () => {
  const { database, folder } = await sqliteDatabase();
  const isSecure = async (): Promise<boolean> => {
    const { rows } = await sql<{ secure_delete: number }>`pragma secure_delete`.execute(database);
    return rows[0]?.secure_delete === 1;
  };

  test('data is overwritten during the work, and no longer once it has ended or failed', async () => {
    expect(await isSecure()).toBe(false);
    expect(await deletingSecurely(database, isSecure)).toBe(true);
    expect(await isSecure()).toBe(false);
    const failing = deletingSecurely(database, () => Promise.reject(new Error('it failed')));
    await expect(failing).rejects.toThrow('it failed');
    expect(await isSecure()).toBe(false);
  });

  test('what is deleted cannot be read from the file', async () => {
    const path = join(folder, 'secrets.db');
    const opened = new DatabaseSync(path);
    opened.exec('PRAGMA secure_delete = off; CREATE TABLE t (id INTEGER PRIMARY KEY, said TEXT)');
    const own = new Kysely({ dialect: sqliteDialect(opened) }) as unknown as Database;
    const isInFile = () => readFileSync(path).includes('a secret sentence');
    // Longer than a page, since short texts are always overwritten.
    const text = 'a secret sentence. '.repeat(1000);
    const say = () => sql`insert into t (said) values (${text})`.execute(own);
    await say();
    expect(isInFile()).toBe(true);
    await deletingSecurely(own, () => sql`delete from t`.execute(own));
    expect(isInFile()).toBe(false);
    // Otherwise the text would still be there.
    await say();
    await sql`delete from t`.execute(own);
    expect(isInFile()).toBe(true);
    await own.destroy();
  });
});

describe('temporary folder', async () => {
  const parent = await temporaryFolder();
  afterAll(() => removeFolder(parent));

  const folders = async () =>
    (await readdir(parent, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(parent, entry.name));

  test('each process has its own folder, and deletes only those of dead processes', async () => {
    await mkdir(join(parent, 'of-the-dead'));
    await writeFile(join(parent, 'of-the-dead', 'half.part'), 'half');
    const all = await Promise.all(Array.from({ length: 6 }, () => claimTemporaryFolder(parent)));
    expect((await folders()).toSorted()).toEqual(all.map(({ path }) => path).toSorted());
    await writeFile(join(all[0]?.path ?? '', 'a.part'), 'a');
    for (const one of all) await one.remove();
    expect(await readdir(parent)).toEqual(['claim.lock']);
  });
});

describe('data folder', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));

  test('a data folder belongs to one process at a time, and is free again afterwards', () => {
    const unlock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(DataFolderBusy);
    expect(() => lockDataFolder(folder)).toThrow('Another server is running');
    unlock();
    lockDataFolder(folder)();
  });

  test('a data folder that does not exist is created, with the folders above it', () => {
    lockDataFolder(join(folder, 'above', 'data'))();
    expect(existsSync(join(folder, 'above', 'data'))).toBe(true);
  });
});

describe('the lock between processes, with SQLite and on Node versions without it', async () => {
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
});
