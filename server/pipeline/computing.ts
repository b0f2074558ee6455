/** How the stages compute: so that work that never ends can be found from outside their thread. */
import type { CaptionerStage } from '../contract/failure.ts';

/**
 * How a run computes. Work that never ends, or takes its thread or process with it, is found out by
 * what was noted before it began.
 */
export interface Computing {
  /**
   * Does work that may take the thread for itself. Messages to the thread are heard before it.
   * @throws {StorageUnavailable} the count could not be kept; the work has not begun
   */
  compute<T>(stage: CaptionerStage, work: () => T | Promise<T>): Promise<T>;
  /**
   * Does work that mostly waits for others, so that a process that dies meanwhile says nothing about
   * the run. Only where the thread gets stuck does it count.
   */
  attend<T>(stage: CaptionerStage, work: () => Promise<T>): Promise<T>;
}

/** How a run computes where nobody watches: in the shell. */
export const UNWATCHED: Computing = {
  compute: async (_stage, work) => work(),
  attend: (_stage, work) => work(),
};
