/** Holds bytes that wait for slow readers in temporary files, so that readers do not hold them in memory. */
import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageUnavailable } from './outage.ts';

/** The most bytes that stay in memory, since a file would cost more. */
const SMALL_BYTES = 65_536;
/** The bytes read from a file at a time. */
const PART_BYTES = 65_536;
/** The most bytes held in memory because the disk has no space for them. */
const MAX_BYTES_IN_MEMORY = 64 * 2 ** 20;

/** Bytes that are held until they are dropped. */
export interface HeldBytes {
  size: number;
  /** Reads the bytes from `start` up to, but not including, `end`; all by default. */
  read(start?: number, end?: number): AsyncIterable<Uint8Array>;
  /** Frees them. Reads in progress end early; further calls have no effect. */
  drop(): void;
}

export interface Spool {
  /**
   * Holds bytes.
   * @throws {StorageUnavailable} if neither the disk nor the memory has space for them
   */
  hold(bytes: Uint8Array): Promise<HeldBytes>;
}

/**
 * Creates a spool. Its files have no name, so they end with the process, however it dies.
 * @param folder the folder of its files; null to hold everything in memory
 */
export function createSpool(folder: string | null): Spool {
  let inMemory = 0;
  const holdInMemory = (bytes: Uint8Array): HeldBytes => {
    const size = bytes.byteLength;
    if (size > SMALL_BYTES && inMemory + size > MAX_BYTES_IN_MEMORY) {
      throw new StorageUnavailable('There is no space to hold a response.');
    }
    inMemory += size;
    let held: Uint8Array | null = bytes;
    return {
      size,
      async *read(start = 0, end = size) {
        if (held) yield held.subarray(start, end);
      },
      drop() {
        if (held) inMemory -= size;
        held = null;
      },
    };
  };
  return {
    async hold(bytes) {
      if (folder === null || bytes.byteLength <= SMALL_BYTES) return holdInMemory(bytes);
      const file = await writtenFile(folder, bytes).catch(() => null);
      return file ? holdInFile(file, bytes.byteLength) : holdInMemory(bytes);
    },
  };
}

/** A new file with these bytes, open and without a name. */
async function writtenFile(folder: string, bytes: Uint8Array): Promise<FileHandle> {
  const path = join(folder, `spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    await file.writeFile(bytes);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function holdInFile(file: FileHandle, size: number): HeldBytes {
  let isDropped = false;
  return {
    size,
    async *read(start = 0, end = size) {
      for (let at = start; at < end;) {
        if (isDropped) return;
        const part = new Uint8Array(Math.min(PART_BYTES, end - at));
        const { bytesRead } = await file.read(part, 0, part.byteLength, at);
        if (bytesRead === 0) throw new StorageUnavailable('A temporary file ended early.');
        yield part.subarray(0, bytesRead);
        at += bytesRead;
      }
    },
    drop() {
      if (isDropped) return;
      isDropped = true;
      void file.close().catch(() => {});
    },
  };
}
