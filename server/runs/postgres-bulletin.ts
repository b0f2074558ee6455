/** The bulletin of many processes: NOTIFY and LISTEN of PostgreSQL. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import { createLocalBulletin, type Bulletin, type RunNews } from './bulletin.ts';
import { openPool } from './openworkflow-postgres.ts';

const CHANNEL = 'captioner_runs';
/** A notification has at most 8,000 bytes: a hundred pieces of news fit. */
const MOST_AT_ONCE = 100;

interface Notification {
  /** The process that says it: it has told itself already. */
  from: string;
  news: RunNews[];
}

/** Joins the bulletin of all processes on a database. */
export async function joinPostgresBulletin(url: string, log: Log): Promise<Bulletin> {
  const pool = openPool(url, 1);
  const own = randomUUID();
  const local = createLocalBulletin();
  /** By what it says: twice the same is told once. */
  const waiting = new Map<string, RunNews>();
  let sending = false;

  await pool.listen(
    CHANNEL,
    (payload) => {
      const { from, news }: Notification = JSON.parse(payload);
      if (from !== own) news.forEach(local.publish);
    },
    // Also after a connection that broke: what was said meanwhile was not heard.
    () => local.publish({ type: 'queued' }),
  );

  /** While one notification is on its way the next gathers: many runs at once cost few of them. */
  const send = async (): Promise<void> => {
    sending = true;
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, MOST_AT_ONCE);
      for (const [key] of batch) waiting.delete(key);
      const notification: Notification = { from: own, news: batch.map(([, news]) => news) };
      try {
        await pool.notify(CHANNEL, JSON.stringify(notification));
      } catch (error) {
        log.warn('news_not_sent', { error });
      }
    }
    sending = false;
  };

  return {
    publish(news) {
      local.publish(news);
      waiting.set(JSON.stringify(news), news);
      if (!sending) void send();
    },
    subscribe: local.subscribe,
    async close() {
      await local.close();
      await pool.end({ timeout: 2 });
    },
  };
}
