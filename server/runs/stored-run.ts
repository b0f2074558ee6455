/** The stored form of a run. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { CaptionerPayload } from '../contract/payload.ts';
import type { CaptionerResult } from '../contract/results.ts';
import type { RunState } from '../contract/runs.ts';
import type { Tables } from '../storage/database.ts';

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
  /** The result as JSON text; a long talk has megabytes, which few callers need to parse. */
  result: string | null;
}

/** A run in a list, without its result. */
export type RunSummary = Omit<StoredRun, 'result'>;

/** The columns of a run except for its result, which is megabytes for a long talk. */
export const SUMMARY = [
  'id',
  'organization_id',
  'payload',
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
] as const;

/** Converts a row to a run. */
export function summaryOf(row: Pick<Tables['runs'], (typeof SUMMARY)[number]>): RunSummary {
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
  };
}

/** Milliseconds by stage, if the result has them. */
export const timingsOf = ({ metadata }: CaptionerResult): Record<string, number> =>
  'timingsMs' in metadata ? metadata.timingsMs : {};
