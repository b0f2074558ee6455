/** Erases a run, or everything that a workspace has stored except for its keys. */
import type { Static } from '../contract/schema.ts';
import type { RunErasure, WorkspaceErasure } from '../contract/runs.ts';
import type { Log } from '../base/log.ts';
import type { AudioStore } from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { forgetMemory } from './translation-memory.ts';
import { deletingSecurely, forgetDeleted } from '../storage/secure-delete.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import type { RunEvents } from './store/run-events.ts';
import type { RunQueue } from './queue/queue.ts';
import type { RunSummary } from './store/run-store.ts';
import type { Translations } from './translations.ts';
import { recordingsOf } from '../storage/audio-usage.ts';
import { createResumableUploads } from '../storage/resumable-uploads.ts';
import { deleteSound } from '../reviews/review-links.ts';
import { mediaOf } from '../storage/run-media.ts';
import { forgetKnownSpeakers } from '../voices/known-speakers.ts';
import { forgetStrangers, forgetVoices } from '../voices/voice-store.ts';
import type { Runs } from './service.ts';

/** The most keys in one statement, since databases limit the number of parameters. */
const MAX_KEYS = 500;

export type RunErasures = ReturnType<typeof createRunErasure>;

/** Thrown if a translation of a run is being cancelled, and has not ended yet. */
export class TranslationNotEnded extends Error {
  override readonly name = 'TranslationNotEnded';
}

interface ErasureParts {
  database: Database;
  queue: Pick<RunQueue, 'forget' | 'forgetDeleted'>;
  audio: Pick<AudioStore, 'delete' | 'stat'>;
  translations: Translations;
  events: Pick<RunEvents, 'publish'>;
  log: Log;
}

/** Creates the erasure. */
export function createRunErasure(parts: ErasureParts) {
  const { database, queue, audio, translations, events, log } = parts;
  const forgetAllDeleted = async (): Promise<void> => {
    try {
      await Promise.all([queue.forgetDeleted(), forgetDeleted(database)]);
    } catch (error) {
      // The rows are gone, so the request cannot be repeated; the workers empty the logs too.
      log.error('logs_not_emptied', { error });
    }
  };
  return {
    /** Removes everything deleted from the logs of the databases' files. */
    forgetDeleted: forgetAllDeleted,
    /** Erases the translations of a workspace whose captions were sent; false if one takes too long to end. */
    async eraseTranslations(organizationId: string): Promise<boolean> {
      for (;;) {
        const [first] = await translations.list(organizationId, null);
        if (!first) return true;
        await translations.cancel(first);
        if (!(await translations.erase(first))) return false;
      }
    },
    /**
     * Erases a run. When the promise resolves, nothing of the run can be read any more, also not from the files of a
     * database. Safe to repeat after a failure.
     * @param isLast whether to clear the logs of these files; if not, call `forgetDeleted` after the last run
     * Translations in progress are cancelled.
     * @returns the erased data; null if the run has not ended, or is gone
     * @throws {TranslationNotEnded} a translation takes too long to end
     * @throws {Error} a store does not answer; the run is still there
     */
    async erase(
      { id, organizationId, payload }: Pick<RunSummary, 'id' | 'organizationId' | 'payload'>,
      isLast: boolean = true,
    ): Promise<Static<typeof RunErasure> | null> {
      const run = await database
        .selectFrom('runs')
        .select(['owed_audio', 'finished_at'])
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      if (!run || run.finished_at === null) return null;
      if (!(await translations.endAll(id))) throw new TranslationNotEnded();
      // The row is deleted last: as long as it exists, the erasure can be requested again.
      const steps = await queue.forget(id);
      const { key } = payload.audio;
      if (run.owed_audio !== null) await audio.delete(organizationId, key, run.owed_audio);
      const links = await database
        .selectFrom('review_links')
        .select('id')
        .where('run_id', '=', id)
        .execute();
      for (const link of links) await deleteSound(audio, organizationId, link.id);
      const media = await mediaOf(database, { id, organizationId, payload });
      for (const { name, version } of media) {
        await audio.delete(organizationId, name.key, version ?? undefined);
      }
      const erased = await database
        .transaction()
        .execute((transaction) => deletingSecurely(transaction, () => eraseRows(transaction, id)));
      if (!erased) return null;
      events.publish({ type: 'erased', runId: id });
      if (isLast) await forgetAllDeleted();
      log.info('run_erased', { runId: id });
      const isKept = (await audio.stat(organizationId, key)) !== null;
      return { runId: id, erased: { ...erased, steps }, recording: isKept ? 'kept' : 'none' };
    },
  };
}

