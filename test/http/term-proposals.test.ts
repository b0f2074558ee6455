/** Finding names and terms in a text, over HTTP and MCP. */
import { describe, expect, test } from 'bun:test';
import type { Any } from '../support/servers/client.ts';
import { callTool, mountedApp, type MountedKey } from '../support/servers/mounted.ts';

const app = await mountedApp();
const send = ({ key }: MountedKey, method: string, path: string, body: unknown) =>
  app.ask(path, {
    method,
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('names and terms of a text', () => {
  test('are found without keeping anything, over HTTP and MCP', async () => {
    const ann = await app.signUp('ann@example.com');
    await send(ann, 'PUT', '/terminology/terms', { terms: [{ canonical: 'AuthKit' }] });
    const text = 'Ada Lovelace speaks on AuthKit, SCIM and Kubernetes.\nThen we all have lunch.';
    const answer = await send(ann, 'POST', '/terminology/proposals', { text });
    const { proposals } = await answer.json();
    const found = proposals.map(({ term }: Any) => term);
    expect(found.toSorted()).toEqual(['Ada Lovelace', 'AuthKit', 'Kubernetes', 'SCIM']);
    expect(proposals.find(({ term }: Any) => term === 'AuthKit').known).toBe(true);
    expect((await callTool(app, ann, 'propose_terms', { text })).words).toContain('Kubernetes');
    const empty = await send(ann, 'POST', '/terminology/proposals', { text: '' });
    expect(empty.status).toBe(422);
  });
});
