/** Versions of reviews, and who works on them, over HTTP. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Review } from '../../server/contract/review.ts';
import { ReviewStateList, ReviewVersionList } from '../../server/contract/review-versions.ts';
import { validator } from '../../server/contract/schema.ts';
import { told } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp } from '../support/servers/mounted.ts';

setDefaultTimeout(300_000);

const app = await mountedApp();
const { database } = app.services;
const ann = await app.signUp('ann@team.example');
const stranger = await app.signUp('ben@example.org');

async function run() {
  const { runId } = await completedRun(database, ann.organizationId, spoken('one two three'));
  const send = (
    method: string,
    part: string,
    json?: object,
    { key = ann.key, headers = {} } = {},
  ) =>
    app.ask(`/workflows/captioner/${runId}${part}`, {
      method,
      key,
      headers,
      ...(json && { json }),
    });
  const save = async (text: string, headers: Record<string, string>, key = ann.key) => {
    const body = { cues: [{ start: 0, end: 1, text }] };
    const saved = await send('PUT', '/review', body, { headers, key });
    expect([200, 201]).toContain(saved.status);
    return saved.headers.get('etag')!;
  };
  return { runId, send, save };
}

describe('versions', () => {
  test('say who saved them, are read as reviews, and are named', async () => {
    const { send, save } = await run();
    const made = await send('POST', '/links', { right: 'edit', name: 'For Quill' });
    const { token } = await made.json();
    const tag = await save('by Ann', { 'if-none-match': '*' });
    await save('by Quill', { 'if-match': tag }, token);
    const list = await (await send('GET', '/versions')).json();
    expect(validator(ReviewVersionList).issues(list)).toEqual([]);
    expect(list.versions).toMatchObject([
      { person: 'For Quill', guest: true, isCurrent: true },
      { person: 'ann@team.example', guest: false, isCurrent: false },
    ]);
    const texts = await Promise.all(
      list.versions.map(async ({ id }: { id: string }) => {
        const review = await (await send('GET', `/versions/${id}`)).json();
        expect(validator(Review).issues(review)).toEqual([]);
        return review.cues[0].text;
      }),
    );
    expect(texts).toEqual(['by Quill', 'by Ann']);
    const { id } = list.versions[1];
    const named = await send('PATCH', `/versions/${id}`, { name: 'Sent' });
    expect(await named.json()).toEqual({ ...list.versions[1], name: 'Sent' });
    // What colleagues are called is not told to guests, nor anything to other workspaces.
    for (const key of [token, stranger.key]) {
      expect((await send('GET', '/versions', undefined, { key })).ok).toBe(false);
      expect((await send('GET', `/versions/${id}`, undefined, { key })).ok).toBe(false);
    }
    expect(await told(send('GET', '/versions/ver_none'))).toBe('404 version_not_found');
  });
});

describe('the state of a review', () => {
  test('is approved by a person with a name, for the version they have seen', async () => {
    const { runId, send, save } = await run();
    const webhook = {
      url: 'https://hooks.example.com/',
      events: ['review.approved', 'review.assigned'],
    };
    await app.ask('/webhooks', { method: 'POST', key: ann.key, json: webhook });
    const patch = (json: object, headers = {}) => send('PATCH', '/review-state', json, { headers });
    expect(await told(patch({ state: 'approved' }))).toBe('422 invalid_payload');
    expect(await told(patch({ due: '2026-13-01' }))).toBe('422 invalid_payload');
    const tag = await save('first', { 'if-none-match': '*' });
    await patch({ assignee: 'cleo@team.example', due: '2026-12-01' });
    await patch({ due: '2026-12-02' });
    const approval = { state: 'approved', name: 'Ada' };
    await patch(approval, { 'if-match': tag });
    await save('second', { 'if-match': tag });
    expect(await told(patch(approval, { 'if-match': tag }))).toBe('412 precondition_failed');
    const list = await (await app.ask('/workspace/review-states', { key: ann.key })).json();
    expect(validator(ReviewStateList).issues(list)).toEqual([]);
    expect(list.states).toMatchObject([
      {
        runId,
        state: 'approved',
        assignee: 'cleo@team.example',
        due: '2026-12-02',
        approval: { name: 'Ada', changedSince: true },
      },
    ]);
    const events = await database
      .selectFrom('webhook_deliveries')
      .select('event')
      .where('run_id', '=', runId)
      .orderBy('position')
      .execute();
    expect(events.map(({ event }) => event)).toEqual(['review.assigned', 'review.approved']);
    expect(await told(send('GET', '/review-state', undefined, { key: stranger.key }))).toBe(
      '404 run_not_found',
    );
  });
});
