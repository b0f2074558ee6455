/** The rows of runs: request, progress, result. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { CaptionerStage } from '../../contract/failure.ts';
import { briefOf, type CaptionerPayload, type PayloadBrief } from '../../contract/payload.ts';
import type { CaptionerResult } from '../../contract/results.ts';
import { hearingNotesOf } from '../../contract/hearing.ts';
import { FINAL_STATES, type RunState } from '../../contract/runs.ts';
import type { Database } from '../../storage/database.ts';
import { deletingSecurely } from '../../storage/secure-delete.ts';
import { keepText, WHOLE_PAYLOAD, WHOLE_RESULT } from '../../storage/run-texts.ts';
import { queueRunEnd } from '../../webhooks/webhook-store.ts';
import { isTranslationId } from './stored-translation.ts';
import { nextQueuePosition } from './queue-position.ts';
import { captionsChanged } from '../../search/due.ts';
import { keepSound } from '../../storage/run-media.ts';
import type { Tables } from '../../storage/tables.ts';

/** A stored run, with times in epoch milliseconds. */
export interface StoredRun {
  id: string;
  organizationId: string;
  payload: CaptionerPayload;
  state: RunState;
  stage: CaptionerStage | null;
  progress: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  updatedAt: number;
  cancelRequested: boolean;
  /** The number of its computations during which a thread or process died. */
  attempts: number;
  timingsMs: Record<string, number>;
  /** The name that a person gave to it. */
  name?: string | null;
  /** The size of the speech model that it last waited for, in bytes. */
  loadingBytes?: number | null;
  /** What to know about how its speech was heard, one sentence each. */
  hearingNotes?: string[];
  /** The number of speakers, if it was given. */
  speakers?: number | null;
}

/** A run without what may be large. */
export type RunSummary = Omit<StoredRun, 'payload'> & { payload: PayloadBrief };

type Summaries = RunSummary[];

/** A position in the list of an organisation's runs, newest first. */
export interface RunPosition {
  createdAt: number;
  id: string;
}

interface NewRun {
  id: string;
  organizationId: string;
  keyId: string;
  payload: CaptionerPayload;
  /** The client's key for this request; an organisation has only one run for each. */
  idempotencyKey: string | null;
  /** Its recording as it is stored, if it is to stay with the run as its sound. */
  sound?: { size: number; version: string } | null;
  /** The number of speakers, if it is given. */
  speakers?: number | null;
}

/** The progress of a run. */
export interface Reached {
  stage: CaptionerStage | null;
  progress: number;
}

const FINAL: ReadonlySet<string> = new Set(FINAL_STATES);

/** The stage that a result names as the one of its failure; null if it did not fail. */
const lastStage = (result: CaptionerResult): CaptionerStage | null =>
  result.status === 'failed' ? result.error.stage : null;

/** The condition for runs after a position of a list, newest first. */
const olderThan = (eb: ExpressionBuilder<Tables, 'runs'>, { createdAt, id }: RunPosition) =>
  eb.or([
    eb('created_at', '<', createdAt),
    eb.and([eb('created_at', '=', createdAt), eb('id', '<', id)]),
  ]);

/** The space reserved for the result of a run in progress: about that of an hour's talk. */
const EXPECTED_RESULT_BYTES = 2 ** 20;
/** The least space that a run counts for, because it needs a row, indexes and steps, however short its result. */
const MIN_BYTES = 16 * 2 ** 10;

/** The bytes that a run counts for with this result, in place of those reserved for it. */
function keptBytes(result: string) {
  const more = Buffer.byteLength(result) - EXPECTED_RESULT_BYTES;
  return sql<number>`case
    when kept_bytes + ${more} > ${MIN_BYTES} then kept_bytes + ${more} else ${MIN_BYTES} end`;
}

/** The columns of a run. */
const SUMMARY = [
  'payload',
  'id',
  'organization_id',
  'state',
  'stage',
  'progress',
  'created_at',
  'started_at',
  'finished_at',
  'updated_at',
  'cancel_requested',
  'attempts',
  'timings',
  'name',
  'loading_bytes',
  'hearing_notes',
  'speakers',
] as const;

type SummaryRow = Pick<Tables['runs'], (typeof SUMMARY)[number]>;

/** Converts a row to a run with its whole payload. */
const storedRun = (row: SummaryRow & { whole: string }): StoredRun => ({
  ...summaryOf(row),
  payload: JSON.parse(row.whole),
});

