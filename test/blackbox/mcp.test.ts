/** The MCP server, through the official client: every revision the card names, the whole job, every refusal. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MAX_INLINE_BYTES } from '../../server/contract/limits.ts';
import { MCP_VERSIONS } from '../../server/http/documents/metadata.ts';
import { post, signUp, until, type Any } from '../support/client.ts';
import { sample } from '../support/sample.ts';
import { twoWorkspaces } from '../support/workspaces.ts';

setDefaultTimeout(120_000);

const talk = await readFile(sample);
const { server, ann, bob } = await twoWorkspaces();
const reader = await signUp(server, 'reader@example.org', ['captioner:terminology:read']);
const open: McpClient[] = [];
afterAll(async () => {
  for (const client of open) await client.close();
});

async function connect(key: string, version?: string): Promise<McpClient> {
  const pinned = version !== undefined && version >= '2026';
  const client = new McpClient(
    { name: 'test', version: '1' },
    {
      ...(pinned && { versionNegotiation: { mode: { pin: version } } }),
      ...(version !== undefined && !pinned && { supportedProtocolVersions: [version] }),
    },
  );
  open.push(client);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

const call = async (client: McpClient, name: string, args: object, options = {}): Promise<Any> =>
  client.callTool({ name, arguments: { ...args } }, options);

describe.each([...MCP_VERSIONS])('revision %s', (version) => {
  test('a small recording becomes captions, and progress is told on the way', async () => {
    const client = await connect(ann.key, version);
    const told: number[] = [];
    const answer = await call(
      client,
      'caption_audio',
      { audio: { base64: talk.toString('base64') }, topic: 'MCP Night' },
      { onprogress: ({ progress }: { progress: number }) => told.push(progress) },
    );
    expect(answer.isError ?? false).toBe(false);
    const { runId, state, srt, quality } = answer.structuredContent;
    expect(state).toBe('completed');
    expect(answer.content[0].text).toBe(srt);
    expect(answer.content[1].text).toContain(`score ${quality.score} of 1`);
    expect(told.length).toBeGreaterThan(1);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(new Set(told).size).toBe(told.length);
    // The run is that of the HTTP interface.
    const run = await ann.run(runId);
    expect(run.envelope.result.captions.srt).toBe(srt);
    expect(run.envelope.result.metadata.storage.sourceAudio.status).toBe('deleted');
  });
});

test('the tools are described: what each takes and answers, and what it does', async () => {
  const client = await connect(ann.key);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'list_packs',
    'create_upload_link',
    'caption_audio',
    'get_run',
    'get_captions',
    'list_runs',
    'cancel_run',
  ]);
  for (const tool of tools) {
    expect(tool.description?.length).toBeGreaterThan(20);
    expect(tool.inputSchema.type).toBe('object');
    expect(tool.outputSchema?.type).toBe('object');
    expect(tool.annotations?.readOnlyHint).toBe(/^(list|get)_/.test(tool.name));
  }
  expect(client.getInstructions()).toContain('create_upload_link');
});

test('a large recording: a link, an upload without a key, a run, its captions', async () => {
  const client = await connect(ann.key);
  const link = await call(client, 'create_upload_link', { key: 'large/talk.mp3' });
  const { url, method, headers, key } = link.structuredContent;
  const put = (body: BodyInit) =>
    fetch(url.replace('localhost', '127.0.0.1'), { method, headers, body });
  expect((await put('not an MP3')).status).toBe(415);
  const uploaded = await put(new Uint8Array(talk));
  expect(await uploaded.json()).toEqual({
    ok: true,
    key: 'large/talk.mp3',
    size: talk.byteLength,
    mediaType: 'audio/mpeg',
  });
  const started = await call(client, 'caption_audio', { audio: { key }, wait: false });
  const { runId } = started.structuredContent;
  expect(started.content[0].text).toContain('get_run');
  const ended = await until(async () => {
    const seen = await call(client, 'get_run', { runId });
    return seen.structuredContent.finishedAt && seen;
  });
  expect(ended.structuredContent.state).toBe('completed');
  const vtt = await call(client, 'get_captions', { runId, format: 'vtt' });
  expect(vtt.content[0].text).toStartWith('WEBVTT');
  expect(vtt.structuredContent).toEqual({ runId, format: 'vtt', captions: vtt.content[0].text });
  const list = await call(client, 'list_runs', { limit: 1 });
  expect(list.structuredContent.runs).toHaveLength(1);
  expect(list.structuredContent.nextCursor).not.toBeNull();
  const cancelled = await call(client, 'cancel_run', { runId });
  expect(cancelled.content[0].text).toContain('ended already');
});

describe('refusals', () => {
  test('without a key, or with a bad one, there is no server: 401 that leads to a key', async () => {
    const ask = (headers = {}) =>
      post(`${server.url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    for (const response of [await ask(), await ask({ authorization: 'Bearer nonsense' })]) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('oauth-protected-resource');
    }
    await expect(connect('nonsense')).rejects.toThrow();
  });

  test('a key without the scope is told which', async () => {
    const client = await connect(reader.key);
    expect((await call(client, 'list_packs', {})).structuredContent.packs.length).toBe(7);
    for (const [name, args, scope] of [
      ['caption_audio', { audio: { key: 'a.mp3' } }, 'captioner:caption:run'],
      ['create_upload_link', {}, 'captioner:audio:upload'],
      ['list_runs', {}, 'captioner:caption:run'],
    ] as const) {
      const answer = await call(client, name, args);
      expect(answer.isError).toBe(true);
      expect(answer.content[0].text).toContain(`insufficient_scope`);
      expect(answer.structuredContent.error.scope).toBe(scope);
    }
  });

  test.each([
    ['no recording at all', { audio: {} }, 'audio needs key or base64'],
    ['no base64', { audio: { base64: 'ü' } }, 'audio.base64 is not base64'],
    ['no MP3', { audio: { base64: btoa('text'.repeat(100)) } }, 'mp3_required'],
    ['too much', { audio: { base64: 'A'.repeat(MAX_INLINE_BYTES * 1.4) } }, 'create_upload_link'],
    ['a key without .mp3', { audio: { key: 'a.wav' } }, 'audio.key'],
    ['a key that climbs', { audio: { key: '../a.mp3', base64: 'AA==' } }, 'invalid_key'],
    ['an unknown field', { audio: { key: 'a.mp3' }, color: 'red' }, 'color'],
    ['a bound', { audio: { key: 'a.mp3' }, captions: { maxLines: 9 } }, 'captions.maxLines'],
  ])('%s', async (_name, args, words) => {
    const client = await connect(ann.key);
    const answer = await call(client, 'caption_audio', args);
    expect(answer.isError).toBe(true);
    expect(answer.content[0].text).toContain(words);
  });

  test('a run that fails says at which stage, and what to do', async () => {
    const client = await connect(ann.key);
    const answer = await call(client, 'caption_audio', { audio: { key: 'nowhere.mp3' } });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({
      state: 'failed',
      error: { code: 'audio_not_found' },
    });
    expect(answer.content[0].text).toMatch(/^audio_not_found at \w+: .+\n- /);
  });

  test("another workspace's runs and recordings are not there", async () => {
    const anns = await connect(ann.key);
    const bobs = await connect(bob.key);
    const { runId } = (await call(anns, 'caption_audio', { audio: { key: 'x.mp3' }, wait: false }))
      .structuredContent;
    for (const name of ['get_run', 'get_captions', 'cancel_run']) {
      const answer = await call(bobs, name, { runId });
      expect([answer.isError, answer.content[0].text]).toEqual([
        true,
        expect.stringContaining('run_not_found'),
      ]);
    }
  });

  test('a link that was changed, or is none, lets nothing in', async () => {
    const client = await connect(ann.key);
    const { url } = (await call(client, 'create_upload_link', {})).structuredContent;
    const [, text = '', signature = ''] = /\/uploads\/(.+)\.(\w+)$/.exec(url) ?? [];
    const grant = JSON.parse(Buffer.from(text, 'base64url').toString());
    const forged = (change: object) =>
      Buffer.from(JSON.stringify({ ...grant, ...change })).toString('base64url');
    for (const token of [
      `${forged({ organizationId: bob.organizationId })}.${signature}`,
      `${forged({ expiresAt: Date.now() + 1e9 })}.${signature}`,
      `${text}.${signature.slice(1)}`,
      `${text}.`,
      'nonsense',
    ]) {
      const response = await fetch(`${server.url}/uploads/${token}`, { method: 'PUT', body: 'x' });
      expect([response.status, (await response.json()).error.code]).toEqual([
        403,
        'invalid_upload_link',
      ]);
    }
  });

  test.each([
    ['broken JSON', '{', 400],
    ['no object', '[]', 400],
    ['no JSON-RPC', '{"a":1}', 400],
  ])('%s is answered with %i', async (_name, body, status) => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ann.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body,
    });
    expect(response.status).toBe(status);
  });

  test('GET says that only POST is answered', async () => {
    const response = await fetch(`${server.url}/mcp`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

test('resources: every document, as it is served, and every pack', async () => {
  const client = await connect(ann.key);
  const { resources } = await client.listResources();
  const base = server.url.replace('127.0.0.1', 'localhost');
  const documents = resources.filter(({ mimeType }) => mimeType === 'text/markdown');
  expect(documents.map(({ uri }) => uri.replace(base, ''))).toContain('/auth.md');
  for (const { uri } of documents) {
    const { contents } = await client.readResource({ uri });
    const served = await fetch(uri.replace('localhost', '127.0.0.1'), {
      headers: { accept: 'text/markdown' },
    });
    expect((contents[0] as Any).text).toBe(await served.text());
  }
  const packs = resources.filter(({ uri }) => uri.startsWith('captioner://packs/'));
  expect(packs).toHaveLength(7);
  const { contents } = await client.readResource({ uri: packs[0]?.uri ?? '' });
  expect(JSON.parse((contents[0] as Any).text).termCount).toBeGreaterThan(0);
});

test('a caller that goes away ends its wait, not the run', async () => {
  await ann.put('left.mp3', talk);
  const client = await connect(ann.key);
  const gone = new AbortController();
  const waiting = call(
    client,
    'caption_audio',
    { audio: { key: 'left.mp3' } },
    { signal: gone.signal },
  );
  const run = await until(async () => {
    const { runs } = await (await ann.get('/workflows/captioner')).json();
    return runs.find(({ audioKey }: Any) => audioKey === 'left.mp3');
  });
  gone.abort();
  await expect(waiting).rejects.toThrow();
  const ended = await until(async () => {
    const seen = await ann.run(run.runId);
    return seen.finishedAt && seen;
  });
  expect(ended.state).toBe('completed');
});

test('each call leaves a line of audit log, and no key', async () => {
  const lines = await until(async () => {
    const read = server
      .log()
      .split('\n')
      .filter((line) => line.includes('"tool_call"'))
      .map((line): Any => JSON.parse(line));
    return read.some(({ outcome }) => outcome === 'insufficient_scope') && read;
  });
  expect(lines[0]).toMatchObject({
    tool: 'caption_audio',
    requiredScope: 'captioner:caption:run',
    organizationId: ann.organizationId,
    outcome: 'allowed',
  });
  expect(server.log()).toContain('upload_by_link');
  expect(server.log()).not.toContain('request_failed');
  expect(server.log()).not.toContain('/uploads/ey');
  for (const { key } of [ann, bob, reader]) expect(server.log()).not.toContain(key);
});
