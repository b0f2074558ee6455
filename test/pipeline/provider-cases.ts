/** All providers that a run may use over HTTP. */
import { afterAll } from 'bun:test';
import { completion, everyCandidate } from '../support/doubles/chat-double.ts';
import type { Any } from '../support/servers/client.ts';
import { startHttpDouble, type HttpDouble, type Wire } from '../support/doubles/http-double.ts';
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
export const transcriptionWire = transcriptionServerWire(() => verboseJson(words));

/** A provider with its stage, and the way a run uses it. */
export interface Case {
  stage: string;
  /** The names that a failure reports. */
  provider: string;
  model: string;
  wire: Wire;
  env(origin: string): Record<string, string>;
  payload: Any;
}

/** All providers, by name. */
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
export async function setUp({ wire, env, stage }: Case): Promise<{
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
