/** Values for tests that write runs without executing them. */

/** The shortest possible result of a completed run. */
export const COMPLETED = { status: 'completed', metadata: { timingsMs: { total: 5 } } } as never;
/** The progress of a run. */
export const REACHED = { stage: 'captioning', progress: 0.5 } as const;

/** What the moderation of a run left in the database. */
export const moderationEvent = (run_id: string, model = 'm') => ({
  id: `mod_${run_id}`,
  run_id,
  created_at: 400,
  decision: 'allow' as const,
  severity: 'none' as const,
  reason: 'safe',
  model,
  flagged: null,
});

let count = 0;
/** A workspace that no other test of the process uses. */
export const newWorkspace = (): string => `workspace_${(count += 1)}`;
