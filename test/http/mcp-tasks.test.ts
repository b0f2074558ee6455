/**
 * Runs as MCP tasks: messages that match the extension's schemas, tenancy, and clients that do not
 * support tasks.
 */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { endRuns } from '../slow/conformance/front.ts';
import { type Any, until } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';

setDefaultTimeout(300_000);

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
    method: 'POST',
    key,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
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

test('a list is sent as a document; a call, which may take long, as a stream', async () => {
  expect((await send(ann, 'tools/list', {})).type).toStartWith('application/json');
  const call = { name: 'list_runs', arguments: {} };
  expect((await send(ann, 'tools/call', call)).type).toStartWith('text/event-stream');
});

describe('a run as a task', () => {
  test('starts with a handle, reports its state, and ends with the result of the call', async () => {
    const { result: handle } = await send(ann, 'tools/call', caption('talk.mp3'));
    expect(isCreateTaskResultV2(handle)).toBe(true);
    expect(handle).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null });
    expect(handle.statusMessage).toBe('queued, 0% done');
    const { taskId } = handle;
    await app.services.database
      .updateTable('runs')
      .set({
        state: 'running',
        stage: 'transcription',
        progress: 0.4,
        started_at: 1,
        updated_at: 2,
      })
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
    const { result: same } = await send(ann, 'tools/call', {
      name: 'get_run',
      arguments: { runId: taskId },
    });
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

  test('whose result is lost is a mistake of the server', async () => {
    const taskId = await started();
    await app.services.database
      .updateTable('runs')
      .set({ state: 'completed', finished_at: Date.now(), result: null })
      .where('id', '=', taskId)
      .execute();
    const { error } = await send(ann, 'tasks/get', { taskId });
    expect([error.code, error.message]).toEqual([-32603, expect.stringContaining('internal: ')]);
  });

  test('can be cancelled, twice', async () => {
    const taskId = await started();
    const first = await send(ann, 'tasks/cancel', { taskId });
    expect(Object.keys(first.result).toSorted()).toEqual(['_meta', 'resultType']);
    const { result } = await send(ann, 'tasks/get', { taskId });
    expect(isDetailedTaskV2(result)).toBe(true);
    expect([result.status, 'result' in result]).toEqual(['cancelled', false]);
    expect((await send(ann, 'tasks/cancel', { taskId })).result.resultType).toBe('complete');
  });

  test('reports that it could not be cancelled', async () => {
    const taskId = await started();
    const { runs } = app.services;
    const failing = spyOn(runs, 'cancel').mockRejectedValue(new Error('the database is gone'));
    const { error } = await send(ann, 'tasks/cancel', { taskId });
    failing.mockRestore();
    expect(error.code).toBe(-32603);
  });

  test('needs no input: an update is acknowledged and ignored', async () => {
    const taskId = await started();
    const answer = { taskId, inputResponses: { name: { action: 'accept', content: {} } } };
    const { result } = await send(ann, 'tasks/update', answer);
    expect(Object.keys(result).toSorted()).toEqual(['_meta', 'resultType']);
    expect((await send(ann, 'tasks/get', { taskId })).result.status).toBe('working');
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
      for (const { error } of [foreign, unknown]) {
        expect(error).toEqual({
          code: -32602,
          message: 'run_not_found: There is no run with this id.',
        });
      }
      const { error } = await send(uploader, method, params);
      expect(error.code).toBe(-32600);
      expect(error.message).toContain('captioner:caption:run');
      const line = app.log().findLast(({ event }) => event === 'tool_call');
      expect([line?.tool, line?.outcome]).toEqual([method, 'insufficient_scope']);
      expect((await send(ann, 'tasks/get', { taskId })).result.status).toBe('working');
    },
  );

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s: only for clients that declare the extension',
    async (method) => {
      const { error } = await send(ann, method, { taskId: await started() }, {});
      expect([error.code, error.data]).toEqual([-32021, { requiredCapabilities: TASKS }]);
    },
  );

  test('without a task id is refused', async () => {
    const { error } = await send(ann, 'tasks/get', {});
    expect([error.code, error.message]).toEqual([-32602, 'taskId is required']);
  });

  test('the extension is declared, and the tasks of revision 2025 are not', async () => {
    const { result } = await send(ann, 'server/discover', {});
    expect(result.capabilities).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
      ...TASKS,
    });
    for (const method of ['tasks/list', 'tasks/result']) {
      expect((await send(ann, method, { taskId: 'run_1' })).error.code).toBe(-32601);
    }
  });
});

test('a call that only starts a run returns no task, nor does one from a client without tasks', async () => {
  const only = await send(ann, 'tools/call', caption('talk.mp3', { wait: false }));
  expect([only.result.resultType, only.result.structuredContent.state]).toEqual([
    'complete',
    'queued',
  ]);
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

test('lists may be cached by anybody', async () => {
  for (const [method, params = {}] of [
    ['server/discover'],
    ['tools/list'],
    ['resources/list'],
    ['resources/read', { uri: 'http://localhost:3000/guide.md' }],
  ] as [string, Record<string, unknown>?][]) {
    const { result } = await send(ann, method, params);
    expect([method, result.ttlMs, result.cacheScope]).toEqual([method, 300_000, 'public']);
  }
});

test('the list of tools takes at most 20 KiB of a client’s context', async () => {
  const { result } = await send(ann, 'tools/list', {});
  expect(JSON.stringify(result.tools).length).toBeLessThan(20 * 1024);
});
