/** The service accepts the requests that its documents describe. */
import { expect, test } from 'bun:test';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { AgentAuthRequest } from '../../server/contract/registration.ts';
import { validator } from '../../server/contract/schema.ts';
import { documentsOf, packs } from '../support/documents.ts';

const baseUrl = 'https://captions.example';
const ask = documentsOf({ baseUrl });

const markdown = async (path: string): Promise<string> =>
  ask(path, { headers: { accept: 'text/markdown' } }).text();

/**
 * The JSON bodies of the curl commands in a document, with an email address for the placeholder.
 */
const bodies = (text: string): object[] =>
  [...text.matchAll(/-d '(\{.*?\})'/gs)].map(
    ([, body = '']) => JSON.parse(body.replaceAll('<email>', 'ann@example.com')) as object,
  );

test.each([
  ['/', 2, 0],
  ['/auth.md', 0, 1],
  ['/skills/captioner/SKILL.md', 1, 1],
])('%s: %i payloads, %i registrations, all valid', async (path, payloads, registrations) => {
  const sent = bodies(await markdown(path));
  const runs = sent.filter((body) => 'audio' in body);
  const starts = sent.filter((body) => 'assertion' in body);
  expect([runs.length, starts.length]).toEqual([payloads, registrations]);
  for (const body of runs) expect(validator(CaptionerPayload).issues(body)).toEqual([]);
  for (const body of starts) expect(validator(AgentAuthRequest).issues(body)).toEqual([]);
});

test('the packs in the example exist', async () => {
  const example = /```json\n(.*?)\n```/s.exec(await markdown('/'))?.[1] ?? '';
  expect(JSON.parse(example)).toEqual(packs.example);
});

test.each([
  ['/'],
  ['/auth.md'],
  ['/guide.md'],
  ['/limits.md'],
  ['/privacy.md'],
  ['/skills/captioner/SKILL.md'],
  ['/llms.txt'],
])('%s sends keys only to this host, and has no placeholder left', async (path) => {
  const text = await markdown(path);
  // Every other document that it links is described, so that generated clients know it too.
  const { paths } = await ask('/openapi.json').json();
  for (const [, linked = ''] of text.matchAll(
    /\]\(https?:\/\/[^/)]+(\/[^)#?]*\.(?:md|json|txt))/g,
  )) {
    expect(Object.keys(paths)).toContain(linked);
  }
  expect(text).not.toMatch(/\{\{|undefined|\[object/);
  for (const [address] of text.matchAll(/https?:\/\/[^\s'")`>]+/g)) {
    expect(address).toStartWith(baseUrl);
  }
});
