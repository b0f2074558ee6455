/** Runs in each available setup of the service. */
import { hasPostgres } from '../../../test/support/servers/postgres.ts';
import { within, type Bench } from '../../section.ts';
import { queue } from './queue.ts';
import { setups } from './setups.ts';
import { streams } from './streams.ts';
import { throughput } from './throughput.ts';
import { waits } from './waits.ts';

/** Measures the queue and streams only on one machine, and PostgreSQL only if it is installed. */
export async function runs(bench: Bench): Promise<void> {
  if (!hasPostgres) bench.note('there is no PostgreSQL here');
  for (const [at, start] of setups.entries()) {
    await within(bench, async (inner) => {
      const setup = await start(inner);
      await throughput(inner, setup);
      await waits(inner, setup);
      if (at === 0) await queue(inner, setup);
    });
  }
  await streams(bench);
}