async function eraseRows(transaction: Database, id: string) {
  // If two runs with the same answer are erased at once, the second must see that it is the last to use it.
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
  // The run goes first, with its review, rule changes and links. A review that is being saved then either waits and
  // finds no run, or has recorded its event before the events are deleted.
  const run = await transaction
    .deleteFrom('runs')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!run) return null;
  await forgetStrangers(transaction);
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

/** Deletes those of the given answers that no run uses any more. */
async function eraseAnswers(transaction: Database, keys: readonly string[]): Promise<number> {
  let count = 0;
  for (let at = 0; at < keys.length; at += MAX_KEYS) {
    const { numDeletedRows } = await transaction
      .deleteFrom('audit_answers')
      .where('key', 'in', keys.slice(at, at + MAX_KEYS))
      .where('key', 'not in', transaction.selectFrom('audit_answer_runs').select('key'))
      .executeTakeFirst();
    count += Number(numDeletedRows);
  }
  return count;
}

const PAGE = 100;

/** Where what a workspace has is stored. */
export interface WorkspaceParts {
  database: Database;
  audio: AudioStore;
  runs: Pick<Runs, 'list'>;
  erasure: RunErasures;
}

/**
 * Erases the runs, recordings, terms and webhooks of a workspace. Safe to repeat after a failure.
 * @returns the erased data; null if nothing was erased because a run or a translation has not ended
 * @throws {Error} a store does not answer
 */
export async function eraseWorkspace(
  parts: WorkspaceParts,
  organizationId: string,
): Promise<Static<typeof WorkspaceErasure> | null> {
  const { database, audio, runs, erasure } = parts;
  for (const state of ['queued', 'running'] as const) {
    if ((await runs.list(organizationId, 1, null, state)).length > 0) return null;
  }
  if (!(await erasure.eraseTranslations(organizationId))) return null;
  await database
    .transaction()
    .execute((transaction) =>
      deletingSecurely(transaction, () => forgetMemory(transaction, organizationId)),
    );
  await createResumableUploads({ database, audio }).discardAll(organizationId);
  await forgetKnownSpeakers(database, { organizationId });
  // Read first, because some recordings are known only through their runs.
  const { keys, unnamed } = await recordingsOf(database, organizationId);
  const webhooks = await database
    .deleteFrom('webhooks')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  let count = 0;
  for (;;) {
    const page = await runs.list(organizationId, PAGE, null);
    const erased = await countOf(page, async (run) => (await erasure.erase(run, false)) !== null);
    count += erased;
    // Any run that is left was started meanwhile.
    if (erased === 0) break;
  }
  const recordings = await countOf(keys, (key) => audio.delete(organizationId, key));
  const terms = await database.transaction().execute((transaction) =>
    deletingSecurely(transaction, async () => {
      await forgetVoices(transaction, organizationId);
      return transaction
        .deleteFrom('workspace_terms')
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
    }),
  );
  await erasure.forgetDeleted();
  return {
    erased: {
      runs: count,
      recordings,
      webhooks: Number(webhooks.numDeletedRows),
      terms: terms.numDeletedRows > 0n,
    },
    recordingsLeft: unnamed,
  };
}

/** Runs the erasures one after the other, since each is a transaction. */
async function countOf<T>(
  values: readonly T[],
  erase: (value: T) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  for (const value of values) if (await erase(value)) count += 1;
  return count;
}
