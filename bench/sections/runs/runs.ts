/** Runs in numbers, on each way to run the service that there is here. */
import { hasPostgres } from '../../../test/support/servers/postgres.ts';
import { within, type Bench } from '../../section.ts';
import { queue } from './queue.ts';
import { setups } from './setups.ts';
import { streams } from './streams.ts';
import { throughput } from './throughput.ts';
import { waits } from './waits.ts';

/** The queue and the streams are measured on one machine alone; PostgreSQL only where it is installed. */
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
