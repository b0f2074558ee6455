/** What the tools of the MCP server do. */
import { expect, test, describe } from 'bun:test';
import { readFileSync } from 'node:fs';
import { captionTool } from '../../server/http/mcp/caption-tool.ts';
import { sample } from '../support/sample.ts';
import { refusalOf } from '../support/refusal-of.ts';
import type { Any } from '../support/servers/client.ts';
import { runOutcome } from '../../server/http/mcp/run-outcome.ts';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { closed, Type } from '../../server/contract/schema.ts';
import { createBodyBudget } from '../../server/http/bodies/body-budget.ts';
import { jsonOfBody, readBody, requireJson } from '../../server/http/bodies/read-body.ts';
import { prepareTool } from '../../server/http/mcp/tool.ts';
import { createLog } from '../../server/base/log.ts';
import { queueEvent } from '../../server/webhooks/webhook-store.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';
import * as examples from '../../server/http/openapi/examples.ts';

type CaptionToolServices = Parameters<typeof captionTool>[0];

// The tool caption_audio itself: the recording in its message, and the progress of the run.
const base64 = readFileSync(sample).toString('base64');

/** The tool, and what happens in order. */
function toolOver() {
  const happened: string[] = [];
  const runs = { submit: async () => void happened.push('queued') };
  const audio = {
    async put(_organizationId: string, key: string, body: AsyncIterable<Uint8Array>) {
      for await (const _ of body);
      happened.push(`stored ${key}`);
      return { size: 0 };
    },
  };
  const services = { runs, audio, texts: {}, providers: [], packs: { packs: [] } };
  const tool = captionTool(services as Any as CaptionToolServices);
  const principal = { organizationId: 'org', keyId: 'k', scopes: ['captioner:audio:upload'] };
  const signal = new AbortController().signal;
  const call = { principal, signal, followsTasks: false, releaseBody: () => {} };
  const run = (input: object): Promise<Any> => tool.run(input as Any, call as Any);
  return { run, happened };
}

test.each([
  [{ base64: `${base64}==!` }, 422],
  [{ base64: 'AAAA*' }, 422],
  [{ base64: 'A===' }, 422],
  [{ base64, key: 'talks/../other.mp3' }, 400],
  [{ base64, key: 'talks/other.wav' }, 422],
  [{}, 422],
  [{ base64: btoa('%PDF-1.7 no recording') }, 415],
])('a recording that cannot be stored starts no run (%#)', async (audio, status) => {
  const { run, happened } = toolOver();
  expect(await refusalOf(run({ audio }))).toEqual([status, expect.any(String)]);
  expect(happened).toEqual([]);
});

// The texts of tools about runs: in progress, completed, blocked and failed; and requests about runs.
const run = (state: string, more: object = {}) =>
  ({
    id: 'run_1',
    organizationId: 'org_1',
    state,
    stage: 'transcription',
    progress: 0.426,
    payload: { audio: { key: 'a' } },
    createdAt: 1,
    startedAt: 1,
    finishedAt: 2,
    ...more,
  }) as never;

async function told(result: Any, more: object = {}) {
  const texts = createRunTexts(async () => JSON.stringify(result));
  const { text, value, failed } = await runOutcome(
    { texts, pool: poolHere },
    run(result.status, more),
    {
      holdAnswer: () => {},
    },
  );
  return { text: text.join('\n---\n'), value: value as Any, failed };
}

