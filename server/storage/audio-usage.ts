/**
 * The recordings that each workspace keeps or is uploading: lists them, counts their bytes, and enforces its quota and
 * the reserve of the disk.
 */
import { randomUUID } from 'node:crypto';
import {
  type AudioName,
  type AudioStore,
  audioObjectName,
  audioWorkspaceName,
  audioWorkspaceOf,
  isOwnKey,
  type ListedAudio,
} from './audio.ts';
import type { Database } from './database.ts';
import { lockUntilCommit } from './transaction-lock.ts';
import type { DiskReserve } from './disk-reserve.ts';
import type { PayloadBrief } from '../contract/payload.ts';
import { quotaOf } from './workspace-quotas.ts';

/** The time after which an upload that is not renewed stops counting, since its process may have died. */
const UPLOAD_LEASE_MS = 10 * 60_000;

/** The space reserved for an upload in progress. */
interface AudioReservation {
  /**
   * Reserves this many bytes in total.
   * @throws {QuotaExceeded} there is no space for them; earlier reservations stay
   */
  grow(bytes: number): Promise<void>;
  /** Extends the reservation. */
  renew(): Promise<void>;
  /** Records that the upload is stored; it counts with its size until it is forgotten. */
  keep(bytes: number): Promise<void>;
  /** Removes the reservation, because the upload failed. */
  release(): Promise<void>;
}

interface AudioUsage {
  /**
   * Reserves space for an upload before it is read. Does not count the object that it replaces, nor the workspace's
   * objects with the keys in `madeOf`.
   * @throws {QuotaExceeded} there is not enough space
   */
  reserve(name: AudioName, bytes: number, madeOf?: readonly string[]): Promise<AudioReservation>;
  /** Removes a deleted object from the count. */
  forget(name: AudioName): Promise<void>;
  /** Whether no object has been counted yet. */
  isEmpty(): Promise<boolean>;
  /** Corrects the counts, which may be wrong after a crash, by what the store contains. */
  reconcile(objects: AsyncIterable<ListedAudio>): Promise<void>;
}

/**
 * Counts usage in the service's database, for all processes.
 * @param quota the bytes allowed for a workspace without a quota of its own; null for no limit
 */
export function createAudioUsage(
  database: Database,
  quota: number | null,
  now: () => number = Date.now,
): AudioUsage {
  /** The bytes of a workspace without certain rows: this upload and the objects that it replaces. */
  const usedBesides = async (transaction: Database, workspace: string, ids: string[]) => {
    const row = await transaction
      .selectFrom('audio_usage')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number | string>('bytes'), eb.val(0)).as('used'))
      .where('workspace', '=', workspace)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now())]))
      .where('id', 'not in', ids)
      .executeTakeFirstOrThrow();
    return Number(row.used);
  };

  return {
    async reserve(name, bytes, madeOf = []) {
      const workspace = audioWorkspaceName(name.organizationId);
      const object = audioObjectName(name);
      const id = `upload:${randomUUID()}`;
      const replaced = madeOf.map((key) => audioObjectName({ ...name, key }));
      const take = (size: number): Promise<void> =>
        database.transaction().execute(async (transaction) => {
          // If two uploads compete for the last space, only one gets it.
          await lockUntilCommit(transaction, `audio:${workspace}`);
          const limit = await quotaOf(transaction, name.organizationId, 'recordings', quota);
          const used = await usedBesides(transaction, workspace, [object, id, ...replaced]);
          if (limit !== null && used + size > limit)
            throw new QuotaExceeded('recordings', limit, used);
          const row = { bytes: size, expires_at: now() + UPLOAD_LEASE_MS };
          await transaction
            .insertInto('audio_usage')
            .values({ id, workspace, ...row })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
            .execute();
        });
      const release = async (): Promise<void> => {
        await database.deleteFrom('audio_usage').where('id', '=', id).execute();
      };
      await take(bytes);
      return {
        grow: take,
        async renew() {
          await database
            .updateTable('audio_usage')
            .set({ expires_at: now() + UPLOAD_LEASE_MS })
            .where('id', '=', id)
            .execute();
        },
        async keep(size) {
          await database.transaction().execute(async (transaction) => {
            await transaction
              .insertInto('audio_usage')
              .values({ id: object, workspace, bytes: size, key: name.key })
              .onConflict((conflict) =>
                conflict.column('id').doUpdateSet({ bytes: size, key: name.key }),
              )
              .execute();
            await transaction.deleteFrom('audio_usage').where('id', '=', id).execute();
          });
        },
        release,
      };
    },
    async forget(name) {
      await database.deleteFrom('audio_usage').where('id', '=', audioObjectName(name)).execute();
    },
    async isEmpty() {
      const row = await database.selectFrom('audio_usage').select('id').limit(1).executeTakeFirst();
      return row === undefined;
    },
    reconcile: (objects) => reconcile(database, objects, now()),
  };
}

