/** All providers with all failures, over real HTTP, within the whole pipeline. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type HttpDouble, type Wire, startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { type Any, until } from '../support/servers/client.ts';
import { patched, runPipeline } from '../support/servers/pipeline-run.ts';
import { completion, everyCandidate } from '../support/doubles/chat-double.ts';
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
} from '../support/doubles/speech-doubles.ts';
import {
  ASSEMBLYAI_KEY,
  CLOUDFLARE_TOKEN,
  DEEPGRAM_KEY,
  GROQ_KEY,
  OPENAI_KEY,
} from '../support/doubles/provider-keys.ts';
import { refusalOf } from '../support/doubles/chat-refusals.ts';

/** Words for a language model to judge: "pixie" is ordinary English. */
const words = [
  ...TALK,
  ...'the pixie flow has a verifier'.split(' ').map((text, at) => ({
    text,
    start: 4 + at * 0.4,
    end: 4.3 + at * 0.4,
  })),
];

const chatWire: Wire = (request) => {
  const refusal = refusalOf(request);
  if (refusal) return refusal;
  const { body } = request;
  const { messages } = JSON.parse(body.toString());
  const asked = JSON.parse(messages[1].content);
  return Response.json(completion(everyCandidate()({ asked } as Any)));
};
const guardWire: Wire = () => Response.json(completion('safe'));

/** A transcription server that recognises these words. */
const transcriptionWire = transcriptionServerWire(() => verboseJson(words));

/** A provider with its stage, and the way a run uses it. */
interface Case {
  stage: string;
  /** The names that a failure reports. */
  provider: string;
  model: string;
  wire: Wire;
  env(origin: string): Record<string, string>;
  payload: Any;
}