describe('the text of a tool about a run', () => {
  const { audit, captions, metadata, transcript, quality } = examples.completedResult as Any;
  const completed = (more: {
    warnings?: number;
    srt?: string;
    observations?: object[];
    corrections?: object[];
  }) => ({
    ...examples.completedResult,
    audit: { ...audit, corrections: more.corrections ?? [] },
    captions: { ...captions, ...(more.srt !== undefined && { srt: more.srt }) },
    quality: {
      captions: {
        ...quality.captions,
        warnings: Array.from({ length: more.warnings ?? 0 }, (_, at) => ({
          cue: at + 1,
          code: 'x',
          message: `wrong ${at + 1}`,
        })),
      },
    },
    metadata: {
      ...metadata,
      terminology: { ...metadata.terminology, observations: more.observations ?? [] },
    },
  });

  test('completed: its captions, its score and its words', async () => {
    const { text, value, failed } = await told(completed({}));
    expect(text).toStartWith(`${captions.srt}\n---\n`);
    expect(text).toContain(`${quality.captions.summary.cueCount} captions, 0 warnings.`);
    expect(value).toMatchObject({
      srt: captions.srt,
      quality: { score: quality.captions.score, warnings: [] },
      words: { count: transcript.words.length },
      termsToReview: [],
    });
    expect(value.quality).not.toHaveProperty('cues');
    expect(failed).toBe(false);
  });

  test('completed, in part in another language: it is named, and counted', async () => {
    const otherLanguages = [{ language: 'de', start: 31, end: 60 }];
    const heard = { ...transcript.metadata, otherLanguages };
    const result = { ...completed({}), transcript: { ...transcript, metadata: heard } };
    const { text } = await told(result);
    expect(text).toContain('captions, 0 warnings of format, 1 of hearing. ');
    expect(text).toContain('- German is spoken from 0:31 to 1:00, and was recognised as that.');
  });

  test('completed with terms to review: each once for the talk, with its places and the reason', async () => {
    const observations = [
      { surface: 'skim', suggested: 'SCIM', action: 'review', reason: 'is a word' },
      { surface: 'seen', action: 'ignore' },
    ];
    const why = { decision: 'needs_review', reason: 'It is a word.' };
    const open = (start: number, before: string, after: string) => ({
      start,
      before,
      after,
      ...why,
    });
    const corrections = [
      open(41, 'skim', 'SCIM'),
      open(80, 'Skim,', 'SCIM,'),
      open(99, 'monroe', 'Monro'),
    ];
    const { text, value } = await told(completed({ observations, corrections }));
    expect(text).toEndWith(
      '- perhaps skim → SCIM, 2 places: 0:41, 1:20. It is a word.\n- perhaps monroe → Monro, 1 place: 1:39. It is a word.',
    );
    expect(value.termsToReview.map(({ surface }: Any) => surface)).toEqual(['skim']);
  });

  test.each([
    [{ start: 3.4, end: 8.6 }, 'violence, from second 3 to 9'],
    [{ start: 0.2 }, 'violence, from second 0 to 0'],
    [{}, 'violence'],
    [undefined, 'violence'],
  ])('blocked at %j: where, and that nothing else is to be sent', async (flaggedChunk, where) => {
    const moderation = { reason: 'violence', ...(flaggedChunk && { flaggedChunk }) };
    const { text, value, failed } = await told({ status: 'blocked', metadata: { moderation } });
    expect(text).toBe(
      `Moderation blocked the transcript (${where}). Do not send it again; tell the user.`,
    );
    expect([value.moderation, failed]).toEqual([moderation, false]);
  });

  test('failed: the suggestions, with the changes to the arguments', async () => {
    const error = {
      code: 'x',
      stage: 'y',
      message: 'No.',
      retryable: false,
      suggestions: [
        { label: 'Wait' },
        { label: 'Other', description: 'Use it.', payloadPatch: { language: 'de' } },
      ],
    };
    const { text, value, failed } = await told({ status: 'failed', error });
    expect(text.split('\n').slice(1)).toEqual([
      '- Wait',
      '- Other: Use it. Merge into the arguments: {"language":"de"}',
    ]);
    expect([value.error, failed]).toEqual([error, true]);
  });
});

// JSON bodies that are too long or never arrive, and the progress, accounting and refusals of MCP
// tools.
describe('a JSON body', () => {
  const request = (body: ReadableStream | string, headers: Record<string, string> = {}) =>
    ({
      body: typeof body === 'string' ? new Response(body).body : body,
      headers: new Headers(headers),
    }) as Request;
  const share = () => createBodyBudget(100).open();

  test.each(['text/json', 'application/json-seq', 'text/plain+jsonx'])(
    'of the type %s is refused unread',
    async (type) => {
      const reading = async () => requireJson(request('{}', { 'content-type': type }));
      expect(await refusalOf(reading())).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('that is too long is cancelled, so that its sender can stop', async () => {
    const cancelled = Promise.withResolvers<void>();
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(6)),
      cancel: () => cancelled.resolve(),
    });
    const reading = readBody(request(endless), { maxBytes: 10, share: share() });
    expect(await refusalOf(reading)).toEqual([413, 'payload_too_large']);
    await cancelled.promise;
  });

  test('that is not UTF-8 is refused, not changed', async () => {
    const reading = async () => jsonOfBody(Uint8Array.of(0x22, 0xff, 0x22));
    expect(await refusalOf(reading())).toEqual([400, 'invalid_payload']);
  });

  test('that stops arriving times out', async () => {
    const silent = new ReadableStream({ pull: () => new Promise(() => {}) });
    const asked = readBody(request(silent), { maxBytes: 10, share: share(), patienceMs: 5 });
    expect(await refusalOf(asked)).toEqual([400, 'incomplete_request']);
  });
});

