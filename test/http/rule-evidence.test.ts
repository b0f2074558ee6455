/** The evidence of a rule after a person has decided on it, as more reviews come and as runs are erased. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Any } from '../support/servers/client.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';
import { reviewedRun } from '../support/servers/reviewed-run.ts';

// Each look at the rules is work for another thread, of a low priority.
setDefaultTimeout(60_000);

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const ask = async (method: string, path: string, body?: object): Promise<Any> => {
  const headers = { 'content-type': 'application/json' };
  const given = body ? { body: JSON.stringify(body) } : {};
  const answer = await app.ask(path, { method, key: ann.key, headers, ...given });
  return answer.status === 204 ? null : answer.json();
};
const only = async (): Promise<Any> => (await ask('GET', '/terminology/rules')).rules[0];

test('a dismissed rule shows its latest evidence; after an erasure, that of the decision', async () => {
  const runs = [await reviewedRun(app, ann, 'We use skim for that.', 'We use SCIM for that.')];
  const [place] = (await only()).evidence.places;
  expect(place).toEqual({
    runId: runs[0],
    start: expect.closeTo(0.667),
    before: 'skim',
    after: 'SCIM',
  });
  const decided = await ask('PATCH', `/terminology/rules/${(await only()).id}`, {
    state: 'dismissed',
  });
  expect(decided.evidence).toMatchObject({ accepted: 1, rejected: 0, talks: 1, places: [place] });

  runs.push(await reviewedRun(app, ann, 'You need skim there.', 'You need SCIM there.'));
  const later = await only();
  expect(later.state).toBe('dismissed');
  for (const [runId, count] of [...runs.map((id) => [id, 1] as const), ['run_x', 0] as const]) {
    const { structuredContent } = await callTool(app, ann, 'list_rules', { runId });
    expect(structuredContent.rules).toHaveLength(count);
  }
  expect(later.evidence).toMatchObject({
    accepted: 2,
    talks: 2,
    text: 'skim → SCIM, accepted twice in 2 talks',
  });
  expect(later.evidence.places.map(({ runId }: Any) => runId).toSorted()).toEqual(runs.toSorted());

  for (const id of runs) await ask('DELETE', `/workflows/captioner/${id}/data`);
  const last = await only();
  expect([last.state, last.settledAt]).toEqual(['dismissed', decided.settledAt]);
  expect(last.evidence).toEqual({ ...decided.evidence, places: [] });
});

test('a rule without a state, and one that nobody has learned, are refused', async () => {
  await reviewedRun(app, ann, 'Look at kelm now.', 'Look at Helm now.');
  const { rules } = await ask('GET', '/terminology/rules?state=proposed');
  const undecided = await ask('PATCH', `/terminology/rules/${rules[0].id}`, { near: ['chart'] });
  expect(undecided.error).toEqual({
    code: 'invalid_payload',
    message: 'Send the new state of the rule.',
    details: [{ path: 'state', message: 'is required for a rule that is not applied' }],
  });
  // Nor is a new wording enough for a rule that was dismissed.
  const [asked, dismissed] = (await ask('GET', '/terminology/rules')).rules;
  expect([asked.state, dismissed.state]).toEqual(['proposed', 'dismissed']);
  const again = await ask('PATCH', `/terminology/rules/${dismissed.id}`, { near: ['chart'] });
  expect(again.error.code).toBe('invalid_payload');
  const unknown = await ask('PATCH', '/terminology/rules/rule_x', { state: 'applied' });
  expect(unknown.error.code).toBe('rule_not_found');
});

test('a new wording of an applied rule replaces the old one', async () => {
  const [{ id }] = (await ask('GET', '/terminology/rules?state=proposed')).rules;
  const change = (patch: object) => ask('PATCH', `/terminology/rules/${id}`, patch);
  const term = async () =>
    (await ask('GET', '/terminology/terms')).terms.find(
      ({ canonical }: Any) => canonical === 'Helm',
    );
  await change({ state: 'applied', near: [] });
  expect(await term()).toMatchObject({ mishears: ['kelm'] });
  expect(await term()).not.toHaveProperty('risky');
  const edited = await change({ surface: ' KELLM! ', near: ['Chart'] });
  expect(edited).toMatchObject({ state: 'applied', surface: 'kellm', near: ['chart'] });
  expect(await term()).toMatchObject({ mishears: ['kellm'], risky: ['kellm'], near: ['chart'] });
});

test('a person who changes an automatic rule decides on it, with a term as its wording', async () => {
  await app.services.terminology.change(ann.organizationId, (document) => ({
    ...document,
    rules: document.rules.map((rule) => ({ ...rule, automatic: true })),
  }));
  const applied = async (): Promise<Any> =>
    (await ask('GET', '/terminology/rules?state=applied')).rules[0];
  const { id, automatic } = await applied();
  expect(automatic).toBe(true);
  const change = (patch: object) => ask('PATCH', `/terminology/rules/${id}`, patch);
  for (const [path, text] of [
    ['surface', '…'],
    ['surface', 'one '.repeat(21)],
    ['canonical', '–'],
    ['canonical', 'one '.repeat(21)],
  ] as const) {
    const { error } = await change({ [path]: text });
    expect([text, error.details]).toEqual([text, [{ path, message: 'is not a term' }]]);
  }
  expect(await change({ canonical: ' Helmet ' })).toMatchObject({
    canonical: 'Helmet',
    automatic: false,
  });
});

test('a rule shows at most a hundred of its changes, the first ones of the latest run', async () => {
  const { database } = app.services;
  const older = await reviewedRun(app, ann, 'Ask about quark here.', 'Ask about Quarkus here.');
  await database.updateTable('runs').set({ created_at: 1 }).where('id', '=', older).execute();
  const run = await reviewedRun(app, ann, 'Ask about quark now.', 'Ask about Quarkus now.');
  const rule = (await ask('GET', '/terminology/rules?state=proposed')).rules.find(
    ({ canonical }: Any) => canonical === 'Quarkus',
  );
  const change = { organization_id: ann.organizationId, before: 'quark', after: 'Quarkus' };
  const rows = (count: number, run_id: string, rule_id: string) =>
    Array.from({ length: count }, (_, at) => ({
      ...change,
      run_id,
      rule_id,
      correction_id: `${rule_id} ${at}`,
      // Neither in order nor in reverse.
      start: (at * 37) % count,
    }));
  await database
    .insertInto('rule_changes')
    .values([
      ...rows(50, older, rule.id),
      ...rows(101, run, rule.id),
      ...rows(1, run, 'rule_other'),
    ])
    .execute();
  const { changed } = await ask('PATCH', `/terminology/rules/${rule.id}`, { state: 'dismissed' });
  expect(changed).toHaveLength(100);
  for (const [start, one] of changed.entries()) {
    expect(one).toMatchObject({ runId: run, start, after: 'Quarkus' });
  }
});
