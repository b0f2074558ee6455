/**
 * JSON bodies that are too long or never arrive, and the progress, accounting and refusals of MCP
 * tools.
 */
import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { closed, Type } from '../../server/contract/schema.ts';
import { createBodyBudget } from '../../server/http/uploads/throttles.ts';
import { captionTool } from '../../server/http/mcp/caption-tool.ts';
import { brief, outline, heldAnswer, prepareTool } from '../../server/http/mcp/tool.ts';
import { jsonOfBody, readBytes, requireJson } from '../../server/http/json-body.ts';
import { jsonBodies } from '../../server/http/json-bodies.ts';
import { createLog } from '../../server/log.ts';
import type { Any } from '../support/servers/client.ts';
import { heldText } from '../support/held-text.ts';
import { refusalOf } from '../support/refusal-of.ts';

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
    const reading = readBytes(request(endless), { maxBytes: 10, share: share() });
    expect(await refusalOf(reading)).toEqual([413, 'payload_too_large']);
    await cancelled.promise;
  });

  test('that is not UTF-8 is refused, not changed', async () => {
    const reading = async () => jsonOfBody(Uint8Array.of(0x22, 0xff, 0x22));
    expect(await refusalOf(reading())).toEqual([400, 'invalid_payload']);
  });

  test('that is announced as too long is refused before a byte is read', async () => {
    let pulled = 0;
    const body = new ReadableStream(
      { pull: (controller) => ((pulled += 1), controller.close()) },
      { highWaterMark: 0 },
    );
    const asked = readBytes(request(body, { 'content-length': '11' }), {
      maxBytes: 10,
      share: share(),
    });
    expect(await refusalOf(asked)).toEqual([413, 'payload_too_large']);
    expect(pulled).toBe(0);
    const longest = readBytes(request('0123456789', { 'content-length': '10' }), {
      maxBytes: 10,
      share: share(),
    });
    expect(await longest).toHaveLength(10);
  });

  test('counts towards the memory budget for bodies', async () => {
    const asked = readBytes(request(JSON.stringify('x'.repeat(200))), {
      maxBytes: 1000,
      share: share(),
    });
    expect(await refusalOf(asked)).toEqual([503, 'unavailable']);
  });

  test('that stops arriving times out', async () => {
    const silent = new ReadableStream({ pull: () => new Promise(() => {}) });
    const asked = readBytes(request(silent), { maxBytes: 10, share: share(), patienceMs: 5 });
    expect(await refusalOf(asked)).toEqual([400, 'incomplete_request']);
  });

  test('releases its share of the budget, whether read or refused', async () => {
    const budget = createBodyBudget(100);
    const app = new Elysia()
      .use(jsonBodies)
      .post('/x', () => new Response('ok'), { json: { maxBytes: 100, budget } } as never);
    const post = async (body: string) =>
      (await app.handle(new Request('http://host/x', { method: 'POST', body }))).status;
    for (let at = 0; at < 3; at += 1) {
      expect(await post(JSON.stringify('x'.repeat(90)))).toBe(200);
      await post('x'.repeat(90));
    }
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
    await progressing.call({}, { principal: { scopes: [] } } as never, context as never);
    expect(told).toEqual([0, 0.5, 1]);
  });

  test('names each type of a field once', () => {
    const types = (...all: string[]) => ({ anyOf: all.map((type) => ({ type })) });
    const properties = { one: types('string', 'string'), two: types('string', 'null', 'string') };
    expect(outline({ properties })).toEqual({
      type: 'object',
      properties: { one: { type: 'string' }, two: types('string', 'null') },
    });
  });

  test('lists fields with the names of keywords, without the keywords themselves', () => {
    const text = { type: 'string', maxLength: 9 };
    const nested = { type: 'object', properties: { properties: text, pattern: text } };
    expect(brief({ properties: { properties: text, format: nested } })).toEqual({
      properties: {
        properties: { type: 'string' },
        format: {
          type: 'object',
          properties: { properties: { type: 'string' }, pattern: { type: 'string' } },
        },
      },
    });
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
    const answer = await wrong.call({}, { principal: { scopes: [] } } as never, context as never);
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

  test('that ends because its caller has disconnected neither answers nor counts as an error', async () => {
    const lines: string[] = [];
    const left = new AbortController();
    const waiting = prepareTool(
      {
        ...described,
        run: async (_input, { signal }) => {
          left.abort(new Error('the caller has left'));
          signal.throwIfAborted();
          return { text: [], value: {} };
        },
      },
      createLog('error', (line) => void lines.push(line)),
      () => false,
    );
    const principal = { scopes: [] };
    const asked = waiting.call({}, { principal } as never, { signal: left.signal } as never);
    await expect(asked).rejects.toThrow('the caller has left');
    expect(lines.filter((line) => line.includes('request_failed'))).toEqual([]);
  });

  test('counts the bytes of its result until it is sent', async () => {
    const held: number[] = [];
    let released = 0;
    const bytes = new TextEncoder().encode('captions');
    const answer = heldText(bytes, () => void (released += 1));
    const text = await heldAnswer(Promise.resolve(answer), {
      holdAnswer: (size) => void held.push(size),
    });
    expect([text, held, released]).toEqual(['captions', [8], 1]);
  });

  test('accepts an inline recording up to its limit', async () => {
    const stored: unknown[] = [];
    const tool = captionTool({
      runs: {} as never,
      texts: {} as never,
      pool: {} as never,
      audio: { put: async () => void stored.push(1) } as never,
      providers: [],
    });
    const base64 = 'A'.repeat(Math.ceil((11 * 2 ** 20 * 4) / 3 / 4) * 4);
    const principal = { organizationId: 'org', keyId: 'k', scopes: ['captioner:audio:upload'] };
    const call = { principal, signal: new AbortController().signal, releaseBody: () => {} };
    const asked = tool.run({ audio: { base64 } }, call as never);
    expect(await refusalOf(asked as Promise<unknown>)).toEqual([422, 'invalid_payload']);
    expect(stored).toEqual([]);
  });
});
