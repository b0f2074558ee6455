/**
 * Installs onnxruntime-node, the library that runs Whisper. At 290 MB it is too large for a dependency of the program,
 * so npm installs it into the models folder when the first Whisper model is needed, in a fixed version with checksums.
 * A copy installed by the operator takes precedence.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitForFileLock } from '../storage/file-lock.ts';
import { SharedWork } from './shared-work.ts';

const NAME = 'onnxruntime-node';
/** A folder with a package.json that has only this dependency, and its lock file. */
const RECIPE = fileURLToPath(new URL('./onnxruntime', import.meta.url));
/** Folders for the operator's own copy: in the program, or next to it if npm has installed the program itself. */
const OWN_PACKAGES = [
  fileURLToPath(new URL('../../node_modules', import.meta.url)),
  ...(/^.*[/\\]node_modules(?=[/\\])/.exec(RECIPE) ?? []),
];
const WORK_FOLDER = '.downloads';

const installing = new SharedWork<string, []>();

/**
 * The path of the library's main file, or null if it is not installed. Looks at files instead of resolving the
 * module, because Bun would download a module that it cannot find.
 * @param modelsDir folder of the models
 */
export async function findOnnxRuntime(modelsDir: string): Promise<string | null> {
  const places = [...OWN_PACKAGES, join(resolve(modelsDir), NAME, 'node_modules')];
  for (const place of places) {
    const folder = join(place, NAME);
    const about = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null);
    if (about === null) continue;
    const { main } = JSON.parse(about) as { main: string };
    return join(folder, main);
  }
  return null;
}

/**
 * Like findOnnxRuntime, but installs the library if it is missing: once for any number of callers, in this process and
 * others, and never partially.
 * @throws {Error} if npm cannot be run or cannot download it; rejects with the signal's reason on abort
 */
export async function ensureOnnxRuntime(modelsDir: string, signal?: AbortSignal): Promise<string> {
  const found = await findOnnxRuntime(modelsDir);
  if (found) return found;
  return installing.join(resolve(modelsDir), (stop) => install(modelsDir, stop), signal);
}

async function install(modelsDir: string, signal: AbortSignal): Promise<string> {
  const work = join(modelsDir, WORK_FOLDER);
  await mkdir(work, { recursive: true });
  const isHere = async (): Promise<boolean> => (await findOnnxRuntime(modelsDir)) !== null;
  const lock = await waitForFileLock(join(work, `${NAME}.lock`), isHere, signal);
  try {
    if (lock && !(await isHere())) {
      const folder = join(work, NAME);
      await rm(folder, { recursive: true, force: true });
      await cp(RECIPE, folder, { recursive: true });
      await runNpm(folder, signal);
      const place = join(modelsDir, NAME);
      await rm(place, { recursive: true, force: true });
      await rename(folder, place);
    }
  } finally {
    lock?.release();
  }
  const installed = await findOnnxRuntime(modelsDir);
  if (!installed) throw new Error(`${NAME} was installed but cannot be found`);
  return installed;
}

async function runNpm(folder: string, signal: AbortSignal): Promise<void> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // The library's install script would download hundreds of megabytes for graphics cards, which are not used.
  const parameters = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    await promisify(execFile)(npm, parameters, {
      cwd: folder,
      signal,
      shell: process.platform === 'win32',
    });
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(
      missing
        ? `npm is not installed, and it is needed to download ${NAME}, which runs Whisper`
        : `npm could not download ${NAME}, which runs Whisper`,
      { cause: error },
    );
  }
}
