/** Counts the bytes of recordings that each workspace keeps or is uploading. */
import { randomUUID } from 'node:crypto';
import type { AudioName, ListedAudio } from './audio.ts';
import { objectName, workspaceName, workspaceOf } from './audio-names.ts';
import type { Database } from './database.ts';
import { QuotaExceeded } from './quota-exceeded.ts';
import { lockUntilCommit } from './transaction-lock.ts';

/** The time after which an upload that is not renewed stops counting, since its process may have died. */
const UPLOAD_LEASE_MS = 10 * 60_000;

/** The space reserved for an upload in progress. */
export interface AudioReservation {
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

export interface AudioUsage {
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
  /** Corrects the counts by the store's contents, from which they may differ after a crash. */
  reconcile(objects: AsyncIterable<ListedAudio>): Promise<void>;
}

/**
 * Counts usage in the service's database, for all processes.
 * @param quota the bytes allowed for one workspace; null for no limit
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
      const workspace = workspaceName(name.organizationId);
      const object = objectName(name);
      const id = `upload:${randomUUID()}`;
      const replaced = madeOf.map((key) => objectName({ ...name, key }));
      const take = (size: number): Promise<void> =>
        database.transaction().execute(async (transaction) => {
          // If two uploads compete for the last space, only one gets it.
          await lockUntilCommit(transaction, `audio:${workspace}`);
          const used = await usedBesides(transaction, workspace, [object, id, ...replaced]);
          if (quota !== null && used + size > quota)
            throw new QuotaExceeded('recordings', quota, used);
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
      await database.deleteFrom('audio_usage').where('id', '=', objectName(name)).execute();
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
    const workspace = workspaceOf(id);
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
