/**
 * Waiting times: for a run to start, for the event of a stage, and for a page while runs execute.
 */
import { until } from '../../../test/support/servers/client.ts';
import { median, percentile } from '../../figures.ts';
import { whileRunning, CONCURRENCY } from '../../concurrent.ts';
import { inTurn, row, timed } from '../../measure.ts';
import type { Bench } from '../../section.ts';
import { spawned } from '../../spawned.ts';
import { minute, type Setup } from './setups.ts';

const ROUNDS = 3;
const STARTS = 50;
const STAGES = 8;
const ASK_SECONDS = 2;

/** Measures percentiles in milliseconds. Leaves the provider of `setup` answering at once. */
export async function waits(bench: Bench, setup: Setup): Promise<void> {
  const found = await inTurn(ROUNDS, {
    start: () => starts(setup),
    push: () => pushes(setup),
    trip: () => roundTrips(setup),
    idle: () => pages(bench, setup),
    busy: () =>
      whileRunning(
        () => setup.ann.caption(minute),
        () => pages(bench, setup),
      ),
  });
  const at = (name: keyof typeof found, share: number) =>
    found[name].map((list) => percentile(list, share));
  const { name } = setup;
  const trip = (share: string) => `a round trip of GET /health, ${share}`;
  const still = (share: string) => `GET / on the idle service, ${share}`;
  const page = `GET / while ${CONCURRENCY} runs work`;
  bench.rows(
    row(`request to start, p50, ${name}`, trip('p50'), 'ms', at('start', 0.5), at('trip', 0.5)),
    row(`request to start, p98, ${name}`, trip('p98'), 'ms', at('start', 0.98), at('trip', 0.98)),
    row(
      `a stage begins until who watches knows, p50, ${name}`,
      trip('p50'),
      'ms',
      found.push.map(median),
      at('trip', 0.5),
    ),
    row(`${page}, p50, ${name}`, still('p50'), 'ms', at('busy', 0.5), at('idle', 0.5)),
    row(`${page}, p99, ${name}`, still('p99'), 'ms', at('busy', 0.99), at('idle', 0.99)),
  );
}

/** The time from storing a run to executing it, one run at a time. */
async function starts({ ann }: Setup): Promise<number[]> {
  const found: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const { _meta } = await ann.caption(minute);
    const run = await ann.run(_meta.runId);
    found.push(Date.parse(run.startedAt) - Date.parse(run.createdAt));
    await Bun.sleep(20);
  }
  return found;
}

/** The time from the start of a stage, as the provider sees it, to its event. */
async function pushes({ ann, provider: { state } }: Setup): Promise<number[]> {
  state.delayMs = 300;
  const found: number[] = [];
  for (let count = 0; count < STAGES; count += 1) {
    const { runId } = await (await ann.start(minute)).json();
    const events = await ann.get(`/workflows/captioner/${runId}/events`);
    for await (const chunk of events.body ?? []) {
      if (!Buffer.from(chunk).includes('"stage":"transcription"')) continue;
      found.push(performance.now() - state.lastCall);
      break;
    }
    await until(async () => (await ann.run(runId)).finishedAt);
  }
  state.delayMs = 0;
  return found;
}

async function roundTrips({ web }: Setup): Promise<number[]> {
  const found: number[] = [];
  const trip = timed(async () => (await fetch(`${web.url}/health`)).arrayBuffer());
  for (let count = 0; count < 200; count += 1) found.push(await trip());
  return found;
}

/** The milliseconds of each answer, measured by another process. */
const pages = async (bench: Bench, { web }: Setup): Promise<number[]> =>
  JSON.parse(await spawned(bench, 'ask.ts', web.url, `${ASK_SECONDS}`).line());
