/** Erases an ended run with everything that came of it. */
import type { RunErasure } from '../contract/erasure.ts';
import type { Log } from '../log.ts';
import type { AudioStore } from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { overwriting } from '../storage/overwriting.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import type { RunQueue } from './queue.ts';
import type { RunSummary } from './stored-run.ts';

/** Most keys in one statement: databases limit the number of parameters. */
const MOST_KEYS = 500;

export interface RunErasures {
  /**
   * Erases a run, at once: when it resolves, nothing of it can be read any more. Safe to repeat
   * after a failure.
   * @returns what was erased; null if the run has not ended, or is gone
   * @throws {Error} a store does not answer; the run is still there
   */
  erase(run: Pick<RunSummary, 'id' | 'organizationId' | 'payload'>): Promise<RunErasure | null>;
}

export interface ErasureParts {
  database: Database;
  queue: Pick<RunQueue, 'forget'>;
  audio: Pick<AudioStore, 'delete' | 'stat'>;
  log: Log;
}

/** Creates the erasure. */
export function createRunErasure({ database, queue, audio, log }: ErasureParts): RunErasures {
  return {
    async erase({ id, organizationId, payload }) {
      const run = await database
        .selectFrom('runs')
        .select(['owed_audio', 'finished_at'])
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      if (!run || run.finished_at === null) return null;
      // The row comes last: while it is there, the erasure can be asked for again.
      const steps = await queue.forget(id);
      const { key } = payload.audio;
      if (run.owed_audio !== null) await audio.delete(organizationId, key, run.owed_audio);
      const erased = await database
        .transaction()
        .execute((transaction) => overwriting(transaction, () => eraseRows(transaction, id)));
      if (!erased) return null;
      log.info('run_erased', { runId: id });
      const isKept = (await audio.stat(organizationId, key)) !== null;
      return { runId: id, erased: { ...erased, steps }, recording: isKept ? 'kept' : 'none' };
    },
  };
}

async function eraseRows(transaction: Database, id: string) {
  // Of two runs with the same answer that are erased at once, the second has to see that it is the
  // last.
  await lockUntilCommit(transaction, 'audit-answers');
  const links = await transaction
    .selectFrom('audit_answer_runs')
    .select('key')
    .where('run_id', '=', id)
    .execute();
  const review = await transaction
    .selectFrom('reviews')
    .select('run_id')
    .where('run_id', '=', id)
    .executeTakeFirst();
  // The run goes first, with its review, rule changes and links: a review that is being saved
  // either waits, and finds no run, or has noted its event before the events are deleted.
  const run = await transaction
    .deleteFrom('runs')
    .where('id', '=', id)
    .where('finished_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  if (!run) return null;
  const { numDeletedRows: events } = await transaction
    .deleteFrom('moderation_events')
    .where('run_id', '=', id)
    .executeTakeFirst();
  const { numDeletedRows: deliveries } = await transaction
    .deleteFrom('webhook_deliveries')
    .where('run_id', '=', id)
    .executeTakeFirst();
  return {
    result: true,
    review: review !== undefined,
    moderationEvents: Number(events),
    webhookDeliveries: Number(deliveries),
    modelAnswers: await eraseAnswers(
      transaction,
      links.map(({ key }) => key),
    ),
  };
}

/** Deletes those of these answers that belong to no run any more. */
async function eraseAnswers(transaction: Database, keys: readonly string[]): Promise<number> {
  let count = 0;
  for (let at = 0; at < keys.length; at += MOST_KEYS) {
    const { numDeletedRows } = await transaction
      .deleteFrom('audit_answers')
      .where('key', 'in', keys.slice(at, at + MOST_KEYS))
      .where('key', 'not in', transaction.selectFrom('audit_answer_runs').select('key'))
      .executeTakeFirst();
    count += Number(numDeletedRows);
  }
  return count;
}