async function reconcile(
  database: Database,
  objects: AsyncIterable<ListedAudio>,
  now: number,
): Promise<void> {
  const table = database.deleteFrom('audio_usage');
  await table.where('expires_at', '<=', now).execute();
  // Read before listing the store, so that objects stored meanwhile do not count as missing.
  const rows = await database
    .selectFrom('audio_usage')
    .select(['id', 'bytes'])
    .where('expires_at', 'is', null)
    .execute();
  const counted = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  for await (const { name: id, size } of objects) {
    const workspace = audioWorkspaceOf(id);
    const before = counted.get(id);
    counted.delete(id);
    if (workspace === null || before === size) continue;
    await database
      .insertInto('audio_usage')
      .values({ id, workspace, bytes: size })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes: size }))
      .execute();
  }
  for (const [id, bytes] of counted) {
    await table.where('id', '=', id).where('bytes', '=', bytes).execute();
  }
}

/** A workspace has reached a quota. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  /** The kind of data that the quota limits. */
  readonly kept: 'recordings' | 'results';
  /** The bytes that a workspace may keep. */
  readonly quota: number;
  /** The bytes that this workspace keeps, including uploads and runs in progress. */
  readonly used: number;

  constructor(kept: 'recordings' | 'results', quota: number, used: number) {
    super(`The workspace stores ${used} bytes of ${kept}; the limit is ${quota}.`);
    this.kept = kept;
    this.quota = quota;
    this.used = used;
  }
}

/** The bytes reserved at a time if the length of a body is unknown. */
const STEP_BYTES = 8 * 2 ** 20;
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
    async expire(...due) {
      const count = await store.expire(...due);
      await reconcile();
      return count;
    },
  };
}

async function startUpload(
  name: AudioName,
  { firstBytes, madeOf }: { firstBytes: number; madeOf: readonly string[] },
  { usage, disk }: Meters,
) {
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
    /** The body, reserving space as it arrives. */
    async *metered(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
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
    /** Releases disk space that was claimed but not written. */
    end(): void {
      clearInterval(renewal);
      claim.release();
    },
  };
}

interface Recordings {
  keys: string[];
  /** The number of recordings stored before 1.2 that no run names; their keys are unknown. */
  unnamed: number;
}

/**
 * Lists the recordings of a workspace. Stores know only hashes of keys, so the keys come from the table that counts
 * recordings and, for older recordings, from the runs that name them.
 */
export async function recordingsOf(
  database: Database,
  organizationId: string,
): Promise<Recordings> {
  const rows = await database
    .selectFrom('audio_usage')
    .select(['id', 'key'])
    .where('workspace', '=', audioWorkspaceName(organizationId))
    .where('expires_at', 'is', null)
    .orderBy('id')
    .execute();
  const objects = rows.filter(({ key }) => key === null || !isOwnKey(key));
  const isUnnamed = objects.some(({ key }) => key === null);
  const payloads = isUnnamed
    ? await database
        .selectFrom('runs')
        .select('payload')
        .where('organization_id', '=', organizationId)
        .execute()
    : [];
  const named = new Map(
    payloads.map(({ payload }) => {
      const { key } = (JSON.parse(payload) as PayloadBrief).audio;
      return [audioObjectName({ organizationId, key }), key];
    }),
  );
  const keys = objects
    .map(({ id, key }) => key ?? named.get(id))
    .filter((key) => key !== undefined);
  return { keys, unnamed: objects.length - keys.length };
}
