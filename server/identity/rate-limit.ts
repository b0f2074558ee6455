/** Limits on how often something may happen: a sliding window, kept in the database, so that it survives restarts and holds for all processes. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { IdentityError } from './provider.ts';

export interface Limit {
  name: string;
  /** What is counted: an address, a client. A hash where it is personal. */
  subject: string;
  quota: number;
  windowMs: number;
}

/**
 * Counts an event against several limits, or none of them where one is reached.
 * @returns the ids of what was counted
 * @throws {IdentityError} `rate_limited`, with the exact time after which one more passes
 */
export async function countAgainst(
  database: Database,
  limits: readonly Limit[],
  now: number,
): Promise<string[]> {
  // Looked at first without a lock: a flood that is over its limit must not keep others from writing.
  for (const limit of limits) await refuseIfReached(database, limit, now);
  return database.transaction().execute(async (transaction) => {
    // Always in the order of the limits: two that wait for each other would wait for ever.
    for (const { subject } of limits) await lockUntilCommit(transaction, `limit:${subject}`);
    for (const limit of limits) await refuseIfReached(transaction, limit, now);
    const events = limits.map(({ subject }) => ({ id: randomUUID(), subject, at: now }));
    await transaction.insertInto('rate_events').values(events).execute();
    return events.map(({ id }) => id);
  });
}

/** Takes back what was counted, for an event that did not come about. */
export async function uncount(database: Database, ids: readonly string[]): Promise<void> {
  await database.deleteFrom('rate_events').where('id', 'in', ids).execute();
}

async function refuseIfReached(
  database: Database,
  { name, subject, quota, windowMs }: Limit,
  now: number,
): Promise<void> {
  const events = await database
    .selectFrom('rate_events')
    .select('at')
    .where('subject', '=', subject)
    .where('at', '>', now - windowMs)
    .orderBy('at', 'desc')
    .limit(quota)
    .execute();
  const oldest = events.at(-1);
  if (events.length < quota || !oldest) return;
  throw new IdentityError(429, 'rate_limited', 'Too many registrations. Wait, then try again.', {
    limit: { name, quota, windowSeconds: windowMs / 1000 },
    retryAfter: Math.max(1, Math.ceil((oldest.at + windowMs - now) / 1000)),
  });
}
