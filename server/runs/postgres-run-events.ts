/** Run events between processes, through NOTIFY and LISTEN of PostgreSQL. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../base/log.ts';
import { createLocalRunEvents, type RunEvents, type RunEvent } from './store/run-events.ts';
import { inBatches } from './batch.ts';
import { openPostgresPool, subscribePostgres } from '../storage/postgres.ts';

const CHANNEL = 'captioner_runs';
/** The most events in one notification, which holds at most 8,000 bytes. */
const MAX_AT_ONCE = 100;

interface Notification {
  /** The process that sent it, and that has already delivered it to itself. */
  from: string;
  events: RunEvent[];
}

/** Joins the channel that all processes on a database share. */
export async function joinPostgresRunEvents(url: string, log: Log): Promise<RunEvents> {
  const pool = await openPostgresPool(url, 1);
  const own = randomUUID();
  const local = createLocalRunEvents();
  const subscription = await subscribePostgres(url, CHANNEL, {
    notification(payload) {
      const { from, events }: Notification = JSON.parse(payload);
      if (from !== own) events.forEach(local.publish);
    },
    joined: () => local.publish({ type: 'queued' }),
  });

  const send = inBatches<RunEvent>(async (events) => {
    const notification: Notification = { from: own, events };
    try {
      await pool.query('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify(notification)]);
    } catch (error) {
      log.warn('run_events_not_sent', { error });
    }
  }, MAX_AT_ONCE);

  return {
    publish(event) {
      local.publish(event);
      send(event);
    },
    subscribe: local.subscribe,
    close: () => Promise.all([local.close(), subscription.close(), pool.end()]),
  };
}
