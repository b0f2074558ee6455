/**
 * A long queue on PostgreSQL: while nothing can be done, its machines hardly ask the database anything, and once its runs
 * have expired, the tables are as small as before. `FUZZ=125` queues ten thousand runs.
 */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import postgres from 'postgres';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { rounds } from '../../support/fuzz.ts';
import { signUp, until, type Client } from '../../support/servers/client.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { needsPostgres } from '../../support/servers/postgres.ts';

setDefaultTimeout(rounds(600_000));
const RUNS = rounds(40);
const WATCHED_S = 10;

needsPostgres('a long queue asks little while it waits, and leaves nothing', async () => {
  const wire = deepgramWire(deepgramAnswer(TALK));
  let { promise: goes, resolve: go } = Promise.withResolvers<void>();
  const deepgram = await startHttpDouble(async (request) => {
    await goes;
    return wire(request);
  });
  const fleet = await startFleet({
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    RESULT_TTL: '30s',
    RESULT_QUOTA: 'off',
    WORKERS: '1',
  });
  afterAll(async () => {
    await fleet.close();
    await deepgram.close();
  });
  const web = await fleet.start('web');
  await fleet.start('worker');
  await fleet.start('worker');
  const sql = postgres(fleet.databaseUrl, { max: 1, onnotice() {} });
  afterAll(() => sql.end());
  const ann = await signUp(web, 'ann@example.com');
  await ann.put('talk.mp3', chirp);

  const statements = async (): Promise<number> => {
    const [row] = await sql`
      select xact_commit + xact_rollback as count from pg_stat_database
      where datname = current_database()`;
    return Number(row!['count']);
  };
  const left = async () => {
    const [row] = await sql`
      select (select count(*) from runs)::int as runs, (select count(*) from run_texts)::int as texts,
        (select count(*) from openworkflow.workflow_runs)::int as entries,
        (select count(*) from openworkflow.step_attempts)::int as steps`;
    return row;
  };
  const bytes = async (): Promise<number> => {
    for (const table of [
      'runs',
      'run_texts',
      'openworkflow.workflow_runs',
      'openworkflow.step_attempts',
    ]) {
      await sql.unsafe(`vacuum ${table}`);
    }
    const [row] = await sql`
      select sum(pg_total_relation_size(relid))::int as bytes from pg_stat_user_tables`;
    return Number(row!['bytes']);
  };
  /** The transactions a second of the next moments. */
  const transactions = async (): Promise<number> => {
    // Idle connections report what they did before after ten seconds.
    await Bun.sleep(12_000);
    const before = await statements();
    await Bun.sleep(WATCHED_S * 1000);
    return ((await statements()) - before) / WATCHED_S;
  };
  /** Queues runs until all slots wait, and does something meanwhile; then has them completed and expire. */
  const round = async (meanwhile: () => Promise<void>) => {
    await queue(ann, RUNS);
    // Until all slots wait for the provider.
    let [asked, still] = [0, 0];
    await until(async () => {
      await Bun.sleep(500);
      still = deepgram.requests.length === asked ? still + 1 : 0;
      asked = deepgram.requests.length;
      return asked > 0 && still >= 4;
    });
    await meanwhile();
    go();
    await until(async () => {
      const rows = await left();
      return rows!['runs'] === 0 && rows!['steps'] === 0;
    }, rounds(240_000));
    expect(await left()).toEqual({ runs: 0, texts: 0, entries: 0, steps: 0 });
    ({ promise: goes, resolve: go } = Promise.withResolvers<void>());
    return bytes();
  };
  const first = await round(async () => {});
  let aSecond = 0;
  // The tables have had rows by then, as those of any service have.
  const second = await round(async () => void (aSecond = await transactions()));
  console.log(
    `${RUNS} queued runs: ${aSecond} transactions a second while they wait; ` +
      `${first} and ${second} bytes after they have expired`,
  );
  // Of a web process and two workers, and of the clean-up, which runs all the time with such lifetimes.
  expect(aSecond).toBeLessThanOrEqual(15);
  expect(second).toBeLessThan(2 * first);
});

/** Queues runs of a recording, eight at a time. */
async function queue(ann: Client, count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while ((next += 1) <= count) {
      const payload = { audio: { key: 'talk.mp3' }, transcription: { provider: 'deepgram' } };
      const kept = { storage: { retainSourceAudio: true } };
      const { status } = await ann.start({ ...payload, ...kept });
      if (status !== 202) throw new Error(`the run was answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}
