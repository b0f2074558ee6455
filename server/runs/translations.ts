/** Translations of captions: their rows, and the operations on them for HTTP and for workers. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InferResult, sql } from 'kysely';
import {
  hasTranslation,
  type TranslationInput,
  type TranslationState,
} from '../contract/translations.ts';
import { type Expected, isExpected } from '../reviews/review-store.ts';
import type { Database } from '../storage/database.ts';
import { deletingSecurely, forgetDeleted } from '../storage/secure-delete.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { queueEvent } from '../webhooks/webhook-store.ts';
import type { RunQueue } from './queue/queue.ts';
import { nextQueuePosition } from './store/queue-position.ts';
import type { ResultQuota } from './store/result-quota.ts';
import type { RunEvents } from './store/run-events.ts';
import { IdempotencyConflict } from './service.ts';
import { type MemoryPair, rememberChanges } from './translation-memory.ts';
import {
  pathOf,
  type TranslationOutcome,
  type TranslationRow,
} from './store/stored-translation.ts';

/** The space reserved for the result of a translation in progress. */
const EXPECTED_BYTES = 2 ** 18;
/** The most translations in a list. */
const MAX_LISTED = 200;
/** A cancelled translation usually ends within this time, in ms, and is looked at in this interval. */
const ENDING = { withinMs: 5000, everyMs: 50 };
/** The interval of looks at a translation that somebody waits for. */
const LOOK_EVERY_MS = 300;

const ID = /^translation_[0-9a-f-]{36}$/;

/** A new translation: of the captions of a run, or of those that were sent. */
interface NewTranslation {
  organizationId: string;
  runId: string | null;
  request: TranslationInput;
  /** The captions that were sent, as JSON of SentCaptions. */
  source: string | null;
  /** Whether its run is still in progress: it is queued once that has ended. */
  waits?: boolean;
  idempotencyKey?: string | null;
}

/** What people have changed in a translation, ready to be stored. */
export interface PreparedEdits {
  /** JSON of TranslationEdits. */
  edits: string;
  /** JSON of the changed result, of its counts, and of the terms that were called something else. */
  result: string;
  counts: string;
  evidence: string;
  /** The sentences that people have changed or confirmed, to be remembered. */
  pairs: readonly MemoryPair[];
}

/**
 * The outcome of a save, with the evidence of the version before; `stale` means that others have saved since, with the
 * tag of theirs; null for none.
 */
type SavedEdits = { outcome: 'saved'; evidence: string } | { outcome: 'stale'; tag: string | null };

export type Translations = ReturnType<typeof createTranslations>;

/** The columns of a translation in a list. */
const SUMMARY = [
  'id',
  'organization_id',
  'run_id',
  'request',
  'state',
  'progress',
  'basis',
  'outcome',
  'cancel_requested',
  'attempts',
  'created_at',
  'started_at',
  'finished_at',
] as const;

/** Whether the review of the run is another one than the translated one, or there is one where there was none. */
const reviewChanged = sql<number>`case
  when basis is null or run_id is null then 0
  when coalesce(review_tag, '') = coalesce((select tag from reviews where reviews.run_id = translations.run_id), '') then 0
  else 1 end`.as('review_changed');

const rows = (database: Database) =>
  database
    .selectFrom('translations')
    .leftJoin('translation_edits as edited', 'edited.translation_id', 'translations.id')
    .select(SUMMARY)
    .select(['edited.tag', 'edited.saved_at', 'edited.counts'])
    .select(reviewChanged);

type Row = InferResult<ReturnType<typeof rows>>[number];

/** What people have added may make a translation complete. */
const stateOf = ({ state, counts }: Pick<Row, 'state' | 'counts'>): TranslationState =>
  state === 'incomplete' && counts !== null && JSON.parse(counts).missing === 0
    ? 'completed'
    : state;

const rowOf = (row: Row): TranslationRow => ({
  id: row.id,
  organizationId: row.organization_id,
  runId: row.run_id,
  request: JSON.parse(row.request),
  state: stateOf(row),
  progress: row.progress,
  basis: row.basis,
  reviewChanged: row.review_changed === 1,
  outcome: {
    ...(row.outcome === null ? {} : JSON.parse(row.outcome)),
    ...(row.counts !== null && { counts: JSON.parse(row.counts) }),
  },
  edits: row.tag === null || row.saved_at === null ? null : { tag: row.tag, savedAt: row.saved_at },
  cancelRequested: row.cancel_requested === 1,
  attempts: row.attempts,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
});

