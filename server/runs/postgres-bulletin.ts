/** The bulletin of many processes: NOTIFY and LISTEN of PostgreSQL. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import { listen, openPool } from '../storage/postgres.ts';
import { createLocalBulletin, type Bulletin, type RunNews } from './bulletin.ts';
import { gather } from './gather.ts';

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
  const pool = await openPool(url, 1);
  const own = randomUUID();
  const local = createLocalBulletin();
  const listener = await listen(url, CHANNEL, {
    notification(payload) {
      const { from, news }: Notification = JSON.parse(payload);
      if (from !== own) news.forEach(local.publish);
    },
    joined: () => local.publish({ type: 'queued' }),
  });

  const send = gather<RunNews>(async (news) => {
    const notification: Notification = { from: own, news };
    try {
      await pool.query('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify(notification)]);
    } catch (error) {
      log.warn('news_not_sent', { error });
    }
  }, MOST_AT_ONCE);

  return {
    publish(news) {
      local.publish(news);
      send(news);
    },
    subscribe: local.subscribe,
    async close() {
      await local.close();
      await Promise.all([listener.close(), pool.end()]);
    },
  };
}
