/**
 * Holds bytes in temporary files instead of memory: texts that wait for slow readers, and uploads that are converted
 * before they are stored.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DiskReserve } from './disk-reserve.ts';
import { StorageUnavailable } from './outage.ts';

/** The most bytes that stay in memory, since a file would cost more. */
const SMALL_BYTES = 65_536;
/** The most bytes that stay there while all together have not more than MEMORY_BYTES: the result of an hour. */
const USUAL_BYTES = 2 ** 21;
const MEMORY_BYTES = 2 ** 25;
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
  /**
   * Writes bytes to a file as they arrive. If it throws, no file is left.
   * @throws {DiskReserveReached} @throws {StorageUnavailable} any error of the bytes
   */
  file(bytes: AsyncIterable<Uint8Array>): Promise<SpooledFile>;
}

/** A temporary file with a name, so that other processes can read it. */
export interface SpooledFile {
  path: string;
  size: number;
  /** Removes the file. Further calls have no effect. */
  drop(): Promise<void>;
}

/** The disk space claimed at a time for a file. */
const STEP_BYTES = 8 * 2 ** 20;

/**
 * Creates a spool. What it holds in files without a name ends with the process, however it dies; the files with one are
 * removed with their folder.
 * @param folder the folder of its files; null to hold everything in memory
 * @param disk keeps space of the folder's disk free; null where nothing does
 */
export function createSpool(folder: string | null, disk: DiskReserve | null = null): Spool {
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
      const size = bytes.byteLength;
      const isUsual = size <= USUAL_BYTES && inMemory + size <= MEMORY_BYTES;
      if (folder === null || size <= SMALL_BYTES || isUsual) return holdInMemory(bytes);
      const file = await writtenFile(folder, bytes).catch(() => null);
      return file ? holdInFile(file, size) : holdInMemory(bytes);
    },
    async file(bytes) {
      if (folder === null) throw new StorageUnavailable('There is no folder for temporary files.');
      const path = join(folder, `spool-${randomUUID()}`);
      const drop = () => rm(path, { force: true });
      const claim = await disk?.claim(STEP_BYTES);
      let size = 0;
      let claimed = STEP_BYTES;
      const counted = async function* () {
        for await (const chunk of bytes) {
          size += chunk.byteLength;
          for (; size > claimed; claimed += STEP_BYTES) await claim?.grow(STEP_BYTES);
          yield chunk;
          claim?.written(chunk.byteLength);
        }
      };
      try {
        const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
        await pipeline(Readable.from(counted()), file);
        return { path, size, drop };
      } catch (error) {
        await drop();
        throw error;
      } finally {
        claim?.release();
      }
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