async function originalResult(database: Database, id: string): Promise<string | null> {
  const row = await database
    .selectFrom('translations')
    .select('result')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.result ?? null;
}

/** The result of a translation as JSON, with what people have changed; null if it has none. */
export async function storedResult(database: Database, id: string): Promise<string | null> {
  const row = await database
    .selectFrom('translation_edits')
    .select('result')
    .where('translation_id', '=', id)
    .executeTakeFirst();
  return row?.result ?? originalResult(database, id);
}

/** Creates the operations in the service's database. */
export function createTranslations(parts: {
  database: Database;
  resultQuota: ResultQuota;
  queue: Pick<RunQueue, 'start' | 'forget' | 'forgetDeleted'>;
  events: Pick<RunEvents, 'publish'>;
  /** Default: real time. */
  pause?: (ms: number) => Promise<unknown>;
}) {
  const { database, resultQuota, queue, events, pause = sleep } = parts;
  const original = (id: string): Promise<string | null> => originalResult(database, id);
  const cancel = async ({ id }: Pick<TranslationRow, 'id'>): Promise<boolean> => {
    const { numUpdatedRows } = await database
      .updateTable('translations')
      .set({ cancel_requested: 1 })
      .where('id', '=', id)
      .where('finished_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    events.publish({ type: 'cancel', runId: id });
    // One that no worker has taken is over at once.
    await endTranslation(database, id, 'cancelled', {}, null, 'queued');
    return true;
  };
  const enqueue = async (id: string, position: number): Promise<void> => {
    await queue.start({ runId: id }, position);
    events.publish({ type: 'queued' });
    await database.updateTable('translations').set({ enqueued: 1 }).where('id', '=', id).execute();
  };
  /** A translation of an organisation; null if it has none with that id for that run. */
  const get = async (
    organizationId: string,
    runId: string | null,
    id: string,
  ): Promise<TranslationRow | null> => {
    if (!ID.test(id)) return null;
    const row = await rows(database)
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('run_id', runId === null ? 'is' : '=', runId)
      .executeTakeFirst();
    return row ? rowOf(row) : null;
  };
  /**
   * Waits for the end of a translation.
   * @returns null if it has been erased
   * @throws the signal's reason once it is aborted; the translation continues
   */
  const wait = async (
    { organizationId, runId, id }: Pick<TranslationRow, 'organizationId' | 'runId' | 'id'>,
    signal: AbortSignal,
  ): Promise<TranslationRow | null> => {
    for (;;) {
      signal.throwIfAborted();
      const row = await get(organizationId, runId, id);
      if (row?.finishedAt !== null) return row;
      await pause(LOOK_EVERY_MS);
    }
  };
  return {
    wait,
    /**
     * Queues a translation and returns it once it is stored; with the key of an earlier request, that one.
     * @throws {QuotaExceeded} the workspace has reached its quota
     * @throws {IdempotencyConflict} the key was used for a different request
     */
    async submit({
      organizationId,
      runId,
      request,
      source,
      waits = false,
      idempotencyKey = null,
    }: NewTranslation): Promise<TranslationRow> {
      const id = `translation_${randomUUID()}`;
      const text = JSON.stringify(request);
      const position = await resultQuota.admit(organizationId, async (transaction) => {
        const row = await transaction
          .insertInto('translations')
          .values({
            id,
            organization_id: organizationId,
            run_id: runId,
            language: request.language.toLowerCase(),
            request: text,
            source,
            state: 'queued',
            progress: 0,
            queue_position: nextQueuePosition(organizationId),
            enqueued: 0,
            cancel_requested: 0,
            attempts: 0,
            kept_bytes: EXPECTED_BYTES + Buffer.byteLength(source ?? ''),
            created_at: Date.now(),
            idempotency_key: idempotencyKey,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning('queue_position')
          .executeTakeFirst();
        return row?.queue_position ?? null;
      });
      if (position === null) {
        const earlier = await rows(database)
          .select('source')
          .where('organization_id', '=', organizationId)
          .where('idempotency_key', '=', idempotencyKey)
          .executeTakeFirst();
        const isSame =
          earlier?.request === text && earlier.source === source && earlier.run_id === runId;
        if (!isSame) throw new IdempotencyConflict('this idempotency key was already used');
        return rowOf(earlier);
      }
      // If the process dies here, the translation is queued again within seconds.
      if (!waits) await enqueue(id, position);
      return rowOf(await rows(database).where('id', '=', id).executeTakeFirstOrThrow());
    },
    /**
     * Queues a translation whose run has ended, and waits for its end. Without this call, it is queued within seconds.
     * @returns null if it has been erased
     * @throws the signal's reason once it is aborted; the translation continues
     */
    async finish(
      { organizationId, runId, id }: Pick<TranslationRow, 'organizationId' | 'runId' | 'id'>,
      signal: AbortSignal,
    ): Promise<TranslationRow | null> {
      const waiting = await database
        .selectFrom('translations')
        .select('queue_position')
        .where('id', '=', id)
        .where('enqueued', '=', 0)
        .executeTakeFirst();
      if (waiting) await enqueue(id, waiting.queue_position);
      return wait({ organizationId, runId, id }, signal);
    },
    /** The translations of a run, newest first; with null, those of captions that were sent. */
    async list(organizationId: string, runId: string | null): Promise<TranslationRow[]> {
      const found = await rows(database)
        .where('organization_id', '=', organizationId)
        .where('run_id', runId === null ? 'is' : '=', runId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_LISTED)
        .execute();
      return found.map(rowOf);
    },
    get,
    /** The latest translation of a run that has a result into a language; null if there is none. */
    async latest(runId: string, language: string): Promise<TranslationRow | null> {
      const row = await rows(database)
        .where('run_id', '=', runId)
        .where('language', '=', language.toLowerCase())
        .where('state', 'in', ['completed', 'incomplete'])
        .orderBy('finished_at', 'desc')
        .executeTakeFirst();
      return row ? rowOf(row) : null;
    },
    /** The result of a translation as JSON, with what people have changed; null if it has none. */
    result: (id: string): Promise<string | null> => storedResult(database, id),
    /** The same as the engine gave it. */
    original,
    /**
     * Stores what people have changed in place of the version that they have seen; null if the translation is erased.
     * @throws {QuotaExceeded} the workspace has reached its quota
     */
    async saveEdits(
      translation: Pick<TranslationRow, 'id' | 'organizationId' | 'runId' | 'request' | 'outcome'>,
      { edits, result, counts, evidence, pairs }: PreparedEdits,
      expected: Expected,
    ): Promise<SavedEdits | null> {
      const { id, organizationId, runId, request, outcome } = translation;
      const tag = createHash('sha256').update(edits).digest('base64url').slice(0, 27);
      const kept = { tag, saved_at: Date.now(), counts, evidence, edits, result };
      return resultQuota.admit<SavedEdits>(organizationId, async (transaction) => {
        await lockUntilCommit(transaction, `translation:${id}`);
        const before = await transaction
          .selectFrom('translation_edits')
          .select(['tag', 'evidence'])
          .where('translation_id', '=', id)
          .executeTakeFirst();
        // A client that lost the response saves again.
        if (before?.tag === tag) return { outcome: 'saved', evidence: before.evidence };
        if (!isExpected(before?.tag ?? null, expected)) {
          return { outcome: 'stale', tag: before?.tag ?? null };
        }
        const more = Buffer.byteLength(edits) + Buffer.byteLength(result);
        const row = await transaction
          .updateTable('translations')
          .set({
            kept_bytes: sql<number>`coalesce(octet_length(source), 0) + coalesce(octet_length(result), 0) + ${more}`,
          })
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst();
        if (!row) return null;
        await transaction
          .insertInto('translation_edits')
          .values({ translation_id: id, ...kept })
          .onConflict((conflict) => conflict.column('translation_id').doUpdateSet(kept))
          .execute();
        const pair = { from: outcome.sourceLanguage ?? null, to: request.language };
        const origin = { runId, translationId: runId === null ? id : null };
        await rememberChanges(transaction, organizationId, pair, origin, pairs, id);
        return { outcome: 'saved', evidence: before?.evidence ?? '[]' };
      });
    },
    /** The evidence of the latest changes in the translations of a workspace into a language. */
    async evidence(organizationId: string, language: string): Promise<string[]> {
      const [base = language] = language.toLowerCase().split('-');
      const found = await database
        .selectFrom('translation_edits as edited')
        .innerJoin('translations', 'translations.id', 'edited.translation_id')
        .select('edited.evidence')
        .where('organization_id', '=', organizationId)
        .where((eb) => eb.or([eb('language', '=', base), eb('language', 'like', `${base}-%`)]))
        .where('edited.evidence', '!=', '[]')
        .orderBy('edited.saved_at', 'desc')
        .limit(MAX_LISTED)
        .execute();
      return found.map(({ evidence }) => evidence);
    },
    /** Requests a cancel; false if the translation has already ended. */
    cancel,
    /** Erases an ended translation; false if it has not ended. */
    async erase({ id }: Pick<TranslationRow, 'id'>): Promise<boolean> {
      const row = await database
        .selectFrom('translations')
        .select('finished_at')
        .where('id', '=', id)
        .executeTakeFirst();
      if (row?.finished_at === null) return false;
      await queue.forget(id);
      await database.transaction().execute((transaction) =>
        deletingSecurely(transaction, async () => {
          await transaction.deleteFrom('webhook_deliveries').where('run_id', '=', id).execute();
          await transaction.deleteFrom('translations').where('id', '=', id).execute();
        }),
      );
      await Promise.all([queue.forgetDeleted(), forgetDeleted(database)]);
      return true;
    },
    /**
     * Cancels the translations of a run, waits until they have ended, and deletes their steps.
     * @returns false if one takes too long to end
     */
    async endAll(runId: string): Promise<boolean> {
      const all = database.selectFrom('translations').select('id').where('run_id', '=', runId);
      const ids = (await all.execute()).map(({ id }) => id);
      for (const id of ids) await cancel({ id });
      for (let waited = 0; ; waited += ENDING.everyMs) {
        const open = await all.where('finished_at', 'is', null).executeTakeFirst();
        if (!open) break;
        if (waited >= ENDING.withinMs) return false;
        await pause(ENDING.everyMs);
      }
      for (const id of ids) await queue.forget(id);
      return true;
    },
  };
}

/** Records that a worker has taken a translation, and returns it with its captions; null if it has ended or is gone. */
export async function beginTranslation(
  database: Database,
  id: string,
): Promise<(TranslationRow & { source: string | null }) | null> {
  const now = Date.now();
  const { numUpdatedRows } = await database
    .updateTable('translations')
    .set((eb) => ({ state: 'running', started_at: eb.fn.coalesce('started_at', eb.val(now)) }))
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  const row = await rows(database).select('source').where('id', '=', id).executeTakeFirst();
  return row ? { ...rowOf(row), source: row.source } : null;
}

/** Records what is known about a translation in progress. Its progress never goes back. */
export async function noteTranslation(
  database: Database,
  id: string,
  known: {
    progress?: number;
    basis?: TranslationRow['basis'];
    reviewTag?: string | null;
    outcome?: TranslationOutcome;
  },
): Promise<void> {
  const { progress = 0, basis, reviewTag, outcome } = known;
  await database
    .updateTable('translations')
    .set({
      progress,
      ...(basis && { basis, review_tag: reviewTag ?? null }),
      ...(outcome && { outcome: JSON.stringify(outcome) }),
    })
    .where('id', '=', id)
    .where('progress', '<=', progress)
    .where('finished_at', 'is', null)
    .execute();
}

/**
 * Ends a translation, and queues its event. The first call wins.
 * @param from the state that it has to be in, if not any
 * @returns false if it has ended, or is in another state
 */
export async function endTranslation(
  database: Database,
  id: string,
  state: 'completed' | 'incomplete' | 'failed' | 'cancelled',
  outcome: TranslationOutcome,
  result: string | null,
  from?: TranslationState,
): Promise<boolean> {
  const text = JSON.stringify(outcome);
  return database.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('translations')
      .set({
        state,
        outcome: text,
        result,
        ...(hasTranslation(state) && { progress: 1 }),
        kept_bytes: sql<number>`coalesce(octet_length(source), 0) + ${Buffer.byteLength(text) + Buffer.byteLength(result ?? '')}`,
        finished_at: Date.now(),
      })
      .where('id', '=', id)
      .where('finished_at', 'is', null)
      .where((eb) => (from === undefined ? eb.lit(true) : eb('state', '=', from)))
      .returning(['organization_id', 'run_id', 'request'])
      .executeTakeFirst();
    if (!row) return false;
    const { language }: TranslationInput = JSON.parse(row.request);
    await queueEvent(transaction, {
      type: hasTranslation(state) ? 'translation.completed' : 'translation.failed',
      organizationId: row.organization_id,
      runId: row.run_id ?? id,
      translationId: id,
      data: {
        language,
        result: pathOf({ id, runId: row.run_id }),
        status: state,
        ...(state === 'incomplete' && { missing: outcome.counts?.missing ?? 0 }),
        ...(state === 'cancelled' ? { code: 'cancelled' } : {}),
        ...(outcome.error && { code: outcome.error.code }),
      },
    });
    return true;
  });
}
