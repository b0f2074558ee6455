/**
 * Uploads that can continue after a broken connection. Each part that arrives is an object of the audio store, so the
 * store's quota, sweep and expiry apply to it; the rows record which parts make up which recording.
 */
import { randomUUID } from 'node:crypto';
import type { AudioStore } from './audio.ts';
import type { Database } from './database.ts';
import {
  createResumableRows,
  type NewUpload,
  type UploadTurnRefusal,
  type ResumableUpload,
} from './resumable-rows.ts';

/** The interval for renewing the lease for joining the parts, well within the lease. */
const RENEW_EVERY_MS = 3000;
/** The time for which an expired upload is remembered as such. */
const REMEMBERED_MS = 24 * 3_600_000;
/** The number of parts deleted at the same time. */
const DELETED_AT_ONCE = 8;

/** Passes a recording on, or throws if it is not a valid one. */
type CheckRecording = (recording: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

export interface ResumableUploads {
  /** Creates an upload; null if the workspace already has `most` unfinished ones. */
  create(upload: NewUpload, most: number): Promise<ResumableUpload | null>;
  /** An upload of a workspace, which can be found until a day after it expired; null if there is none. */
  find(organizationId: string, id: string): Promise<ResumableUpload | null>;
  /** The number of parts of an upload. */
  countParts(id: string): Promise<number>;
  /**
   * Stores and records a part, unless the upload has advanced meanwhile. The last part completes the recording.
   * @param mostBytes the largest size of this part
   * @returns the upload afterwards
   * @throws any error of the body or the check, {@link QuotaExceeded}, {@link StorageUnavailable}; the part is then
   * discarded
   */
  append(
    upload: ResumableUpload,
    part: AsyncIterable<Uint8Array>,
    mostBytes: number,
    checked: CheckRecording,
  ): Promise<ResumableUpload | UploadTurnRefusal>;
  /** Deletes an upload with its parts, but not the recording that it has become. */
  discard(upload: Pick<ResumableUpload, 'id' | 'organizationId'>): Promise<void>;
  /** Deletes all uploads of a workspace, with their parts. */
  discardAll(organizationId: string): Promise<void>;
  /** Deletes the parts of expired uploads, and forgets uploads that expired a day ago. */
  expire(): Promise<void>;
}

const PART_MARK = '\u0001';

/** A key that no client can use, since keys of recordings contain no control characters. */
const partKey = (id: string): string => `${PART_MARK}${id}/${randomUUID()}`;

/** Whether a key is that of a part. */
export const isPartKey = (key: string): boolean => key.startsWith(PART_MARK);

/** Keeps uploads in a database and an audio store, for all processes that share them. */
export function createResumableUploads(
  { database, audio }: { database: Database; audio: AudioStore },
  now: () => number = Date.now,
): ResumableUploads {
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

  const discard: ResumableUploads['discard'] = async ({ id, organizationId }) => {
    await deleteParts(organizationId, id);
    await rows.remove(id);
  };

  return {
    create: rows.create,
    find: rows.find,
    countParts: async (id) => (await rows.parts(id)).length,
    async append(upload, part, mostBytes, checked) {
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
    async discardAll(organizationId) {
      for (const upload of await rows.ofWorkspace(organizationId)) await discard(upload);
    },
    async expire() {
      for (const upload of await rows.expired()) {
        const isForgotten = upload.expiresAt <= now() - REMEMBERED_MS;
        await (isForgotten ? discard(upload) : deleteParts(upload.organizationId, upload.id));
      }
    },
  };
}
