/** Every provider and every fault that a run may meet over HTTP. */
import { completion, everyCandidate } from '../support/chat-double.ts';
import type { Any } from '../support/client.ts';
import { startHttpDouble, type Wire } from '../support/http-double.ts';
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
import {
  ASSEMBLYAI_KEY,
  CLOUDFLARE_TOKEN,
  DEEPGRAM_KEY,
  GROQ_KEY,
  OPENAI_KEY,
} from '../support/provider-keys.ts';
import { refusalOf } from '../support/chat-refusals.ts';

/** Something for a language model to judge: "pixie" is ordinary English. */
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

/** A transcription server that hears these words. */
export const hearing = transcriptionServerWire(() => verboseJson(words));

/** A provider, of which stage it is, and how a run comes to use it. */
export interface Case {
  stage: string;
  /** As a failure names them. */
  provider: string;
  model: string;
  wire: Wire;
  env(origin: string): Record<string, string>;
  payload: Any;
}

/** Every provider, by name. */
export const CASES: Record<string, Case> = {
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
    wire: hearing,
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

/** What a provider does, and what a run makes of it after so many requests. */
interface Fault {
  code: string;
  retryable: boolean;
  requests: number;
  behave: Wire;
  /** The time for the answer runs out once it was asked. */
  late?: true;
  /** The pauses between its requests, each from the first number to the second, in milliseconds. */
  pauses: readonly [number, number][];
}

/** An answer with a status, that says what nobody may be told. */
export const status =
  (code: number, headers: Record<string, string> = {}): Wire =>
  () =>
    Response.json({ error: 'secret-key and off kit' }, { status: code, headers });

/** By itself a pause is three times the last one, more or less. */
const GROWING: readonly [number, number][] = [
  [150, 450],
  [450, 1350],
  [1350, 4050],
];
const ONE = GROWING.slice(0, 1);

/** Every fault, by name. */
export const FAULTS: Record<string, Fault> = {
  '401': {
    code: 'provider_unauthorized',
    retryable: false,
    requests: 1,
    pauses: [],
    behave: status(401),
  },
  '403': {
    code: 'provider_unauthorized',
    retryable: false,
    requests: 1,
    pauses: [],
    behave: status(403),
  },
  '429': {
    code: 'provider_rate_limited',
    retryable: true,
    requests: 4,
    pauses: Array.from({ length: 3 }, () => [100, 100]),
    behave: status(429, { 'retry-after': '0.1' }),
  },
  '429 for a minute': {
    code: 'provider_rate_limited',
    retryable: true,
    requests: 1,
    pauses: [],
    behave: status(429, { 'retry-after': '60' }),
  },
  '500': {
    code: 'provider_unavailable',
    retryable: true,
    requests: 4,
    pauses: GROWING,
    behave: status(500),
  },
  'a closed connection': {
    code: 'provider_unavailable',
    retryable: true,
    requests: 4,
    pauses: GROWING,
    behave: () => ({ fault: 'drop' }),
  },
  'no answer': {
    code: 'provider_timeout',
    retryable: true,
    requests: 2,
    pauses: ONE,
    behave: () => ({ fault: 'hang' }),
    late: true,
  },
  'half an answer': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    pauses: ONE,
    behave: () => ({ fault: 'cut' }),
  },
  'an answer that breaks off': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    pauses: ONE,
    behave: () => ({ fault: 'reset' }),
  },
  garbage: {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    pauses: ONE,
    behave: () => new Response('<html>off kit</html>'),
  },
  'other JSON': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 1,
    pauses: [],
    behave: () => Response.json({ off: 'kit' }),
  },
};

/**
 * A server that has the provider in question and, for what else a run needs, one that is well.
 */
export async function setUp({ wire, env, stage }: Case) {
  const double = await startHttpDouble(wire);
  const well = await startHttpDouble(hearing);
  const speech: Record<string, string> =
    stage === 'transcription' ? {} : { EDGE_SPEECH_URL: well.origin };
  return {
    double,
    env: { ...speech, ...env(double.origin) },
    close: () => Promise.all([double.close(), well.close()]),
  };
}
