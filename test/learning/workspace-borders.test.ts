/**
 * Isolation of workspaces in learning and storage: only their own reviews, terms and runs count.
 */
import { describe, expect, test } from 'bun:test';
import type { ReviewDocument } from '../../server/contract/review.ts';
import { createLearner, createWorkspaceTerminology } from '../../server/learning/learn.ts';
import { createTerminologyStore } from '../../server/learning/terminology-store.ts';
import { createLog } from '../../server/base/log.ts';
import type { Database } from '../../server/storage/database.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { watchDatabase } from '../support/doubles/watched-database.ts';
import { reverseUnordered, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { holding, rule, reviewValues } from './documents.ts';

const { database } = await sqliteDatabase();
const reviews = reviewValues(database);
const terminology = createTerminologyStore(database);
const learner = createLearner(database, terminology);

let count = 0;
const workspace = () => `workspace_${(count += 1)}`;
const corrected = (text = 'We use Keycloak here.'): ReviewDocument => ({
  cues: [{ start: 0, end: 2, lines: [text] }],
  corrections: [],
  speakers: [],
  finished: true,
});
async function newRun(organizationId: string, text = 'We use key cloke here.') {
  const { runId } = await completedRun(database, organizationId, spoken(text));
  return { id: runId, organizationId };
}
async function reviewed(organizationId: string, text?: string, document = corrected()) {
  const run = await newRun(organizationId, text);
  const saved = await reviews.save(run, document, 'none');
  if (saved.outcome !== 'saved') throw new Error('not saved');
  return { ...run, tag: saved.review.tag };
}
const term = (canonical: string) => ({
  canonical,
  kind: 'technical_term' as const,
  mishears: [],
  weight: 10,
  source: { kind: 'person', at: '2026-01-01T00:00:00.000Z' } as never,
});
const add = (of: string, canonical: string, expected?: number[]) =>
  terminology.change(
    of,
    (document) => ({ ...document, terms: [...document.terms, term(canonical)] }),
    expected,
  );
const namesOf = async (of: string) =>
  (await terminology.get(of)).document.terms.map(({ canonical }) => canonical);

test('a rule whose term is deleted is stored as undone', async () => {
  const of = workspace();
  await terminology.change(of, () => holding([rule()]));
  expect((await terminology.get(of)).document.rules).toMatchObject([{ state: 'applied' }]);
  await terminology.change(of, (document) => ({ ...document, terms: [] }));
  expect((await terminology.get(of)).document.rules).toMatchObject([{ state: 'undone' }]);
});

describe('learning', () => {
  test('counts only the evidence of its own workspace, even if that of others has been read', async () => {
    const [mine, other] = [workspace(), workspace()];
    await reviewed(mine);
    await reviewed(other);
    for (const of of [other, mine, other]) {
      expect((await learner.learn(of)).candidates).toMatchObject([
        { canonical: 'Keycloak', accepted: 1, talks: 1 },
      ]);
    }
  });

  test('separates the evidence of two reviews with the same text', async () => {
    const of = workspace();
    const heard = await reviewed(of);
    const right = await reviewed(of, 'We use Keycloak here.');
    expect(heard.tag).toBe(right.tag);
    await learner.learn(of);
    const rows = await database
      .selectFrom('review_evidence')
      .select(['run_id', 'evidence'])
      .execute();
    const evidence = new Map(rows.map((row) => [row.run_id, JSON.parse(row.evidence)]));
    expect(evidence.get(heard.id)).toHaveLength(1);
    expect(evidence.get(right.id)).toEqual([]);
  });

  test('if it fails, a run still has its terms, unless the database is down', async () => {
    const of = workspace();
    await add(of, 'Keycloak');
    const { id } = await reviewed(of);
    await database.updateTable('reviews').set({ document: '{' }).where('run_id', '=', id).execute();
    const lines: string[] = [];
    const log = createLog('debug', (line) => void lines.push(line));
    const own = createWorkspaceTerminology(database, log);
    expect((await own.ownTerms(of)).terms).toMatchObject([{ canonical: 'Keycloak' }]);
    expect(lines.join('')).toContain('learning_failed');
    const away = {
      selectFrom() {
        throw new StorageUnavailable('away');
      },
    } as unknown as Database;
    lines.length = 0;
    await expect(createWorkspaceTerminology(away, log).ownTerms(of)).rejects.toThrow(
      StorageUnavailable,
    );
    // An outage is no fault of the reviews.
    expect(lines.join('')).not.toContain('learning_failed');
  });

  test('records the changes by a rule for the workspace of the run', async () => {
    const of = workspace();
    const { id } = await newRun(of);
    const change = { ruleId: 'rule_1', correctionId: 'c1', start: 1, before: 'a', after: 'b' };
    const own = createWorkspaceTerminology(database, createLog('silent'));
    await own.noteRuleChanges(of, id, [change]);
    await own.noteRuleChanges(of, id, [change]);
    const rows = database.selectFrom('rule_changes').selectAll().where('run_id', '=', id);
    expect(await rows.execute()).toEqual([
      {
        run_id: id,
        correction_id: 'c1',
        organization_id: of,
        rule_id: 'rule_1',
        start: 1,
        before: 'a',
        after: 'b',
      },
    ]);
  });
});

describe('a review', () => {
  test('notifies the webhooks of its workspace', async () => {
    const of = workspace();
    const webhooks = createWebhookStore(database);
    const { id: hook } = (await webhooks.create(of, 'key', { url: 'https://a.example/' }))!;
    const { id } = await reviewed(of);
    await reviewed(workspace());
    expect(await webhooks.deliveries(of, hook)).toMatchObject([
      { event: 'review.saved', runId: id },
    ]);
  });
});

describe('terms', () => {
  test('belong to one workspace', async () => {
    const [mine, other] = [workspace(), workspace()];
    await add(mine, 'Keycloak');
    expect(await namesOf(other)).toEqual([]);
    await add(other, 'SCIM');
    await add(other, 'AuthKit');
    await add(mine, 'Okta');
    expect(await namesOf(mine)).toEqual(['Keycloak', 'Okta']);
    expect(await namesOf(other)).toEqual(['SCIM', 'AuthKit']);
  });

  test('each of several simultaneous changes applies to the result of the previous one', async () => {
    const of = workspace();
    const names = ['One', 'Two', 'Three', 'Four', 'Five'];
    await Promise.all(names.map((name) => add(of, name)));
    expect((await namesOf(of)).toSorted()).toEqual(names.toSorted());
    await Promise.all(names.map((name) => add(of, `${name} again`)));
    expect(await namesOf(of)).toHaveLength(10);
  });
});

/** Copies a review to more runs of its workspace. */
async function copied(runId: string, copies: number): Promise<void> {
  const runs = database.selectFrom('runs').selectAll().where('id', '=', runId);
  const reviews = database.selectFrom('reviews').selectAll().where('run_id', '=', runId);
  const [run, review] = [
    await runs.executeTakeFirstOrThrow(),
    await reviews.executeTakeFirstOrThrow(),
  ];
  const ids = Array.from({ length: copies }, (_, at) => `${runId}_${at}`);
  // In portions, as many variables as a statement may have.
  for (let at = 0; at < copies; at += 100) {
    const some = ids.slice(at, at + 100);
    await database
      .insertInto('runs')
      .values(some.map((id) => ({ ...run, id })))
      .execute();
    await database
      .insertInto('reviews')
      .values(some.map((id) => ({ ...review, run_id: id })))
      .execute();
  }
}

test.each([false, true])(
  'the latest 500 reviews are read, and count; unordered rows in reverse: %p',
  async (isReverse) => {
    await reverseUnordered(database, isReverse);
    const of = workspace();
    const oldest = await reviewed(of, 'We use coober netties.', corrected('We use Kubernetes.'));
    const first = database.updateTable('reviews').set({ saved_at: 1 });
    await first.where('run_id', '=', oldest.id).execute();
    const { id } = await reviewed(of);
    await copied(id, 499);
    const read = async () =>
      (
        await database
          .selectFrom('reviews')
          .innerJoin('review_evidence as known', 'known.run_id', 'reviews.run_id')
          .select('known.run_id')
          .where('organization_id', '=', of)
          .execute()
      ).length;
    const { learn } = learner;
    await learn(of);
    expect(await read()).toBe(500);
    const left = await database
      .selectFrom('reviews')
      .select('run_id')
      .where('organization_id', '=', of)
      .where('run_id', 'not in', database.selectFrom('review_evidence').select('run_id'))
      .execute();
    expect(left).toEqual([{ run_id: oldest.id }]);
    const { candidates } = await learn(of);
    expect(candidates).toHaveLength(1);
    expect(candidates).toMatchObject([{ canonical: 'Keycloak', accepted: 500, talks: 500 }]);
    expect(await read()).toBe(501);
  },
);

test('a review is read once, and again after it has changed', async () => {
  const of = workspace();
  const run = await reviewed(of);
  const { database: watched, statements } = watchDatabase(database);
  const { learn } = createLearner(watched, createTerminologyStore(watched));
  await learn(of);
  expect(statements).toContain('insert review_evidence: 0');
  statements.length = 0;
  await learn(of);
  expect(statements).not.toContain('insert review_evidence: 0');
  await reviews.save(run, { ...corrected(), finished: false }, 'any');
  await learn(of);
  expect(statements).toContain('insert review_evidence: 0');
});
