/** The reports of MCP tools about ended runs, and refusals inside a call. */
import { describe, expect, test } from 'bun:test';
import { captionTool } from '../../server/http/mcp/caption-tool.ts';
import { runOutcome } from '../../server/http/mcp/run-outcome.ts';
import type { ToolAnswer } from '../../server/http/mcp/tool.ts';
import { Problem } from '../../server/http/problems.ts';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import { queueEvent } from '../../server/webhooks/queue-event.ts';
import type { Any } from '../support/servers/client.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const { result } = await completedRun(app.services.database, 'org', spoken('Hello there.'));

const told = (given: Any): Promise<ToolAnswer & { value: Any }> =>
  runOutcome(
    { texts: createRunTexts(async () => JSON.stringify(given)), pool: poolHere },
    {
      id: 'run_1',
      state: given.status,
      payload: { audio: { key: 'a' } },
      startedAt: 1,
      finishedAt: 1,
      createdAt: 1,
    } as never,
    { holdAnswer: () => {} },
  );

describe('an ended run', () => {
  test('lists only the terms to review', async () => {
    const observed = (surface: string, action: string) => ({ surface, action, reason: 'x' });
    const { metadata } = result as Any;
    const observations = [
      observed('skim', 'review'),
      observed('off kit', 'ignore'),
      observed('skeem', 'add_mishear'),
    ];
    const terminology = { ...metadata.terminology, observations };
    const answer = await told({ ...result, metadata: { ...metadata, terminology } });
    expect(answer.value.termsToReview).toHaveLength(1);
    expect(answer.text.join('\n')).toContain('skim');
    expect(answer.text.join('\n')).not.toMatch(/off kit|skeem/);
    expect(answer.failed).toBe(false);
  });

  test('tells where there is sound without captions', async () => {
    const unheard = [{ start: 70, end: 84.2 }];
    const metadata = { ...result.transcript.metadata, unheard, droppedWords: 3 };
    const answer = await told({ ...result, transcript: { ...result.transcript, metadata } });
    expect(answer.value).toMatchObject({ unheard, words: { dropped: 3 } });
    expect(answer.text.join('')).toContain('Sound without captions: 1:10 to 1:24.');
    expect(answer.text.join('')).toContain('3 words were dropped');
  });

  test.each([
    [{ start: 5.4, end: 9.6 }, ', from second 5 to 10).'],
    [{ start: 5.4 }, ', from second 5 to 5).'],
    [{}, 'content_policy_violation).'],
  ])('that moderation blocked (at %j) says where', async (flaggedChunk, where) => {
    const moderation = { reason: 'content_policy_violation', flaggedChunk };
    const { text } = await told({ status: 'blocked', metadata: { moderation } });
    expect(text.join('')).toContain(where);
  });

  test.each([
    [true, 'It may work later.'],
    [false, 'The same request will fail again.'],
  ])('that failed (retryable: %p) says: %s', async (retryable, sentence) => {
    const error = { code: 'x', stage: 'y', message: 'No.', retryable, suggestions: [] };
    const answer = await told({ status: 'failed', error });
    expect([answer.failed, answer.text.join('')]).toEqual([true, `x at y: No. ${sentence}`]);
  });
});

test.each([
  [0, 2],
  [1, 0],
])('get_run says how confident the engine was (%d in each word)', async (confidence, unsure) => {
  const eve = await app.signUp(`eve${confidence}@example.com`);
  const words = spoken('Hello there.').map((word) => ({ ...word, confidence }));
  const { runId } = await completedRun(app.services.database, eve.organizationId, words);
  const { structuredContent } = await callTool(app, eve, 'get_run', { runId });
  const figures = { count: 2, unsure, meanConfidence: confidence, dropped: 0 };
  expect(structuredContent.words).toEqual(figures);
});

test('an inline recording has to be an MP3', async () => {
  const stored: unknown[] = [];
  const put = async (_organization: string, _key: string, body: AsyncIterable<Uint8Array>) => {
    for await (const chunk of body) stored.push(chunk);
  };
  const tool = captionTool({
    runs: {} as never,
    texts: {} as never,
    pool: poolHere,
    audio: { put } as never,
    providers: [],
  });
  const principal = { organizationId: 'org', keyId: 'k', scopes: ['captioner:audio:upload'] };
  const call = { principal, signal: new AbortController().signal, releaseBody: () => {} };
  const asked = Promise.resolve(
    tool.run({ audio: { base64: btoa('%PDF-1.7 no recording') } }, call as never),
  ).catch((error: unknown) => (error instanceof Problem ? error.code : error));
  expect(await asked).toBe('mp3_required');
});

test('terms added by a tool count as entered by a person', async () => {
  await callTool(app, ann, 'change_terms', { terms: [{ canonical: 'Oktavia' }] });
  const { structuredContent } = await callTool(app, ann, 'list_terms', {});
  expect(structuredContent.terms[0].source.kind).toBe('person');
});

test('an upload link states the maximum size of a recording', async () => {
  const { structuredContent } = await callTool(app, ann, 'create_upload_link', {});
  expect(structuredContent.maxBytes).toBe(100 * 2 ** 20);
});

test('a delivery of a webhook is listed, and queued again', async () => {
  const call = async (input: object) => callTool(app, ann, 'webhooks', input);
  const url = 'https://hooks.example/captioner';
  const { webhook } = (await call({ action: 'create', url })).structuredContent;
  const { organizationId } = ann;
  const event = { type: 'run.completed', organizationId, runId: 'run_1' } as const;
  await queueEvent(app.services.database, event);
  const of = { webhookId: webhook.id };
  const { deliveries } = (await call({ action: 'deliveries', ...of })).structuredContent;
  expect(deliveries).toMatchObject([{ event: 'run.completed', runId: 'run_1' }]);
  const deliveryId = deliveries[0].id;
  expect((await call({ action: 'redeliver', ...of, deliveryId })).words).toBe(
    `${deliveryId} is queued again.`,
  );
  const swapped = { webhookId: deliveryId, deliveryId: webhook.id };
  expect((await call({ action: 'redeliver', ...swapped })).isError).toBe(true);
  expect((await call({ action: 'list' })).words).toBe(`${webhook.id}: ${url}`);
  await app.services.database.updateTable('webhooks').set({ disabled_at: 1 }).execute();
  expect((await call({ action: 'list' })).words).toBe(`${webhook.id}: ${url} (disabled)`);
  expect((await call({ action: 'delete', webhookId: deliveryId })).words).toContain('not_found');
  expect((await call({ action: 'delete', ...of })).words).toBe(`${webhook.id} is deleted.`);
});

test('a term that the audit did not decide is open in a review by tool', async () => {
  const correction = { id: 'c1', decision: 'needs_review' };
  const { runId } = await completedRun(
    app.services.database,
    ann.organizationId,
    spoken('We use skim for that.'),
    [correction as never],
  );
  await callTool(app, ann, 'review_captions', { runId, finished: true });
  const { structuredContent } = await callTool(app, ann, 'get_review', { runId });
  expect(structuredContent.review.corrections).toEqual([{ id: 'c1', decision: 'open' }]);
  // A later change keeps what it does not name.
  const corrections = [{ id: 'c1', decision: 'rejected' }];
  await callTool(app, ann, 'review_captions', { runId, corrections });
  const later = await callTool(app, ann, 'get_review', { runId });
  expect(later.words).toStartWith('A review of 1 captions, 1 terms decided, saved ');
  expect(later.structuredContent.review.finished).toBe(true);
});
