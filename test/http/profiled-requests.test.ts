/** Captions by the rules of a profile, requested over HTTP and MCP. */
import { expect, test } from 'bun:test';
import type { Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

const service = await mountedApp();
const reader = await service.signUp('reader@example.com');
const { runId } = await completedRun(
  service.services.database,
  reader.organizationId,
  spoken('We use it for provisioning, and every team of ours has used it for years.'),
);
const asked = (query: string) =>
  service.ask(`/workflows/captioner/${runId}/captions.json?${query}`, { key: reader.key });

test('a query parameter may hold commas, but not come twice', async () => {
  const [plain, coded] = [
    await asked('profile=netflix&shots=0.4,2'),
    await asked('profile=netflix&shots=0.4%2C2'),
  ];
  expect([plain.status, coded.status]).toEqual([200, 200]);
  expect(await plain.json()).toEqual(await coded.json());
  for (const query of ['shots=1,2&shots=3,4', 'version=original&version=original']) {
    expect((await asked(query)).status).toBe(422);
  }
});

test('the tool keeps to the settings of the run, as the file does', async () => {
  const { database } = service.services;
  const run = await completedRun(
    database,
    reader.organizationId,
    spoken('one two three '.repeat(9)),
  );
  const payload = JSON.stringify({ audio: { key: 'a.mp3' }, captions: { maxLineChars: 20 } });
  await database.updateTable('runs').set({ payload }).where('id', '=', run.runId).execute();
  const input = { runId: run.runId, format: 'json', profile: 'dcmp' };
  const { structuredContent } = await callTool(service, reader, 'get_captions', input);
  const lines = JSON.parse(structuredContent.captions).cues.flatMap((cue: Any) => cue.lines);
  expect(Math.max(...lines.map((line: string) => line.length))).toBeLessThanOrEqual(20);
});

test('the tool returns the same captions as the file', async () => {
  const rules = { profile: 'dcmp', frameRate: '25', shots: '0.4,2' };
  const tool = async (input: object) =>
    callTool(service, reader, 'get_captions', { runId, format: 'json', ...input });
  const { captions } = (await tool(rules)).structuredContent;
  expect(captions).toBe(await (await asked(new URLSearchParams(rules).toString())).text());
  const { cues, warnings } = JSON.parse(captions);
  for (const line of cues.flatMap((cue: Any) => cue.lines)) {
    expect(line.length).toBeLessThanOrEqual(32);
  }
  expect(warnings).toBeArray();
  expect((await tool({})).structuredContent.captions).not.toBe(captions);
  const wrong = await tool({ profile: 'vhs' });
  expect([wrong.isError, wrong.words]).toEqual([true, expect.stringContaining('profile')]);
});
