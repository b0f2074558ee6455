/** Keeps disk space free of uploads and documents, so that runs and registrations can continue. */
import { mkdir, statfs } from 'node:fs/promises';
import { StorageUnavailable } from './outage.ts';

/** Thrown when only the reserve is left on the disk. Refuses uploads and documents, and nothing else. */
export class DiskReserveReached extends StorageUnavailable {
  constructor() {
    super('There is no space to store more at the moment.');
  }
}

/** Allocates disk space to uploads of this process. */
export type DiskReserve = ReturnType<typeof createDiskReserve>;

/** Space claimed for an upload. */
interface DiskClaim {
  /** Claims more space. */
  grow(bytes: number): Promise<void>;
  /** Reports written bytes, which the disk itself counts from now on. */
  written(bytes: number): void;
  /** Releases the space that was not used. */
  release(): void;
}

/** The free bytes on the disk of a folder; Infinity if the system does not report them. */
type FreeBytes = (folder: string) => Promise<number>;

/** The free bytes, from the file system. */
export const freeBytes: FreeBytes = async (folder) => {
  await mkdir(folder, { recursive: true });
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    // Some file systems do not report free space. A full one still refuses writes.
    return Number.POSITIVE_INFINITY;
  }
};

/**
 * Creates the reserve of a folder's disk.
 * @param reserve the bytes to leave free; 0 for none
 */
export function createDiskReserve(folder: string, reserve: number, free: FreeBytes = freeBytes) {
  /** The bytes that uploads in progress have claimed and not yet written. */
  let pending = 0;
  return {
    /**
     * Claims space for an upload.
     * @throws {DiskReserveReached} it would use the reserve
     */
    async claim(bytes: number): Promise<DiskClaim> {
      let left = 0;
      const give = (amount: number): void => {
        const given = Math.min(left, amount);
        left -= given;
        pending -= given;
      };
      const grow = async (more: number): Promise<void> => {
        // Counted before the disk is queried, so that simultaneous claims see each other.
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
