/** The setups of the service: on one machine, and on PostgreSQL with two workers. */
import type { Client } from '../../../test/support/servers/client.ts';
import { hasPostgres, startPostgres } from '../../../test/support/servers/postgres.ts';
import type { ServerProcess } from '../../../test/support/servers/server-process.ts';
import { answerFor, type InstantProvider } from '../../instant-provider.ts';
import { recordingOfSeconds } from '../../recording.ts';
import type { Bench } from '../../section.ts';
import { folderOf, payload, provided, somebody, startService } from '../../service.ts';

/** A running service with a provider that answers at once. */
export interface Setup {
  /** The name of the setup in the table. */
  name: string;
  web: ServerProcess;
  ann: Client;
  /** Signs up a user and uploads the recording for their runs. */
  enter(name: string): Promise<Client>;
  provider: InstantProvider;
  /** A place where the durable queue can have its own tables, for measuring it alone. */
  queueLocation(): Promise<string>;
  /** The number of runs that its workers execute at once. */
  atOnce: number;
}

/** The payload of a one-minute talk. */
export const minute = payload('talk.mp3');

/** The default number of runs per worker thread. */
const RUNS_AT_ONCE = 8;

/** The setups available here. */
export const setups: readonly ((bench: Bench) => Promise<Setup>)[] = hasPostgres
  ? [alone, together]
  : [alone];

async function alone(bench: Bench): Promise<Setup> {
  const { provider, env } = provided(bench);
  const web = await startService(bench, env);
  return entered(provider, web, {
    name: 'SQLite',
    queueLocation: async () => `${await folderOf(bench)}/queue.sqlite`,
    atOnce: RUNS_AT_ONCE,
  });
}

async function together(bench: Bench): Promise<Setup> {
  const { provider, env } = provided(bench);
  const postgres = await startPostgres();
  bench.after(postgres.close);
  const audio = await folderOf(bench);
  const shared = { ...env, DATABASE_URL: await postgres.database(), AUDIO_STORE_URL: audio };
  const start = (ROLE: string) => startService(bench, { ...shared, ROLE });
  const web = await start('web');
  await start('worker');
  await start('worker');
  return entered(provider, web, {
    name: 'PostgreSQL, two workers',
    queueLocation: postgres.database,
    atOnce: 2 * RUNS_AT_ONCE,
  });
}

async function entered(
  provider: InstantProvider,
  web: ServerProcess,
  rest: Pick<Setup, 'name' | 'queueLocation' | 'atOnce'>,
): Promise<Setup> {
  provider.state.answer = answerFor(150, 60);
  const enter = async (name: string) => {
    const client = await somebody(web, name);
    await client.put('talk.mp3', recordingOfSeconds(60));
    return client;
  };
  return { ...rest, web, provider, enter, ann: await enter('bench') };
}
