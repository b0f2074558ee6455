/** The durable steps of a run, as its stages see them. The engine that stores them is in runs/. */

/** A finished step is never repeated: after a crash its stored output is read back. */
export interface Steps {
  /**
   * Does a piece of work and stores its output, which must be plain JSON. The work runs at least
   * once: if a process dies meanwhile it is repeated, so it must be safe to repeat.
   * @param name stable across restarts, unique within the run
   * @throws {RunInterrupted} and nothing else
   */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * This execution of a run is over, the run is not: the step's work threw, its output could not be
 * stored, or another process has taken over. The run continues automatically from its last finished
 * step.
 */
export class RunInterrupted extends Error {
  override readonly name = 'RunInterrupted';
}
