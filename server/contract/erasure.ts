/** The reports of erasures, beyond the contract: the erased data, and the data that is still kept. */
import { closed, enumeration, Type, type Static } from './schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The counts of everything deleted with a run. */
export const RunErasure = closed({
  runId: Type.String(),
  erased: closed({
    result: Type.Boolean({ description: 'the result, with its transcript, captions and report' }),
    review: Type.Boolean(),
    moderationEvents: count('decisions of moderation'),
    webhookDeliveries: count('webhook deliveries, successful or not'),
    modelAnswers: count('answers of language models that no other run uses'),
    steps: count('intermediate results, such as the recognised words'),
  }),
  recording: enumeration(['none', 'kept'], {
    description:
      'whether a recording is still stored under the key of the run: DELETE /audio/{key}',
  }),
});
export type RunErasure = Static<typeof RunErasure>;

/** The counts of everything deleted with a workspace. */
export const WorkspaceErasure = closed({
  erased: closed({
    runs: count('runs, with everything they produced'),
    recordings: count('recordings that were still stored'),
    webhooks: count('webhooks, with their deliveries'),
    terms: Type.Boolean({ description: 'the terms of the workspace and the rules it has learned' }),
  }),
  recordingsLeft: count('recordings of an earlier version whose keys are unknown; they expire'),
});
export type WorkspaceErasure = Static<typeof WorkspaceErasure>;
