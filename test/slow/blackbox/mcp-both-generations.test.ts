/**
 * Refusals of tools, read through both generations of the official SDK. Version 1.x validates
 * structuredContent against a tool's outputSchema even if isError is set, and throws if it does not
 * match.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { signUp, type Any } from '../../support/servers/client.ts';
import { mcpClients } from '../../support/servers/mcp.ts';
import { twoWorkspaces } from '../../support/servers/workspaces.ts';

setDefaultTimeout(300_000);

const { server, ann, bob } = await twoWorkspaces();
const reader = await signUp(server, 'reader@example.org', ['captioner:terminology:read']);
const connectNew = mcpClients(server.url);
const opened: OldClient[] = [];
afterAll(async () => {
  for (const client of opened) await client.close();
});

/** A client as in the tests: it knows the tools with their output schemas. */
interface AnyClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Any>;
  listTools(): Promise<Any>;
}

async function connectOld(key: string): Promise<AnyClient> {
  const client = new OldClient({ name: 'test', version: '1' });
  opened.push(client);
  const headers = { authorization: `Bearer ${key}` };
  const transport = new OldTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  return client;
}

describe.each([
  ['SDK 1.x', connectOld],
  ['SDK 2.x', (key: string): Promise<AnyClient> => connectNew(key)],
])('%s', (_generation, connect) => {
  const call = async (key: string, name: string, args: Record<string, unknown>) => {
    const client = await connect(key);
    await client.listTools();
    return client.callTool({ name, arguments: args });
  };

  test.each([
    [
      'a key without the scope',
      reader.key,
      'caption_audio',
      { audio: { key: 'a.mp3' } },
      'insufficient_scope',
    ],
    ['no recording', ann.key, 'caption_audio', { audio: {} }, 'audio needs key or base64'],
    [
      'no MP3',
      ann.key,
      'caption_audio',
      { audio: { base64: btoa('text'.repeat(99)) } },
      'mp3_required',
    ],
    [
      'a bound',
      ann.key,
      'caption_audio',
      { audio: { key: 'a.mp3' }, captions: { maxLines: 9 } },
      'captions.maxLines',
    ],
    ['a key that climbs', ann.key, 'create_upload_link', { key: '../a.mp3' }, 'invalid_key'],
    ['no such run', ann.key, 'get_run', { runId: 'run_none' }, 'run_not_found'],
    ['no such run to cancel', ann.key, 'cancel_run', { runId: 'run_none' }, 'run_not_found'],
    ['no captions of it', ann.key, 'get_captions', { runId: 'run_none' }, 'run_not_found'],
    ['a foreign cursor', ann.key, 'list_runs', { cursor: 'x' }, 'cursor must be'],
  ])(
    '%s is reported as text, without structured content',
    async (_what, key, name, args, words) => {
      const answer = await call(key, name, args);
      expect(answer.isError).toBe(true);
      expect(answer.content[0].text).toContain(words);
      expect(answer.structuredContent).toBeUndefined();
    },
  );

  test('a failed run is reported with the structure that the tool declares', async () => {
    const answer = await call(ann.key, 'caption_audio', { audio: { key: 'nowhere.mp3' } });
    expect([answer.isError, answer.structuredContent.error.code]).toEqual([
      true,
      'audio_not_found',
    ]);
    const { runId } = answer.structuredContent;
    const again = await call(ann.key, 'get_run', { runId });
    expect(again.structuredContent.error.code).toBe('audio_not_found');
    const foreign = await call(bob.key, 'get_run', { runId });
    expect(foreign.content[0].text).toStartWith('run_not_found');
  });
});
