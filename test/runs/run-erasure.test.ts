/** Erasing a run: none of its data is left in any table or file, and no other run is affected. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { isPostgres } from '../../server/config/stores.ts';
import { createLog } from '../../server/log.ts';
import { createReviewStore } from '../../server/learning/review-store.ts';
import { createRunErasure } from '../../server/runs/run-erasure.ts';
import { openQueue, prepareQueue } from '../../server/runs/openworkflow-queue.ts';
import { createAuditAnswers } from '../../server/storage/audit-answers.ts';
import type { Database } from '../../server/storage/database.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { until } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const SECRET = 'Zanzibarium';
const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const lines: string[] = [];
const log = createLog('debug', (line) => void lines.push(line));

/** All rows of all tables as text; in PostgreSQL also those of openworkflow. */
async function everything(database: Database): Promise<string> {
  const tables = await database.introspection.getTables();
  const rows = await Promise.all(
    tables.map(({ schema, name }) =>
      sql`select * from ${schema ? sql.id(schema, name) : sql.id(name)}`.execute(database),
    ),
  );
  return JSON.stringify(rows.map((each) => each.rows));
}

await onEachDatabase((title, database, url) => {
  describe(title, () => {
    const stored = new Map<string, string>();
    let refuses = false;
    const audio = {
      stat: async (_of: string, key: string) =>
        stored.has(key) ? { size: 1, version: stored.get(key)! } : null,
      delete: async (_of: string, key: string, version?: string) => {
        if (refuses) throw new Error('the bucket does not answer');
        return stored.get(key) === version && stored.delete(key);
      },
    };
    const location = isPostgres(url) ? url : join(folder, 'runs.sqlite');
    const opened = prepareQueue(location).then(() => openQueue(location, log));
    afterAll(async () => (await opened).stop(0));
    const erasing = async () => createRunErasure({ database, queue: await opened, audio, log });
    const answers = createAuditAnswers(database, { ttlMs: 60_000, log });

    /** A run with all data that one can have, all containing the same word. */
    async function fullRun(organizationId: string, word: string) {
      const run = await completedRun(database, organizationId, spoken(`We met ${word} today.`));
      const { runId, cues } = run;
      await database
        .updateTable('runs')
        .set({ payload: JSON.stringify({ audio: { key: `${word}.mp3` }, topic: word }) })
        .where('id', '=', runId)
        .execute();
      await createWebhookStore(database).create(organizationId, 'key', {
        url: 'https://a.example',
      });
      const review = { cues, decisions: [], speakers: [], finished: false };
      const id = { id: runId, organizationId };
      await createReviewStore(database).save(id, { ...review, note: word } as never, 'none');
      await database
        .insertInto('rule_changes')
        .values({
          run_id: runId,
          correction_id: 'c1',
          organization_id: organizationId,
          rule_id: 'r',
          start: 0,
          before: word,
          after: word,
        })
        .execute();
      await database
        .insertInto('moderation_events')
        .values({
          id: `mod_${runId}`,
          run_id: runId,
          created_at: 1,
          decision: 'allow',
          severity: 'none',
          reason: 'safe',
          model: word,
          flagged: null,
        })
        .execute();
      await answers.set(`own ${runId}`, word, runId);
      return { ...run, run: { ...id, payload: { audio: { key: `${word}.mp3` } } } };
    }

    test('leaves nothing of it, reports what there was, and affects no other run', async () => {
      const mine = await fullRun('erasing', SECRET);
      const other = await fullRun('erasing', 'Somebody');
      await answers.set('shared', 'of both', mine.runId);
      await answers.get('shared', other.runId);
      const queue = await opened;
      let steps = 0;
      await queue.work(2, async ({ runId }, { run }) => {
        for (const name of ['heard', 'audit']) {
          await run(name, async () => (runId === mine.runId ? SECRET : 'Somebody').repeat(2000));
        }
        steps += 2;
      });
      await queue.start({ runId: mine.runId }, 0);
      await queue.start({ runId: other.runId }, 1);
      queue.wake();
      await until(async () => steps === 4);

      const { erase } = await erasing();
      const told = await erase(mine.run);
      expect(told).toEqual({
        runId: mine.runId,
        erased: {
          result: true,
          review: true,
          moderationEvents: 1,
          // Both webhooks existed when the other run's review was saved, but only one when this
          // one's was.
          webhookDeliveries: 1,
          modelAnswers: 1,
          steps: 2,
        },
        recording: 'none',
      });
      const logged = lines.filter((line) => line.includes('run_erased')).join('\n');
      expect(logged).toContain(mine.runId);
      expect(logged).not.toContain(SECRET);
      const left = await everything(database);
      expect(left).not.toContain(SECRET);
      // The queue finishes a run slightly after its last step.
      if (!isPostgres(url)) expect(left).not.toContain(mine.runId);
      expect(left.split('Somebody').length).toBeGreaterThan(5);
      expect(await answers.get('shared', other.runId)).toBe('of both');
      // A second request finds nothing, and the shared answer is deleted with its last run.
      expect(await erase(mine.run)).toBeNull();
      expect((await erase(other.run))?.erased).toMatchObject({ modelAnswers: 2, steps: 2 });
      expect(lines.join('')).not.toContain(SECRET);
      if (isPostgres(url)) return;
      for (const path of [url, location]) {
        const file = openSqlite(path);
        file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        file.close();
        expect((await readFile(path)).includes(SECRET)).toBe(false);
      }
    });

    test('a run in progress, or of another workspace, is not erased', async () => {
      const { run, runId } = await fullRun('going', 'Elsewhere');
      const { erase } = await erasing();
      expect(await erase({ ...run, organizationId: 'strangers' })).toBeNull();
      await database
        .updateTable('runs')
        .set({ finished_at: null })
        .where('id', '=', runId)
        .execute();
      expect(await erase(run)).toBeNull();
      expect(await answers.get(`own ${runId}`, runId)).toBe('Elsewhere');
    });

    test('a pending deletion is made first; if it fails, the run stays', async () => {
      const { run, runId } = await fullRun('owing', 'Owed');
      const owe = database.updateTable('runs').set({ owed_audio: 'v1' });
      await owe.where('id', '=', runId).execute();
      stored.set('Owed.mp3', 'v1');
      const { erase } = await erasing();
      refuses = true;
      await expect(erase(run)).rejects.toThrow('does not answer');
      refuses = false;
      expect(await everything(database)).toContain(runId);
      expect(await erase(run)).toMatchObject({ recording: 'none' });
      expect(stored.size).toBe(0);
    });

    test('a run without a review or answers reports that; unassigned answers stay until they expire', async () => {
      const { runId } = await completedRun(database, 'plain', spoken('We met nobody today.'));
      await fullRun('plain', 'Anybody');
      const run = { id: runId, organizationId: 'plain', payload: { audio: { key: 'none.mp3' } } };
      await database
        .insertInto('audit_answers')
        .values({ key: `nobody ${title}`, answer: '{}', created_at: 1 })
        .execute();
      const { erase } = await erasing();
      expect((await erase(run))?.erased).toEqual({
        result: true,
        review: false,
        moderationEvents: 0,
        webhookDeliveries: 0,
        modelAnswers: 0,
        steps: 0,
      });
      const { run: full } = await fullRun('plain', 'Someone');
      expect((await erase(full))?.erased.modelAnswers).toBe(1);
      const left = await database.selectFrom('audit_answers').select('key').execute();
      expect(left).toContainEqual({ key: `nobody ${title}` });
    });

    test('a run erased twice simultaneously is erased once', async () => {
      const { run } = await fullRun('twice', 'Twice');
      const { erase } = await erasing();
      const outcomes = await Promise.all([erase(run), erase(run)]);
      expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
      expect(await erase(run)).toBeNull();
    });

    test('if two runs sharing an answer are erased simultaneously, the answer is deleted', async () => {
      const [one, two] = [await fullRun('pair', 'Left'), await fullRun('pair', 'Right')];
      await answers.set('common', 'of both', one.runId);
      await answers.get('common', two.runId);
      const { erase } = await erasing();
      await Promise.all([erase(one.run), erase(two.run)]);
      const row = database.selectFrom('audit_answers').select('key').where('key', '=', 'common');
      expect(await row.execute()).toEqual([]);
    });
  });
});
