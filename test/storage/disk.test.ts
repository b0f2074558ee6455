/** The files of the service on disk: recordings, their writing and their deletion, permissions and locks. */
import {
  afterAll,
  afterEach,
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
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database } from '../../server/storage/database.ts';
import { deletingSecurely } from '../../server/storage/secure-delete.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { DataFolderBusy, fileLock } from '../../server/storage/file-lock.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { writeFileFrom } from '../../server/storage/write-file.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { audioStoreSuite, chunks, filled } from './audio-store.suite.ts';
import { audioName } from '../../server/storage/audio.ts';
import { sqlite } from '../../server/storage/sqlite.ts';

setDefaultTimeout(300000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
let stores = 0;
const newStore = () => {
  const own = join(folder, `store-${(stores += 1)}`);
  return { own, store: createDiskAudioStore(own) };
};
const pathOf = (own: string, key: string) =>
  join(own, audioName.object({ organizationId: 'org', key }));

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
    const own = new Kysely({ dialect: sqlite.dialect(opened) }) as unknown as Database;
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
    const all = await Promise.all(
      Array.from({ length: 6 }, () => fileLock.claimTemporaryFolder(parent)),
    );
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
    const unlock = fileLock.lockDataFolder(folder);
    expect(() => fileLock.lockDataFolder(folder)).toThrow(DataFolderBusy);
    expect(() => fileLock.lockDataFolder(folder)).toThrow('Another server is running');
    unlock();
    fileLock.lockDataFolder(folder)();
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
      const lock = fileLock.try(path);
      expect(lock).not.toBeNull();
      expect(fileLock.try(path)).toBeNull();
      expect(await fileLock.wait(path, async () => true)).toBeNull();
      lock?.release();
      const again = await fileLock.wait(path, async () => false);
      expect(again).not.toBeNull();
      again?.release();
      const gone = fileLock.wait(path, async () => false, AbortSignal.abort('no longer needed'));
      expect(await gone.catch((reason: unknown) => reason)).toBe('no longer needed');
      const last = fileLock.try(path);
      expect(last).not.toBeNull();
      last?.release();
    });
  });

  test('is held by a process of another user, which may not be signalled', async () => {
    withoutSqlite();
    const refusal = Object.assign(new Error('not permitted'), { code: 'EPERM' });
    spyOn(process, 'kill').mockImplementation(() => {
      throw refusal;
    });
    const path = join(folder, 'foreign.lock');
    await writeFile(`${path}.pid`, '4711');
    expect(fileLock.try(path)).toBeNull();
  });
});
