/** The durable steps of a run, as its stages see them. The engine that keeps them is in runs/. */

/** A finished step is never done again: after a crash its output is read back instead. */
export interface Steps {
  /**
   * Does a piece of work once and keeps its output, which must be plain JSON. At least once: a
   * process that dies in the middle does it again, so what it does must be safe to repeat.
   * @param name stable over restarts, unique within the run
   * @throws {RunInterrupted} and nothing else
   */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * This execution of a run is over, the run is not: the step's work threw, its output could not be
 * kept, or another process has taken over. It goes on by itself from its last finished step.
 */
export class RunInterrupted extends Error {
  override readonly name = 'RunInterrupted';
}
