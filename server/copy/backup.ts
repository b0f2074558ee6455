/**
 * Writes a backup of a service, which may be running: its rows in one snapshot, and its recordings. A backup is a folder
 * or a prefix of a bucket: `backup.json` says how to read it, `manifest` names every file with its hash and is written
 * last, `rows/` has a file for each table, `objects/` the recordings. Models are not part of it.
 */
import { randomBytes, createCipheriv, createDecipheriv, hkdfSync, scrypt } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Config } from '../config/config.ts';
import type { AudioStoreLocation } from '../storage/locations.ts';
import { audioVersionsIn, audioObjectName, audioWorkspaceOf } from '../storage/audio.ts';
import {
  DamagedBackup,
  FORMAT,
  MANIFEST_BYTES,
  readHead,
  readManifest,
  rowsFile,
  shown,
  type Head,
  type Manifest,
  type StoredRecording,
} from './manifest.ts';
import { openBackupFiles, openObjects, measured } from './objects.ts';
import { migrationNames } from '../storage/database.ts';
import {
  type Row,
  type Snapshot,
  isQueues,
  openSnapshot,
  tablesAt,
  totalsCounter,
} from './rows.ts';

/** How often a snapshot is taken anew because a recording went away while it was taken. */
const ROUNDS = 10;

/** Says what is going on, in a line. */
export type Say = (text: string) => void;

/** The largest row, in bytes. */
const MAX_ROW = 256 * 2 ** 20;
/** The most faults that are listed. */
const MAX_FAULTS = 100;

/** A backup that can be read. */
export type Backup = Awaited<ReturnType<typeof openBackup>>;

/**
 * Writes a backup.
 * @param to a folder that is empty or missing, or an empty prefix of a bucket
 * @param secret the key or passphrase that encrypts it; null for none
 * @throws {Error} leaving nothing behind
 */