describe('a tool of MCP', () => {
  const described = {
    name: 'a_tool',
    title: 'A tool',
    description: 'A tool.',
    input: closed({}),
    output: closed({}),
    scope: null,
    hints: { readOnlyHint: true },
  };
  const progressing = prepareTool(
    {
      ...described,
      run: async (_input: unknown, { progress }: Any) => {
        for (const share of [0, 0.5, 0.5, 0.2, 1]) await progress(share, 'x');
        return { text: [], value: {} };
      },
    },
    createLog('silent'),
    () => false,
  );

  test('reports rising progress, each value once', async () => {
    const told: unknown[] = [];
    const context = {
      signal: new AbortController().signal,
      _meta: { progressToken: 'p' },
      notify: async ({ params }: Any) => void told.push(params.progress),
    };
    await progressing.call(
      {},
      { principal: { scopes: [], role: 'owner' } } as never,
      context as never,
    );
    expect(told).toEqual([0, 0.5, 1]);
  });

  test('never sends an answer that its schema does not describe', async () => {
    const lines: string[] = [];
    const wrong = prepareTool(
      {
        ...described,
        output: closed({ count: Type.Integer() }),
        run: async () => ({ text: ['Secret.'], value: { count: 'many' } }),
      },
      createLog('error', (line) => void lines.push(line)),
      () => false,
    );
    const context = { signal: new AbortController().signal };
    const answer = await wrong.call(
      {},
      { principal: { scopes: [], role: 'owner' } } as never,
      context as never,
    );
    expect(answer).toEqual({
      content: [{ type: 'text', text: 'internal: Something went wrong on the server.' }],
      isError: true,
    });
    const failed = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'error');
    expect(failed).toMatchObject({
      event: 'request_failed',
      route: 'tool a_tool',
      error: { message: 'the answer of a_tool is wrong: count must be integer' },
    });
  });
});

// The reports of MCP tools about ended runs, and refusals inside a call.
const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
test('a delivery of a webhook is listed, and queued again', async () => {
  const call = async (input: object) => callTool(app, ann, 'webhooks', input);
  const url = 'https://hooks.example/captioner';
  const { webhook } = (await call({ action: 'create', url })).structuredContent;
  const { organizationId } = ann;
  const data = { result: '', status: 'completed' } as const;
  const event = { type: 'run.completed', organizationId, runId: 'run_1', data } as const;
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

test('a decision on a term by tool changes its words in the captions, at one place or at all', async () => {
  const words = 'I thank monroe and so does Monroe, now.';
  const [id, other] = ['c1', 'c2'];
  const offered = { after: 'Monro', decision: 'needs_review' };
  const { runId } = await completedRun(app.services.database, ann.organizationId, spoken(words), [
    { id, before: 'monroe', ...offered, start: 0, end: 2 },
    { id: other, before: 'Monroe,', ...offered, after: 'Monro,', start: 1, end: 3 },
  ] as never);
  const shown = async (change: object) => {
    await callTool(app, ann, 'review_captions', { runId, ...change });
    const { review } = (await callTool(app, ann, 'get_review', { runId })).structuredContent;
    return [
      review.cues.map(({ text }: Any) => text.replace('\n', ' ')).join(' '),
      review.corrections,
    ];
  };
  const decided = (...decisions: string[]) =>
    decisions.map((decision, at) => ({ id: [id, other][at], decision }));
  const accepted = { id, decision: 'accepted' };
  expect(await shown({ offers: [accepted] })).toEqual([
    'I thank Monro and so does Monro, now.',
    decided('accepted', 'accepted'),
  ]);
  expect(await shown({ corrections: [{ id, decision: 'rejected' }] })).toEqual([
    'I thank monroe and so does Monro, now.',
    decided('rejected', 'accepted'),
  ]);
  // Words that are no longer there stay away, and the decision is kept.
  expect(
    await shown({ captions: [{ index: 1, text: 'Thanks.' }], corrections: [accepted] }),
  ).toEqual(['Thanks.', decided('accepted', 'accepted')]);
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
