/** Every provider through every fault, over real HTTP, within the whole pipeline. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Any } from '../support/client.ts';
import { completion, everyCandidate } from '../support/chat-double.ts';
import { startHttpDouble, type HttpDouble, type Wire } from '../support/http-double.ts';
import { patched, runPipeline } from '../support/pipeline-run.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
  transcriptionServerWire,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../support/speech-doubles.ts';

setDefaultTimeout(120_000);

/** Something for a language model to judge: "pixie" is ordinary English. */
const words = [
  ...TALK,
  ...'the pixie flow has a verifier'.split(' ').map((text, at) => ({
    text,
    start: 4 + at * 0.4,
    end: 4.3 + at * 0.4,
  })),
];
const chatWire: Wire = ({ body }) => {
  const { messages } = JSON.parse(body.toString());
  const asked = JSON.parse(messages[1].content);
  return Response.json(completion(everyCandidate()({ asked } as Any)));
};
const guardWire: Wire = () => Response.json(completion('safe'));
const hearing = transcriptionServerWire(() => verboseJson(words));

interface Case {
  stage: string;
  /** As a failure names them. */
  provider: string;
  model: string;
  wire: Wire;
  env(origin: string): Record<string, string>;
  payload: Any;
}

const CASES: Record<string, Case> = {
  deepgram: {
    stage: 'transcription',
    provider: 'deepgram',
    model: 'nova-3',
    wire: deepgramWire(deepgramAnswer(words)),
    env: (origin) => ({ DEEPGRAM_API_KEY: 'secret-key', DEEPGRAM_BASE_URL: origin }),
    payload: { transcription: { provider: 'deepgram' } },
  },
  assemblyai: {
    stage: 'transcription',
    provider: 'assemblyai',
    model: 'universal-3-pro',
    wire: assemblyAiWire(assemblyAiAnswer(words)),
    env: (origin) => ({ ASSEMBLYAI_API_KEY: 'secret-key', ASSEMBLYAI_BASE_URL: origin }),
    payload: { transcription: { provider: 'assemblyai' } },
  },
  'edge through Workers AI': {
    stage: 'transcription',
    provider: 'edge',
    model: '@cf/openai/whisper-large-v3-turbo',
    wire: workersAiWire({
      '@cf/openai/whisper-large-v3-turbo': () => workersAiAnswer(words),
      '@cf/meta/llama-guard-3-8b': () => ({ response: 'safe' }),
    }),
    env: (origin) => ({
      CLOUDFLARE_ACCOUNT_ID: 'acc',
      CLOUDFLARE_API_TOKEN: 'secret-key',
      CLOUDFLARE_BASE_URL: origin,
    }),
    payload: { audit: { provider: 'none' } },
  },
  'edge through a server of one’s own': {
    stage: 'transcription',
    provider: 'edge',
    model: 'large-v3',
    wire: hearing,
    env: (origin) => ({ EDGE_SPEECH_URL: `${origin}/v1`, EDGE_SPEECH_MODEL: 'large-v3' }),
    payload: {},
  },
  openai: {
    stage: 'terminology_audit',
    provider: 'openai',
    model: 'gpt-5.1',
    wire: chatWire,
    env: (origin) => ({ OPENAI_API_KEY: 'secret-key', OPENAI_BASE_URL: `${origin}/v1` }),
    payload: { terminology: { packs: 'identity-auth' } },
  },
  groq: {
    stage: 'terminology_audit',
    provider: 'groq',
    model: 'openai/gpt-oss-120b',
    wire: chatWire,
    env: (origin) => ({ GROQ_API_KEY: 'secret-key', GROQ_BASE_URL: `${origin}/v1` }),
    payload: { terminology: { packs: 'identity-auth' }, audit: { mode: 'experimental' } },
  },
  'moderation through Workers AI': {
    stage: 'moderation',
    provider: 'edge',
    model: '@cf/meta/llama-guard-3-8b',
    wire: workersAiWire({ '@cf/meta/llama-guard-3-8b': () => ({ response: '\n\nsafe' }) }),
    env: (origin) => ({
      CLOUDFLARE_ACCOUNT_ID: 'acc',
      CLOUDFLARE_API_TOKEN: 'secret-key',
      CLOUDFLARE_BASE_URL: origin,
      EDGE_SPEECH: 'openai-compatible',
    }),
    payload: { audit: { provider: 'none' } },
  },
  'moderation through a server of one’s own': {
    stage: 'moderation',
    provider: 'edge',
    model: 'llama-guard3',
    wire: guardWire,
    env: (origin) => ({ EDGE_MODERATION_URL: origin }),
    payload: {},
  },
};

interface Fault {
  code: string;
  retryable: boolean;
  requests: number;
  behave: Wire;
}

const status =
  (code: number, headers: Record<string, string> = {}): Wire =>
  () =>
    Response.json({ error: 'secret-key and off kit' }, { status: code, headers });

