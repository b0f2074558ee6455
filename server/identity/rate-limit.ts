/** Limits on how often something may happen: a sliding window, kept in the database. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '../storage/tables.ts';
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
 * @throws {IdentityError} `rate_limited`, with the exact time after which one more passes
 */
export async function countAgainst(
  transaction: Transaction<Tables>,
  limits: readonly Limit[],
  now: number,
): Promise<void> {
  for (const limit of limits) await refuseIfReached(transaction, limit, now);
  for (const { subject, windowMs } of limits) {
    await transaction
      .deleteFrom('rate_events')
      .where('subject', '=', subject)
      .where('at', '<=', now - windowMs)
      .execute();
    await transaction
      .insertInto('rate_events')
      .values({ id: randomUUID(), subject, at: now })
      .execute();
  }
}

async function refuseIfReached(
  transaction: Transaction<Tables>,
  { name, subject, quota, windowMs }: Limit,
  now: number,
): Promise<void> {
  const events = await transaction
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
    name,
    quota,
    windowSeconds: windowMs / 1000,
    retryAfter: Math.max(1, Math.ceil((oldest.at + windowMs - now) / 1000)),
  });
}
