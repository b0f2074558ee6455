/** Marks the computations of stages, so that an endless one can be detected from outside its thread. */
import type { WorkStage } from '../contract/stage-progress.ts';

/**
 * The computations of a run. One that never ends, or that crashes its thread or process, is identified by a record made
 * before it began.
 */
export interface Computing {
  /**
   * Does work that may block the thread, after handling the messages that are waiting.
   * @throws {StorageUnavailable} the count could not be stored, so the work was not started
   */
  compute<T>(stage: WorkStage, work: () => T | Promise<T>): Promise<T>;
  /**
   * Does work that mostly waits for others. If the process dies meanwhile, the run is not suspected; it is counted only
   * if the thread gets stuck.
   */
  attend<T>(stage: WorkStage, work: () => Promise<T>): Promise<T>;
}

/** Computations without monitoring, for the shell command. */
export const UNWATCHED: Computing = {
  compute: async (_stage, work) => work(),
  attend: (_stage, work) => work(),
};