const FAULTS: Record<string, Fault> = {
  '401': { code: 'provider_unauthorized', retryable: false, requests: 1, behave: status(401) },
  '403': { code: 'provider_unauthorized', retryable: false, requests: 1, behave: status(403) },
  '429': {
    code: 'provider_rate_limited',
    retryable: true,
    requests: 4,
    behave: status(429, { 'retry-after': '0.1' }),
  },
  '429 for a minute': {
    code: 'provider_rate_limited',
    retryable: true,
    requests: 1,
    behave: status(429, { 'retry-after': '60' }),
  },
  '500': { code: 'provider_unavailable', retryable: true, requests: 4, behave: status(500) },
  'a closed connection': {
    code: 'provider_unavailable',
    retryable: true,
    requests: 4,
    behave: () => ({ fault: 'drop' }),
  },
  'no answer': {
    code: 'provider_timeout',
    retryable: true,
    requests: 2,
    behave: () => ({ fault: 'hang' }),
  },
  'half an answer': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    behave: () => ({ fault: 'cut' }),
  },
  'an answer that breaks off': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    behave: () => ({ fault: 'reset' }),
  },
  garbage: {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    behave: () => new Response('<html>off kit</html>'),
  },
  'other JSON': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 1,
    behave: () => Response.json({ off: 'kit' }),
  },
};

/** A server that has the provider in question and, for what else a run needs, one that is well. */
async function setUp({ wire, env, stage }: Case) {
  const double = await startHttpDouble(wire);
  const well = await startHttpDouble(hearing);
  const speech: Record<string, string> =
    stage === 'transcription' ? {} : { EDGE_SPEECH_URL: well.origin };
  return {
    double,
    env: { ...speech, PROVIDER_TIMEOUT: '1', ...env(double.origin) },
    close: () => Promise.all([double.close(), well.close()]),
  };
}

for (const [name, given] of Object.entries(CASES)) {
  test.concurrent(`${name}: works, and again after 503 and 429`, async () => {
    const { double, env, close } = await setUp(given);
    double.behave((request) => {
      if (request.at === 0) return new Response(null, { status: 503 });
      if (request.at === 1)
        return new Response(null, { status: 429, headers: { 'retry-after': '0' } });
      return given.wire(request);
    });
    const { result } = await runPipeline({ env, payload: given.payload });
    expect(result.status).toBe('completed');
    expect(result.captions.srt).toContain('Welcome');
    expect(double.requests.length).toBeGreaterThan(2);
    await close();
  });

  for (const [fault, { behave, code, retryable, requests }] of Object.entries(FAULTS)) {
    test.concurrent(`${name}: ${fault}`, async () => {
      const { double, env, close } = await setUp(given);
      double.behave(behave);
      const { result, log } = await runPipeline({ env, payload: given.payload });
      const { stage, provider, model } = given;
      expect(result.error).toMatchObject({ code, stage, provider, model, retryable });
      expect(double.requests).toHaveLength(requests);
      await expectUsablePatches(result.error, given.payload);
      for (const told of [JSON.stringify(result.error), log]) {
        expect(told).not.toMatch(/secret-key|off kit/);
      }
      await close();
    });
  }
}

/** Every failure says what to do, and each patch is one the contract takes and this server can follow. */
async function expectUsablePatches(error: Any, payload: Any): Promise<void> {
  const patches = error.suggestions.flatMap(({ payloadPatch }: Any) => payloadPatch ?? []);
  expect(patches).not.toBeEmpty();
  for (const patch of patches) {
    const next = patched(payload, patch);
    const wanted = next.transcription?.provider ?? 'edge';
    expect(['edge', error.provider]).toContain(wanted);
    expect(wanted === error.provider && error.stage === 'transcription' && !patch.storage).toBe(
      false,
    );
    expect(['edge', 'none', undefined]).toContain(patch.audit?.provider);
  }
}

test.concurrent('cancelling a run ends the request that is under way, at every stage', async () => {
  await Promise.all(
    Object.values(CASES).map(async (given) => {
      const { double, env, close } = await setUp(given);
      double.behave(() => ({ fault: 'hang' }));
      const cancel = new AbortController();
      const run = runPipeline({
        env: { ...env, PROVIDER_TIMEOUT: '60' },
        payload: given.payload,
        signal: cancel.signal,
      });
      while (double.requests.length === 0) await Bun.sleep(5);
      cancel.abort(new Error('enough'));
      expect((await run).result.error).toMatchObject({ stage: given.stage });
      await expectAbandoned(double);
      await close();
    }),
  );
});

async function expectAbandoned(double: HttpDouble): Promise<void> {
  for (let waited = 0; double.abandoned() === 0 && waited < 2000; waited += 10) await Bun.sleep(10);
  expect(double.abandoned()).toBe(1);
}

test.concurrent('a provider’s patch leads to a run that completes', async () => {
  const { double, env, close } = await setUp(CASES['deepgram']!);
  const well = await startHttpDouble(hearing);
  double.behave(status(500));
  const payload = { transcription: { provider: 'deepgram', model: 'nova-2' } };
  const both = { ...env, EDGE_SPEECH_URL: well.origin };
  const failed = await runPipeline({ env: both, payload });
  const { payloadPatch } = failed.result.error.suggestions[0];
  expect(payloadPatch).toEqual({ transcription: { provider: 'edge', model: 'auto' } });
  const { result } = await runPipeline({ env: both, payload: patched(payload, payloadPatch) });
  expect(result.status).toBe('completed');
  await well.close();
  await close();
});
