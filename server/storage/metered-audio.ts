/** An audio store that enforces the quota of each workspace and the reserve of the disk. */
import type { AudioName, AudioStore } from './audio.ts';
import type { AudioReservation, AudioUsage } from './audio-usage.ts';
import type { DiskReserve } from './disk-reserve.ts';

/** The bytes reserved at a time if the length of a body is unknown. */
export const STEP_BYTES = 8 * 2 ** 20;
/** The interval for renewing the reservation of an upload, well within its lease. */
const RENEW_EVERY_MS = 60_000;

interface Meters {
  usage: AudioUsage;
  /** The disk that uploads are written to. */
  disk: DiskReserve;
}

/**
 * Wraps a store. Space is reserved before a body is read, and as it grows; deleted and expired
 * objects free space again.
 * @throws from put: {@link QuotaExceeded}, {@link DiskReserveReached}
 */
export function createMeteredAudioStore(store: AudioStore, { usage, disk }: Meters): AudioStore {
  const reconcile = (): Promise<void> => usage.reconcile(store.list());
  return {
    ...store,
    async prepare(untouchedMs) {
      await store.prepare(untouchedMs);
      // Recordings stored by an earlier version have not been counted yet.
      if (await usage.isEmpty()) await reconcile();
    },
    async put(organizationId, key, body, declaredBytes, madeOf = []) {
      const upload = await startUpload(
        { organizationId, key },
        { firstBytes: declaredBytes ?? STEP_BYTES, madeOf },
        { usage, disk },
      );
      try {
        const stored = await store.put(organizationId, key, upload.metered(body), declaredBytes);
        await upload.reservation.keep(stored.size);
        return stored;
      } catch (error) {
        // If the database is down, the reservation expires by itself.
        await upload.reservation.release().catch(() => {});
        throw error;
      } finally {
        upload.end();
      }
    },
    async delete(organizationId, key, version) {
      const deleted = await store.delete(organizationId, key, version);
      // If this version is gone, there may be another one, which still counts.
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
  /** The body, reserving space as it arrives. */
  metered(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Releases disk space that was claimed but not written. */
  end(): void;
}

async function startUpload(
  name: AudioName,
  { firstBytes, madeOf }: { firstBytes: number; madeOf: readonly string[] },
  { usage, disk }: Meters,
): Promise<Upload> {
  const claim = await disk.claim(firstBytes);
  let reservation: AudioReservation;
  try {
    reservation = await usage.reserve(name, firstBytes, madeOf);
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
        // When the store asks for the next chunk, it has practically written this one.
        claim.written(chunk.byteLength);
      }
    },
    end() {
      clearInterval(renewal);
      claim.release();
    },
  };
}
