/** Runs of this version and of version 1.0 on the same machine, in turns. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { processTime } from '../../server/base/processor-time.ts';
import { runConcurrently } from '../concurrent.ts';
import { answerFor } from '../instant-provider.ts';
import { inTurn, row, timed } from '../measure.ts';
import { recordingOfSeconds } from '../recording.ts';
import type { Bench } from '../section.ts';
import { folderOf, payload, provided, somebody, startService } from '../service.ts';

/** The last commit of version 1.0. */
const COMMIT = '4bd3cba1edc1d138a51e61cd1f2a8762f554c0b3';
const ROUNDS = 5;
const RUNS = 64;
const TEN_MINUTES = { key: 'talk.mp3', seconds: 600, words: 1500 };
const AN_HOUR = { key: 'hour.mp3', seconds: 3600, words: 10_000 };

/** Measures runs with a provider that answers at once. Installs version 1.0 from the repository's history. */
export async function versionOne(bench: Bench): Promise<void> {
  const old = await installed(bench);
  if (old === null) return bench.note('version 1.0 is not in the history here, or not installable');
  const { provider, env } = provided(bench);
  const entered = async (program?: string) => {
    const server = await startService(bench, env, undefined, program);
    const client = await somebody(server);
    for (const { key, seconds } of [TEN_MINUTES, AN_HOUR]) {
      await client.put(key, recordingOfSeconds(seconds));
    }
    return { server, client };
  };
  const versions = { ours: await entered(), theirs: await entered(join(old, 'server/main.ts')) };
  type Version = typeof versions.ours;

  provider.state.answer = answerFor(TEN_MINUTES.words, TEN_MINUTES.seconds);
  const many = ({ server, client }: Version) => {
    const spent = () => processTime(server.pid) ?? Number.NaN;
    return async () => {
      const before = spent();
      const rate = await runConcurrently(RUNS, () => client.caption(payload(TEN_MINUTES.key)));
      return { rate, processor: (spent() - before) / RUNS };
    };
  };
  const talks = await inTurn(ROUNDS, { ours: many(versions.ours), theirs: many(versions.theirs) });
  provider.state.answer = answerFor(AN_HOUR.words, AN_HOUR.seconds);
  const one = ({ client }: Version) => timed(() => client.caption(payload(AN_HOUR.key)));
  const hours = await inTurn(2 * ROUNDS, {
    ours: one(versions.ours),
    theirs: one(versions.theirs),
  });

  const each = (name: 'rate' | 'processor') =>
    [talks.ours, talks.theirs].map((list) => list.map((found) => found[name])) as [
      number[],
      number[],
    ];
  const against = 'version 1.0, in turns';
  bench.rows(
    row('runs of ten minutes a second, 32 asked for at once', against, '/s', ...each('rate')),
    row('processor time of one of them', against, 'ms', ...each('processor')),
    row('a run of an hour, 10,000 words, alone', against, 'ms', hours.ours, hours.theirs),
  );
}

/** The folder of version 1.0 with its libraries; null if it cannot be had. */
async function installed(bench: Bench): Promise<string | null> {
  const folder = await folderOf(bench);
  try {
    const archive = execFileSync('git', ['archive', COMMIT], { maxBuffer: 2 ** 30, stdio: 'pipe' });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: folder, stdio: 'pipe' });
    return folder;
  } catch {
    return null;
  }
}
