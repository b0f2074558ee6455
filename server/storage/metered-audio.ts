/** An audio store that keeps each workspace within its quota, and a reserve of the disk free. */
import type { AudioName, AudioStore } from './audio.ts';
import type { AudioReservation, AudioUsage } from './audio-usage.ts';
import type { DiskReserve } from './disk-reserve.ts';

/** Room is taken in steps of this where nobody said how long a body is, in bytes. */
export const STEP_BYTES = 8 * 2 ** 20;
/** An upload under way is told of this often, well within its lease. */
const RENEW_EVERY_MS = 60_000;

export interface Meters {
  usage: AudioUsage;
  /** Of the disk that uploads are written to. */
  disk: DiskReserve;
}

/**
 * The store with its meters. Room is taken before a body is read, and as it grows; whatever is deleted
 * or expires makes room again.
 * @throws from put: {@link AudioQuotaExceeded}, {@link DiskReserveReached}
 */
export function createMeteredAudioStore(store: AudioStore, { usage, disk }: Meters): AudioStore {
  const reconcile = (): Promise<void> => usage.reconcile(store.list());
  return {
    ...store,
    async prepare(untouchedMs) {
      await store.prepare(untouchedMs);
      // Recordings that an earlier version stored are counted from the start.
      if (await usage.isEmpty()) await reconcile();
    },
    async put(organizationId, key, body, declaredBytes) {
      const upload = await startUpload({ organizationId, key }, declaredBytes ?? STEP_BYTES, {
        usage,
        disk,
      });
      try {
        const stored = await store.put(organizationId, key, upload.metered(body), declaredBytes);
        await upload.reservation.keep(stored.size);
        return stored;
      } catch (error) {
        // Where the database is down the lease ends it.
        await upload.reservation.release().catch(() => {});
        throw error;
      } finally {
        upload.end();
      }
    },
    async delete(organizationId, key, version) {
      const deleted = await store.delete(organizationId, key, version);
      // Where there is none of this version there may be another, which still counts.
      if (deleted || version === undefined) await usage.forget({ organizationId, key });
      return deleted;
    },
    async expire(before, inUse) {
      const count = await store.expire(before, inUse);
      await reconcile();
      return count;
    },
  };
}

interface Upload {
  reservation: AudioReservation;
  /** The body, for which room is taken as it comes. */
  metered(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Gives back what was taken of the disk and not written. */
  end(): void;
}

async function startUpload(
  name: AudioName,
  firstBytes: number,
  { usage, disk }: Meters,
): Promise<Upload> {
  const claim = await disk.claim(firstBytes);
  let reservation: AudioReservation;
  try {
    reservation = await usage.reserve(name, firstBytes);
  } catch (error) {
    claim.release();
    throw error;
  }
  let taken = firstBytes;
  const renewal = setInterval(() => {
    reservation.renew().catch(() => {});
  }, RENEW_EVERY_MS);
  return {
    reservation,
    async *metered(body) {
      let size = 0;
      for await (const chunk of body) {
        size += chunk.byteLength;
        while (size > taken) {
          await claim.grow(STEP_BYTES);
          await reservation.grow(taken + STEP_BYTES);
          taken += STEP_BYTES;
        }
        yield chunk;
        // Asked for the next one, the store is done with this one but for a moment.
        claim.written(chunk.byteLength);
      }
    },
    end() {
      clearInterval(renewal);
      claim.release();
    },
  };
}
