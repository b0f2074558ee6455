/** An audio store in an S3 bucket, shared by all processes. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { S3Client, S3Errors } from '@bradenmacdonald/s3-lite-client';
import { createLimiter, realTime, type Waiting } from '../base/concurrency.ts';
import type { S3Bucket } from './locations.ts';
import {
  type AudioName,
  type AudioStore,
  isAudioVersion,
  audioObjectName,
  dueBefore,
} from './audio.ts';
import { writeFileFrom } from './write-file.ts';
import { isOutage, StorageUnavailable } from './outage.ts';

/** The smallest part that S3 allows; each upload holds four of them in memory. */
const PART_BYTES = 5 * 2 ** 20;
/** The number of simultaneous uploads to the bucket; the others wait on disk. */
const UPLOADS_AT_ONCE = 4;
/** The time-out of a request without a recording. A request with one gets this much more for each part. */
const TIMEOUT_MS = 15_000;
const TIMEOUT_PER_PART_MS = 10_000;
/** The time-out for looking through the whole bucket. */
const EXPIRE_TIMEOUT_MS = 10 * 60_000;
/**
 * Creates a store in a bucket.
 * @param spoolFolder a folder used only by this process, where uploads are kept until they are complete, because S3
 *   keeps the parts of an interrupted upload and charges for them
 * @param waiting the timer for retries
 */
