/** Checks docs/providers.md against the code: defaults and limits. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import {
  AUDIT_PRESETS,
  auditDefaultModel,
  WORKERS_AI_AUDIT_MODEL,
} from '../../server/language/registry.ts';
import { WORKERS_AI_MODERATION_MODEL } from '../../server/moderation/registry.ts';
import { ASSEMBLYAI_MODELS } from '../../server/speech/remote/assemblyai.ts';
import { DEEPGRAM_MODEL } from '../../server/speech/remote/deepgram.ts';
import { WORKERS_AI_SPEECH_MODEL } from '../../server/speech/remote/workers-ai.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const page = read('docs/providers.md');
const rows = page.split('\n').filter((line) => line.startsWith('| '));

test.each([
  ['`deepgram`', DEEPGRAM_MODEL],
  ...ASSEMBLYAI_MODELS.map((model) => ['`assemblyai`', model] as const),
  ['`edge` on Workers AI', WORKERS_AI_SPEECH_MODEL],
  ['`edge` on Workers AI', WORKERS_AI_AUDIT_MODEL],
  ['`edge` on Workers AI', WORKERS_AI_MODERATION_MODEL],
  ['`openai`', auditDefaultModel('openai')],
  ...Object.entries(AUDIT_PRESETS).map(
    ([mode, { provider, model }]) => [`\`${provider}\` | \`${mode}\``, model] as const,
  ),
])('%s: %s is in its row', (provider, model) => {
  const row = rows.find((line) => line.includes(provider) && line.includes(`\`${model}\``));
  expect(row).toBeDefined();
});

test('no default model has an end date', () => {
  const ending = ['gpt-5', 'gpt-5-mini', 'gpt-5.1', 'whisper-1', 'universal-3-pro'];
  for (const { model } of Object.values(AUDIT_PRESETS)) expect(ending).not.toContain(model);
  expect(ending).not.toContain(ASSEMBLYAI_MODELS[0]);
});

test('the page has the day it was checked, and the README links to it', () => {
  expect(page).toMatch(/Checked on\s2026-11-\d\d\./);
  expect(read('README.md')).toContain('(docs/providers.md)');
});
