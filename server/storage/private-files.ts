/** Makes files and folders private to the service's user. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

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
