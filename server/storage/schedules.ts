/** Work that has to be done again and again, by one process of however many. */
import type { Database } from './database.ts';

export interface Schedule {
  name: string;
  everyMs: number;
  /** Whoever does it and dies keeps the others from it for so long at most. */
  leaseMs: number;
}

/**
 * Does what is due, unless another process does. Where it fails, or the process dies in the middle, it
 * is done again.
 * @returns whether it was done, here and now
 */
export async function doIfDue(
  database: Database,
  { name, everyMs, leaseMs }: Schedule,
  now: number,
  work: () => Promise<void>,
): Promise<boolean> {
  await database
    .insertInto('schedules')
    .values({ name, due_at: now, lease_until: null })
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
