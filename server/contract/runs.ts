/** What may be asked of a run beyond the contract. */
import { CaptionerStage } from './failure.ts';
import { WorkflowResultEnvelope } from './results.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

export const RUN_STATES = [
  'queued',
  'running',
  'completed',
  'blocked',
  'failed',
  'cancelled',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The states a run does not leave. */
export const FINAL_STATES: readonly RunState[] = ['completed', 'blocked', 'failed', 'cancelled'];

export const WorkflowRun = closed({
  runId: Type.String(),
  state: enumeration(RUN_STATES),
  stage: Type.Union([CaptionerStage, Type.Null()], {
    description: 'the stage under way, or the last one',
  }),
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'of the whole run' }),
  createdAt: dateTime(),
  startedAt: Type.Union([dateTime(), Type.Null()]),
  finishedAt: Type.Union([dateTime(), Type.Null()]),
  timingsMs: Type.Record(Type.String(), Type.Number({ minimum: 0 })),
  envelope: Type.Optional(WorkflowResultEnvelope),
});
export type WorkflowRun = Static<typeof WorkflowRun>;
