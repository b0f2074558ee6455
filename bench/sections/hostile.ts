/**
 * Good and hostile tenants at once on a running service: the waiting times of the good ones with
 * and without the others, in one run, and whether the service loses anything. HOSTILE_MINUTES sets
 * the duration: 3 by default, 60 for a long run.
 */
import { until, type Any, type Client } from '../../test/support/servers/client.ts';
import { median, percentile } from '../figures.ts';
import { answerFor } from '../instant-provider.ts';
import { row } from '../measure.ts';
import { residentWithChildren } from '../memory.ts';
import type { Bench } from '../section.ts';
import { provided, somebody, startService } from '../service.ts';
import { spawned } from '../spawned.ts';

const MINUTES = Number(process.env['HOSTILE_MINUTES'] ?? 3);
/** Quiet and hostile stretches alternate, so that a busy machine slows both equally. */
const STRETCHES = 6;

/** The number of a client's unfinished runs. */
async function unended(client: Client): Promise<number> {
  let left = 0;
  let path: string | null = '/workflows/captioner?limit=100';
  while (path !== null) {
    const page: Any = await (await client.get(path)).json();
    left += page.runs.filter((run: Any) => run.finishedAt === null).length;
    const { nextCursor } = page;
    path = nextCursor ? `/workflows/captioner?limit=100&cursor=${nextCursor}` : null;
  }
  return left;
}

/** Measures two good tenants with three hostile ones. */
export async function hostile(bench: Bench): Promise<void> {
  const { provider, env } = provided(bench);
  provider.state.answer = answerFor(150, 60);
  const server = await startService(bench, { ...env, AUDIO_QUOTA: '200M' });
  const [ann, joe, eve, kim, bob] = (await Promise.all(
    ['ann', 'joe', 'eve', 'kim', 'bob'].map((name) => somebody(server, name)),
  )) as [Client, Client, Client, Client, Client];
  // Each in a process of its own: otherwise a busy load process would be measured instead of the
  // service.
  const good = spawned(bench, 'good-tenants.ts', server.url, ann.key, joe.key);
  const bad = spawned(bench, 'hostile-tenants.ts', server.url, eve.key, kim.key, bob.key);

  let peak = 0;
  const watch = setInterval(
    () => void residentWithChildren(server.pid).then((now) => (peak = Math.max(peak, now))),
    250,
  );
  bench.after(() => clearInterval(watch));

  const times = { quiet: [] as number[], hostile: [] as number[] };
  let failed = 0;
  const attempts: Record<string, number> = {};
  const stretchMs = (MINUTES * 60_000) / STRETCHES;
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    const isHostile = stretch % 2 === 1;
    good.tell(String(stretchMs));
    if (isHostile) bad.tell(String(stretchMs));
    const talks: { times: number[]; failed: number } = JSON.parse(await good.line());
    times[isHostile ? 'hostile' : 'quiet'].push(...talks.times);
    failed += talks.failed;
    if (!isHostile) continue;
    const made: Record<string, number> = JSON.parse(await bad.line());
    for (const [name, count] of Object.entries(made))
      attempts[name] = (attempts[name] ?? 0) + count;
  }
  const everyone = [ann, joe, eve, kim, bob];
  const left = async () =>
    (await Promise.all(everyone.map(unended))).reduce((sum, count) => sum + count, 0);
  await until(async () => (await left()) === 0, 120_000).catch(() => {});
  const lines = server.log().split('\n');
  const lost = lines.filter((line) => /"event":"worker_thread_(?:lost|broke)/.test(line));
  const { quiet, hostile: hard } = times;
  bench.rows(
    row(
      'a talk, uploaded and captioned, while others attack: p99',
      'the same without them, in turns',
      'ms',
      [percentile(hard, 0.99)],
      [percentile(quiet, 0.99)],
    ),
    row('memory of the service and its children, at most', '600 MB', 'MiB', [peak], [600]),
  );
  bench.note(
    `${MINUTES} min: ${quiet.length} talks in quiet, ${hard.length} under attack, ${failed} of them failed; ` +
      `${await left()} runs without an end, ${lost.length} workers lost; medians ` +
      `${median(quiet).toFixed(0)} and ${median(hard).toFixed(0)} ms; attempts: ` +
      Object.entries(attempts)
        .map(([name, count]) => `${name} ${count}`)
        .join(', '),
  );
}