/** Converts a row to a run. */
function summaryOf(row: SummaryRow): RunSummary {
  return {
    id: row.id,
    organizationId: row.organization_id,
    payload: JSON.parse(row.payload),
    state: row.state,
    stage: row.stage,
    progress: row.progress,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    updatedAt: row.updated_at,
    cancelRequested: row.cancel_requested === 1,
    attempts: row.attempts,
    timingsMs: JSON.parse(row.timings),
    name: row.name,
    loadingBytes: row.loading_bytes,
    hearingNotes: JSON.parse(row.hearing_notes ?? '[]'),
    speakers: row.speakers,
  };
}

/** Milliseconds by stage, if the result has them. */
export const timingsOf = ({ metadata }: CaptionerResult): Record<string, number> =>
  'timingsMs' in metadata ? metadata.timingsMs : {};

/** Deletes the preview of a run. @param transaction the one that ends the run */
const forgetPartial = (transaction: Database, runId: string): Promise<void> =>
  deletingSecurely(transaction, async () => {
    await transaction.deleteFrom('partial_transcripts').where('run_id', '=', runId).execute();
  });

export type RunStore = ReturnType<typeof createRunStore>;

/** Creates the store in the service's database. */
export function createRunStore(database: Database) {
  return {
    /**
     * Stores a run and returns its queue position; the lowest is next. Positions are fair between organisations: the n-th
     * waiting run of one is queued together with the n-th of every other, however many runs any of them has queued
     * (start-time fair queueing).
     * @param transaction the transaction to do so in
     * @returns null if the organisation already has a run with that idempotency key
     */
    async insert(
      { sound = null, speakers = null, ...run }: NewRun,
      transaction: Database = database,
    ): Promise<number | null> {
      const { id, organizationId, keyId, payload, idempotencyKey } = run;
      const now = Date.now();
      const [text, brief] = [JSON.stringify(payload), JSON.stringify(briefOf(payload))];
      const row = await transaction
        .insertInto('runs')
        .values({
          id,
          organization_id: organizationId,
          key_id: keyId,
          payload: brief,
          state: 'queued',
          progress: 0,
          timings: '{}',
          speakers,
          idempotency_key: idempotencyKey,
          queue_position: nextQueuePosition(organizationId),
          enqueued: 0,
          cancel_requested: 0,
          attempts: 0,
          created_at: now,
          updated_at: now,
          kept_bytes: Buffer.byteLength(text) + EXPECTED_RESULT_BYTES,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('queue_position')
        .executeTakeFirst();
      if (!row) return null;
      if (text.length > brief.length) await keepText(transaction, id, 'payload', text);
      if (sound) await keepSound(transaction, run, sound);
      return row.queue_position;
    },
    /** Records that the runs and translations are in the queue. */
    async markEnqueued(ids: readonly string[]): Promise<void> {
      for (const table of ['runs', 'translations'] as const) {
        const some = ids.filter((id) => isTranslationId(id) === (table === 'translations'));
        if (some.length === 0) continue;
        await database.updateTable(table).set({ enqueued: 1 }).where('id', 'in', some).execute();
      }
    },
    /** The run with an idempotency key, its payload as JSON, and the number of speakers that was given. */
    async byIdempotencyKey(
      organizationId: string,
      key: string,
    ): Promise<{ id: string; payload: string; speakers: number | null } | null> {
      const row = await database
        .selectFrom('runs')
        .select(['id', 'speakers', WHOLE_PAYLOAD])
        .where('organization_id', '=', organizationId)
        .where('idempotency_key', '=', key)
        .executeTakeFirst();
      return row ? { id: row.id, payload: row.whole, speakers: row.speakers } : null;
    },
    /** At most `limit` runs of an organisation after a position, newest first. */
    async list(
      organizationId: string,
      limit: number,
      after: RunPosition | null,
      state?: RunState,
    ): Promise<Summaries> {
      const rows = await database
        .selectFrom('runs')
        .select(SUMMARY)
        .where('organization_id', '=', organizationId)
        .where((eb) => eb.and(state ? [eb('state', '=', state)] : []))
        .where((eb) => eb.and(after ? [olderThan(eb, after)] : []))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(summaryOf);
    },
    /** The whole payload of any organisation's run as JSON; null if there is no such run. */
    async payload(id: string): Promise<string | null> {
      const row = await database
        .selectFrom('runs')
        .select(WHOLE_PAYLOAD)
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.whole ?? null;
    },
    /** A run of any organisation. */
    async getSummary(id: string): Promise<RunSummary | null> {
      const row = await database
        .selectFrom('runs')
        .select(SUMMARY)
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? summaryOf(row) : null;
    },
    /** The result of a run as JSON; null if it has none. */
    async result(id: string): Promise<string | null> {
      const row = await database
        .selectFrom('runs')
        .select(WHOLE_RESULT)
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.result ?? null;
    },
    /** Whether a run has reached a final state; cheaper than reading the run. */
    async finished(id: string): Promise<boolean> {
      const row = await database
        .selectFrom('runs')
        .select('state')
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined || FINAL.has(row.state);
    },
    /** Records that a worker has taken a run, and returns it; null if it has ended or is gone. */
    async markRunning(id: string): Promise<StoredRun | null> {
      const now = Date.now();
      const row = await database
        .updateTable('runs')
        .set((eb) => ({
          state: 'running',
          started_at: eb.fn.coalesce('started_at', eb.val(now)),
          updated_at: now,
        }))
        .where('id', '=', id)
        .where('finished_at', 'is', null)
        .returning([...SUMMARY, WHOLE_PAYLOAD])
        .executeTakeFirst();
      return row ? storedRun(row) : null;
    },
    /** Names a run. */
    async rename(id: string, name: string): Promise<void> {
      await database.updateTable('runs').set({ name }).where('id', '=', id).execute();
    },
    /**
     * Records the progress of a run, which never goes back.
     * @param loadingBytes the size of the speech model that is downloaded, if one is
     */
    async report(
      id: string,
      stage: CaptionerStage,
      progress: number,
      loadingBytes?: number,
    ): Promise<void> {
      await database
        .updateTable('runs')
        .set({
          stage,
          progress,
          updated_at: Date.now(),
          ...(loadingBytes !== undefined && { loading_bytes: loadingBytes }),
        })
        .where('id', '=', id)
        .where('progress', '<=', progress)
        .where('finished_at', 'is', null)
        .execute();
    },
    /** Requests a cancel; false if the run has already ended. */
    async requestCancel(id: string): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('runs')
        .set({ cancel_requested: 1, updated_at: Date.now() })
        .where('id', '=', id)
        .where('finished_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Ends a run that no worker has taken yet; false if one has, or it has ended. */
    async endQueued(id: string, state: RunState, result: CaptionerResult): Promise<boolean> {
      const now = Date.now();
      const text = JSON.stringify(result);
      return database.transaction().execute(async (transaction) => {
        const ended = await transaction
          .updateTable('runs')
          .set({
            state,
            stage: lastStage(result),
            kept_bytes: keptBytes(text),
            finished_at: now,
            updated_at: now,
          })
          .where('id', '=', id)
          .where('state', '=', 'queued')
          .returning('organization_id')
          .executeTakeFirst();
        if (!ended) return false;
        await keepText(transaction, id, 'result', text);
        const run = { id, organizationId: ended.organization_id };
        await queueRunEnd(transaction, run, state, result);
        return true;
      });
    },
    /**
     * Ends a run. The first call wins, so a repeated step changes nothing.
     * @param owedAudio the version of its recording, if it could not be deleted
     */
    async finish(
      id: string,
      state: RunState,
      result: CaptionerResult,
      reached: Reached,
      owedAudio: string | null = null,
    ): Promise<void> {
      const now = Date.now();
      const text = JSON.stringify(result);
      const notes = hearingNotesOf(result);
      await database.transaction().execute(async (transaction) => {
        const ended = await transaction
          .updateTable('runs')
          .set({
            state,
            stage: lastStage(result) ?? reached.stage,
            kept_bytes: keptBytes(text),
            timings: JSON.stringify(timingsOf(result)),
            hearing_notes: notes.length === 0 ? null : JSON.stringify(notes),
            owed_audio: owedAudio,
            progress: state === 'completed' || state === 'blocked' ? 1 : reached.progress,
            finished_at: now,
            updated_at: now,
          })
          .where('id', '=', id)
          .where('finished_at', 'is', null)
          .returning('organization_id')
          .executeTakeFirst();
        if (!ended) return;
        await keepText(transaction, id, 'result', text);
        await forgetPartial(transaction, id);
        const run = { id, organizationId: ended.organization_id };
        if (state === 'completed') await captionsChanged(transaction, run);
        await queueRunEnd(transaction, run, state, result);
      });
    },
  };
}
