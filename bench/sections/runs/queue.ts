/** Draining queues of ten, a hundred and a thousand runs, and listing the runs. */
import { metricsOf, until, type Client } from '../../../test/support/servers/client.ts';
import { bySize, growth, type BySize } from '../../growth.ts';
import { timed } from '../../measure.ts';
import type { Bench } from '../../section.ts';
import { minute, type Setup } from './setups.ts';

const SIZES = [10, 100, 1000] as const;
const LOOKS = 50;

/** Uses a workspace for each size, because a list shows all runs of one. */
export async function queue(bench: Bench, setup: Setup): Promise<void> {
  const spaces: { client: Client; drained: number }[] = [];
  for (const size of SIZES) {
    const client = await setup.enter(`queue-${size}`);
    const drained = await timed(() => drain(client, setup.web.url, size))();
    spaces.push({ client, drained });
  }
  const [small, middle, large] = spaces as unknown as BySize<(typeof spaces)[number]>;
  const listed = await bySize(5, [small, middle, large], ({ client }) => async () => {
    const took = await timed(async () => {
      for (let look = 0; look < LOOKS; look += 1) {
        await (await client.get('/workflows/captioner?limit=20')).arrayBuffer();
      }
    })();
    return took / LOOKS;
  });
  const of = '10 / 100 / 1,000 runs';
  bench.growths(
    growth(`queued runs drained, 1-minute talks, ${setup.name}`, of, 'ms', [
      [small.drained],
      [middle.drained],
      [large.drained],
    ]),
    growth(`GET /workflows/captioner?limit=20, ${setup.name}`, of, 'ms', listed),
  );
}

/** Starts a number of runs, and waits for the last of them. */
async function drain(client: Client, url: string, count: number): Promise<void> {
  for (let started = 0; started < count; started += 50) {
    const some = Array.from({ length: Math.min(50, count - started) }, async () => {
      const response = await client.start(minute);
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    });
    await Promise.all(some);
  }
  await until(() => idle(url), 180_000);
}

/** Whether no run is queued or running. */
async function idle(url: string): Promise<boolean> {
  const text = await metricsOf({ url });
  const count = (state: string) =>
    Number(new RegExp(`captioner_runs{state="${state}"} (\\d+)`).exec(text)?.[1] ?? 0);
  return count('queued') + count('running') === 0;
}
