/** The words recognised so far in a running run, over HTTP: as JSON, and in its event stream. */
import { expect, test } from 'bun:test';
import { TranscriptPart, PartialTranscript, WorkflowRun } from '../../server/contract/runs.ts';
import { validator } from '../../server/contract/schema.ts';
import { createPartialTranscripts } from '../../server/runs/partial-transcripts.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { cancelledBeforeStart } from '../../server/runs/cancelled.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@a.example');
const bob = await app.signUp('bob@b.example');
const { database } = app.services;
const store = createRunStore(database);
const partial = createPartialTranscripts(database);

/** A run in the middle of its transcription. */
async function running() {
  const id = `run_${crypto.randomUUID()}`;
  const { organizationId } = ann;
  const payload = { audio: { key: 'talk.mp3' } };
  await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
  await store.markRunning(id);
  return { id, path: `/workflows/captioner/${id}` };
}
const say = (id: string, after: number, ...texts: string[]) =>
  partial.add(
    id,
    after,
    texts.map((text, at) => ({ start: (after + at) * 9, end: (after + at) * 9 + 8.5, text })),
  );
const progress = (id: string, share: number) => store.report(id, 'transcription', share);
async function end(id: string) {
  const run = await store.getSummary(id);
  await store.finish(id, 'cancelled', cancelledBeforeStart(run!), { stage: null, progress: 0.6 });
}

/** Reads the events of a stream one by one. */
async function stream(path: string, headers: Record<string, string> = {}) {
  const answer = await app.ask(path, { key: ann.key, headers });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next() {
      for (;;) {
        const [, id = '', event = '', data = ''] =
          /^id: (\S+)\nevent: (\w+)\ndata: (.*)\n\n/.exec(text) ?? [];
        if (event !== '') {
          text = text.slice(text.indexOf('\n\n') + 2);
          return { id, event, data: JSON.parse(data) };
        }
        const { done, value } = await reader.read();
        if (done) return null;
        text += value.replaceAll(': awake\n\n', '');
      }
    },
    close: () => reader.cancel(),
  };
}

test('it is returned in pages, only to its owner, and deleted once the run has ended', async () => {
  const { id, path } = await running();
  const read = async (query = '', key = ann.key) =>
    app.ask(`${path}/partial-transcript${query}`, { key });
  expect(await (await read()).json()).toEqual({
    runId: id,
    state: 'running',
    position: 0,
    parts: [],
  });
  await say(id, 0, 'Good evening.', 'Welcome to MCP Night.');
  const answer = await read();
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  const first = await answer.json();
  expect(validator(PartialTranscript).issues(first)).toEqual([]);
  expect(first.parts).toEqual([
    { position: 1, start: 0, end: 8.5, text: 'Good evening.' },
    { position: 2, start: 9, end: 17.5, text: 'Welcome to MCP Night.' },
  ]);
  await say(id, 2, 'Tonight.');
  const more = await (await read(`?after=${first.position}`)).json();
  expect(more).toMatchObject({ position: 3, parts: [{ text: 'Tonight.' }] });
  const none = await (await read('?after=3')).json();
  expect(none).toMatchObject({ position: 3, parts: [] });
  expect((await read('', bob.key)).status).toBe(404);
  expect((await app.ask(`${path}/partial-transcript`)).status).toBe(401);
  for (const query of ['?after=-1', '?after=2147483648', '?after=x', '?until=3']) {
    expect([query, (await read(query)).status]).toEqual([query, 422]);
  }
  await end(id);
  expect(await (await read()).json()).toMatchObject({ state: 'cancelled', parts: [] });
  expect(JSON.stringify(app.log())).not.toContain('Welcome');
});

test('a stream that requests it has it between the events of the run, and continues after a break', async () => {
  const { id, path } = await running();
  await say(id, 0, 'One.', 'Two.');
  const one = await stream(`${path}/events?include=transcript`);
  const begun = await one.next();
  expect([begun?.id, begun?.event]).toEqual(['1-0', 'run']);
  expect(validator(WorkflowRun).issues(begun?.data)).toEqual([]);
  const [first, second] = [await one.next(), await one.next()];
  expect(validator(TranscriptPart).issues(first?.data)).toEqual([]);
  expect([first?.id, first?.event, first?.data.text]).toEqual(['2-1', 'transcript', 'One.']);
  expect([second?.id, second?.data.text]).toEqual(['3-2', 'Two.']);
  await progress(id, 0.3);
  const progressed = await one.next();
  expect([progressed?.event, progressed?.data.progress]).toEqual(['run', 0.3]);
  await one.close();

  await say(id, 2, 'Three.');
  const again = await stream(`${path}/events?include=transcript`, {
    'last-event-id': progressed!.id,
  });
  expect((await again.next())?.event).toBe('run');
  expect((await again.next())?.data).toMatchObject({ position: 3, text: 'Three.' });
  await end(id);
  const last = await again.next();
  expect([last?.event, last?.data.state]).toEqual(['run', 'cancelled']);
  expect(last?.data.envelope).toBeDefined();
  expect(await again.next()).toBe(null);
});

test('a stream that does not request it is unchanged; a foreign event id is ignored', async () => {
  const { id, path } = await running();
  await say(id, 0, 'One.');
  const plain = await stream(`${path}/events`, { 'last-event-id': '7-0' });
  expect(await plain.next()).toMatchObject({ id: '1', event: 'run' });
  await progress(id, 0.4);
  expect(await plain.next()).toMatchObject({ id: '2', event: 'run' });
  await plain.close();
  const odd = await stream(`${path}/events?include=transcript`, {
    'last-event-id': '9-99999999999',
  });
  await odd.next();
  expect((await odd.next())?.data.text).toBe('One.');
  await odd.close();
  expect((await app.ask(`${path}/events?include=all`, { key: ann.key })).status).toBe(422);
});

test('a response has at most 200 parts; the next one continues after them', async () => {
  const { id, path } = await running();
  for (const after of [0, 100]) await say(id, after, ...Array<string>(100).fill('word'));
  await say(id, 200, 'last');
  const read = async (after: number) =>
    (await app.ask(`${path}/partial-transcript?after=${after}`, { key: ann.key })).json();
  const first = await read(0);
  expect([first.parts.length, first.position]).toEqual([200, 200]);
  expect((await read(first.position)).parts).toMatchObject([{ position: 201, text: 'last' }]);
});
