/** A server's description of its providers matches its configuration. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readConfig } from '../../server/config.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { createLog } from '../../server/log.ts';
import { createModerator } from '../../server/moderation/registry.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { createSpeechRegistry } from '../../server/speech/registry.ts';
import { documentsOf } from '../support/documents.ts';

setDefaultTimeout(300_000);

const cloudflare = { CLOUDFLARE_ACCOUNT_ID: 'acc', CLOUDFLARE_API_TOKEN: 't' };
const ENVIRONMENTS: Record<string, Record<string, string>> = {
  nothing: {},
  everything: {
    ...cloudflare,
    DEEPGRAM_API_KEY: 'k',
    ASSEMBLYAI_API_KEY: 'k',
    OPENAI_API_KEY: 'k',
    GROQ_API_KEY: 'k',
    EDGE_SPEECH_URL: 'http://127.0.0.1:9',
    EDGE_LLM_URL: 'http://127.0.0.1:9',
    EDGE_LLM_MODEL: 'qwen3',
    EDGE_MODERATION_URL: 'http://127.0.0.1:9',
  },
  'Workers AI': cloudflare,
  'servers of one’s own': {
    EDGE_SPEECH_URL: 'http://127.0.0.1:9',
    EDGE_SPEECH_MODEL: 'large-v3',
    EDGE_MODERATION_URL: 'http://127.0.0.1:9',
  },
  'the host by name': { ...cloudflare, EDGE_SPEECH: 'pocketsphinx' },
};

for (const [name, env] of Object.entries(ENVIRONMENTS)) {
  const config = readConfig(env);
  const summaries = providerSummaries(config);
  const of = (stage: string) => summaries.filter((summary) => summary.stage === stage);
  const configured = (stage: string) =>
    of(stage)
      .filter((summary) => summary.configured)
      .map((summary) => summary.name);

  test(`${name}: the registries have exactly the providers that are listed`, () => {
    const speech = createSpeechRegistry({
      ...config,
      slots: 1,
      tempDir: '/nowhere',
      log: createLog('silent'),
    });
    expect(configured('transcription')).toEqual([...speech.configured]);
    const auditors = createAuditorRegistry({ ...config.language, workersAi: config.workersAi });
    expect(configured('audit')).toEqual([...auditors.configured]);
    expect(of('moderation')[0]!.model).toBe(createModerator(config).model);
    for (const stage of ['transcription', 'audit', 'moderation']) {
      expect(of(stage).filter((summary) => summary.isDefault)).toHaveLength(1);
    }
  });

  test(`${name}: the service document and the OpenAPI document state it`, async () => {
    const ask = documentsOf({ baseUrl: 'http://captions.test', providers: summaries });
    const get = (path: string) => ask(path, { headers: { accept: 'text/markdown' } }).text();
    const page = await get('/');
    const { properties } = JSON.parse(await get('/openapi.json')).components.schemas
      .CaptionerPayload;
    for (const { stage, name: provider, configured, model } of summaries) {
      const row = page
        .split('\n')
        .find((line) => line.startsWith(`| ${stage} | \`${provider}\` |`));
      expect(row).toContain(configured ? ' yes' : ' no ');
      expect(row).toContain(model);
      if (stage === 'moderation') continue;
      const told: string = properties[stage].properties.provider.description;
      expect(told).toContain(configured ? model : `${provider}: not configured`);
    }
  });
}

test("the defaults follow the design: Workers AI first for speech, the operator's own model for the audit", () => {
  const all = providerSummaries(readConfig(ENVIRONMENTS['everything']));
  const edge = (stage: string) => all.find((s) => s.stage === stage && s.name === 'edge')!;
  expect(edge('transcription').engine).toBe('workers-ai');
  expect(edge('audit')).toMatchObject({ engine: 'openai-compatible', model: 'qwen3' });
  expect(edge('moderation').engine).toBe('workers-ai');
  const byName = providerSummaries(readConfig(ENVIRONMENTS['the host by name']));
  expect(byName[0]).toMatchObject({ engine: 'host', model: 'pocketsphinx-en-us' });
});
