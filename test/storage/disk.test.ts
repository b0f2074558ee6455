/** The files of the service on disk: recordings, their writing and their deletion, permissions and locks. */
import {
  afterAll,
  afterEach,
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
import {
  claimTemporaryFolder,
  tryFileLock,
  waitForFileLock,
} from '../../server/storage/file-lock.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { writeFileFrom } from '../../server/storage/write-file.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { audioStoreSuite, chunks, filled } from './audio-store.suite.ts';
import { audioObjectName } from '../../server/storage/audio.ts';
import { sqliteDialect } from '../../server/storage/sqlite.ts';

setDefaultTimeout(300000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
let stores = 0;
const newStore = () => {
  const own = join(folder, `store-${(stores += 1)}`);
  return { own, store: createDiskAudioStore(own) };
};
const pathOf = (own: string, key: string) =>
  join(own, audioObjectName({ organizationId: 'org', key }));

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
});

/** What the files of all handles inherit from. */
const probe = await open(join(folder, 'probe'), 'w');
const handles: FileHandle = Object.getPrototypeOf(probe);
await probe.close();

describe('writing a stream to a file', () => {
  test('a file has all bytes in order, is private, and is never written over', async () => {
    const own = join(folder, 'own');
    async function* text() {
      for (const part of ['one ', 'two ', '', 'three']) yield new TextEncoder().encode(part);
    }
    expect(await writeFileFrom(own, text(), { durable: false })).toBe(13);
    expect(readFileSync(own, 'utf8')).toBe('one two three');
    expect(statSync(own).mode & 0o777).toBe(0o600);
    await expect(writeFileFrom(own, text(), { durable: false })).rejects.toThrow('EEXIST');
  });

  test.each([1, 2 ** 24])(
    'the failure of a flush is that of the file, however late the next %i bytes come',
    async (more) => {
      const refused = new Error('the disk is full');
      const flush = spyOn(handles, 'datasync').mockRejectedValue(refused);
      async function* body() {
        for (const size of [2 ** 24, more]) {
          yield new Uint8Array(size);
          await nextTurn();
          await nextTurn();
        }
      }
      const written = writeFileFrom(join(folder, `flush-${more}`), body(), { durable: true });
      await expect(written).rejects.toBe(refused);
      flush.mockRestore();
    },
  );
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
    const done: string[] = [];
    const sync = spyOn(handles, 'sync').mockImplementation(async () => void done.push('synced'));
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
    const refusal = Object.assign(new Error('refused'), { code });
    const write = spyOn(handles, 'write').mockRejectedValue(refusal);
    const error = await store.put('org', 'full.mp3', chunks(filled(10, 1))).catch((one) => one);
    write.mockRestore();
    expect(error instanceof StorageUnavailable).toBe(isFull);
    expect(isFull ? error.cause : error).toBe(refusal);
    expect(await store.stat('org', 'full.mp3')).toBeNull();
  });
});

describe('secure deletion', () => {
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
