/** Run events and the queue in PostgreSQL, with a double of its driver: what they send, and what they pass on. */
import { afterEach, describe, expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import { openPostgresStore } from '../../server/runs/openworkflow-postgres.ts';
import { joinPostgresRunEvents } from '../../server/runs/postgres-run-events.ts';
import type { RunEvent } from '../../server/runs/run-events.ts';
import { postgresClients, type PostgresClients } from '../support/doubles/postgres-clients.ts';

const URL = 'postgres://captioner@127.0.0.1/none';
let double: PostgresClients;
afterEach(() => double.restore());

/** The channel of a process, the lines of its log, and the events that it has heard. */
async function joined() {
  const lines: string[] = [];
  const events = await joinPostgresRunEvents(
    URL,
    createLog('warn', (line) => void lines.push(line)),
  );
  const heard: RunEvent[] = [];
  events.subscribe((event) => void heard.push(event));
  const [subscriber] = double.clients;
  return {
    events,
    heard,
    lines,
    subscriber: subscriber!,
    /** Passes a notification on, as the server does to every process, its sender included. */
    notify: (payload: string) =>
      subscriber!.emit('notification', { channel: 'captioner_runs', payload, processId: 1 }),
    sent: () =>
      double.asked
        .filter(({ text }) => text.includes('pg_notify'))
        .map(({ values: [channel, payload] }) => {
          expect(channel).toBe('captioner_runs');
          return String(payload);
        }),
  };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const changed = (at: number): RunEvent => ({ type: 'changed', runId: `run_${at}` });

describe('run events', () => {
  test('reach their own process once, at once, and others through the server', async () => {
    double = postgresClients();
    const { events, heard, notify, sent } = await joined();
    expect(double.asked.map(({ text }) => text)).toEqual(['LISTEN captioner_runs']);
    events.publish(changed(1));
    expect(heard).toEqual([changed(1)]);
    await turn();
    const [payload] = sent();
    notify(payload!);
    expect(heard).toEqual([changed(1)]);
    const { from, ...others } = JSON.parse(payload!);
    expect(others).toEqual({ events: [changed(1)] });
    notify(JSON.stringify({ from: `${from}x`, events: [changed(2), changed(3)] }));
    expect(heard).toEqual([changed(1), changed(2), changed(3)]);
  });

  test('of a busy moment are sent a hundred at a time, in order', async () => {
    double = postgresClients();
    const { events, sent } = await joined();
    const all = Array.from({ length: 201 }, (_, at) => changed(at));
    for (const event of all) events.publish(event);
    await turn();
    const batches = sent().map((payload) => JSON.parse(payload).events as RunEvent[]);
    expect(batches.map(({ length }) => length)).toEqual([1, 100, 100]);
    expect(batches.flat()).toEqual(all);
  });

  test('that may have been missed while there was no connection are made up for', async () => {
    double = postgresClients();
    const { heard, subscriber } = await joined();
    double.lose(subscriber);
    while (heard.length === 0) await turn();
    expect(heard).toEqual([{ type: 'queued' }]);
  });

  test('that cannot be sent are reported, and the next ones are sent', async () => {
    let isDown = true;
    double = postgresClients((text) => {
      if (isDown && text.includes('pg_notify')) throw new Error('the server is down');
      return [];
    });
    const { events, lines, sent } = await joined();
    events.publish(changed(1));
    await turn();
    expect(lines).toEqual([expect.stringContaining('run_events_not_sent')]);
    isDown = false;
    events.publish(changed(2));
    await turn();
    expect(sent().map((payload) => JSON.parse(payload).events)).toEqual([
      [changed(1)],
      [changed(2)],
    ]);
  });

  test('end with their connections', async () => {
    double = postgresClients();
    const { events, heard } = await joined();
    events.publish({ type: 'queued' });
    await turn();
    await events.close();
    expect(double.ended).toHaveLength(double.clients.length);
    events.publish({ type: 'queued' });
    expect(heard).toEqual([{ type: 'queued' }]);
  });
});

describe('the queue', () => {
  test('counts what it deletes: runs that ended before an instant, and the steps of one run', async () => {
    double = postgresClients((text) =>
      text.includes('step_attempts') ? [{}, {}, {}] : text.includes('DELETE') ? [{}, {}] : [],
    );
    const store = await openPostgresStore(URL);
    expect(await store.prune(1000)).toBe(2);
    expect(await store.forget('run_1')).toBe(3);
    await store.freeExpired();
    const [pruned, steps, entry, freed] = double.asked;
    expect([pruned, steps, entry, freed].map((one) => one?.values)).toEqual([
      [new Date(1000)],
      ['run_1'],
      ['run_1'],
      [],
    ]);
    expect(await store.insist(async () => 'once')).toBe('once');
    await store.close();
    expect(double.ended).toHaveLength(double.clients.length);
  });
});
