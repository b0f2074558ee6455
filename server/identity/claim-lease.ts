/**
 * The hold of one claim on its registration, while it asks an outside provider. It is short and is
 * renewed while the claim goes on: a process that dies, even by SIGKILL, keeps nobody out for longer
 * than that.
 */
import type { Database } from '../storage/database.ts';
import type { Registration } from './claims.ts';

export interface LeaseTimes {
  /** A lease that is not renewed ends after this, in milliseconds. */
  leaseMs: number;
  renewEveryMs: number;
}

/** What a claim holds its registration by. */
export const LEASE_TIMES: LeaseTimes = { leaseMs: 3000, renewEveryMs: 500 };

export interface ClaimLease {
  /** Whether the registration is still ours: another claim may have taken it when we stood still. */
  isHeld(): boolean;
  /** The end of the lease as it stands in the database. */
  until(): number;
  /** Stops renewing, after what is under way; the lease stands until it ends or is given back. */
  stop(): Promise<void>;
}

/** Renews the lease that was taken with a registration until it is stopped. */
export function keepLease(
  { database, now }: { database: Database; now(): number },
  { id, lease_until: taken }: Registration,
  { leaseMs, renewEveryMs }: LeaseTimes,
): ClaimLease {
  let until = taken ?? 0;
  let held = true;
  let renewing: Promise<void> = Promise.resolve();

  const renew = async (): Promise<void> => {
    const next = now() + leaseMs;
    const { numUpdatedRows } = await database
      .updateTable('registrations')
      .set({ lease_until: next })
      .where('id', '=', id)
      .where('lease_until', '=', until)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) until = next;
    else held = false;
  };
  const timer = setInterval(() => {
    // A database that does not answer now may answer at the next beat; the lease outlives several.
    renewing = renewing.then(renew).catch(() => {});
  }, renewEveryMs);

  return {
    isHeld: () => held,
    until: () => until,
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}
