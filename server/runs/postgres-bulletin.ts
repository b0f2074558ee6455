/** The bulletin of many processes: NOTIFY and LISTEN of PostgreSQL. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import { createLocalBulletin, type Bulletin, type RunNews } from './bulletin.ts';
import { gather } from './gather.ts';
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
  await pool.listen(
    CHANNEL,
    (payload) => {
      const { from, news }: Notification = JSON.parse(payload);
      if (from !== own) news.forEach(local.publish);
    },
    // Also after a connection that broke: what was said meanwhile was not heard.
    () => local.publish({ type: 'queued' }),
  );

  const send = gather<RunNews>(async (news) => {
    const notification: Notification = { from: own, news };
    try {
      await pool.notify(CHANNEL, JSON.stringify(notification));
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
      await pool.end({ timeout: 2 });
    },
  };
}
