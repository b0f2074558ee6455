/** Runs a second, against the durable queue with nothing to do, and against the provider alone. */
import { inLanes, LANES } from '../../lanes.ts';
import { inTurn, row } from '../../measure.ts';
import type { Bench } from '../../section.ts';
import { spawned } from '../../spawned.ts';
import { minute, type Setup } from './setups.ts';

const ROUNDS = 4;
const RUNS = 200;
/** Of a run of one piece: audio, plan, piece, clean-up, moderation, audit, clean-up. */
const STEPS = 7;

/** Talks of a minute, by a provider that answers at once; the queue alone gets as many empty steps a run. */
export async function throughput(bench: Bench, setup: Setup): Promise<void> {
  const location = await setup.queueLocation();
  const queue = spawned(bench, 'queue-alone.ts', location, `${setup.atOnce}`, `${STEPS}`);
  const { ours, theirs } = await inTurn(ROUNDS, {
    ours: () => inLanes(RUNS, () => setup.ann.caption(minute)),
    theirs: async () => {
      queue.tell(`${RUNS}`);
      return Number(await queue.line());
    },
  });
  queue.end();
  bench.rows(
    row(
      `runs a second, 1-minute talks, ${LANES} asked for at once, ${setup.name}`,
      `openworkflow alone: ${STEPS} empty steps, ${setup.atOnce} runs at once`,
      '/s',
      ours,
      theirs,
    ),
  );
}
