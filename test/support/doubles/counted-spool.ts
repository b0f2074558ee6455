/** A spool in memory that counts what it holds. */
import { createSpool, type Spool } from '../../../server/storage/spool.ts';

/** Creates it. Each text it holds is dropped once. */
export function countedSpool() {
  let held = 0;
  const spool = createSpool(null);
  const counting: Spool = {
    ...spool,
    async hold(bytes) {
      held += 1;
      return { ...(await spool.hold(bytes)), drop: () => void (held -= 1) };
    },
  };
  return { spool: counting, held: () => held };
}
