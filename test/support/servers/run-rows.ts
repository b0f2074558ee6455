/** Values for tests that write runs without executing them. */

/** A result of a completed run, as short as it can be. */
export const COMPLETED = { status: 'completed', metadata: { timingsMs: { total: 5 } } } as never;
/** How far a run has come. */
export const REACHED = { stage: 'captioning', progress: 0.5 } as const;

let count = 0;
/** A workspace that no other test of the process has. */
export const newWorkspace = (): string => `workspace_${(count += 1)}`;
