/** Writes a stream of bytes to a file, and keeps files and folders private to the service's user. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { open, type FileHandle } from 'node:fs/promises';

/** The portions in which a durable file is flushed to disk while more data arrives. */
const FLUSH_BYTES = 16 * 2 ** 20;

/**
 * Writes a new file. One chunk is written while the next one is awaited, and no more than one, so the stream is read no
 * faster than the disk writes.
 * @param durable waits until the bytes would survive a power failure
 * @returns its size in bytes
 * @throws any error of the body; the caller removes the incomplete file
 */
export async function writeFileFrom(
  path: string,
  body: AsyncIterable<Uint8Array>,
  { durable }: { durable: boolean },
): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  let unflushed = 0;
  let writing = Promise.resolve();
  let flushing = Promise.resolve();
  try {
    for await (const chunk of body) {
      await writing;
      writing = writeChunk(file, chunk);
      // Handled when the next chunk has arrived; until then, the rejection must not count as unhandled.
      writing.catch(() => {});
      size += chunk.byteLength;
      unflushed += chunk.byteLength;
      if (durable && unflushed >= FLUSH_BYTES) {
        // Flushed as it grows, so that there is little left to wait for at the end.
        unflushed = 0;
        await flushing;
        flushing = file.datasync();
        flushing.catch(() => {});
      }
    }
    await writing;
    await flushing;
    if (durable) await file.sync();
  } finally {
    // A file must not be closed during a write.
    await Promise.allSettled([writing, flushing]);
    await file.close();
  }
  return size;
}

async function writeChunk(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) {
    written += (await file.write(chunk, written, chunk.byteLength - written)).bytesWritten;
  }
}

/** Whether an error of the operating system has a code, such as ENOENT. */
export const isCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException).code === code;

/** The permissions of the group and others. */
const OTHERS = 0o077;

/** The names of the service's files in its data folder; other files may belong to other programs. */
const OURS = /^(?:pepper|outbox|audio|models|tmp|[\w.-]+\.sqlite(?:-\w+)?)$/;

/**
 * Makes the data folder private, with everything that the service keeps in it: databases and their logs, recordings,
 * models, mail and the pepper. This includes files that an earlier version left readable, and all files that this
 * process creates from now on (0600, folders 0700).
 * @param chmod changes the permissions of a file (default: that of the system)
 */
export function keepPrivate(dataDir: string, chmod: Chmod = chmodSync): void {
  process.umask(OTHERS);
  mkdirSync(dataDir, { recursive: true });
  close(dataDir, chmod);
  for (const name of readdirSync(dataDir))
    if (OURS.test(name)) closeAll(join(dataDir, name), chmod);
}

type Chmod = (path: string, mode: number) => void;

function closeAll(path: string, chmod: Chmod): void {
  const isFolder = close(path, chmod);
  if (!isFolder) return;
  for (const name of readdirSync(path)) closeAll(join(path, name), chmod);
}

/**
 * Removes the permissions of others from a file or a folder; links are left alone.
 * @returns whether it is a folder
 */
function close(path: string, chmod: Chmod): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink()) return false;
  if ((stats.mode & OTHERS) !== 0) {
    try {
      chmod(path, stats.mode & ~OTHERS & 0o7777);
    } catch (error) {
      // A mounted volume without permissions, or another user's file, must not prevent the start.
      if (!isRefusal(error)) throw error;
    }
  }
  return stats.isDirectory();
}

const isRefusal = (error: unknown): boolean =>
  ['EPERM', 'EACCES', 'EROFS', 'ENOTSUP', 'ENOENT'].includes(
    String((error as { code?: unknown }).code),
  );
