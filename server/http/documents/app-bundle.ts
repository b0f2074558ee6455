/** Provides the files of the browser app, built by `npm run build` or on the first request. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AppFile } from '../../../web/bundle.ts';
import { Problem } from '../problems.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The output folder of `npm run build`. */
export const APP_FOLDER = join(root, 'dist/app');
/** The sources of the app, relative to the project. */
const SOURCES = [
  'web',
  'sample',
  ...['captions', 'contract', 'evidence', 'handouts', 'mp3', 'terminology'].map(
    (room) => `server/${room}`,
  ),
  'package.json',
];

const isBun = 'Bun' in globalThis;
const bundleHere = async (): Promise<AppFile[]> =>
  (await import('../../../web/bundle.ts')).bundleApp();

/**
 * Reads the built files if they are up to date; otherwise builds them, if the server runs on Bun.
 * @param folder the output folder of `npm run build`
 * @param bundle builds them; null where the runtime cannot
 * @throws {Problem} 503 if there are none, and this runtime has no bundler
 */
export async function loadAppFiles(
  folder = APP_FOLDER,
  bundle: (() => Promise<AppFile[]>) | null = isBun ? bundleHere : null,
): Promise<AppFile[]> {
  const built = await readAppFolder(folder);
  if (built && (!bundle || (await isFresh(folder)))) return built;
  if (bundle) return bundle();
  throw new Problem(
    503,
    'unavailable',
    'The browser app has not been built. The operator of this service can build it with: npm run build',
  );
}

/**
 * Reads the files of a built app, all from the same build, also while a new build replaces them.
 * @returns null if there are none
 */
async function readAppFolder(folder: string): Promise<AppFile[] | null> {
  for (;;) {
    const names = await readdir(folder).catch(() => []);
    if (names.length === 0) return null;
    const files = names.map(async (name) => ({
      name,
      bytes: new Uint8Array(await readFile(join(folder, name))),
    }));
    try {
      return await Promise.all(files);
    } catch (error) {
      // The folder was replaced after its names were read. A name stands for its content, so files
      // that were read before are the same in both builds.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Whether nothing has changed since the files were built. An image without sources is always up to date. */
async function isFresh(folder: string): Promise<boolean> {
  const built = (await stat(folder)).mtimeMs;
  const changed = await Promise.all(SOURCES.map((path) => lastChange(join(root, path))));
  return Math.max(...changed) <= built;
}

/** The time of the last change of a file or in a folder; 0 if it does not exist. */
async function lastChange(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true }).catch(() => []);
  const paths = [path, ...names.map((name) => join(path, name))];
  const times = await Promise.all(paths.map((each) => stat(each).then((found) => found.mtimeMs)));
  return Math.max(...times);
}
