/** Named files in a folder or a bucket: the recordings of an audio store, and the files of a backup. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { glob, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type { AudioStoreLocation, S3Bucket } from '../config/stores.ts';
import { versionOf as versionOnDisk } from '../storage/disk-audio.ts';
import { openBucket, versionOf as versionInBucket } from '../storage/s3-audio.ts';
import { writeFileFrom, isCode } from '../storage/write-file.ts';
import { realTime } from '../concurrency.ts';

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