export async function writeBackup(
  config: Config,
  to: AudioStoreLocation,
  secret: Uint8Array | null,
  say: Say,
): Promise<Manifest> {
  // A folder gets its name once it is complete.
  const place = to.kind === 'disk' ? { ...to, folder: `${to.folder}.partial` } : to;
  await refuseFilled(to);
  const objects = openObjects(place);
  if (place.kind === 'disk') {
    await rm(place.folder, { recursive: true, force: true });
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
  }
  const written = new Set<string>();
  try {
    const salt = secret && randomBytes(32);
    const key = secret && salt && (await backupKey(secret, salt));
    const put: Put = async (name, content) => {
      written.add(name);
      const all = measured(content);
      await objects.put(name, key ? seal(key, name, all) : all);
      return { name, ...all.result() };
    };
    const head: Head = { captionerBackup: FORMAT, salt: salt && salt.toString('hex') };
    await objects.put('backup.json', bytesOf(`${JSON.stringify(head)}\n`));
    written.add('backup.json');
    const { snapshot, recordings } = await copyRecordings(config, put, objects.remove, say);
    try {
      const tables: Manifest['tables'] = [];
      for (const table of snapshot.tables) tables.push(await writeTable(snapshot, table, put));
      const manifest: Manifest = {
        createdAt: new Date().toISOString(),
        migrations: snapshot.migrations,
        tables,
        recordings,
      };
      const text = JSON.stringify(manifest);
      if (text.length > MANIFEST_BYTES) {
        throw new Error(
          'There are too many recordings for a backup: delete those that nobody needs.',
        );
      }
      await put('manifest', bytesOf(text));
      if (place.kind === 'disk' && to.kind === 'disk') {
        await rm(`${place.folder}/incoming`, { recursive: true, force: true });
        await rename(place.folder, to.folder);
      }
      return manifest;
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    if (place.kind === 'disk') await rm(place.folder, { recursive: true, force: true });
    else for (const name of written) await objects.remove(name).catch(() => {});
    throw error;
  }
}

type Put = (
  name: string,
  content: AsyncIterable<Uint8Array>,
) => Promise<{ name: string; size: number; sha256: string }>;

async function refuseFilled(to: AudioStoreLocation): Promise<void> {
  const names =
    to.kind === 'disk'
      ? await readdir(to.folder).catch(() => [])
      : await openObjects(to).list('')[Symbol.asyncIterator]().next();
  const isEmpty = Array.isArray(names) ? names.length === 0 : names.done === true;
  if (!isEmpty) {
    throw new Error('There are files already, and none is overwritten. Choose another place.');
  }
}

async function* bytesOf(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

/**
 * Copies the recordings, and takes a snapshot of which no run lacks its recording. Runs delete theirs as soon as they
 * have transcribed it, so recordings are copied before the snapshot and once more after it; if one came and went in
 * between, the snapshot is taken anew.
 */
async function copyRecordings(
  config: Config,
  put: Put,
  remove: (name: string) => Promise<void>,
  say: Say,
): Promise<{ snapshot: Snapshot; recordings: StoredRecording[] }> {
  const store = openObjects(config.audioStore);
  const copied = new Map<string, StoredRecording>();
  /** Copies what is new or was replaced, and returns everything that is there. */
  const copy = async (isKept: (version: string) => Promise<boolean>): Promise<Set<string>> => {
    const names = new Set<string>();
    for await (const name of store.list('objects/')) {
      if (audioWorkspaceOf(name) === null) continue;
      names.add(name);
      const before = await store.stat(name);
      const earlier = copied.get(name);
      if (!before || before.version === earlier?.version) continue;
      if (earlier && (await isKept(earlier.version))) continue;
      copied.delete(name);
      const file = await put(name, store.read(name)).catch(async (error: unknown) => {
        if (await store.stat(name)) throw error;
        return null;
      });
      const after = await store.stat(name);
      // Replaced or deleted meanwhile: the next pass copies what is there then.
      if (file && after?.version === before.version) {
        copied.set(name, { ...file, version: before.version, writtenAt: before.writtenAt });
      } else await remove(name);
    }
    return names;
  };
  say('Copying recordings');
  await copy(async () => false);
  for (let round = 1; ; round += 1) {
    await copy(async () => false);
    const snapshot = await openSnapshot(config);
    try {
      let used: Set<string> | undefined;
      const isUsed = async (version: string) =>
        (used ??= await versionsInSteps(snapshot)).has(version);
      const present = await copy(isUsed);
      const counted = new Set(
        (await snapshot.select('SELECT id FROM audio_usage WHERE expires_at IS NULL')).map(
          ({ id }) => String(id),
        ),
      );
      const runs = await snapshot.select(
        'SELECT organization_id, payload FROM runs WHERE finished_at IS NULL',
      );
      const missing = runs
        .map(({ organization_id, payload }) => {
          const { key } = (JSON.parse(String(payload)) as { audio: { key: string } }).audio;
          return audioObjectName({ organizationId: String(organization_id), key });
        })
        .filter((name) => counted.has(name) && !copied.has(name));
      if (missing.length > 0 && round < ROUNDS) {
        await snapshot.close();
        continue;
      }
      if (missing.length > 0) say(`${missing.length} runs in progress lack their recording`);
      for (const name of copied.keys()) {
        if (present.has(name) || counted.has(name)) continue;
        copied.delete(name);
        await remove(name);
      }
      say(`${copied.size} recordings`);
      return { snapshot, recordings: [...copied.values()] };
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }
}

/** The versions of recordings that steps of runs refer to. */
async function versionsInSteps(snapshot: Snapshot): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const { output } of snapshot.rows('openworkflow.step_attempts')) {
    if (typeof output !== 'string') continue;
    for (const version of audioVersionsIn(output)) found.add(version);
  }
  return found;
}

async function writeTable(snapshot: Snapshot, table: string, put: Put) {
  const all = totalsCounter();
  const lines = async function* () {
    for await (const row of snapshot.rows(table)) {
      all.add(row);
      yield `${JSON.stringify(row)}\n`;
    }
  };
  const zipped = Readable.from(lines(), { objectMode: false, highWaterMark: 2 ** 16 });
  const gzip = createGzip();
  zipped.on('error', (error) => gzip.destroy(error));
  const file = await put(rowsFile(table), zipped.pipe(gzip));
  return { ...file, ...all.result(), table };
}

/**
 * Opens a backup. Of its files, only the two that describe it are read.
 * @param secret what encrypted it; null if it is not encrypted
 * @throws {Unreadable} the key is missing or wrong, or the files were changed
 * @throws {DamagedBackup} there is no backup, or not one that this program has written
 */
export async function openBackup(from: AudioStoreLocation, secret: Uint8Array | null) {
  const files = openBackupFiles(from);
  if (!(await files.has('backup.json')) || !(await files.has('manifest'))) {
    throw new DamagedBackup(['There is no complete backup here.']);
  }
  const { salt } = readHead(
    (await bytesIn('backup.json', files.read('backup.json'), 4096)).toString(),
  );
  if (salt !== null && secret === null)
    throw new Unreadable('The backup is encrypted: name its key.');
  const key =
    salt === null || secret === null ? null : await backupKey(secret, Buffer.from(salt, 'hex'));
  const read = (name: string) => (key ? unseal(key, name, files.read(name)) : files.read(name));
  const manifest = readManifest(await bytesIn('manifest', read('manifest'), MANIFEST_BYTES));
  return {
    manifest,
    read,
    files,
    /** @throws {DamagedBackup} a row that no service has written */
    async *rows(table: string): AsyncIterable<Row> {
      const gunzip = createGunzip();
      const file = Readable.from(read(rowsFile(table)));
      file.on('error', (error) => gunzip.destroy(error));
      try {
        for await (const line of linesOf(file.pipe(gunzip))) yield rowOf(table, line);
      } finally {
        file.destroy();
      }
    },
  };
}

async function bytesIn(
  name: string,
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) throw new DamagedBackup([`${name} is larger than ${most} bytes.`]);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The row in a line: its columns, each with one value. */
function rowOf(table: string, line: string): Row {
  const row: unknown = JSON.parse(line);
  const isRow =
    typeof row === 'object' &&
    row !== null &&
    !Array.isArray(row) &&
    Object.keys(row).every((column) => /^[a-z_\d]+$/i.test(column)) &&
    (isQueues(table) || Object.values(row).every((value) => Object(value) !== value));
  if (!isRow) throw new DamagedBackup([`A row of ${table} is not one that a service has written.`]);
  return row as Row;
}

/** The lines of a text; a line feed never occurs within a row. */
async function* linesOf(body: AsyncIterable<Uint8Array>) {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...held, chunk.subarray(from, end)]).toString();
      held = [];
      size = 0;
      from = end + 1;
    }
    held.push(chunk.subarray(from));
    size += chunk.byteLength - from;
    if (size > MAX_ROW) throw new DamagedBackup([`A row has more than ${MAX_ROW} bytes.`]);
  }
  if (size > 0) throw new DamagedBackup(['The last row is cut off.']);
}

