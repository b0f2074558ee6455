/** Rate limits as sliding windows in the database, so that they survive restarts and apply to all processes. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { IdentityError } from './provider.ts';

export interface Limit {
  name: string;
  /** The counted subject, such as an address or a client; hashed if it is personal. */
  subject: string;
  quota: number;
  windowMs: number;
}

/**
 * Counts an event against several limits, or against none if one of them is reached.
 * @returns the ids of the counted events
 * @throws {IdentityError} `rate_limited`, with the exact time after which one more is allowed
 */
export async function countAgainst(
  database: Database,
  limits: readonly Limit[],
  now: number,
): Promise<string[]> {
  // Checked first without a lock, so that a flood beyond its limit does not block other writers.
  await refuseIfReached(database, limits, now);
  return database.transaction().execute(async (transaction) => {
    await lockLimits(transaction, limits);
    await refuseIfReached(transaction, limits, now);
    return countEvents(transaction, limits, now);
  });
}

/**
 * Makes all other counters of the same subjects wait until the transaction ends. Takes the locks in the order of the
 * limits, to avoid deadlocks.
 */
export async function lockLimits(transaction: Database, limits: readonly Limit[]): Promise<void> {
  for (const { subject } of limits) await lockUntilCommit(transaction, `limit:${subject}`);
}

/** Counts events without checking the limits. */
export async function countEvents(
  database: Database,
  limits: readonly Limit[],
  now: number,
): Promise<string[]> {
  const events = limits.map(({ subject, windowMs }) => ({
    id: randomUUID(),
    subject,
    at: now,
    expires_at: now + windowMs,
  }));
  await database.insertInto('rate_events').values(events).execute();
  return events.map(({ id }) => id);
}

/** The time at which one more event is allowed, in epoch milliseconds; null if one is allowed now. */
export async function reachedUntil(
  database: Database,
  { subject, quota, windowMs }: Limit,
  now: number,
): Promise<number | null> {
  const oldest = await database
    .selectFrom('rate_events')
    .select('at')
    .where('subject', '=', subject)
    .where('at', '>', now - windowMs)
    .orderBy('at', 'desc')
    .limit(1)
    .offset(quota - 1)
    .executeTakeFirst();
  return oldest ? oldest.at + windowMs : null;
}

/** Whole seconds until a time, at least one. */
export const secondsUntil = (at: number, now: number): number =>
  Math.max(1, Math.ceil((at - now) / 1000));

async function refuseIfReached(
  database: Database,
  limits: readonly Limit[],
  now: number,
): Promise<void> {
  for (const limit of limits) {
    const until = await reachedUntil(database, limit, now);
    if (until === null) continue;
    const { name, quota, windowMs } = limit;
    throw new IdentityError(429, 'rate_limited', 'Too many registrations. Wait, then try again.', {
      limit: { name, quota, windowSeconds: windowMs / 1000 },
      retryAfter: secondsUntil(until, now),
    });
  }
}
