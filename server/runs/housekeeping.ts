/** Deletes what is no longer kept, and does other periodic work, in one process at a time. */
import type { Lifetimes } from '../config/config.ts';
import type { Log } from '../base/log.ts';
import { forgetAnswers } from '../storage/audit-answers.ts';
import type { AudioStore } from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { createResumableUploads } from '../storage/resumable-uploads.ts';
import type { RunQueue } from './queue/queue.ts';
import { deleteOverdueMedia, eraseOverdue, keptRecordingsSince } from './retention.ts';
import type { RunErasures } from './run-erasure.ts';
import { retryDeletions } from './pending-deletions.ts';
import { forgetDeliveries } from '../webhooks/webhook-store.ts';
import { repeat, type Repetition } from '../base/concurrency.ts';
import { forgetEvents } from '../storage/workspace-audit.ts';
import { forgetMedia, mediaInUse } from '../storage/run-media.ts';
import type { CaptionSearch } from '../search/caption-search.ts';
import { noteUnsearched } from '../search/due.ts';
import { forgetLinks, soundsInUse } from '../reviews/review-links.ts';
import { forgetLeftSpeakers } from '../voices/known-speakers.ts';
import type { RunQueries } from './store/run-queries.ts';
import type { DoWork, Runs } from './service.ts';

const MINUTE_MS = 60_000;
/** The time for which a run's steps are kept after its end; it is short because they contain the transcript. */
const STEPS_KEPT_MS = 60 * MINUTE_MS;
/**
 * The time after which an untouched incomplete upload counts as abandoned, if other processes write to the folder too.
 */
export const UPLOAD_UNTOUCHED_MS = 60 * MINUTE_MS;
const LEASE_MS = 10 * MINUTE_MS;
const RECOVER_EVERY_MS = 5000;
/** The most runs whose captions are made ready to be searched at a time. */
const SEARCHED_AT_ONCE = 20;

interface HousekeepingServices {
  database: Database;
  queries: RunQueries;
  queue: RunQueue;
  audio: AudioStore;
  runs: Runs;
  erasure: RunErasures;
  captionSearch: Pick<CaptionSearch, 'prepare'>;
  log: Log;
  /** Works on results; default: in this thread. */
  work?: DoWork;
}

/** Starts housekeeping, which repeats until `stop`. */
export function startHousekeeping(
  lifetimes: Lifetimes,
  services: HousekeepingServices,
): Repetition {
  const { log } = services;
  const shortest = Math.min(lifetimes.audioTtlMs, lifetimes.resultTtlMs);
  const pruneEveryMs = Math.min(60 * MINUTE_MS, Math.max(1000, shortest / 4));
  const prune = () =>
    pruneIfDue(lifetimes, pruneEveryMs, services).catch((error: unknown) => {
      log.error('pruning_failed', { error });
    });
  const recover = () =>
    services.runs.recover(Date.now() - RECOVER_EVERY_MS).catch((error: unknown) => {
      log.warn('runs_not_recovered', { error });
    });
  const deleteOwed = () =>
    retryDeletions(services.database, services.audio, log, services.work).catch(
      (error: unknown) => {
        log.warn('pending_deletions_not_read', { error });
      },
    );
  const search = () =>
    services.captionSearch.prepare(SEARCHED_AT_ONCE).catch((error: unknown) => {
      log.warn('captions_not_searched', { error });
    });
  const first = Promise.all([prune(), recover(), deleteOwed()]);
  const repeated = [
    repeat(pruneEveryMs, prune),
    repeat(RECOVER_EVERY_MS, recover),
    repeat(RECOVER_EVERY_MS, deleteOwed),
    repeat(RECOVER_EVERY_MS, search),
  ];
  return {
    async stop() {
      await Promise.all([first, ...repeated.map((one) => one.stop())]);
    },
  };
}

async function pruneIfDue(
  { audioTtlMs, resultTtlMs }: Lifetimes,
  everyMs: number,
  { database, queries, queue, audio, erasure, log }: HousekeepingServices,
): Promise<void> {
  const now = Date.now();
  await doIfDue(database, { name: 'prune', everyMs, leaseMs: LEASE_MS }, now, async () => {
    await forgetMedia(database, audio, now - resultTtlMs, now);
    const overdue = await eraseOverdue({ database, erasure, log }, now);
    await deleteOverdueMedia({ database, audio, log }, now);
    const runs = overdue + (await queries.forget(now - resultTtlMs));
    await forgetEvents(database, now);
    const steps = await queue.prune(now - Math.min(STEPS_KEPT_MS, resultTtlMs));
    await forgetLeftSpeakers(database, now - audioTtlMs);
    await forgetAnswers(database, now - resultTtlMs);
    await noteUnsearched(database);
    await forgetDeliveries(database, now - resultTtlMs, now);
    await forgetLinks(database, audio, now);
    await createResumableUploads({ database, audio }).expire();
    const inUse = [
      ...(await queries.audioInUse()),
      ...(await soundsInUse(database)),
      ...(await mediaInUse(database)),
    ];
    const recordings = await audio.expire(
      now - audioTtlMs,
      inUse,
      await keptRecordingsSince(database, now),
    );
    await audio.sweep(UPLOAD_UNTOUCHED_MS);
    if (runs + steps + recordings > 0) log.info('pruned', { runs, steps, recordings });
  });
}

interface Schedule {
  name: string;
  everyMs: number;
  /** The time for which a process that dies during the work keeps others from doing it. */
  leaseMs: number;
}

/**
 * Does work that is due, unless another process is doing it. If the work fails, or the process dies meanwhile, it is
 * repeated.
 * @returns whether this call did the work
 */
export async function doIfDue(
  database: Database,
  { name, everyMs, leaseMs }: Schedule,
  now: number,
  work: () => Promise<void>,
): Promise<boolean> {
  await database
    .insertInto('schedules')
    .values({ name, due_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { numUpdatedRows } = await database
    .updateTable('schedules')
    .set({ lease_until: now + leaseMs })
    .where('name', '=', name)
    .where('due_at', '<=', now)
    .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<=', now)]))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) return false;
  let dueAt = now;
  try {
    await work();
    dueAt = now + everyMs;
    return true;
  } finally {
    await database
      .updateTable('schedules')
      .set({ due_at: dueAt, lease_until: null })
      .where('name', '=', name)
      .where('lease_until', '=', now + leaseMs)
      .execute();
  }
}