export function createS3AudioStore(
  location: S3Bucket,
  spoolFolder: string,
  waiting: Waiting = realTime,
): AudioStore {
  const { prefix } = location;
  const { client, reliably, prepare, stat, remove, upload } = openBucket(location, waiting);
  const limited = createLimiter(UPLOADS_AT_ONCE);
  const nameOf = (name: AudioName): string => prefix + audioObjectName(name);
  const removeTagged = (name: string, etag: string) => {
    let attempts = 0;
    return reliably(() => {
      attempts += 1;
      return removeEntity(client, name, etag, attempts > 1);
    });
  };
  const late = createLateUploads(removeTagged);

  return {
    prepare,
    async put(organizationId, key, body) {
      const path = join(spoolFolder, `${randomUUID()}.part`);
      const name = nameOf({ organizationId, key });
      await mkdir(spoolFolder, { recursive: true });
      try {
        const size = await writeFileFrom(path, body, { durable: false });
        late.renewed(name);
        await limited(() =>
          upload(name, path, size, 'audio/mpeg', (abandoned) => late.follow(name, abandoned)),
        );
        return { size };
      } finally {
        await rm(path, { force: true });
      }
    },
    async stat(organizationId, key) {
      const found = await stat(nameOf({ organizationId, key }));
      return found && { size: found.size, version: versionOf(found) };
    },
    async *read(organizationId, key, { start, end } = { start: 0, end: Number.POSITIVE_INFINITY }) {
      if (end <= start) return;
      const length = Number.isFinite(end) ? end - start : 0;
      let response: Response;
      try {
        response = await reliably(() =>
          client.getPartialObject(nameOf({ organizationId, key }), { offset: start, length }),
        );
      } catch (error) {
        // The range begins after the end.
        if (isStatus(error, 416)) return;
        throw error;
      }
      const reader = response.body?.getReader();
      try {
        // Some servers ignore an end at byte 0 and return everything.
        for (let left = end - start; left > 0;) {
          const next = await within(waiting.deadline(TIMEOUT_MS), Promise.resolve(reader?.read()));
          if (!next || next.done) return;
          yield next.value.subarray(0, left);
          left -= next.value.length;
        }
      } catch (error) {
        throw asUnavailable(error);
      } finally {
        void reader?.cancel().catch(() => {});
      }
    },
    async delete(organizationId, key, version) {
      const name = nameOf({ organizationId, key });
      const found = await stat(name);
      if (version === undefined) late.deleted(name);
      if (!found) return false;
      if (version === undefined) await remove(name);
      else if (!isAudioVersion(versionOf(found), version)) return false;
      else {
        late.deleted(name);
        return removeTagged(name, found.etag);
      }
      return true;
    },
    /**
     * Does nothing: interrupted uploads are deleted with the process's folder, and the bucket has to clear its own
     * parts.
     */
    async sweep() {},
    async expire(before, inUse, sooner = new Map()) {
      const kept = new Set(inUse.map(nameOf));
      let count = 0;
      // A retry starts over, and no longer finds objects that are deleted.
      await reliably(async () => {
        for await (const found of client.listObjects({ prefix: `${prefix}objects/` })) {
          const due = dueBefore(found.key.slice(prefix.length), before, sooner);
          if (found.lastModified.getTime() > due || kept.has(found.key)) continue;
          await remove(found.key);
          count += 1;
        }
      }, EXPIRE_TIMEOUT_MS);
      return count;
    },
    async *list() {
      try {
        for await (const { key, size } of client.listObjects({ prefix: `${prefix}objects/` })) {
          yield { name: key.slice(prefix.length), size };
        }
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    async check() {
      await reliably(() => client.putObject(`${prefix}health/probe`, 'probe'));
    },
  };
}

/**
 * Opens a bucket, whose requests are repeated if they fail in passing.
 * @param waiting the timer for retries
 * @param timeoutMs the time-out of a request without a file
 */
export function openBucket(
  { bucket, endpoint, region, accessKeyId, secretAccessKey }: S3Bucket,
  waiting: Waiting = realTime,
  timeoutMs = TIMEOUT_MS,
) {
  const client = new S3Client({
    endPoint: endpoint,
    region,
    bucket,
    accessKey: accessKeyId,
    secretKey: secretAccessKey,
  });
  const reliably = <T>(work: () => Promise<T>, limitMs = timeoutMs) =>
    withRetries(waiting, limitMs, work);
  return {
    client,
    reliably,
    /** Creates the bucket if it does not exist and the keys allow it. */
    prepare: () =>
      reliably(async () => {
        if (await client.bucketExists(bucket)) return;
        await client.makeBucket(bucket).catch(async (error: unknown) => {
          // Another process has created it first.
          if (!(await client.bucketExists(bucket))) throw error;
        });
      }),
    /** What the bucket says of an object; null if there is none. */
    stat: (name: string): Promise<S3Found | null> =>
      reliably(async () => {
        try {
          return await client.statObject(name);
        } catch (error) {
          if (isStatus(error, 404)) return null;
          throw error;
        }
      }),
    remove: (name: string) => reliably(() => client.deleteObject(name)),
    /** Stores a file of the disk. @param late receives an upload that timed out but may still arrive */
    upload: (
      name: string,
      path: string,
      size: number,
      type: string,
      late?: (upload: Promise<{ etag: string }>) => void,
    ) =>
      withRetries(
        waiting,
        timeoutMs + Math.ceil(size / PART_BYTES) * TIMEOUT_PER_PART_MS,
        () =>
          client.putObject(name, webStream(path), {
            size,
            partSize: PART_BYTES,
            metadata: { 'Content-Type': type },
          }),
        late,
      ),
  };
}

/** The version of an object. The same bytes always have the same entity tag, so the time distinguishes uploads. */
export const versionOf = ({ etag, size, lastModified }: S3Found): string =>
  `${etag}-${size}@${lastModified.getTime()}`;

interface S3Found {
  etag: string;
  size: number;
  lastModified: Date;
}

/**
 * Deletes an object whose entity tag is still the same, as S3 supports it (If-Match, "Conditional deletes" in its user
 * guide). A server that does not support the header deletes the object regardless. If a repeated request finds nothing,
 * the first one deleted the object, and its response was lost.
 */
async function removeEntity(
  client: S3Client,
  objectName: string,
  etag: string,
  isRepeated: boolean,
): Promise<boolean> {
  const headers = new Headers({ 'if-match': `"${etag}"` });
  try {
    await client.makeRequest({ method: 'DELETE', objectName, headers, statusCode: 204 });
    return true;
  } catch (error) {
    if (isStatus(error, 412)) return false;
    if (isStatus(error, 404)) return isRepeated;
    throw error;
  }
}

const webStream = (path: string): ReadableStream<Uint8Array> =>
  Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>;

/** An upload that is followed. */
class LateUpload {
  isDeleted = false;
}

/**
 * Follows the uploads of one store that timed out but may still arrive, since the S3 client cannot end a request: one
 * that arrives after its recording was deleted is deleted too.
 * @param remove deletes an object if it still has this entity tag
 */
function createLateUploads(remove: (name: string, etag: string) => Promise<unknown>) {
  const names = new Map<LateUpload, string>();
  const mark = (name: string, isDeleted: boolean): void => {
    for (const [upload, own] of names) if (own === name) upload.isDeleted = isDeleted;
  };
  return {
    /** Follows an upload that timed out until it arrives or fails. */
    follow(name: string, arriving: Promise<{ etag: string }>): void {
      const upload = new LateUpload();
      names.set(upload, name);
      void (async () => {
        try {
          const { etag } = await arriving;
          if (upload.isDeleted) await remove(name, etag);
        } catch {
          // The upload failed, which was already reported; or it could not be deleted, and expires later.
        } finally {
          names.delete(upload);
        }
      })();
    },
    /** Records that the object was deleted, so that earlier uploads that arrive late are deleted too. */
    deleted: (name: string): void => mark(name, true),
    /** Records that the object is uploaded again, so that it is no longer deleted. */
    renewed: (name: string): void => mark(name, false),
    /** The number of uploads that are followed. */
    count: (): number => names.size,
  };
}

/** The pauses before retries of a request that may be repeated. */
const RETRY_AFTER_MS = [200, 1000];

/** Whether an error is a refusal with this status. */
const isStatus = (error: unknown, status: number): boolean =>
  error instanceof S3Errors.ServerError && error.statusCode === status;

/**
 * Retries temporary failures, then reports that the store is unavailable.
 * @param onTimeout called with work that is late and goes on
 */
async function withRetries<T>(
  { pause, deadline }: Waiting,
  timeoutMs: number,
  work: () => Promise<T>,
  onTimeout?: (work: Promise<T>) => void,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const limit = deadline(timeoutMs);
    const trying = work();
    try {
      return await within(limit, trying);
    } catch (error) {
      if (limit.aborted) onTimeout?.(trying);
      const failure = asUnavailable(error);
      const ms = RETRY_AFTER_MS[tries];
      if (!(failure instanceof StorageUnavailable) || ms === undefined) throw failure;
      await pause(ms);
    }
  }
}

/** Limits the time of work, since the client has no time-outs of its own. */
async function within<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timeOut = () => late.reject(new StorageUnavailable('S3 does not respond.'));
  limit.addEventListener('abort', timeOut);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    limit.removeEventListener('abort', timeOut);
  }
}

/**
 * Converts a temporary refusal by the bucket's server, or the lack of a response, into an outage. Other errors are
 * unchanged.
 */
function asUnavailable(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return error;
  const refused = error instanceof S3Errors.ServerError;
  const passing = refused
    ? error.statusCode >= 500 || error.statusCode === 429 || error.statusCode === 403
    : error instanceof TypeError || isOutage(error);
  return passing
    ? new StorageUnavailable('S3 cannot be used at the moment.', { cause: error })
    : error;
}
