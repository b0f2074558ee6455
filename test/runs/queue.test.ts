import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../server/log.ts';
import { joinPostgresRunEvents } from '../../server/runs/postgres-run-events.ts';
import type { RunEvent } from '../../server/runs/run-events.ts';
import { openPool } from '../../server/storage/postgres.ts';
import { until } from '../support/servers/client.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../support/servers/postgres.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { queueSuite } from './queue.suite.ts';

setDefaultTimeout(600_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

let count = 0;
queueSuite('runs in a file', {
  folder,
  leaseMs: null,
  location: async () => join(folder, `${(count += 1)}.sqlite`),
});

if (hasPostgres) {
  const server = await startPostgres();
  afterAll(() => server.close());
  queueSuite('runs in PostgreSQL', {
    folder,
    leaseMs: 1500,
    location: server.database,
  });

  needsPostgres(
    'events reach every process once, in order, until the channel is closed',
    async () => {
      const url = await server.database();
      const lines: string[] = [];
      const log = createLog('warn', (line) => void lines.push(line));
      const join = () => joinPostgresRunEvents(url, log);
      const [one, other] = await Promise.all([join(), join()]);
      const heard: RunEvent[][] = [[], []];
      one.subscribe((event) => heard[0]!.push(event));
      other.subscribe((event) => heard[1]!.push(event));
      const sent = Array.from({ length: 250 }, (_, at) => ({
        type: 'changed' as const,
        runId: `run_${at}`,
      }));
      for (const event of sent) one.publish(event);
      other.publish({ type: 'cancel', runId: 'run_x' });
      const all = sent.length + 1;
      await until(async () => heard.every((events) => events.length >= all));
      for (const events of heard) {
        expect(events.filter(({ type }) => type === 'changed')).toEqual(sent);
        expect(events).toHaveLength(all);
      }
      await Promise.all([one.close(), other.close()]);
      const pool = await openPool(url, 1);
      await until(async () => {
        const { rows } = await pool.query(
          "select 1 from pg_stat_activity where application_name = 'captioner' and datname = current_database()",
        );
        return rows.length === 1;
      });
      await pool.end();
      one.publish({ type: 'queued' });
      expect(heard[0]).toHaveLength(all);
      // The connections are closed, so it is not sent either.
      await until(async () => lines.some((line) => line.includes('run_events_not_sent')));
    },
  );

  needsPostgres('a process looks for waiting runs after it had lost the channel', async () => {
    const url = await server.database();
    const events = await joinPostgresRunEvents(url, createLog('silent'));
    const heard: RunEvent[] = [];
    events.subscribe((event) => heard.push(event));
    const pool = await openPool(url, 1);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'LISTEN%' and datname = current_database()",
    );
    await until(async () => heard.length > 0, 10_000);
    expect(heard).toEqual([{ type: 'queued' }]);
    await Promise.all([events.close(), pool.end()]);
  });
} else needsPostgres('runs in PostgreSQL', () => {});
