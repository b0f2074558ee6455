/**
 * Marks the computations of stages, so that one that never ends can be detected from outside its
 * thread.
 */
import type { CaptionerStage } from '../contract/failure.ts';

/**
 * The computations of a run. One that never ends, or crashes its thread or process, is identified
 * by the record made before it began.
 */
export interface Computing {
  /**
   * Does work that may block the thread. Pending messages to the thread are handled first.
   * @throws {StorageUnavailable} the count could not be stored; the work has not begun
   */
  compute<T>(stage: CaptionerStage, work: () => T | Promise<T>): Promise<T>;
  /**
   * Does work that mostly waits for others, so that a process that dies meanwhile says nothing
   * about the run. It counts only if the thread gets stuck.
   */
  attend<T>(stage: CaptionerStage, work: () => Promise<T>): Promise<T>;
}

/** Computations that nobody monitors, for the shell command. */
export const UNWATCHED: Computing = {
  compute: async (_stage, work) => work(),
  attend: (_stage, work) => work(),
};
