/** Room on the disk that uploads leave free, so that runs and registrations go on. */
import { mkdir, statfs } from 'node:fs/promises';
import { StorageUnavailable } from './outage.ts';

/** The disk has no more than its reserve left. Uploads are refused; nothing else is. */
export class DiskReserveReached extends StorageUnavailable {
  constructor() {
    super('There is no room for more recordings at the moment.');
  }
}

/** Hands out what uploads of this process may still write. */
export interface DiskReserve {
  /**
   * Claims room for an upload.
   * @throws {DiskReserveReached} the reserve would be touched
   */
  claim(bytes: number): Promise<DiskClaim>;
}

/** Room that was claimed for an upload. */
export interface DiskClaim {
  /**
   * Claims more.
   * @throws {DiskReserveReached}
   */
  grow(bytes: number): Promise<void>;
  /** So many of the bytes have been written: the disk counts them now. */
  written(bytes: number): void;
  /** The rest is not coming. */
  release(): void;
}

/** How many bytes are free on the disk of a folder; Infinity where the system does not say. */
export type FreeBytes = (folder: string) => Promise<number>;

const freeBytes: FreeBytes = async (folder) => {
  await mkdir(folder, { recursive: true });
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    // Some file systems do not tell. A full one still refuses by itself.
    return Number.POSITIVE_INFINITY;
  }
};

/**
 * Makes the reserve of a folder's disk.
 * @param reserve bytes to leave free; 0: none
 */
export function createDiskReserve(
  folder: string,
  reserve: number,
  free: FreeBytes = freeBytes,
): DiskReserve {
  /** Claimed by uploads under way, and not yet written. */
  let pending = 0;
  return {
    async claim(bytes) {
      let left = 0;
      const give = (amount: number): void => {
        const given = Math.min(left, amount);
        left -= given;
        pending -= given;
      };
      const grow = async (more: number): Promise<void> => {
        // Counted before the disk is asked: of two that ask at once each sees the other.
        left += more;
        pending += more;
        if (reserve === 0) return;
        const room = await free(folder).catch((error: unknown) => {
          give(more);
          throw error;
        });
        if (room - pending >= reserve) return;
        give(more);
        throw new DiskReserveReached();
      };
      await grow(bytes);
      return { grow, written: give, release: () => give(left) };
    },
  };
}
