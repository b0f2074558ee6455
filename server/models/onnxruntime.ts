/**
 * Fetches onnxruntime-node, the library that runs Whisper and Moonshine. It is too large for a dependency of the
 * program, so npm downloads it into the models folder when the first of these models is needed, in a fixed version with
 * checksums; only the files for this platform are unpacked. A copy installed by the operator takes precedence.
 */
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ONNXRUNTIME_PACKAGES } from './registry.ts';
import { waitForFileLock } from '../storage/file-lock.ts';
import { discardPackages, fetchPackages, unpackPackage } from './npm.ts';
import { requireDiskSpace } from './disk-space.ts';

const NAME = 'onnxruntime-node';
/** The bytes to download. */
export const ONNXRUNTIME_BYTES = ONNXRUNTIME_PACKAGES.reduce((sum, { bytes }) => sum + bytes, 0);
const HERE = fileURLToPath(import.meta.url);
/** Folders for the operator's own copy: in the program, or next to it if npm has installed the program itself. */
const OWN_PACKAGES = [
  fileURLToPath(new URL('../../node_modules', import.meta.url)),
  ...(/^.*[/\\]node_modules(?=[/\\])/.exec(HERE) ?? []),
];
const WORK_FOLDER = '.downloads';

interface Job<T, P extends unknown[]> {
  result: Promise<T>;
  controller: AbortController;
  waiting: number;
  listeners: Set<(...progress: P) => void>;
}

/** Runs one job per key at a time; callers that arrive while it runs get its result. */
export class SharedWork<T, P extends unknown[]> {
  private readonly jobs = new Map<string, Job<T, P>>();

  /**
   * Joins the job with that key, or starts it with `work`. Rejects with the signal's reason as soon as the signal
   * aborts; the job itself is aborted when nobody waits for it any more.
   */
  async join(
    key: string,
    work: (signal: AbortSignal, report: (...progress: P) => void) => Promise<T>,
    signal?: AbortSignal,
    listener?: (...progress: P) => void,
  ): Promise<T> {
    signal?.throwIfAborted();
    const job = this.jobs.get(key) ?? this.start(key, work);
    job.waiting++;
    if (listener) job.listeners.add(listener);
    let stop = (): void => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      stop = () => reject(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([job.result, aborted]);
    } finally {
      signal?.removeEventListener('abort', stop);
      if (listener) job.listeners.delete(listener);
      job.waiting--;
      if (job.waiting === 0) {
        // Later callers start a new job instead of joining one that is ending.
        this.jobs.delete(key);
        job.controller.abort(signal?.reason);
      }
    }
  }

  private start(
    key: string,
    work: (signal: AbortSignal, report: (...progress: P) => void) => Promise<T>,
  ): Job<T, P> {
    const controller = new AbortController();
    const listeners = new Set<(...progress: P) => void>();
    const report = (...progress: P): void => {
      for (const listener of listeners) listener(...progress);
    };
    const result = work(controller.signal, report);
    const job = { result, controller, waiting: 0, listeners };
    this.jobs.set(key, job);
    return job;
  }
}

const installing = new SharedWork<string, [received: number]>();

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
 * @param onProgress called with the bytes received
 * @throws {DownloadError} if npm cannot be run or cannot download it; rejects with the signal's reason on abort
 */
export async function ensureOnnxRuntime(
  modelsDir: string,
  signal?: AbortSignal,
  onProgress?: (received: number) => void,
): Promise<string> {
  const found = await findOnnxRuntime(modelsDir);
  if (found) return found;
  return installing.join(
    resolve(modelsDir),
    (stop, report) => install(modelsDir, stop, report),
    signal,
    onProgress,
  );
}

async function install(
  modelsDir: string,
  signal: AbortSignal,
  onProgress: (received: number) => void,
): Promise<string> {
  const work = join(modelsDir, WORK_FOLDER);
  await mkdir(work, { recursive: true });
  const isHere = async (): Promise<boolean> => (await findOnnxRuntime(modelsDir)) !== null;
  const lock = await waitForFileLock(join(work, `${NAME}.lock`), isHere, signal);
  try {
    if (lock && !(await isHere())) await fetchLibrary(modelsDir, work, signal, onProgress);
  } finally {
    lock?.release();
  }
  const installed = await findOnnxRuntime(modelsDir);
  if (!installed) throw new Error(`${NAME} was installed but cannot be found`);
  return installed;
}

/** Installs the library. Requires the lock. */
async function fetchLibrary(
  modelsDir: string,
  work: string,
  signal: AbortSignal,
  onProgress: (received: number) => void,
): Promise<void> {
  await requireDiskSpace(work, [], { bytes: ONNXRUNTIME_BYTES });
  const downloads = join(work, `${NAME}.npm`);
  const unpacked = join(work, NAME);
  try {
    const archives = await fetchPackages(ONNXRUNTIME_PACKAGES, downloads, {
      signal,
      onProgress,
    });
    await rm(unpacked, { recursive: true, force: true });
    for (const [at, each] of ONNXRUNTIME_PACKAGES.entries()) {
      const folder = join(unpacked, 'node_modules', each.name);
      await mkdir(folder, { recursive: true });
      await unpackPackage(
        archives[at]!,
        each,
        folder,
        (path) => (runs(path) ? path : null),
        signal,
      );
    }
    const place = join(modelsDir, NAME);
    await rm(place, { recursive: true, force: true });
    await rename(unpacked, place);
  } finally {
    await discardPackages(downloads);
    await rm(unpacked, { recursive: true, force: true });
  }
}

const PLATFORM = `bin/napi-v6/${process.platform}/${process.arch}/`;

/** Whether a file of the packages is needed to run them on this platform. */
const runs = (path: string): boolean =>
  path === 'package.json' || path.startsWith(PLATFORM) || /^dist\/.*\.js(on)?$/.test(path);
