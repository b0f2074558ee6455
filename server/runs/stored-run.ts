/** A run as the database has it. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { CaptionerPayload } from '../contract/payload.ts';
import type { RunState } from '../contract/runs.ts';
import type { Tables } from '../storage/database.ts';

/** A run as stored; times in epoch milliseconds. */
export interface StoredRun {
  id: string;
  organizationId: string;
  keyId: string;
  payload: CaptionerPayload;
  state: RunState;
  stage: CaptionerStage | null;
  progress: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  cancelRequested: boolean;
  /** Computations of it that ended with the thread or process that did them. */
  attempts: number;
  timingsMs: Record<string, number>;
  /** The result as JSON text: of a long talk it is megabytes, which only few need parsed. */
  result: string | null;
}

/** A run in a list: all but its result. */
export type RunSummary = Omit<StoredRun, 'result'>;

/** The columns of a run but its result: that of a long talk is megabytes. */
export const SUMMARY = [
  'id',
  'organization_id',
  'key_id',
  'payload',
  'state',
  'stage',
  'progress',
  'created_at',
  'started_at',
  'finished_at',
  'cancel_requested',
  'attempts',
  'timings',
] as const;

/** A row as a run. */
export function summaryOf(row: Pick<Tables['runs'], (typeof SUMMARY)[number]>): RunSummary {
  return {
    id: row.id,
    organizationId: row.organization_id,
    keyId: row.key_id,
    payload: JSON.parse(row.payload),
    state: row.state,
    stage: row.stage,
    progress: row.progress,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    cancelRequested: row.cancel_requested === 1,
    attempts: row.attempts,
    timingsMs: JSON.parse(row.timings),
  };
}
