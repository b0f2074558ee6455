/** The MCP server: who may use it, its tools and its tasks. */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp, type Mounted, callTool } from '../support/servers/mounted.ts';
import { told, until, type Any } from '../support/servers/client.ts';
import { readFile } from 'node:fs/promises';
import { sample } from '../support/sample.ts';
import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { endRuns } from '../slow/conformance/front.ts';

setDefaultTimeout(300_000);

// The checks of /mcp before it reads a body: origin, key, scopes and the byte budget.
const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const reader = await app.signUp('reader@example.org', ['captioner:terminology:read']);
const runner = await app.signUp('runner@example.org', ['captioner:caption:run']);

const MiB = 1024 * 1024;
const accept = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** A body that counts the chunks requested; the last one waits for `end`. */
function counted(bytes: number, end: Promise<unknown> = Promise.resolve()) {
  const chunk = new Uint8Array(65_536).fill(0x20);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent >= bytes) {
          await end;
          return controller.close();
        }
        sent += chunk.byteLength;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read: () => sent };
}

const send = (
  { key }: { key: string },
  body: ReadableStream | string,
  headers: Record<string, string> = {},
  to: Mounted = app,
) => to.ask('/mcp', { method: 'POST', key, body, headers: { ...accept, ...headers } });

/** Calls a tool. */
const call = (name: string, input: object, who = ann, more = '') => {
  const params = { name, arguments: input };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params });
  return send(who, message + more);
};

test('a body that is no message is a mistake of the client', async () => {
  for (const body of ['null', '1', '"x"', '[]', '{}', '{"method":"tools/call"}']) {
    expect([body, (await send(ann, body)).status]).toEqual([body, 400]);
  }
});

describe('size limits', () => {
  test('a key without the scope to upload may send 256 KiB', async () => {
    for (const who of [reader, runner]) {
      expect((await send(who, counted(256 * 1024).body)).status).toBe(400);
      const large = counted(12 * MiB);
      expect(await told(send(who, large.body))).toBe('413 payload_too_large');
      expect(large.read()).toBeLessThanOrEqual(256 * 1024 + 2 * 65_536);
    }
  });

  test('nothing is read without a valid key', async () => {
    const large = counted(12 * MiB);
    expect((await send({ key: 'nonsense' }, large.body)).status).toBe(401);
    expect(large.read()).toBe(0);
  });

  test('a key with the upload scope may send a recording; at most three of the largest at once', async () => {
    const end = Promise.withResolvers<void>();
    const held = [1, 2, 3].map(() => counted(11 * MiB, end.promise));
    const answers = held.map(({ body }) => send(ann, body));
    await until(async () => held.every(({ read }) => read() >= 11 * MiB));
    const refused = await send(ann, counted(4 * MiB).body);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await told(refused)).toBe('503 unavailable');
    end.resolve();
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(400);
    expect((await send(ann, counted(4 * MiB).body)).status).toBe(400);
    // A streaming response releases its share when it ends. Each comes from another workspace, since one that sends
    // so much would have to wait.
    for (const name of ['cy', 'dee', 'eve', 'fay']) {
      const caller = await app.signUp(`${name}@example.net`);
      const called = await call('nothing', {}, caller, ' '.repeat(11 * MiB));
      expect([called.status, await called.text()]).toEqual([
        200,
        expect.stringContaining('-32602'),
      ]);
    }
  });

  test('answers that nobody reads take only the share of their workspace', async () => {
    const { database } = app.services;
    const { organizationId } = ann;
    const withCaptions = async (length: number, warnings: unknown[] = []): Promise<string> => {
      const { runId, result } = await completedRun(database, organizationId, spoken('Hello.'));
      const captions = { ...result.captions, srt: 'a'.repeat(length) };
      const quality = { captions: { ...result.quality.captions, warnings } };
      const text = JSON.stringify({ ...result, captions, quality });
      await database.updateTable('runs').set({ result: text }).where('id', '=', runId).execute();
      return runId;
    };
    const said = async (name: string, args: object) =>
      (await (await call(name, args)).text()).slice(0, 500);
    const run = { runId: await withCaptions(MiB / 2 - 5000) };
    const unread = [1, 2, 3].map(() => call('get_run', run));
    const bodies = (await Promise.all(unread)).map(({ body }) => body);
    expect(await said('get_run', run)).toContain('unavailable: Too many large requests');
    expect(await said('list_runs', {})).toContain('run_');
    await Promise.all(bodies.map((body) => body?.cancel()));
    expect(await said('get_run', run)).toContain('aaaa');
    // Captions that are too long for any answer are left out.
    const long = { runId: await withCaptions(2 * MiB) };
    expect(await said('get_run', long)).toContain('The captions are too long for this answer');
    // What the answering thread has to parse stays short: of many warnings the first are told, and the captions whole.
    const warnings = Array.from({ length: 5000 }, (_, at) => ({
      cue: at + 1,
      flag: 'reading_speed_high',
      severity: 'warning',
      message: 'It is shown for too short a time.',
    }));
    const many = { runId: await withCaptions(1000, warnings) };
    const answer = await (await call('get_run', many)).text();
    const { result } = JSON.parse(/^data: (.*jsonrpc.*)$/m.exec(answer)![1]!);
    expect(result.structuredContent.srt).toBe('a'.repeat(1000));
    expect(result.content).toHaveLength(2);
    expect(result.content[0].text).toStartWith('aaaaa');
    expect(result.content[1].text).toContain('5000 warnings');
    expect(result.structuredContent.quality.warnings).toEqual(warnings.slice(0, 100));
  });

  test('a call that waits sends something every five seconds', async () => {
    const timers = spyOn(globalThis, 'setInterval');
    const waiting = await call('caption_audio', { audio: { key: 'quiet.mp3' } });
    const beats = timers.mock.calls.filter(([, ms]) => ms === 5000).map(([beat]) => beat);
    timers.mockRestore();
    for (const beat of beats) (beat as () => void)();
    const reader = waiting.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toStartWith(':');
    await reader.cancel();
  }, 5000);

  test('a client that leaves before its answer ends the call', async () => {
    const { watch } = app.services.runs;
    const ended = Promise.withResolvers<string>();
    const watched = spyOn(app.services.runs, 'watch').mockImplementation((...given) => {
      given[2]?.addEventListener('abort', () => ended.resolve('ended'));
      return watch(...given);
    });
    const waiting = await call('caption_audio', { audio: { key: 'talk.mp3' } });
    await until(async () => watched.mock.calls.length > 0);
    await waiting.body?.cancel();
    expect(await ended.promise).toBe('ended');
    watched.mockRestore();
  }, 5000);
});

