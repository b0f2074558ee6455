/** What the documents tell a client to send is what the service takes. */
import { expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { AgentAuthRequest } from '../../server/contract/registration.ts';
import { validator } from '../../server/contract/schema.ts';
import { discoveryRoutes } from '../../server/http/discovery.ts';
import { loadPacks, termPackList } from '../../server/terminology/packs.ts';

const baseUrl = 'https://captions.example';
const packs = termPackList(await loadPacks(fileURLToPath(new URL('../../terms', import.meta.url))));
const app = discoveryRoutes({ baseUrl, packs, health: async () => true });

const markdown = async (path: string): Promise<string> => {
  const headers = { accept: 'text/markdown' };
  return (await app.handle(new Request(`http://localhost${path}`, { headers }))).text();
};

/** The JSON bodies of the curl commands in a document, with an address for the placeholder. */
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
  for (const body of runs) expect(validator(CaptionerPayload).faults(body)).toEqual([]);
  for (const body of starts) expect(validator(AgentAuthRequest).faults(body)).toEqual([]);
});

test('the packs of the example are packs there are', async () => {
  const example = /```json\n(.*?)\n```/s.exec(await markdown('/'))?.[1] ?? '';
  expect(JSON.parse(example)).toEqual(packs.example);
});

test.each([['/'], ['/auth.md'], ['/skills/captioner/SKILL.md'], ['/llms.txt']])(
  '%s sends keys to this host alone, and has no placeholder left',
  async (path) => {
    const text = await markdown(path);
    expect(text).not.toMatch(/\{\{|undefined|\[object/);
    for (const [address] of text.matchAll(/https?:\/\/[^\s'")`>]+/g)) {
      expect(address).toStartWith(baseUrl);
    }
  },
);
