/** The progress of a run, from 0 to 1, at the start of each stage. Transcription takes by far the longest. */
export const STAGE_PROGRESS = {
  payload: 0,
  transcription: 0.01,
  moderation: 0.9,
  terminology_audit: 0.93,
  correction: 0.97,
  captioning: 0.98,
} as const;

/** A stage in which a run computes or waits. */
export type WorkStage = keyof typeof STAGE_PROGRESS;
