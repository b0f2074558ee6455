/** The durable steps of a run, as its stages use them. The engine that stores them is in runs/. */

/** Runs steps. A finished step is never repeated: after a crash its stored output is read instead. */
export interface Steps {
  /**
   * Does a piece of work and stores its output, which must be plain JSON. The work runs at least once and is repeated
   * if the process dies meanwhile, so it must be safe to repeat.
   * @param name stable across restarts, unique within the run
   * @throws {RunInterrupted} and nothing else
   */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Ends this execution of a run but not the run: the step's work threw, its output could not be stored, or another
 * process has taken over. The run continues automatically after its last finished step.
 */
export class RunInterrupted extends Error {
  override readonly name = 'RunInterrupted';
}
