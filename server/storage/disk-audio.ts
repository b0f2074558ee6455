/** An audio store on disk, one file per object. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { glob, link, mkdir, open, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import {
  type AudioName,
  type AudioRange,
  type AudioStore,
  isAudioVersion,
  audioObjectName,
  dueBefore,
} from './audio.ts';
import { StorageUnavailable } from './outage.ts';
import { writeFileFrom, isCode } from './write-file.ts';

const READ_BYTES = 1024 * 1024;

/**
 * Creates a store in a folder. Names on disk are hashes of organisation and key, so that no key can escape the folder,
 * differ from another only in case, or exceed the limits of a file system.
 * @param moveAside moves a file whose version is to be deleted
 */
export function createDiskAudioStore(folder: string, moveAside = rename): AudioStore {
  const temporary = join(folder, 'incoming');
  const pathOf = (organizationId: string, key: string): string =>
    join(folder, audioObjectName({ organizationId, key }));

  const sweep = async (untouchedMs: number): Promise<void> => {
    await mkdir(temporary, { recursive: true });
    const before = Date.now() - untouchedMs;
    for await (const path of filesBefore(temporary, '*', () => before)) await remove(path);
  };

  return {
    prepare: sweep,
    sweep,
    async put(organizationId, key, body) {
      const path = pathOf(organizationId, key);
      const part = join(temporary, `${randomUUID()}.part`);
      await mkdir(temporary, { recursive: true });
      try {
        const size = await writeFileFrom(part, body, { durable: true });
        await mkdir(dirname(path), { recursive: true });
        await rename(part, path);
        return { size };
      } catch (error) {
        await rm(part, { force: true });
        if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT')) {
          throw new StorageUnavailable('There is no space for the audio.', { cause: error });
        }
        throw error;
      }
    },
    async stat(organizationId, key) {
      try {
        const found = await stat(pathOf(organizationId, key));
        return { size: found.size, version: versionOf(found) };
      } catch (error) {
        if (isCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
    read: (organizationId, key, range) => readRange(pathOf(organizationId, key), range),
    async delete(organizationId, key, version) {
      const path = pathOf(organizationId, key);
      if (version === undefined) return remove(path);
      const aside = join(temporary, `${randomUUID()}.deleted`);
      return removeVersion(path, version, aside, moveAside);
    },
    async expire(before, inUse, sooner = new Map()) {
      const kept = new Set(inUse.map((name: AudioName) => join(folder, audioObjectName(name))));
      const due = (name: string): number => dueBefore(name.split(sep).join('/'), before, sooner);
      let count = 0;
      for await (const path of filesBefore(folder, 'objects/*/*.mp3', due)) {
        if (!kept.has(path) && (await remove(path))) count += 1;
      }
      return count;
    },
    async *list() {
      for await (const name of glob('objects/*/*.mp3', { cwd: folder })) {
        const found = await stat(join(folder, name)).catch(() => null);
        if (found?.isFile()) yield { name: name.split(sep).join('/'), size: found.size };
      }
    },
    async check() {
      const probe = join(temporary, `${randomUUID()}.probe`);
      await mkdir(temporary, { recursive: true });
      try {
        await writeFile(probe, 'probe', { flag: 'wx' });
      } finally {
        await rm(probe, { force: true });
      }
    },
  };
}

/** Deletes a file; false if there was none. */
async function remove(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/**
 * The version of a file: its time in whole milliseconds, as every runtime tells it, and its inode, which distinguishes
 * two files written at the same time.
 */
export const versionOf = ({ mtimeMs, size, ino }: Stats): string =>
  `${Math.floor(mtimeMs)}-${size}@${ino}`;

/**
 * Deletes a file if it still has a version. The file is first moved aside and checked again. If an upload has replaced
 * it meanwhile, that upload is put back, unless there is an even newer one.
 */
async function removeVersion(
  path: string,
  version: string,
  aside: string,
  moveAside: typeof rename,
): Promise<boolean> {
  const found = await stat(path).catch(missing);
  if (!found || !isAudioVersion(versionOf(found), version)) return false;
  await mkdir(dirname(aside), { recursive: true });
  try {
    await moveAside(path, aside);
    const moved = await stat(aside);
    const isIt = isAudioVersion(versionOf(moved), version);
    if (!isIt) {
      await link(aside, path).catch((error: unknown) => {
        if (!isCode(error, 'EEXIST')) throw error;
      });
    }
    await unlink(aside);
    return isIt;
  } catch (error) {
    missing(error);
    return false;
  }
}

/** Converts the error for a missing file into null. @throws any other error */
function missing(error: unknown): null {
  if (isCode(error, 'ENOENT')) return null;
  throw error;
}

/** The files of a folder last written at or before the instant for their names. */
async function* filesBefore(folder: string, pattern: string, before: (name: string) => number) {
  for await (const name of glob(pattern, { cwd: folder })) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found?.isFile() && found.mtimeMs <= before(name)) yield path;
  }
}

async function* readRange(
  path: string,
  range: AudioRange = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncIterable<Uint8Array> {
  const file = await open(path, 'r');
  try {
    let position = range.start;
    let buffer: Uint8Array = new Uint8Array(0);
    while (position < range.end) {
      const wanted = Math.min(READ_BYTES, range.end - position);
      // Its bytes are read over, so that it need not be cleared.
      if (!range.isPassing || buffer.byteLength < wanted) buffer = Buffer.allocUnsafeSlow(wanted);
      const { bytesRead } = await file.read(buffer, 0, wanted, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
