/** Files and folders that nobody but the service's own user may read. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** What the group and others may do. */
const OTHERS = 0o077;

/** What the service keeps in its data folder; the rest of it may be somebody else's. */
const OURS = /^(?:pepper|outbox|audio|models|tmp|[\w.-]+\.sqlite(?:-\w+)?)$/;

/**
 * Makes the data folder private, with all that the service keeps in it: databases with their logs,
 * recordings, models, mails, the pepper. Files that an earlier version left readable are included, and
 * whatever this process makes from now on is born so (0600, folders 0700).
 */
export function keepPrivate(dataDir: string): void {
  process.umask(OTHERS);
  mkdirSync(dataDir, { recursive: true });
  close(dataDir);
  for (const name of readdirSync(dataDir)) if (OURS.test(name)) closeAll(join(dataDir, name));
}

function closeAll(path: string): void {
  const isFolder = close(path);
  if (!isFolder) return;
  for (const name of readdirSync(path)) closeAll(join(path, name));
}

/**
 * Takes the rights of others from a file or a folder; a link is left alone.
 * @returns whether it is a folder
 */
function close(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink()) return false;
  if ((stats.mode & OTHERS) !== 0) {
    try {
      chmodSync(path, stats.mode & ~OTHERS & 0o7777);
    } catch (error) {
      // A mounted volume that knows no rights, or a file of another user: no reason not to start.
      if (!isRefusal(error)) throw error;
    }
  }
  return stats.isDirectory();
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['EPERM', 'EACCES', 'EROFS', 'ENOTSUP', 'ENOENT'].includes(String(error.code));
