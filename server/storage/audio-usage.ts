/** How many bytes of recordings each workspace keeps, and how many are on their way in. */
import { randomUUID } from 'node:crypto';
import type { AudioName, ListedAudio } from './audio.ts';
import { objectName, workspaceName, workspaceOf } from './audio-names.ts';
import type { Database } from './database.ts';
import { lockUntilCommit } from './transaction-lock.ts';

/** An upload counts for this long after it was last renewed: its process may have died. */
const UPLOAD_LEASE_MS = 10 * 60_000;

/** A workspace would keep more than its quota. */
export class AudioQuotaExceeded extends Error {
  override readonly name = 'AudioQuotaExceeded';
  /** Bytes that a workspace may keep. */
  readonly quota: number;
  /** Bytes that this one keeps, uploads under way among them. */
  readonly used: number;

  constructor(quota: number, used: number) {
    super(`The workspace keeps ${used} bytes of recordings, of ${quota} at most.`);
    this.quota = quota;
    this.used = used;
  }
}

/** The place of an upload under way among what its workspace keeps. */
export interface AudioReservation {
  /**
   * Takes so many bytes in all.
   * @throws {AudioQuotaExceeded} there is no room for them; those taken before stay taken
   */
  grow(bytes: number): Promise<void>;
  /** Keeps it counted for a while longer. */
  renew(): Promise<void>;
  /** The upload is stored: it counts with its size until it is forgotten. */
  keep(bytes: number): Promise<void>;
  /** The upload came to nothing. */
  release(): Promise<void>;
}

export interface AudioUsage {
  /**
   * Takes room for an upload before it is read. What it will replace is not counted twice.
   * @throws {AudioQuotaExceeded} there is no room
   */
  reserve(name: AudioName, bytes: number): Promise<AudioReservation>;
  /** An object was deleted. */
  forget(name: AudioName): Promise<void>;
  /** Whether any object has been counted yet. */
  isEmpty(): Promise<boolean>;
  /** Makes the count agree with the store: crashes leave one without the other. */
  reconcile(objects: AsyncIterable<ListedAudio>): Promise<void>;
}

/**
 * The usage in the service's database, the same for all processes.
 * @param quota bytes for one workspace; null: any amount
 */
export function createAudioUsage(
  database: Database,
  quota: number | null,
  now: () => number = Date.now,
): AudioUsage {
  /** Bytes of a workspace but for two rows: what is replaced, and the upload that asks. */
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
    async reserve(name, bytes) {
      const workspace = workspaceName(name.organizationId);
      const object = objectName(name);
      const id = `upload:${randomUUID()}`;
      const take = (size: number): Promise<void> =>
        database.transaction().execute(async (transaction) => {
          // Of two uploads for the last place one gets it.
          await lockUntilCommit(transaction, `audio:${workspace}`);
          const used = await usedBesides(transaction, workspace, [object, id]);
          if (quota !== null && used + size > quota) throw new AudioQuotaExceeded(quota, used);
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
              .values({ id: object, workspace, bytes: size, expires_at: null })
              .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes: size }))
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
  await table.where('expires_at', 'is not', null).where('expires_at', '<=', now).execute();
  // Read before the store is listed: what is stored meanwhile is not taken for missing.
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
      .values({ id, workspace, bytes: size, expires_at: null })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes: size }))
      .execute();
  }
  for (const [id, bytes] of counted) {
    await table.where('id', '=', id).where('bytes', '=', bytes).execute();
  }
}