test.each([
  ['none, as programs', null, 'localhost:3000', true],
  ['its own, on this machine', 'http://localhost:3000', 'localhost:3000', true],
  ['its own, by address', 'http://192.168.1.7:3000', '192.168.1.7:3000', true],
  ['its own, by IPv6', 'http://[::1]:3000', '[::1]:3000', true],
  ['another port of this machine', 'http://localhost:9999', 'localhost:3000', false],
  ['another site', 'https://evil.example', 'localhost:3000', false],
  ['a name of this machine', 'http://evil.example:3000', 'evil.example:3000', false],
  ['a file, or a frame without one', 'null', 'localhost:3000', false],
  ['no address at all', 'x', 'localhost:3000', false],
])('the origin %s, %p at %s, may call: %p', async (_what, origin, host, may) => {
  const from: Record<string, string> = { host, ...(origin !== null && { origin }) };
  expect(await told(send(ann, LIST, from))).toBe(may ? '200' : '403 foreign_origin');
  // A preflight promises nothing else.
  const headers = { ...from, 'access-control-request-method': 'POST' };
  const preflight = await app.ask('/mcp', { method: 'OPTIONS', headers });
  expect(preflight.status).toBe(may ? 204 : 403);
});

describe('the tools of /mcp: tenancy, and the scope each tool needs', async () => {
  const talk = new Uint8Array(await readFile(sample));
  const app = await mountedApp();
  const [ann, bob, uploader, runner] = [
    await app.signUp('ann@example.com'),
    await app.signUp('bob@example.org'),
    await app.signUp('up@example.org', ['captioner:audio:upload']),
    await app.signUp('run@example.org', ['captioner:caption:run']),
  ];

  const call = callTool.bind(null, app);

  const started = async (who: { key: string }, name: string): Promise<string> =>
    (await call(who, 'caption_audio', { audio: { key: name }, wait: false })).structuredContent
      .runId;

  describe('scopes', () => {
    const run = 'captioner:caption:run';
    test.each([
      ['caption_audio', { audio: { key: 'a.mp3' }, wait: false }, uploader, run],
      ['caption_audio', { audio: { base64: 'AAAA' } }, runner, 'captioner:audio:upload'],
      ['get_run', { runId: 'run_1' }, uploader, run],
      ['get_captions', { runId: 'run_1' }, uploader, run],
      ['list_runs', {}, uploader, run],
      ['cancel_run', { runId: 'run_1' }, uploader, run],
      ['create_upload_link', {}, runner, 'captioner:audio:upload'],
    ])('%s %j', async (name, input, who, scope) => {
      const { isError, words } = await call(who, name, input);
      expect(isError).toBe(true);
      expect(words).toBe(`insufficient_scope: The API key lacks the scope ${scope}.`);
      const line = app.log().findLast(({ event }) => event === 'tool_call');
      expect([line?.tool, line?.keyId === undefined]).toEqual([name, false]);
    });
  });

  describe('workspaces', () => {
    test("another workspace's run is not found, and not changed", async () => {
      const runId = await started(ann, 'mine.mp3');
      for (const name of ['get_run', 'get_captions', 'cancel_run', 'erase_run']) {
        const { isError, words } = await call(bob, name, { runId });
        expect([isError, words]).toEqual([true, 'run_not_found: There is no run with this id.']);
      }
      const mine = await call(ann, 'get_run', { runId });
      expect(mine.structuredContent).toMatchObject({ runId, state: 'queued' });
    });

    test("a list contains only the workspace's own runs, in pages", async () => {
      const own = await app.signUp('list@example.org');
      for (const name of ['a.mp3', 'b.mp3', 'c.mp3']) await started(own, name);
      const first = (await call(own, 'list_runs', { limit: 2 })).structuredContent;
      const rest = await call(own, 'list_runs', { limit: 2, cursor: first.nextCursor });
      const keys = [...first.runs, ...rest.structuredContent.runs].map(({ audioKey }) => audioKey);
      expect(first.runs).toHaveLength(2);
      expect(new Set(keys)).toEqual(new Set(['a.mp3', 'b.mp3', 'c.mp3']));
      expect(rest.structuredContent.nextCursor).toBeNull();
      expect((await call(bob, 'list_runs', {})).words).toBe('There are no runs.');
      const bad = await call(own, 'list_runs', { cursor: 'x' });
      expect([bad.isError, bad.words]).toEqual([true, expect.stringContaining('invalid_payload')]);
    });

    test("the workspace's own run is cancelled, once", async () => {
      const runId = await started(ann, 'stop.mp3');
      const cancel = () => call(ann, 'cancel_run', { runId });
      const first = await cancel();
      expect(first.words).toBe(`Run ${runId} is being cancelled.`);
      expect(first.structuredContent.state).toBe('cancelled');
      expect((await cancel()).words).toBe(`Run ${runId} had already ended.`);
    });
  });

  describe('recordings', () => {
    test('one inside a call is stored in the workspace of the key', async () => {
      const { structuredContent } = await call(ann, 'caption_audio', {
        audio: { base64: Buffer.from(talk).toString('base64'), key: 'inside.mp3' },
        wait: false,
      });
      expect(structuredContent.audioKey).toBe('inside.mp3');
      const { audio } = app.services;
      expect((await audio.stat(ann.organizationId, 'inside.mp3'))?.size).toBe(talk.byteLength);
      expect(await audio.stat(bob.organizationId, 'inside.mp3')).toBeNull();
    });

    test('a recording in a message has at most 8 MiB', async () => {
      const base64 = Buffer.alloc(8 * 1024 * 1024).toString('base64');
      const whole = await call(ann, 'caption_audio', { audio: { base64 }, wait: false });
      expect(whole.words).toStartWith('mp3_required: ');
      const more = Buffer.alloc(8 * 1024 * 1024 + 1).toString('base64');
      const { isError, words } = await call(ann, 'caption_audio', { audio: { base64: more } });
      const limit = 'audio.base64 is larger than 8 MiB: upload it through create_upload_link';
      expect([isError, words]).toEqual([true, `invalid_payload: ${limit}.\n- ${limit}`]);
    });

    test('an upload link stores in the workspace that created it, under its key, once', async () => {
      const input = { key: 'linked.mp3' };
      const { structuredContent: link } = await call(uploader, 'create_upload_link', input);
      const put = (body: BodyInit, type: string) => {
        const headers = { 'content-type': type };
        return app.ask(new URL(link.url).pathname, { method: 'PUT', headers, body });
      };
      // A body of another type is refused unread, and the link can still be used.
      expect(await told(put('{', 'application/json'))).toBe('415 mp3_required');
      expect((await put(talk, 'audio/mpeg')).status).toBe(200);
      expect(await told(put(talk, 'audio/mpeg'))).toBe('403 invalid_upload_link');
      const { audio } = app.services;
      expect((await audio.stat(uploader.organizationId, 'linked.mp3'))?.size).toBe(talk.byteLength);
      expect(await audio.stat(ann.organizationId, 'linked.mp3')).toBeNull();
      const left = Date.parse(link.expiresAt) - Date.now();
      expect(left).toBeWithin(14 * 60_000, 15 * 60_000 + 1);
    });
  });
});

