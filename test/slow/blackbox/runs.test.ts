/**
 * The run operations beyond the contract: the list, the event stream, one run per idempotency key.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { WorkflowRun, WorkflowRunList } from '../../../server/contract/runs.ts';
import { validator } from '../../../server/contract/schema.ts';
import { post, until, type Any, type Client } from '../../support/servers/client.ts';
import { sample } from '../../support/sample.ts';
import { twoWorkspaces } from '../../support/servers/workspaces.ts';

setDefaultTimeout(300_000);

const talk = await readFile(sample);
const { server, ann, bob } = await twoWorkspaces();

/** The events of a stream until its end. */
async function events(path: string): Promise<{ id: string; event: string; data: Any }[]> {
  const response = await ann.get(path);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  return (await response.text())
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [, id = '', event = '', data = ''] =
        /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return { id, event, data: JSON.parse(data) };
    });
}

describe('the stream of events', () => {
  test('reports progress that never decreases, and ends with the envelope', async () => {
    await ann.put('watched.mp3', talk);
    const { runId } = await (await ann.start({ audio: { key: 'watched.mp3' } })).json();
    const seen = await events(`/workflows/captioner/${runId}/events`);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.map(({ id }) => Number(id))).toEqual(seen.map((_, at) => at + 1));
    let reached = 0;
    for (const { event, data } of seen) {
      expect(event).toBe('run');
      expect(validator(WorkflowRun).issues(data)).toEqual([]);
      expect(data).toMatchObject({ runId, audioKey: 'watched.mp3' });
      expect(data.progress).toBeGreaterThanOrEqual(reached);
      reached = data.progress;
    }
    expect(seen.slice(0, -1).every(({ data }) => !data.envelope)).toBe(true);
    expect(seen.at(-1)?.data).toEqual(await ann.run(runId));
    expect(seen.at(-1)?.data.envelope.result.status).toBe('completed');
    const again = await events(`/workflows/captioner/${runId}/events`);
    expect(again.map(({ data }) => data.state)).toEqual(['completed']);
  });

  test('is only for the owner', async () => {
    const { runs } = await (await ann.get('/workflows/captioner')).json();
    const path = `/workflows/captioner/${runs[0].runId}/events`;
    expect((await bob.get(path)).status).toBe(404);
    expect((await fetch(`${server.url}${path}`)).status).toBe(401);
  });
});

describe('Idempotency-Key', () => {
  const start = (who: Client, key: string, payload: unknown) =>
    post(`${server.url}/workflows/captioner`, payload, {
      authorization: `Bearer ${who.key}`,
      'idempotency-key': key,
    });

  test('the same key and payload return the same run, also simultaneously; another payload is refused', async () => {
    const payload = { audio: { key: 'missing.mp3' }, topic: 'a', language: 'en' };
    const reordered = { language: 'en', topic: 'a', audio: { key: 'missing.mp3' } };
    const answers = await Promise.all(
      [payload, reordered, payload, reordered].map((body) => start(ann, 'one', body)),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    const bodies: Any[] = await Promise.all(answers.map((answer) => answer.json()));
    expect(new Set(bodies.map(({ runId }) => runId)).size).toBe(1);
    await until(async () => (await ann.run(bodies[0].runId)).finishedAt);
    const later = await (await start(ann, 'one', payload)).json();
    expect(later.runId).toBe(bodies[0].runId);

    const other = await start(ann, 'one', { ...payload, topic: 'b' });
    expect(other.status).toBe(409);
    expect((await other.json()).error.code).toBe('idempotency_conflict');
  });

  test('belongs to a workspace: another one may use the same key', async () => {
    const payload = { audio: { key: 'missing.mp3' }, topic: 'c' };
    const anns = await (await start(ann, 'shared', payload)).json();
    const bobs = await (await start(bob, 'shared', payload)).json();
    expect(bobs.status).toBe('accepted');
    expect(bobs.runId).not.toBe(anns.runId);
  });

  test.each([['a b'], ['x'.repeat(256)], ['ä']])('%j is not a valid key', async (key) => {
    const answer = await start(ann, key, { audio: { key: 'missing.mp3' } });
    expect(answer.status).toBe(422);
    expect((await answer.json()).error.details[0].path).toBe('Idempotency-Key');
  });
});

describe('the list', () => {
  test('contains every run of the workspace once, newest first, in pages', async () => {
    for (let at = 0; at < 5; at += 1) await bob.start({ audio: { key: `listed-${at}.mp3` } });
    const seen: Any[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 10; page += 1) {
      const list = await (await bob.get(`/workflows/captioner${query}`)).json();
      expect(validator(WorkflowRunList).issues(list)).toEqual([]);
      expect(list.runs.length).toBeLessThanOrEqual(2);
      seen.push(...list.runs);
      if (list.nextCursor === null) break;
      query = `?limit=2&cursor=${encodeURIComponent(list.nextCursor)}`;
    }
    const listed = seen.map(({ audioKey }) => audioKey).filter((key) => key.startsWith('listed'));
    const expected = [0, 1, 2, 3, 4].map((at) => `listed-${at}.mp3`);
    expect(new Set(listed)).toEqual(new Set(expected));
    expect(new Set(seen.map(({ runId }) => runId)).size).toBe(seen.length);
    const times = seen.map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const anns = await (await ann.get('/workflows/captioner?limit=100')).json();
    expect(anns.runs.some(({ audioKey }: Any) => audioKey.startsWith('listed'))).toBe(false);
    expect(anns.runs.every((run: Any) => !('envelope' in run))).toBe(true);
  });

  test.each([['limit=0'], ['limit=101'], ['limit=x'], ['limit=1e1'], ['cursor=x'], ['cursor=']])(
    '?%s is refused',
    async (query) => {
      const answer = await ann.get(`/workflows/captioner?${query}`);
      expect(answer.status).toBe(422);
      expect((await answer.json()).error.details).toHaveLength(1);
    },
  );
});
