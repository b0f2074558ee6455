/** Named files in a folder or a bucket: the recordings of an audio store, and the files of a backup. */
import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { glob, lstat, mkdir, open, opendir, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type { AudioStoreLocation, S3Bucket } from '../storage/locations.ts';
import { versionOf as versionOnDisk } from '../storage/disk-audio.ts';
import { openBucket, versionOf as versionInBucket } from '../storage/s3-audio.ts';
import { writeFileFrom, isCode } from '../storage/write-file.ts';
import { realTime } from '../base/concurrency.ts';

/** The time-out of a request to a bucket, which may be far away. */
const TIMEOUT_MS = 60_000;

interface ObjectState {
  size: number;
  /** As the audio store names it; changes when the content is replaced. */
  version: string;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/** Files by name, with slashes. */
export interface Objects {
  list(prefix: string): AsyncIterable<string>;
  stat(name: string): Promise<ObjectState | null>;
  read(name: string): AsyncIterable<Uint8Array>;
  /**
   * Stores a file, which exists either whole or not at all.
   * @param writtenAt the time that it is to have, where the store can set one
   * @throws any error of the body
   */
  put(name: string, body: AsyncIterable<Uint8Array>, writtenAt?: number): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Opens a folder or a bucket. */
export const openObjects = (location: AudioStoreLocation): Objects =>
  location.kind === 's3' ? bucketObjects(location) : folderObjects(location.folder);

function folderObjects(folder: string): Objects {
  const at = (name: string): string => join(folder, name);
  return {
    async *list(prefix) {
      for await (const path of glob(`${prefix}**/*`, { cwd: folder })) {
        const found = await stat(at(path)).catch(() => null);
        if (found?.isFile()) yield path.split(sep).join('/');
      }
    },
    async stat(name) {
      const found = await stat(at(name)).catch((error: unknown) => {
        if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
        throw error;
      });
      return found && { size: found.size, version: versionOnDisk(found), writtenAt: found.mtimeMs };
    },
    async *read(name) {
      for await (const chunk of createReadStream(at(name))) yield chunk as Uint8Array;
    },
    async put(name, body, writtenAt) {
      // In the folder that the audio store clears of what a killed process has left.
      const part = at(`incoming/${randomUUID()}.part`);
      await mkdir(dirname(part), { recursive: true, mode: 0o700 });
      try {
        await writeFileFrom(part, body, { durable: true });
        if (writtenAt !== undefined) await utimes(part, writtenAt / 1000, writtenAt / 1000);
        await mkdir(dirname(at(name)), { recursive: true, mode: 0o700 });
        await rename(part, at(name));
      } finally {
        await rm(part, { force: true });
      }
    },
    remove: (name) => rm(at(name), { force: true }),
  };
}

/** The files of a backup, which somebody else may have written: nothing but plain files, each with a single name. */
export interface BackupFiles {
  /** Every entry, with what is wrong about it; null if it is a plain file. */
  list(): AsyncIterable<{ name: string; fault: string | null }>;
  /** Whether there is a plain file of that name. */
  has(name: string): Promise<boolean>;
  read(name: string): AsyncIterable<Uint8Array>;
}

/** Opens the files of a backup. */
export function openBackupFiles(location: AudioStoreLocation): BackupFiles {
  if (location.kind !== 's3') return backupFolder(location.folder);
  const { list, stat: find, read } = bucketObjects(location);
  return {
    async *list() {
      for await (const name of list('')) yield { name, fault: null };
    },
    has: async (name) => (await find(name)) !== null,
    read,
  };
}

/** The bytes that are read at a time. */
const CHUNK = 256 * 1024;
/** The deepest file of a backup: `objects/`, a workspace, a recording. */
const MAX_DEPTH = 3;

const PLAIN = 'not a file of its own: use a plain copy of the backup';

function backupFolder(folder: string): BackupFiles {
  async function* entries(prefix: string, depth: number): ReturnType<BackupFiles['list']> {
    for await (const entry of await opendir(join(folder, prefix))) {
      const name = prefix + entry.name;
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH) yield* entries(`${name}/`, depth + 1);
        else yield { name, fault: 'is a folder that a backup does not have' };
      } else if (!entry.isFile()) yield { name, fault: `is a link or a device, ${PLAIN}` };
      else {
        const { nlink } = await lstat(join(folder, name));
        yield { name, fault: nlink > 1 ? `has another name too (hard link), ${PLAIN}` : null };
      }
    }
  }
  return {
    list: () => entries('', 1),
    async has(name) {
      const found = await lstat(join(folder, name)).catch(() => null);
      return found?.isFile() === true;
    },
    async *read(name) {
      // A link that came since the files were listed is not followed, and a pipe is not waited for.
      const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const file = await open(join(folder, name), flags);
      try {
        if (!(await file.stat()).isFile()) throw new Error(`${name} is not a file.`);
        for (;;) {
          const chunk = new Uint8Array(CHUNK);
          const { bytesRead } = await file.read(chunk, 0, CHUNK, null);
          if (bytesRead === 0) return;
          yield chunk.subarray(0, bytesRead);
        }
      } finally {
        await file.close();
      }
    },
  };
}

function bucketObjects(location: S3Bucket): Objects {
  const { prefix: root } = location;
  const bucket = openBucket(location, realTime, TIMEOUT_MS);
  let prepared: Promise<void> | undefined;
  const prepare = () => (prepared ??= bucket.prepare());
  return {
    async *list(prefix) {
      await prepare();
      for await (const { key } of bucket.client.listObjects({ prefix: root + prefix })) {
        yield key.slice(root.length);
      }
    },
    async stat(name) {
      await prepare();
      const found = await bucket.stat(root + name);
      return (
        found && {
          size: found.size,
          version: versionInBucket(found),
          writtenAt: found.lastModified.getTime(),
        }
      );
    },
    async *read(name) {
      const response = await bucket.reliably(() => bucket.client.getObject(root + name));
      if (response.body) yield* response.body as unknown as AsyncIterable<Uint8Array>;
    },
    async put(name, body) {
      await prepare();
      // A bucket needs the size beforehand, and charges for the parts of an upload that breaks off.
      const part = join(tmpdir(), `captioner-${randomUUID()}.part`);
      try {
        const size = await writeFileFrom(part, body, { durable: false });
        await bucket.upload(root + name, part, size, typeOf(name));
      } finally {
        await rm(part, { force: true });
      }
    },
    remove: (name) => bucket.remove(root + name),
  };
}

const typeOf = (name: string): string =>
  name.endsWith('.mp3') ? 'audio/mpeg' : 'application/octet-stream';

/** Passes a file on, and keeps its size and its SHA-256. */
export function measured(body: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let size = 0;
  let sha256: string | undefined;
  return {
    async *[Symbol.asyncIterator]() {
      for await (const chunk of body) {
        hash.update(chunk);
        size += chunk.byteLength;
        yield chunk;
      }
      sha256 = hash.digest('hex');
    },
    /** After the last chunk. */
    result: () => ({ size, sha256: sha256 ?? '' }),
  };
}

/** Reads a file only to measure it. */
export async function measure(body: AsyncIterable<Uint8Array>) {
  const all = measured(body);
  // oxlint-disable-next-line no-empty -- only its size and hash are of interest
  for await (const _ of all) {
  }
  return all.result();
}
