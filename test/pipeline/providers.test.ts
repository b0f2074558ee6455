/** A server's description of its providers matches its configuration. */
import {
  afterAll,
  afterEach,
  describe,
  expect,
  setDefaultTimeout,
  setSystemTime,
  test,
} from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { createLog } from '../../server/base/log.ts';
import { createModerator } from '../../server/moderation/registry.ts';
import { createPipeline } from '../../server/pipeline/create-pipeline.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { createSpeechRegistry } from '../../server/speech/providers/registry.ts';
import { type Database, migrateDatabase, openDatabase } from '../../server/storage/database.ts';
import { documentsOf } from '../support/documents.ts';
import type { Any } from '../support/servers/client.ts';
import { startChatDouble } from '../support/doubles/chat-double.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { CLOUDFLARE_TOKEN, OPENAI_KEY } from '../support/doubles/provider-keys.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { completedRun } from '../support/servers/completed-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { everyTerm, wordsOf } from '../terminology/support.ts';

setDefaultTimeout(300000);

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
    for (const stage of ['transcription', 'audit', 'translation', 'moderation']) {
      expect(of(stage).filter((summary) => summary.isDefault)).toHaveLength(1);
    }
  });

  test(`${name}: the service document and the OpenAPI document state it`, async () => {
    const ask = documentsOf({ baseUrl: 'http://captions.test', providers: summaries });
    const get = (path: string) => ask(path, { headers: { accept: 'text/markdown' } }).text();
    const page = await get('/');
    const { schemas } = JSON.parse(await get('/openapi.json')).components;
    const referred = (schema: Any): Any => schemas[schema.$ref?.split('/').at(-1)] ?? schema;
    const { properties } = schemas.CaptionerPayload;
    for (const { stage, name: provider, configured, model } of summaries) {
      const row = page
        .split('\n')
        .find((line) => line.startsWith(`| ${stage} | \`${provider}\` |`));
      expect(row).toContain(configured ? ' yes' : ' no ');
      expect(row).toContain(model);
      if (stage === 'moderation' || stage === 'translation') continue;
      const told = referred(referred(properties[stage]).properties.provider).description;
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

describe('the services of the pipeline, created from the configuration', async () => {
  const folder = await temporaryFolder();
  await migrateDatabase(join(folder, 'test.sqlite'));
  const database = openDatabase(join(folder, 'test.sqlite'));
  const double = await startChatDouble();
  afterAll(async () => {
    await database.destroy();
    await double.close();
    await removeFolder(folder);
  });

  afterEach(() => void setSystemTime());

  const verdict = {
    source: 'audio_transcript',
    model: 'rules',
    decision: 'block',
    severity: 'high',
    reason: 'content_policy_violation',
    chunksChecked: 1,
    flaggedChunk: { index: 0, labels: ['threat'] },
  } as const;

  async function pipelineWith(given: Database | null, env: Record<string, string> = {}) {
    let log = '';
    const waiting = noWaiting();
    const { pipeline, close } = await createPipeline(readConfig(env), {
      database: given,
      log: createLog('debug', (line) => (log += line)),
      slots: 1,
      tempDir: tmpdir(),
      waiting,
    });
    close();
    return { pipeline, waiting, log: () => log };
  }

  test('a server limits the length of recordings, a shell command does not', async () => {
    const env = { MAX_DURATION: '90m' };
    expect((await pipelineWith(database, env)).pipeline.maxDuration).toBe(5400);
    expect((await pipelineWith(null, env)).pipeline.maxDuration).toBeUndefined();
  });

  describe('the event of a moderation', () => {
    test('is stored with its run, its reported id and the flagged part, if there is one', async () => {
      const { pipeline } = await pipelineWith(database);
      const { flaggedChunk: flagged, ...allowed } = verdict;
      setSystemTime(new Date('2026-11-26T10:00:00Z'));
      const logged = [
        await pipeline.logModeration('run_1', verdict),
        await pipeline.logModeration('run_2', { ...allowed, decision: 'allow' }),
      ];
      const stored = { status: 'stored' as const, id: expect.stringMatching(/^mod_/) };
      expect(logged).toEqual([stored, stored]);
      const rows = await database.selectFrom('moderation_events').selectAll().execute();
      const same = { reason: verdict.reason, model: 'rules', severity: 'high' };
      const created_at = Date.parse('2026-11-26T10:00:00Z');
      expect(rows).toMatchObject([
        { ...same, id: logged[0]!.id, run_id: 'run_1', decision: 'block', created_at },
        { ...same, id: logged[1]!.id, run_id: 'run_2', decision: 'allow', flagged: null },
      ]);
      expect(JSON.parse(rows[0]?.flagged ?? 'null')).toEqual(flagged);
    });

    test('that cannot be stored is reported without the cause', async () => {
      const broken = openDatabase(join(folder, 'empty.sqlite'));
      const { pipeline, log } = await pipelineWith(broken);
      expect(await pipeline.logModeration('run_1', verdict)).toEqual({
        status: 'failed',
        error: 'The event could not be stored.',
      });
      expect(log()).toContain('moderation_event_lost');
      expect(log()).toContain('run_1');
      expect(log()).toContain('no such table');
      await broken.destroy();
    });
  });

  const question = {
    words: wordsOf('we use off kit and a pixie flow with a verifier at anthropik'),
    language: 'en',
    terms: everyTerm(),
    minConfidence: 0.85,
  };
  const context = { runId: 'run_1', signal: new AbortController().signal, progress: () => {} };

  test('answers of a language model are cached by a server, and calls time out as configured', async () => {
    const env = {
      OPENAI_API_KEY: OPENAI_KEY,
      OPENAI_BASE_URL: double.url,
      PROVIDER_TIMEOUT: '7',
      AUDIO_TTL: '1d',
      RESULT_TTL: '2d',
    };
    const { pipeline, waiting } = await pipelineWith(database, env);
    const { runId } = await completedRun(database, 'org', []);
    const audit = async () => {
      const { usage } = await pipeline.auditors
        .auditor('openai')!
        .audit({ ...question, model: 'gpt-6.1-sol' }, { ...context, runId });
      return [usage.calls, usage.cached];
    };
    expect(await audit()).toEqual([1, 0]);
    expect(await audit()).toEqual([0, 1]);
    // They live as long as results, and not as audio.
    await database
      .updateTable('audit_answers')
      .set({ created_at: Date.now() - 36 * 3_600_000 })
      .execute();
    expect(await audit()).toEqual([0, 1]);
    expect(waiting.limits).toContain(7000);
  });

  test('the audit of edge asks the model of Workers AI, if there is an account', async () => {
    const cloudflare = await startHttpDouble(() => new Response('', { status: 500 }));
    const { pipeline } = await pipelineWith(null, {
      CLOUDFLARE_ACCOUNT_ID: 'acc',
      CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
      CLOUDFLARE_BASE_URL: cloudflare.origin,
    });
    await pipeline.auditors
      .auditor('edge')!
      .audit({ ...question, model: 'auto' }, context)
      .catch(() => {});
    await cloudflare.close();
    expect(cloudflare.requests[0]?.url.pathname).toStartWith('/accounts/acc/ai/');
  });
});
