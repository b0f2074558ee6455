/**
 * Writes a backup of a service, which may be running: its rows in one snapshot, and its recordings. A backup is a folder
 * or a prefix of a bucket: `backup.json` says how to read it, `manifest` names every file with its hash and is written
 * last, `rows/` has a file for each table, `objects/` the recordings. Models are not part of it.
 */
import { randomBytes, createCipheriv, createDecipheriv, hkdfSync, scrypt } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Config } from '../config.ts';
import type { AudioStoreLocation } from '../config/stores.ts';
import { audioVersionsIn, audioObjectName, audioWorkspaceOf } from '../storage/audio.ts';
import { openObjects, measured, type Objects } from './objects.ts';
import { type Row, type Snapshot, type Totals, openSnapshot, totalsCounter } from './rows.ts';

/** The format of backups. */
const FORMAT = 1;
/** How often a snapshot is taken anew because a recording went away while it was taken. */
const ROUNDS = 10;

/** Says what is going on, in a line. */
export type Say = (text: string) => void;

interface Head {
  captionerBackup: number;
  /** In hexadecimal; null if the backup is not encrypted. */
  salt: string | null;
}

interface StoredFile {
  name: string;
  /** Of its content, before it was encrypted. */
  size: number;
  sha256: string;
}

/** A recording of a backup. */
interface StoredRecording extends StoredFile {
  /** As the audio store named it. */
  version: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** Everything that a backup contains. */
interface Manifest {
  createdAt: string;
  /** The migrations that made the schema. */
  migrations: string[];
  tables: (StoredFile & Totals & { table: string })[];
  recordings: StoredRecording[];
}

/** A backup that can be read. */
export interface Backup {
  manifest: Manifest;
  rows(table: string): AsyncIterable<Row>;
  read(name: string): AsyncIterable<Uint8Array>;
  /** The names of its files, as they should be. */
  files: string[];
  objects: Objects;
}

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
      await put('manifest', bytesOf(JSON.stringify(manifest)));
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

type Put = (name: string, content: AsyncIterable<Uint8Array>) => Promise<StoredFile>;

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
      }
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
  const file = await put(`rows/${table}.jsonl.gz`, zipped.pipe(gzip));
  return { ...file, ...all.result(), table };
}

/**
 * Opens a backup.
 * @param secret what encrypted it; null if it is not encrypted
 * @throws {Unreadable} the key is missing or wrong, or the files were changed
 */
export async function openBackup(
  from: AudioStoreLocation,
  secret: Uint8Array | null,
): Promise<Backup> {
  const objects = openObjects(from);
  if (!(await objects.stat('backup.json')) || !(await objects.stat('manifest'))) {
    throw new Error('There is no complete backup here.');
  }
  const { captionerBackup, salt } = JSON.parse(await textOf(objects.read('backup.json'))) as Head;
  if (captionerBackup !== FORMAT) throw new Error('A later version made this backup.');
  if (salt !== null && secret === null)
    throw new Unreadable('The backup is encrypted: name its key.');
  const key =
    salt === null || secret === null ? null : await backupKey(secret, Buffer.from(salt, 'hex'));
  const read = (name: string) => (key ? unseal(key, name, objects.read(name)) : objects.read(name));
  const manifest = JSON.parse(await textOf(read('manifest'))) as Manifest;
  const { tables, recordings } = manifest;
  return {
    manifest,
    read,
    objects,
    files: ['backup.json', 'manifest', ...[...tables, ...recordings].map(({ name }) => name)],
    async *rows(table) {
      const gunzip = createGunzip();
      const file = Readable.from(read(`rows/${table}.jsonl.gz`));
      file.on('error', (error) => gunzip.destroy(error));
      for await (const line of linesOf(file.pipe(gunzip))) yield JSON.parse(line) as Row;
    },
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The lines of a text; a line feed never occurs within a row. */
async function* linesOf(body: AsyncIterable<Uint8Array>) {
  let held: Uint8Array[] = [];
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...held, chunk.subarray(from, end)]).toString();
      held = [];
      from = end + 1;
    }
    held.push(chunk.subarray(from));
  }
}

/**
 * Checks every file of a backup against its hash, and every row.
 * @returns what is wrong, one sentence each
 */
export async function verifyBackup(backup: Backup): Promise<string[]> {
  const { manifest, files, objects } = backup;
  const faults: string[] = [];
  const check = async (name: string, work: () => Promise<boolean>) => {
    const isWell = await work().catch(() => false);
    if (!isWell) faults.push(`${name} is missing or was changed.`);
  };
  for (const { name, size, sha256 } of [...manifest.tables, ...manifest.recordings]) {
    await check(name, async () => {
      const all = measured(backup.read(name));
      // oxlint-disable-next-line no-empty -- only its size and hash are of interest
      for await (const _ of all) {
      }
      const found = all.result();
      return found.size === size && found.sha256 === sha256;
    });
  }
  for (const { table, rows, digest } of manifest.tables) {
    await check(`The table ${table}`, async () => {
      const all = totalsCounter();
      for await (const row of backup.rows(table)) all.add(row);
      const found = all.result();
      return found.rows === rows && found.digest === digest;
    });
  }
  for await (const name of objects.list('')) {
    if (!files.includes(name)) faults.push(`${name} is not part of the backup.`);
  }
  return faults;
}

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
