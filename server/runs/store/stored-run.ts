/** The stored form of a run. */
import type { CaptionerStage } from '../../contract/failure.ts';
import type { CaptionerPayload, PayloadBrief } from '../../contract/payload.ts';
import type { CaptionerResult } from '../../contract/results.ts';
import type { RunState } from '../../contract/runs.ts';
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
}

/** A run without what may be large. */
export type RunSummary = Omit<StoredRun, 'payload'> & { payload: PayloadBrief };

/** The columns of a run. */
export const SUMMARY = [
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
] as const;

/** Converts a row to a run with its whole payload. */
export const storedRun = (row: Parameters<typeof summaryOf>[0] & { whole: string }): StoredRun => ({
  ...summaryOf(row),
  payload: JSON.parse(row.whole),
});

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
    name: row.name,
    loadingBytes: row.loading_bytes,
  };
}

/** Milliseconds by stage, if the result has them. */
export const timingsOf = ({ metadata }: CaptionerResult): Record<string, number> =>
  'timingsMs' in metadata ? metadata.timingsMs : {};