/**
 * Checks all of a backup: that its files are those of the manifest, each with its size and hash, and its tables those of
 * a service, each with its rows. Restoring a backup does the same before it writes anything.
 * @returns what is wrong, one sentence each
 */
export async function verifyBackup({ manifest, files, read, rows }: Backup): Promise<string[]> {
  const faults: string[] = [];
  const stored = [...manifest.tables, ...manifest.recordings];
  const missing = new Set(['backup.json', 'manifest', ...stored.map(({ name }) => name)]);
  for await (const { name, fault } of files.list()) {
    if (faults.length >= MAX_FAULTS) break;
    const isPart = missing.delete(name);
    if (fault !== null) faults.push(`${shown(name)} ${fault}.`);
    else if (!isPart) faults.push(`${shown(name)} is not part of the backup.`);
  }
  for (const name of missing) faults.push(`${name} is missing.`);
  // What is not a file of the backup is not read at all.
  if (faults.length > 0) return some(faults);

  faults.push(...(await tableFaults(manifest)));
  const check = async (what: string, work: () => Promise<boolean>) => {
    const wrong = await work().then(
      (isWell) => (isWell ? null : `${what} was changed.`),
      (error: unknown) => `${what} was changed: ${Error.isError(error) ? error.message : ''}`,
    );
    if (wrong !== null) faults.push(wrong);
  };
  for (const { name, size, sha256 } of stored) {
    await check(name, async () => {
      const all = measured(read(name));
      let left = size;
      for await (const chunk of all) if ((left -= chunk.byteLength) < 0) return false;
      return left === 0 && all.result().sha256 === sha256;
    });
  }
  for (const { table, ...expected } of manifest.tables) {
    await check(`The table ${table}`, async () => {
      const all = totalsCounter();
      let left = expected.rows;
      for await (const row of rows(table)) {
        if ((left -= 1) < 0) return false;
        all.add(row);
      }
      return left === 0 && all.result().digest === expected.digest;
    });
  }
  return some(faults);
}

