/** Requires the disk space of a download before it begins. */
import { statfs } from 'node:fs/promises';
import { fileSize } from './partial-file.ts';
import { DownloadError } from './download.ts';

/** Thrown if there is no space for a model, whatever its source. */
export class DiskSpaceError extends DownloadError {}

/**
 * Checks that the disk has space for the download and its unpacked contents.
 * @param parts the files of a partial download, which need no space any more
 * @param read the free space of a disk (default: that of the system)
 * @throws {DiskSpaceError} before the download begins
 */
export async function requireDiskSpace(
  folder: string,
  parts: readonly string[],
  { bytes }: { bytes: number },
  read: (folder: string) => Promise<{ bavail: number; bsize: number }> = statfs,
): Promise<void> {
  const disk = await read(folder).catch(() => null);
  if (!disk) return;
  const free = disk.bavail * disk.bsize;
  const sizes = await Promise.all(parts.map(fileSize));
  const have = sizes.reduce((sum, size) => sum + size, 0);
  const needed = 2 * bytes - Math.min(bytes, have);
  if (free >= needed) return;
  const megabytes = (count: number): string => `${Math.ceil(count / 1e6)} MB`;
  throw new DiskSpaceError(
    `the models folder has ${megabytes(free)} of free disk space, but ${megabytes(needed)} are needed`,
    { network: false, retryable: false },
  );
}
