/** Finds the recordings named on a command line: files, and those in folders. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The extensions of recordings in a folder. */
const MEDIA =
  /\.(?:mp3|wav|m4a|m4b|mp4|m4v|mov|mkv|webm|ogg|oga|opus|flac|aac|aif|aiff|wma|avi|3gp|amr)$/i;

/**
 * Lists the recordings under some paths, each once: a file as it is, a folder with all recordings
 * in it and its subfolders, sorted by name. A path without a recording stays in the list, and fails
 * when it is captioned, so that the others are captioned nevertheless.
 * @param isOther tells other files that are taken from a folder without recordings
 */
export async function findRecordings(
  paths: readonly string[],
  isOther: (path: string) => boolean = () => false,
): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => recordingsAt(path, isOther)));
  return [...new Set(found.flat())];
}

async function recordingsAt(path: string, isOther: (path: string) => boolean): Promise<string[]> {
  const there = await stat(path).catch(() => null);
  if (!there?.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort((one, other) => one.localeCompare(other));
  const media = files.filter((file) => MEDIA.test(file));
  const found = media.length > 0 ? media : files.filter(isOther);
  return found.length > 0 ? found : [path];
}
