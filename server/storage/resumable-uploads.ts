/**
 * Uploads that can continue after a broken connection. Each part that arrives is an object of the audio store, so the
 * store's quota, sweep and expiry apply to it; the rows record which parts make up which recording.
 */
import { randomUUID } from 'node:crypto';
import type { AudioStore } from './audio.ts';
import type { Database } from './database.ts';
import { lockUntilCommit } from './transaction-lock.ts';

/** The interval for renewing the lease for joining the parts, well within the lease. */
const RENEW_EVERY_MS = 3000;
/** The time for which an expired upload is remembered as such. */
const REMEMBERED_MS = 24 * 3_600_000;
/** The number of parts deleted at the same time. */
const DELETED_AT_ONCE = 8;

/** Passes a recording on, or throws if it is not a valid one. */
type CheckRecording = (recording: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

/** A key of the service's own. */
const partKey = (id: string): string => `\u0001${id}/${randomUUID()}`;

/** Keeps uploads in a database and an audio store, for all processes that share them. */
export function createResumableUploads(
  { database, audio }: { database: Database; audio: AudioStore },
  now: () => number = Date.now,
) {
  const rows = createResumableRows(database, now);

  const deleteParts = async (organizationId: string, id: string): Promise<void> => {
    const parts = await rows.parts(id);
    for (let at = 0; at < parts.length; at += DELETED_AT_ONCE) {
      await Promise.all(
        parts.slice(at, at + DELETED_AT_ONCE).map(async ({ start, key }) => {
          await audio.delete(organizationId, key);
          await rows.removePart(id, start);
        }),
      );
    }
  };

  /** Stores the recording under its key, which completes the upload. */
  const join = async (
    upload: ResumableUpload,
    last: string,
    checked: CheckRecording,
  ): Promise<UploadTurnRefusal | null> => {
    const refused = await rows.takeTurn(upload);
    if (refused !== null) return refused;
    const renewal = setInterval(() => {
      rows.keepTurn(upload).catch(() => {});
    }, RENEW_EVERY_MS);
    try {
      const { organizationId, key, length } = upload;
      const keys = [...(await rows.parts(upload.id)).map((part) => part.key), last];
      const recording = async function* () {
        for (const each of keys) yield* audio.read(organizationId, each);
      };
      await audio.put(organizationId, key, checked(recording()), length, keys);
      return (await rows.finish(upload)) ? null : 'moved';
    } catch (error) {
      await rows.leaveTurn(upload).catch(() => {});
      throw error;
    } finally {
      clearInterval(renewal);
    }
  };

  const count = async (upload: ResumableUpload, key: string, bytes: number) =>
    (await rows.addPart(upload, key, bytes)) ? null : ('moved' as const);

  /** Deletes an upload with its parts, but not the recording that it has become. */
  const discard = async ({
    id,
    organizationId,
  }: Pick<ResumableUpload, 'id' | 'organizationId'>): Promise<void> => {
    await deleteParts(organizationId, id);
    await rows.remove(id);
  };

  return {
    /** Creates an upload; null if the workspace already has `most` unfinished ones. */
    create: rows.create,
    /** An upload of a workspace, which can be found until a day after it expired; null if there is none. */
    find: rows.find,
    /** The number of parts of an upload. */
    countParts: async (id: string): Promise<number> => (await rows.parts(id)).length,
    /**
     * Stores and records a part, unless the upload has advanced meanwhile. The last part completes the recording.
     * @param mostBytes the largest size of this part
     * @returns the upload afterwards
     * @throws any error of the body or the check, {@link QuotaExceeded}, {@link StorageUnavailable}; the part is then
     * discarded
     */
    async append(
      upload: ResumableUpload,
      part: AsyncIterable<Uint8Array>,
      mostBytes: number,
      checked: CheckRecording,
    ): Promise<ResumableUpload | UploadTurnRefusal> {
      const { id, organizationId, length } = upload;
      const key = partKey(id);
      const { size } = await audio.put(organizationId, key, part, mostBytes);
      const received = upload.received + size;
      const isLast = received === length;
      let isKept = false;
      try {
        const refused = isLast ? await join(upload, key, checked) : await count(upload, key, size);
        if (refused !== null) return refused;
        isKept = !isLast;
      } finally {
        // If this fails, the part is deleted when it expires.
        if (!isKept) await audio.delete(organizationId, key).catch(() => {});
      }
      if (isLast) await deleteParts(organizationId, id);
      return { ...upload, received };
    },
    discard,
    /** Deletes all uploads of a workspace, with their parts. */
    async discardAll(organizationId: string): Promise<void> {
      for (const upload of await rows.ofWorkspace(organizationId)) await discard(upload);
    },
    /** Deletes the parts of expired uploads, and forgets uploads that expired a day ago. */
    async expire(): Promise<void> {
      for (const upload of await rows.expired()) {
        const isForgotten = upload.expiresAt <= now() - REMEMBERED_MS;
        await (isForgotten ? discard(upload) : deleteParts(upload.organizationId, upload.id));
      }
    },
  };
}

/** The time for which a dead process keeps others from joining the parts, in milliseconds. */
const JOIN_LEASE_MS = 10_000;

export interface ResumableUpload {
  id: string;
  organizationId: string;
  /** The key that the recording will have. */
  key: string;
  /** The Upload-Metadata header as the client sent it. */
  metadata: string;
  /** The bytes of the whole recording. */
  length: number;
  /** The bytes stored so far; equal to `length` only once the recording is stored under its key. */
  received: number;
  /** In epoch milliseconds. */
  expiresAt: number;
}

/** An upload to start. */
type NewUpload = Omit<ResumableUpload, 'id' | 'received'>;

/** The reason why a part was refused: another one came first, or another process is joining the parts. */
type UploadTurnRefusal = 'moved' | 'busy';

/** A stored part: the position of its first byte, and the key of its object. */
interface StoredPart {
  start: number;
  key: string;
}

/** Creates the access to the rows. */
function createResumableRows(database: Database, now: () => number) {
  /** Restricts a change to the row of an upload that has not advanced since it was read. */
  const whereSeen = (where: Database, { id, received }: ResumableUpload) =>
    where.updateTable('resumable_uploads').where('id', '=', id).where('received', '=', received);

  return {
    /** Creates an upload; null if the workspace already has `most` unfinished ones. */
    async create(upload: NewUpload, most: number): Promise<ResumableUpload | null> {
      const { organizationId, key, metadata, length, expiresAt } = upload;
      return database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `open uploads of ${organizationId}`);
        const { open } = await transaction
          .selectFrom('resumable_uploads')
          .select((eb) => eb.fn.countAll<number | string>().as('open'))
          .where('organization_id', '=', organizationId)
          .where('expires_at', '>', now())
          .whereRef('received', '<', 'length')
          .executeTakeFirstOrThrow();
        if (Number(open) >= most) return null;
        const id = randomUUID();
        const row = { id, organization_id: organizationId, key, metadata, length, received: 0 };
        await transaction
          .insertInto('resumable_uploads')
          .values({ ...row, expires_at: expiresAt })
          .execute();
        return { ...upload, id, received: 0 };
      });
    },
    /** An upload of a workspace; null if it does not exist. */
    async find(organizationId: string, id: string): Promise<ResumableUpload | null> {
      const row = await database
        .selectFrom('resumable_uploads')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      if (!row) return null;
      const { key, metadata, length, received, expires_at: expiresAt } = row;
      return { id, organizationId, key, metadata, length, received, expiresAt };
    },
    /** The parts of an upload, in order. */
    parts: (id: string): Promise<StoredPart[]> =>
      database
        .selectFrom('resumable_parts')
        .select(['start', 'key'])
        .where('upload_id', '=', id)
        .orderBy('start')
        .execute(),
    /** Records a part; false if the upload has advanced meanwhile. */
    addPart: (upload: ResumableUpload, key: string, bytes: number): Promise<boolean> =>
      database.transaction().execute(async (transaction) => {
        const start = upload.received;
        const { numUpdatedRows } = await whereSeen(transaction, upload)
          .set({ received: start + bytes })
          .executeTakeFirstOrThrow();
        if (numUpdatedRows !== 1n) return false;
        await transaction
          .insertInto('resumable_parts')
          .values({ upload_id: upload.id, start, key })
          .execute();
        return true;
      }),
    async removePart(id: string, start: number): Promise<void> {
      await database
        .deleteFrom('resumable_parts')
        .where('upload_id', '=', id)
        .where('start', '=', start)
        .execute();
    },
    /** Takes the lease for joining the parts. @returns null on success */
    async takeTurn(upload: ResumableUpload): Promise<UploadTurnRefusal | null> {
      const { numUpdatedRows } = await whereSeen(database, upload)
        .set({ joining_until: now() + JOIN_LEASE_MS })
        .where((eb) => eb.or([eb('joining_until', 'is', null), eb('joining_until', '<=', now())]))
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 1n) return null;
      const found = await this.find(upload.organizationId, upload.id);
      return found?.received === upload.received ? 'busy' : 'moved';
    },
    /** Renews the lease. */
    async keepTurn(upload: ResumableUpload): Promise<void> {
      await whereSeen(database, upload)
        .set({ joining_until: now() + JOIN_LEASE_MS })
        .execute();
    },
    /** Releases the lease. */
    async leaveTurn(upload: ResumableUpload): Promise<void> {
      await whereSeen(database, upload).set({ joining_until: null }).execute();
    },
    /** Records that the recording is stored; false if another process has finished it. */
    async finish(upload: ResumableUpload): Promise<boolean> {
      const { numUpdatedRows } = await whereSeen(database, upload)
        .set({ received: upload.length, joining_until: null })
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
    async remove(id: string): Promise<void> {
      await database.deleteFrom('resumable_uploads').where('id', '=', id).execute();
    },
    /** The uploads of a workspace. */
    ofWorkspace: (organizationId: string) =>
      database
        .selectFrom('resumable_uploads')
        .select(['id', 'organization_id as organizationId'])
        .where('organization_id', '=', organizationId)
        .execute(),
    /** All uploads that have expired. */
    expired: () =>
      database
        .selectFrom('resumable_uploads')
        .select(['id', 'organization_id as organizationId', 'expires_at as expiresAt'])
        .where('expires_at', '<=', now())
        .execute(),
  };
}
