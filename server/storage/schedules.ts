/** Periodic work, done by one process at a time. */
import type { Database } from './database.ts';

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