/** All providers, by name. */
const CASES: Record<string, Case> = {
  deepgram: {
    stage: 'transcription',
    provider: 'deepgram',
    model: 'nova-3',
    wire: deepgramWire(deepgramAnswer(words)),
    env: (origin) => ({ DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: origin }),
    payload: { transcription: { provider: 'deepgram' } },
  },
  assemblyai: {
    stage: 'transcription',
    provider: 'assemblyai',
    model: 'universal-3-5-pro',
    wire: assemblyAiWire(assemblyAiAnswer(words)),
    env: (origin) => ({ ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY, ASSEMBLYAI_BASE_URL: origin }),
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
      CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
      CLOUDFLARE_BASE_URL: origin,
    }),
    payload: { audit: { provider: 'none' } },
  },
  'edge through a server of one’s own': {
    stage: 'transcription',
    provider: 'edge',
    model: 'large-v3',
    wire: transcriptionWire,
    env: (origin) => ({ EDGE_SPEECH_URL: `${origin}/v1`, EDGE_SPEECH_MODEL: 'large-v3' }),
    payload: {},
  },
  openai: {
    stage: 'terminology_audit',
    provider: 'openai',
    model: 'gpt-6.1-sol',
    wire: chatWire,
    env: (origin) => ({ OPENAI_API_KEY: OPENAI_KEY, OPENAI_BASE_URL: `${origin}/v1` }),
    payload: { terminology: { packs: 'identity-auth' } },
  },
  groq: {
    stage: 'terminology_audit',
    provider: 'groq',
    model: 'openai/gpt-oss-120b',
    wire: chatWire,
    env: (origin) => ({ GROQ_API_KEY: GROQ_KEY, GROQ_BASE_URL: `${origin}/v1` }),
    payload: { terminology: { packs: 'identity-auth' }, audit: { mode: 'experimental' } },
  },
  'moderation through Workers AI': {
    stage: 'moderation',
    provider: 'edge',
    model: '@cf/meta/llama-guard-3-8b',
    wire: workersAiWire({ '@cf/meta/llama-guard-3-8b': () => ({ response: '\n\nsafe' }) }),
    env: (origin) => ({
      CLOUDFLARE_ACCOUNT_ID: 'acc',
      CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
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

// Closed only at the end: a kept-alive connection must not reach the next one on the same port.
const opened: HttpDouble[] = [];
afterAll(() => Promise.all(opened.map((double) => double.close())));

/** A server with this provider and, for the rest of a run, a working one. */
async function setUp({ wire, env, stage }: Case): Promise<{
  double: HttpDouble;
  env: Record<string, string>;
}> {
  const double = await startHttpDouble(wire);
  const well = await startHttpDouble(transcriptionWire);
  opened.push(double, well);
  const speech: Record<string, string> =
    stage === 'transcription' ? {} : { EDGE_SPEECH_URL: well.origin };
  return {
    double,
    env: { ...speech, ...env(double.origin) },
  };
}

/** The provider's behaviour, and the run's outcome after a number of requests. */
interface Fault {
  code: string;
  retryable: boolean;
  requests: number;
  behave: Wire;
  /** The request times out. */
  late?: true;
  /** The pauses between its requests, each as a range in milliseconds. */
  pauses: readonly [number, number][];
}

/** A response with a status and a body that must not be revealed. */
const status =
  (code: number, headers: Record<string, string> = {}): Wire =>
  () =>
    Response.json({ error: 'secret-key and off kit' }, { status: code, headers });

/** By default, each pause is about three times as long as the previous one. */
const GROWING: readonly [number, number][] = [
  [150, 450],
  [450, 1350],
  [1350, 4050],
];
const ONE = GROWING.slice(0, 1);

const fault = (
  code: string,
  retryable: boolean,
  requests: number,
  pauses: Fault['pauses'],
  behave: Wire,
): Fault => ({ code, retryable, requests, pauses, behave });

/** All faults, by name. */
const FAULTS: Record<string, Fault> = {
  '401': fault('provider_unauthorized', false, 1, [], status(401)),
  '403': fault('provider_unauthorized', false, 1, [], status(403)),
  '429': fault(
    'provider_rate_limited',
    true,
    4,
    Array.from({ length: 3 }, () => [100, 100]),
    status(429, { 'retry-after': '0.1' }),
  ),
  '429 for a minute': fault(
    'provider_rate_limited',
    true,
    1,
    [],
    status(429, { 'retry-after': '60' }),
  ),
  '500': fault('provider_unavailable', true, 4, GROWING, status(500)),
  'a closed connection': fault('provider_unavailable', true, 4, GROWING, () => ({ fault: 'drop' })),
  'no answer': {
    ...fault('provider_timeout', true, 2, ONE, () => ({ fault: 'hang' })),
    late: true,
  },
  'half an answer': fault('provider_bad_response', false, 2, ONE, () => ({ fault: 'cut' })),
  'an answer that breaks off': fault('provider_bad_response', false, 2, ONE, () => ({
    fault: 'reset',
  })),
  garbage: fault(
    'provider_bad_response',
    false,
    2,
    ONE,
    () => new Response('<html>off kit</html>'),
  ),
  'other JSON': fault('provider_bad_response', false, 1, [], () => Response.json({ off: 'kit' })),
};

setDefaultTimeout(300_000);

for (const [name, given] of Object.entries(CASES)) {
  test.concurrent(`${name}: works, and again after 503 and 429`, async () => {
    const { double, env } = await setUp(given);
    double.behave((request) => {
      if (request.at === 0) return new Response(null, { status: 503 });
      if (request.at === 1)
        return new Response(null, { status: 429, headers: { 'retry-after': '0' } });
      return given.wire(request);
    });
    const waiting = noWaiting();
    const { result } = await runPipeline({ env, payload: given.payload, waiting });
    expect(result.status).toBe('completed');
    expect(result.captions.srt).toContain('Welcome');
    expect(double.requests.length).toBeGreaterThan(2);
  });

  for (const [fault, expected] of Object.entries(FAULTS)) {
    const { behave, code, retryable, requests, late, pauses } = expected;
    test.concurrent(`${name}: ${fault}`, async () => {
      const { double, env } = await setUp(given);
      const waiting = noWaiting();
      double.behave((request) => {
        if (late) waiting.runOut();
        return behave(request);
      });
      const { result, log } = await runPipeline({ env, payload: given.payload, waiting });
      const { stage, provider, model } = given;
      expect(result.error).toMatchObject({ code, stage, provider, model, retryable });
      expect(double.requests).toHaveLength(requests);
      expect(waiting.pauses).toHaveLength(pauses.length);
      for (const [at, [least, most]] of pauses.entries()) {
        expect(waiting.pauses[at]).toBeWithin(least, most + 1);
      }
      await expectUsablePatches(result.error, given.payload);
      for (const told of [JSON.stringify(result.error), log]) {
        expect(told).not.toMatch(/secret-key|off kit/);
      }
    });
  }
}

/** Every failure has suggestions, and each patch is valid by the contract and for this server. */
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

test.concurrent('cancelling a run ends the request in progress, at every stage', async () => {
  await Promise.all(
    Object.values(CASES).map(async (given) => {
      const { double, env } = await setUp(given);
      double.behave(() => ({ fault: 'hang' }));
      const cancel = new AbortController();
      const run = runPipeline({
        env,
        payload: given.payload,
        signal: cancel.signal,
      });
      await until(async () => double.requests.length > 0);
      cancel.abort(new Error('enough'));
      expect((await run).result.error).toMatchObject({ stage: given.stage });
      await expectAbandoned(double);
    }),
  );
});

async function expectAbandoned(double: HttpDouble): Promise<void> {
  await until(async () => double.abandoned() > 0);
  expect(double.abandoned()).toBe(1);
}

test.concurrent('a suggested patch leads to a run that completes', async () => {
  const { double, env } = await setUp(CASES['deepgram']!);
  const well = await startHttpDouble(transcriptionWire);
  double.behave(status(500));
  const payload = { transcription: { provider: 'deepgram', model: 'nova-2' } };
  const both = { ...env, EDGE_SPEECH_URL: well.origin };
  const failed = await runPipeline({ env: both, payload, waiting: noWaiting() });
  const { payloadPatch } = failed.result.error.suggestions[0];
  expect(payloadPatch).toEqual({ transcription: { provider: 'edge', model: 'auto' } });
  const { result } = await runPipeline({ env: both, payload: patched(payload, payloadPatch) });
  expect(result.status).toBe('completed');
  await well.close();
});