/** The tables that a service of these migrations has, against those of a backup. Its queue's may be of another version. */
async function tableFaults({ migrations, tables }: Manifest): Promise<string[]> {
  const found = tables.map(({ table }) => table);
  const level = migrations.at(-1) ?? '';
  if (!migrationNames.includes(level)) return [];
  const expected = await tablesAt(level);
  return [
    ...expected
      .filter((table) => !found.includes(table))
      .map((table) => `The table ${table} is missing.`),
    ...found
      .filter((table) => !isQueues(table) && !expected.includes(table))
      .map((table) => `A service has no table ${table}.`),
  ];
}

const some = (faults: readonly string[]): string[] =>
  faults.length > MAX_FAULTS ? [...faults.slice(0, MAX_FAULTS), 'And more.'] : [...faults];

// Encrypts the files of a backup: AES-256-GCM in chunks of 64 KiB, each authenticated before it is used. Every file has
// a key of its own, derived from the backup's key, a random salt and the file's name, so files cannot be exchanged; a
// chunk's number and whether it is the last one are its nonce, so chunks cannot be moved, and the end cannot be cut off.

const CHUNK = 65_536;
const TAG = 16;
const SALT = 32;
/** What scrypt costs: 128 MiB and about half a second. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };

/** Thrown if a file cannot be decrypted: the key is wrong, or the file was changed. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * The key of a backup: 32 bytes as they are or in hexadecimal; anything else is a passphrase.
 * @param salt of the backup, for a passphrase
 */
export function backupKey(secret: Uint8Array, salt: Uint8Array): Promise<Uint8Array> {
  const text = Buffer.from(secret).toString('utf8').trim();
  if (/^[\da-f]{64}$/i.test(text)) return Promise.resolve(Buffer.from(text, 'hex'));
  if (secret.byteLength === 32) return Promise.resolve(secret);
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

const fileKey = (key: Uint8Array, salt: Uint8Array, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `captioner backup 1 ${name}`, 32));

function nonceOf(at: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(at), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Cuts a stream into pieces of a size; the last one is shorter, and may be empty. */
async function* pieces(body: AsyncIterable<Uint8Array>, size: number) {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    held = Buffer.concat([held, chunk]);
    for (; held.byteLength > size; held = held.subarray(size)) {
      yield { piece: held.subarray(0, size), isLast: false };
    }
  }
  yield { piece: held, isLast: true };
}

/** Encrypts a file. */
export async function* seal(key: Uint8Array, name: string, body: AsyncIterable<Uint8Array>) {
  const salt = randomBytes(SALT);
  const own = fileKey(key, salt, name);
  yield salt;
  let at = 0;
  for await (const { piece, isLast } of pieces(body, CHUNK)) {
    const cipher = createCipheriv('aes-256-gcm', own, nonceOf(at, isLast));
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
    at += 1;
  }
}

/**
 * Decrypts a file.
 * @throws {Unreadable} before any byte of a wrong chunk is returned
 */
export async function* unseal(key: Uint8Array, name: string, body: AsyncIterable<Uint8Array>) {
  const chunks = body[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.byteLength < SALT) {
    const next = await chunks.next();
    if (next.done) throw new Unreadable(`${name} is too short.`);
    head = Buffer.concat([head, next.value]);
  }
  const own = fileKey(key, head.subarray(0, SALT), name);
  const rest = async function* () {
    yield head.subarray(SALT);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  let at = 0;
  for await (const { piece, isLast } of pieces(rest(), CHUNK + TAG)) {
    if (piece.byteLength < TAG) throw new Unreadable(`${name} is too short.`);
    const cipher = createDecipheriv('aes-256-gcm', own, nonceOf(at, isLast));
    cipher.setAuthTag(piece.subarray(piece.byteLength - TAG));
    try {
      yield Buffer.concat([cipher.update(piece.subarray(0, -TAG)), cipher.final()]);
    } catch (error) {
      throw new Unreadable(`${name} cannot be decrypted: the key is wrong, or it was changed.`, {
        cause: error,
      });
    }
    at += 1;
  }
}
