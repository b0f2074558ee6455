/** The rows of resumable uploads. An upload advances by compare and set, so only one of two processes advances it. */
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { lockUntilCommit } from './transaction-lock.ts';

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
export type NewUpload = Omit<ResumableUpload, 'id' | 'received'>;

/** The reason why a part was refused: another one came first, or another process is joining the parts. */
export type UploadTurnRefusal = 'moved' | 'busy';

/** A stored part: the position of its first byte, and the key of its object. */
interface StoredPart {
  start: number;
  key: string;
}

/** Creates the access to the rows. */
export function createResumableRows(database: Database, now: () => number) {
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
