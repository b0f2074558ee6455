/** A pool that does everything in the test's own thread. */
import type { WorkPool } from '../../../server/http/work/pool.ts';

export const poolHere: WorkPool = { do: async (task, input) => task(input), close() {} };
