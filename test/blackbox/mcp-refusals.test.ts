/** Refusals of the MCP server, and their messages. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { post, signUp } from '../support/servers/client.ts';
import { call, mcpClients } from '../support/servers/mcp.ts';
import { logged } from '../support/servers/server-process.ts';
import { twoWorkspaces } from '../support/servers/workspaces.ts';
import { UPLOAD } from '../../server/contract/limits.ts';

setDefaultTimeout(300_000);

const { server, ann, bob } = await twoWorkspaces();
const reader = await signUp(server, 'reader@example.org', ['captioner:terminology:read']);
const connect = mcpClients(server.url);

describe('refusals', () => {
  test('without a valid key, the server responds with 401 and the way to a key', async () => {
    const ask = (headers = {}) =>
      post(`${server.url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    for (const response of [await ask(), await ask({ authorization: 'Bearer nonsense' })]) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('oauth-protected-resource');
    }
    await expect(connect('nonsense')).rejects.toThrow();
  });

  test('the refusal of a key without the scope names the scope', async () => {
    const client = await connect(reader.key);
    expect((await call(client, 'list_packs', {})).structuredContent.packs.length).toBe(7);
    for (const [name, args, scope] of [
      ['caption_audio', { audio: { key: 'a.mp3' } }, 'captioner:caption:run'],
      ['create_upload_link', {}, 'captioner:audio:upload'],
      ['list_runs', {}, 'captioner:caption:run'],
    ] as const) {
      const answer = await call(client, name, args);
      expect(answer.isError).toBe(true);
      expect(answer.content[0].text).toStartWith('insufficient_scope');
      expect(answer.content[0].text).toContain(scope);
      expect(answer).not.toHaveProperty('structuredContent');
    }
  });

  test.each([
    ['no recording at all', { audio: {} }, 'audio needs key or base64'],
    ['no base64', { audio: { base64: 'ü' } }, 'audio.base64 is not base64'],
    ['no MP3', { audio: { base64: btoa('text'.repeat(100)) } }, 'mp3_required'],
    [
      'too much',
      { audio: { base64: 'A'.repeat(UPLOAD.maxInlineBytes * 1.4) } },
      'create_upload_link',
    ],
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

  test('a failed run reports its stage and suggestions', async () => {
    const client = await connect(ann.key);
    const answer = await call(client, 'caption_audio', { audio: { key: 'nowhere.mp3' } });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({
      state: 'failed',
      error: { code: 'audio_not_found' },
    });
    expect(answer.content[0].text).toMatch(/^audio_not_found at \w+: .+\n- /);
  });

  test('runs and recordings of another workspace are not found', async () => {
    const anns = await connect(ann.key);
    const bobs = await connect(bob.key);
    const { runId } = (await call(anns, 'caption_audio', { audio: { key: 'x.mp3' }, wait: false }))
      .structuredContent;
    for (const name of ['get_run', 'get_captions', 'cancel_run', 'erase_run']) {
      const answer = await call(bobs, name, { runId });
      expect([answer.isError, answer.content[0].text]).toEqual([
        true,
        expect.stringContaining('run_not_found'),
      ]);
    }
  });

  test('a forged or modified link is refused', async () => {
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

  test('GET is refused with Allow: POST', async () => {
    const response = await fetch(`${server.url}/mcp`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

test('a refusal is logged in the audit log, without the key', async () => {
  await logged(server, '"outcome":"insufficient_scope"');
  expect(server.log()).not.toContain('request_failed');
  for (const { key } of [ann, bob, reader]) expect(server.log()).not.toContain(key);
});
