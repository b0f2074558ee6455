/** The memory of clients that watch an idle run, against connections that are merely open. */
import { until } from '../../../test/support/servers/client.ts';
import { growth, type BySize } from '../../growth.ts';
import { row } from '../../measure.ts';
import { resident } from '../../memory.ts';
import { within, type Bench } from '../../section.ts';
import { provided, somebody, startService } from '../../service.ts';
import { recordingOfSeconds } from '../../recording.ts';
import { spawned } from '../../spawned.ts';
import { bareServer } from '../discovery.ts';
import { minute } from './setups.ts';

const SIZES: BySize<number> = [10, 100, 1000];
const ROUNDS = 3;
/** Long enough for two keep-alive messages, and for the leftovers of opening to be freed. */
const SETTLED_MS = 12_000;

/** Starts its own services, one for each round, all at the same time. */
export async function streams(bench: Bench): Promise<void> {
  // Nothing is timed here, so all rounds may run at the same time.
  const rounds = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: ROUNDS }, work));
  const [ours, bare] = await Promise.all([
    rounds(() => within(bench, watched)),
    rounds(() => within(bench, merelyOpen)),
  ]);
  const most = SIZES.at(-1) ?? 0;
  const each = (rounds: readonly BySize<number>[]) =>
    rounds.map((grown) => (1024 * (grown.at(-1) ?? 0)) / most);
  bench.rows(
    row(
      `memory of an idle event stream, of ${most.toLocaleString('en')}`,
      'an idle connection to bare Bun.serve, of as many',
      'KiB',
      each(ours),
      each(bare),
    ),
  );
  const at = (size: 0 | 1 | 2) => ours.map((grown) => grown[size]);
  bench.growths(
    growth('memory of idle event streams', '10 / 100 / 1,000 streams', 'MiB', [
      at(0),
      at(1),
      at(2),
    ]),
  );
}

/** Measures streams of a run that waits for its provider. */
async function watched(bench: Bench): Promise<BySize<number>> {
  const { provider, env } = provided(bench);
  provider.state.delayMs = 3_600_000;
  const server = await startService(bench, env);
  const ann = await somebody(server);
  await ann.put('talk.mp3', recordingOfSeconds(60));
  const { runId } = await (await ann.start(minute)).json();
  const address = `${server.url}/workflows/captioner/${runId}`;
  const headers = { authorization: `Bearer ${ann.key}` };
  bench.after(() => fetch(address, { method: 'DELETE', headers }));
  await until(async () => (await ann.run(runId)).stage === 'transcription');
  return grownBy(bench, server.pid, `${address}/events`, ann.key);
}

async function merelyOpen(bench: Bench): Promise<BySize<number>> {
  const { pid, port } = await bareServer(bench, new TextEncoder().encode('ok'), {});
  return grownBy(bench, pid, `http://127.0.0.1:${port}/`);
}

/** The memory that a process gains from these numbers of open connections, in MiB. */
async function grownBy(bench: Bench, pid: number, ...to: string[]): Promise<BySize<number>> {
  const holder = spawned(bench, 'hold-open.ts', ...to);
  const having = async (count: number): Promise<number> => {
    holder.tell(`${count}`);
    await holder.line();
    await Bun.sleep(SETTLED_MS);
    return resident(pid);
  };
  // Wait until the leftovers of the start are freed.
  await having(1);
  await Bun.sleep(SETTLED_MS);
  const before = await having(1);
  const [small, middle, large] = SIZES;
  return [
    (await having(small)) - before,
    (await having(middle)) - before,
    (await having(large)) - before,
  ];
}
