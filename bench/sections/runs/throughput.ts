/** Runs per second, against the durable queue alone with empty steps. */
import { runConcurrently, CONCURRENCY } from '../../concurrent.ts';
import { inTurn, row } from '../../measure.ts';
import type { Bench } from '../../section.ts';
import { spawned } from '../../spawned.ts';
import { minute, type Setup } from './setups.ts';

const ROUNDS = 4;
const RUNS = 200;
/** The steps of a run with one piece: audio, plan, piece, clean-up, moderation, audit, clean-up. */
const STEPS = 7;

/**
 * Measures one-minute talks with a provider that answers at once; the queue alone gets the same
 * number of empty steps.
 */
export async function throughput(bench: Bench, setup: Setup): Promise<void> {
  const location = await setup.queueLocation();
  const queue = spawned(bench, 'queue-alone.ts', location, `${setup.atOnce}`, `${STEPS}`);
  const { ours, theirs } = await inTurn(ROUNDS, {
    ours: () => runConcurrently(RUNS, () => setup.ann.caption(minute)),
    theirs: async () => {
      queue.tell(`${RUNS}`);
      return Number(await queue.line());
    },
  });
  queue.end();
  bench.rows(
    row(
      `runs a second, 1-minute talks, ${CONCURRENCY} asked for at once, ${setup.name}`,
      `openworkflow alone: ${STEPS} empty steps, ${setup.atOnce} runs at once`,
      '/s',
      ours,
      theirs,
    ),
  );
}
