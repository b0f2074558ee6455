/** What the engine needs of where it keeps its runs, beyond what its own library does. */
import type { Backend } from 'openworkflow/internal';

/** Where the engine keeps its runs. */
export interface EngineStore {
  backend: Backend;
  /** Does what another thread's write may keep waiting; it must be safe to repeat. */
  insist<T>(work: () => Promise<T>): Promise<T>;
  /** Makes the runs of workers that died the next to be claimed. */
  freeExpired(): Promise<void>;
  /** Deletes runs that ended before an instant, with their steps. */
  prune(before: number): Promise<number>;
  close(): Promise<void>;
}
