/** What goes by itself: recordings, results and steps whose time is over; and runs that a crash left unqueued. */
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { forgetAnswers } from '../storage/audit-answers.ts';
import type { AudioStore } from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { doIfDue } from '../storage/schedules.ts';
import type { RunEngine } from './engine.ts';
import type { RunSurveys } from './run-surveys.ts';
import type { Runs } from './service.ts';

const MINUTE_MS = 60_000;
/** The steps of a run hold its transcript: they go soon after its end. */
const STEPS_KEPT_MS = 60 * MINUTE_MS;
/** Half-written uploads of processes that died, where others may be writing. */
const UPLOAD_UNTOUCHED_MS = 60 * MINUTE_MS;
const LEASE_MS = 10 * MINUTE_MS;
const RECOVER_EVERY_MS = 5000;

export interface HousekeepingServices {
  database: Database;
  surveys: RunSurveys;
  engine: RunEngine;
  audio: AudioStore;
  runs: Runs;
  log: Log;
}

type Lifetimes = Pick<Config, 'audioTtlMs' | 'resultTtlMs'>;

/** Begins; what is due is done now and then until `stop`. */
export function startHousekeeping(
  lifetimes: Lifetimes,
  services: HousekeepingServices,
): { stop(): Promise<void> } {
  const { log } = services;
  const shortest = Math.min(lifetimes.audioTtlMs, lifetimes.resultTtlMs);
  const pruneEveryMs = Math.min(60 * MINUTE_MS, Math.max(1000, shortest / 4));
  const prune = repeat(pruneEveryMs, async () => {
    try {
      await pruneIfDue(lifetimes, pruneEveryMs, services);
    } catch (error) {
      log.error('pruning_failed', { error });
    }
  });
  const recover = repeat(RECOVER_EVERY_MS, async () => {
    try {
      await services.runs.recover(Date.now() - RECOVER_EVERY_MS);
    } catch (error) {
      log.warn('runs_not_recovered', { error });
    }
  });
  return {
    async stop() {
      await Promise.all([prune.stop(), recover.stop()]);
    },
  };
}

async function pruneIfDue(
  { audioTtlMs, resultTtlMs }: Lifetimes,
  everyMs: number,
  { database, surveys, engine, audio, log }: HousekeepingServices,
): Promise<void> {
  const now = Date.now();
  await doIfDue(database, { name: 'prune', everyMs, leaseMs: LEASE_MS }, now, async () => {
    const runs = await surveys.forget(now - resultTtlMs);
    const steps = await engine.prune(now - Math.min(STEPS_KEPT_MS, resultTtlMs));
    await forgetAnswers(database, now - resultTtlMs);
    const recordings = await audio.expire(now - audioTtlMs, await surveys.audioInUse());
    await audio.sweep(UPLOAD_UNTOUCHED_MS);
    if (runs + steps + recordings > 0) log.info('pruned', { runs, steps, recordings });
  });
}

/** Does something at once and then every so often, never twice at a time. */
function repeat(everyMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let under = work();
  let busy = true;
  const settle = (done: Promise<void>) => {
    busy = true;
    under = done.finally(() => (busy = false));
  };
  settle(under);
  const timer = setInterval(() => {
    if (!busy) settle(work());
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await under;
    },
  };
}
