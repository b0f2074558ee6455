/** The output file of captions: checked before the work, and written completely or not at all. */
import { type Stats } from 'node:fs';
import { stat, lstat, open, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailure } from './command-line.ts';
import { asTyped } from './current-folder.ts';
import { randomUUID } from 'node:crypto';

/** The most symbolic links to follow; more are a loop. */
const MAX_LINKS = 40;

/** A writable place for captions. */
export interface CaptionsFile {
  /** Writes the whole content; the previous content stays until then. */
  write(content: string | Uint8Array): Promise<void>;
}

/**
 * Checks whether captions can be written to a path.
 * @param recording the file that must not be overwritten, under any name
 * @throws {CommandFailure} if they cannot
 */
export async function captionsFile(path: string, recording: string): Promise<CaptionsFile> {
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory())
    throw new CommandFailure(`${asTyped(path)} is a folder; give the name of a file in it.`);
  if (there && isSame(there, await stat(recording))) {
    throw new CommandFailure(`${asTyped(path)} is the recording: captions would overwrite it.`);
  }
  // A device or pipe is written directly, because it must not be replaced by a new file.
  if (there && !there.isFile()) return { write: (text) => writeFile(path, text) };
  const place = await target(path);
  await requireFolder(dirname(place), path);
  return { write: (text) => writeWhole(place, text) };
}

/** Whether two names are the same file, which includes hard links. */
const isSame = (one: Stats, other: Stats): boolean =>
  one.dev === other.dev && one.ino === other.ino;

/** The final target of a path, even if nothing exists there yet. */
async function target(path: string): Promise<string> {
  let place = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const found = await lstat(place).catch(() => null);
    if (!found?.isSymbolicLink()) return place;
    place = resolve(dirname(place), await readlink(place));
  }
  throw new CommandFailure(`${asTyped(path)} is a link to itself.`);
}

async function requireFolder(folder: string, path: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (!found) {
    throw new CommandFailure(
      `${asTyped(path)} cannot be written: there is no folder ${asTyped(folder)}.`,
    );
  }
  if (!found.isDirectory()) {
    throw new CommandFailure(
      `${asTyped(path)} cannot be written: ${asTyped(folder)} is not a folder.`,
    );
  }
  // Only a test write reveals everything that may prevent one: permissions, a read-only or full
  // disk.
  const trial = partOf(resolve(folder, 'captions'));
  try {
    const file = await open(trial, 'wx');
    await file.close();
  } catch (error) {
    throw new CommandFailure(
      `Nothing can be written to the folder ${asTyped(folder)}: ${reason(error)}.`,
    );
  } finally {
    await rm(trial, { force: true }).catch(() => {});
  }
}

/** Writes a file completely or not at all. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const part = partOf(path);
  try {
    await writeFile(part, content, { flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw new CommandFailure(`${asTyped(path)} could not be written: ${reason(error)}.`);
  }
}

/** Removes what a process that was killed has left of such a file. */
export async function removeParts(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  for (const each of await readdir(folder).catch(() => [])) {
    if (each.startsWith(name) && PART.test(each.slice(name.length))) {
      await rm(join(folder, each), { force: true });
    }
  }
}

const PART = /^\.[0-9a-f-]{36}\.part$/;

const partOf = (path: string): string => `${path}.${randomUUID()}.part`;

const reason = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    EACCES: 'permission denied',
    ENOENT: 'no file can be created there',
    EPERM: 'permission denied',
    EROFS: 'the disk is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your quota is used up',
    ENAMETOOLONG: 'the name is too long',
  };
  return known[code ?? ''] ?? message;
};
