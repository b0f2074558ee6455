/** Isolation of workspaces: runs by state, rules, events, pages of an export. */
import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { submitRun } from '../../server/http/runs/run-requests.ts';
import { exportedFiles, type ExportSources } from '../../server/http/workspace/workspace-export.ts';
import { createGuard } from '../../server/http/guard.ts';
import type { Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { reviewedRun } from '../support/servers/reviewed-run.ts';

const app = await mountedApp();
const { database } = app.services;
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@example.org');

const send = (who: MountedKey, method: string, path: string, body?: object, headers = {}) =>
  app.ask(path, {
    method,
    key: who.key,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const start = async (who: MountedKey): Promise<string> =>
  (await (await send(who, 'POST', '/workflows/captioner', { audio: { key: 'a.mp3' } })).json())
    .runId;

test('runs can be listed by state', async () => {
  const runId = await start(ann);
  const waiting = await start(ann);
  await send(ann, 'DELETE', `/workflows/captioner/${runId}`);
  const ids = async (state: string) =>
    (await (await send(ann, 'GET', `/workflows/captioner?state=${state}`)).json()).runs.map(
      (run: Any) => run.runId,
    );
  expect(await ids('cancelled')).toEqual([runId]);
  expect(await ids('queued')).toEqual([waiting]);
  expect(await ids('completed')).toEqual([]);
});

test('a run that cannot be stored is not reported as an idempotency conflict', async () => {
  const error = new Error('the disk is full');
  const runs = { submit: () => Promise.reject(error) };
  await expect(submitRun(runs as never, {} as never)).rejects.toBe(error);
});

describe('an export', () => {
  const files = async (organizationId: string, sources: Partial<ExportSources> = {}) => {
    const names: string[] = [];
    const texts: string[] = [];
    const { runs, reviews } = app.services;
    const stored = { result: runs.result, review: reviews.get };
    const all = { ...app.services, stored, ...sources } as unknown as ExportSources;
    for await (const file of exportedFiles(all, organizationId)) {
      names.push(file.name);
      const chunks: Uint8Array[] = [];
      for await (const chunk of file.body) chunks.push(chunk);
      texts.push(Buffer.concat(chunks).toString('utf8'));
    }
    return { names, text: texts.join('\n') };
  };

  test('has every run, however many pages they are', async () => {
    const stored = await completedRun(database, 'org_pages', spoken('Hello there.'));
    const [row] = await database
      .selectFrom('runs')
      .selectAll()
      .where('id', '=', stored.runId)
      .execute();
    for (let at = 0; at < 120; at += 1) {
      const run = { ...row!, id: `run_page_${at}`, result: null, kept_bytes: 0 };
      await database.insertInto('runs').values(run).execute();
    }
    const { names } = await files('org_pages');
    expect(names.filter((name) => name.endsWith('/run.json'))).toHaveLength(121);
  });

  test('has the moderation events of its own runs', async () => {
    const own = await completedRun(database, 'org_events', spoken('Hello there.'));
    const other = await completedRun(database, 'org_others', spoken('Hello there.'));
    for (const [id, run_id] of [
      ['mod_own', own.runId],
      ['mod_other', other.runId],
    ] as const) {
      await database
        .insertInto('moderation_events')
        .values({
          id,
          run_id,
          created_at: 1,
          decision: 'flag',
          severity: 'low',
          reason: 'x',
          model: 'rules',
          flagged: null,
        })
        .execute();
    }
    const { names, text } = await files('org_events');
    expect(names).toContain(`runs/${own.runId}/moderation.json`);
    expect(text).toContain('mod_own');
    expect(text).not.toContain('mod_other');
  });
});

describe('terms', () => {
  const path = '/terminology/terms';

  test('to be created are refused if there are some', async () => {
    const none = { 'if-none-match': '*' };
    const put = (terms: object[]) => send(bob, 'PUT', path, { terms }, none);
    expect((await put([{ canonical: 'Oktavia' }])).status).toBe(200);
    expect((await put([{ canonical: 'Zanzibarium' }])).status).toBe(412);
    const { terms } = await (await send(bob, 'GET', path)).json();
    expect(terms.map((term: Any) => term.canonical)).toEqual(['Oktavia']);
  });

  test('are checked together with the existing ones', async () => {
    const clash = { terms: [{ canonical: 'Octavo', mishears: ['oktavia'] }] };
    const answer = await send(bob, 'PATCH', path, clash);
    expect(answer.status).toBe(422);
    const { terms } = await (await send(bob, 'GET', path)).json();
    expect(terms).toHaveLength(1);
  });
});

describe('rules of two workspaces that learned the same', () => {
  const heard = 'First we set up key cloke and then key cloke was running.';
  const learn = (who: MountedKey, said: string, typed: string) =>
    reviewedRun(app, who, said, typed);
  const rules = async (who: MountedKey, query = ''): Promise<Any[]> =>
    (await (await send(who, 'GET', `/terminology/rules${query}`)).json()).rules;

  test('have the changes of their own runs; rules are found by the runs they changed', async () => {
    for (const who of [ann, bob])
      await learn(who, heard, heard.replaceAll('key cloke', 'Keycloak'));
    const changed = await completedRun(database, bob.organizationId, spoken(heard));
    const [rule] = await rules(bob);
    await database
      .insertInto('rule_changes')
      .values({
        rule_id: rule.id,
        run_id: changed.runId,
        organization_id: bob.organizationId,
        correction_id: 'c1',
        start: 1,
        before: 'key cloke',
        after: 'Keycloak',
      })
      .execute();
    const [own] = await rules(bob, `?runId=${changed.runId}`);
    expect(own.changed).toMatchObject([{ runId: changed.runId, before: 'key cloke' }]);
    const [other] = await rules(ann);
    expect(other.id).toBe(rule.id);
    expect(other.changed).toEqual([]);
    expect(await rules(ann, `?runId=${changed.runId}`)).toEqual([]);
    expect(await rules(bob, '?state=undone')).toEqual([]);
  });

  test('are listed with the latest decision first', async () => {
    const said = 'Then we set up grafanna and grafanna was running.';
    await learn(ann, said, said.replaceAll('grafanna', 'Grafana'));
    const found = await rules(ann);
    const at = found.map((rule) => Date.parse(rule.settledAt));
    expect(at.length).toBeGreaterThan(1);
    expect(at).toEqual(at.toSorted((a, b) => b - a));
  });
});

test('the bodies of authorised requests are charged to their workspace', async () => {
  const opened: unknown[] = [];
  const authorize = async () => ({ organizationId: 'org_1', stillAllowed: async () => true });
  const guard = createGuard(authorize as never, (_request, id) => void opened.push(id));
  const routes = new Elysia()
    .use(guard)
    .get('/x', () => new Response('ok'), { scope: 'captioner:caption:run' } as never);
  expect((await routes.handle(new Request('http://host/x'))).status).toBe(200);
  expect(opened).toEqual(['org_1']);
});
