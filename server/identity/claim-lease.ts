/**
 * The lease that keeps a registration for one claim while the claim calls an outside provider: short, and renewed, so
 * that a process that dies blocks other claims only briefly.
 */
import type { Registration } from './claims.ts';
import type { Database } from '../storage/database.ts';

export interface LeaseTimes {
  /** The time after which a lease that is not renewed ends, in milliseconds. */
  leaseMs: number;
  renewEveryMs: number;
}

/** The lease times of a claim. */
export const LEASE_TIMES: LeaseTimes = { leaseMs: 3000, renewEveryMs: 500 };

export type ClaimLease = ReturnType<typeof keepLease>;

/** Renews the lease taken with a registration until it is stopped. */
export function keepLease(
  { database, now }: { database: Database; now(): number },
  { id, lease_until: taken }: Registration,
  { leaseMs, renewEveryMs }: LeaseTimes,
) {
  let until = taken;
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
    // A database that does not respond now may respond at the next renewal; the lease outlasts several of them.
    renewing = renewing.then(renew).catch(() => {});
  }, renewEveryMs);

  return {
    /** Whether this claim still holds the registration; after a long pause another claim may have taken it. */
    isHeld: (): boolean => held,
    /** The end of the lease as stored in the database. */
    until: (): number | null => until,
    /** Stops renewing after any renewal in progress; the lease stays until it ends or is released. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await renewing;
    },
  };
}