describe("runs as MCP tasks: messages that match the extension's schemas, tenancy, and clients that do not support tasks", async () => {
  const REVISION = '2026-07-28';
  const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const META = 'io.modelcontextprotocol';

  const app = await mountedApp();
  const ann = await app.signUp('ann@example.com');
  const bob = await app.signUp('bob@example.org');
  const uploader = await app.signUp('up@example.org', ['captioner:audio:upload']);

  /** Sends one message in the stateless protocol revision. */
  async function send(
    { key }: { key: string },
    method: string,
    params: Record<string, unknown>,
    capabilities: object = TASKS,
  ): Promise<Any> {
    const name = params['name'] ?? params['taskId'] ?? params['uri'];
    const _meta = {
      [`${META}/protocolVersion`]: REVISION,
      [`${META}/clientInfo`]: { name: 'test', version: '1' },
      [`${META}/clientCapabilities`]: capabilities,
    };
    const answer = await app.ask('/mcp', {
      key,
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
      },
      json: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    return { status: answer.status, type, ...JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) };
  }

  const caption = (key: string, more: object = {}) => ({
    name: 'caption_audio',
    arguments: { audio: { key }, ...more },
  });

  /** Starts a run as a task, and returns its id. */
  async function started(who: { key: string } = ann): Promise<string> {
    const { result } = await send(who, 'tools/call', caption('talk.mp3'));
    return result.taskId;
  }

  describe('a run as a task', () => {
    test('starts with a handle, reports its state, and ends with the result of the call', async () => {
      const { result: handle } = await send(ann, 'tools/call', caption('talk.mp3'));
      expect(isCreateTaskResultV2(handle)).toBe(true);
      expect(handle).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null });
      expect(handle.statusMessage).toBe('queued, 0% done');
      const { taskId } = handle;
      const times = { started_at: 1, updated_at: 2 };
      await app.services.database
        .updateTable('runs')
        .set({ state: 'running', stage: 'transcription', progress: 0.4, ...times })
        .where('id', '=', taskId)
        .execute();
      const { result: working } = await send(ann, 'tasks/get', { taskId });
      expect(isDetailedTaskV2(working)).toBe(true);
      expect([working.resultType, working.status]).toEqual(['complete', 'working']);
      expect(working.statusMessage).toBe('transcription, 40% done');
      expect(working.lastUpdatedAt).toBe('1970-01-01T00:00:00.002Z');
      expect(working.createdAt).toBe(handle.createdAt);
      expect(working.pollIntervalMs).toBeGreaterThanOrEqual(1000);
      await endRuns(app, 'completed');
      const { result: ended } = await send(ann, 'tasks/get', { taskId });
      expect(isDetailedTaskV2(ended)).toBe(true);
      expect(ended.status).toBe('completed');
      const again = { name: 'get_run', arguments: { runId: taskId } };
      const { result: same } = await send(ann, 'tools/call', again);
      const { content, structuredContent, isError } = same;
      expect(ended.result).toEqual({ content, structuredContent, isError });
      expect(structuredContent.srt).toContain('-->');
    });

    test('that failed completes with the failure as its result', async () => {
      const taskId = await started();
      await endRuns(app, 'failed');
      const { result } = await send(ann, 'tasks/get', { taskId });
      expect(isDetailedTaskV2(result)).toBe(true);
      expect([result.status, result.result.isError]).toEqual(['completed', true]);
      expect(result.result.structuredContent.error.code).toBeString();
    });
  });

  describe('access to a task', () => {
    test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
      '%s: only for its workspace, with a key that may run captions',
      async (method) => {
        const taskId = await started();
        const params = { taskId, inputResponses: {} };
        const foreign = await send(bob, method, params);
        const unknown = await send(ann, method, { ...params, taskId: 'run_none' });
        const message = 'run_not_found: There is no run with this id.';
        for (const { error } of [foreign, unknown])
          expect(error).toEqual({ code: -32602, message });
        const { error } = await send(uploader, method, params);
        expect(error.code).toBe(-32600);
        expect(error.message).toContain('captioner:caption:run');
        const line = app.log().findLast(({ event }) => event === 'tool_call');
        expect([line?.tool, line?.outcome]).toEqual([method, 'insufficient_scope']);
        expect((await send(ann, 'tasks/get', { taskId })).result.status).toBe('working');
      },
    );
  });

  test('a call that only starts a run returns no task, nor does one from a client without tasks', async () => {
    const only = await send(ann, 'tools/call', caption('talk.mp3', { wait: false }));
    const { resultType, structuredContent } = only.result;
    expect([resultType, structuredContent.state]).toEqual(['complete', 'queued']);
    const waiting = send(ann, 'tools/call', caption('other.mp3'), {});
    await until(async () => {
      const listed = { name: 'list_runs', arguments: { limit: 1 } };
      const { result } = await send(ann, 'tools/call', listed);
      return result.structuredContent.runs[0].audioKey === 'other.mp3';
    });
    await endRuns(app, 'completed');
    const { result } = await waiting;
    expect([result.resultType, result.structuredContent.state]).toEqual(['complete', 'completed']);
  });

  test('the list of tools takes at most 20 KiB of a client’s context', async () => {
    const { result } = await send(ann, 'tools/list', {});
    expect(JSON.stringify(result.tools).length).toBeLessThan(20 * 1024);
  });
});
