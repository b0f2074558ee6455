/** Reads the settings of services that this one uses: WorkOS, mail, speech and language, and where traces go. */
import {
  ConfigError,
  type Environment,
  addressSetting,
  choiceSetting,
  integerSetting,
  textSetting,
} from './environment.ts';

/** The engines behind `edge` for transcription; `auto` uses the first available one. */
const EDGE_SPEECH = ['auto', 'workers-ai', 'openai-compatible', 'sherpa', 'pocketsphinx'] as const;
export type EdgeSpeech = (typeof EDGE_SPEECH)[number];

/** The identity providers. */
const IDENTITIES = ['embedded', 'workos'] as const;
const WORKOS = 'https://api.workos.com';

export interface WorkosService {
  apiKey: string;
  clientId: string;
  /** An origin: WORKOS_API_URL. */
  apiUrl: string;
}

/** A service with its key. */
export interface RemoteService {
  apiKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
}

/** The operator's own model server. */
export interface ModelServer {
  /** Up to `/v1`, without a trailing slash. */
  baseUrl: string;
  model: string;
}

/** Cloudflare's models, for all stages of `edge`. */
export interface WorkersAi {
  accountId: string;
  apiToken: string;
  /** Up to `/accounts`, without a trailing slash. */
  baseUrl: string;
}

/** How a model is asked, where its operator says so. */
export interface ModelLimits {
  /** From 0; default: as it fits the question. */
  temperature?: number;
  /** The most tokens of an answer; default: the model's own limit. */
  maxTokens?: number;
  /** The most sentences in a question. */
  sentences?: number;
  /** The most questions at a time. */
  parallel?: number;
  /** The time for an answer, in milliseconds. */
  timeoutMs?: number;
}

/** The settings of transcription. */
export interface SpeechSettings {
  modelsDir: string;
  /** The host of models; null for the one where they are published. */
  modelsBaseUrl: string | null;
  /** `auto`, the name of a model, or a folder. */
  model: string;
  /** EDGE_SPEECH: the engine behind `edge`, even if others are configured. */
  engine: EdgeSpeech;
  /** The operator's own OpenAI-compatible transcription server: EDGE_SPEECH_URL, EDGE_SPEECH_MODEL. */
  edge: ModelServer | null;
  /** The services that need a key, by provider name; null without their key. */
  services: Record<string, RemoteService | null>;
  voiceActivity: boolean;
  /** Whether speakers are distinguished by voice on this host. */
  speakers: boolean;
  /** The number of recogniser processes, shared by all worker threads. */
  slots: number;
}

/**
 * Workers AI, if both account and token are set.
 * @throws {ConfigError} for an invalid CLOUDFLARE_BASE_URL
 */
export function workersAiSettings(env: Environment): WorkersAi | null {
  const preset = 'https://api.cloudflare.com/client/v4';
  const baseUrl = addressSetting(env, 'CLOUDFLARE_BASE_URL', preset) || preset;
  const accountId = textSetting(env, 'CLOUDFLARE_ACCOUNT_ID');
  const apiToken = textSetting(env, 'CLOUDFLARE_API_TOKEN');
  return accountId && apiToken ? { accountId, apiToken, baseUrl } : null;
}

/** WorkOS, if its key is set, unless IDENTITY says otherwise. */
export function workosSettings(env: Environment): WorkosService | null {
  const apiKey = textSetting(env, 'WORKOS_API_KEY');
  const clientId = textSetting(env, 'WORKOS_CLIENT_ID');
  const apiUrl = addressSetting(env, 'WORKOS_API_URL', WORKOS) || WORKOS;
  const identity = choiceSetting(env, 'IDENTITY', IDENTITIES, apiKey ? 'workos' : 'embedded');
  if (identity === 'embedded') return null;
  if (!apiKey || !clientId) {
    throw new ConfigError('IDENTITY=workos needs WORKOS_API_KEY and WORKOS_CLIENT_ID');
  }
  if (new URL(apiUrl).pathname !== '/') {
    throw new ConfigError(`WORKOS_API_URL must be an address without a path, such as ${WORKOS}`);
  }
  return { apiKey, clientId, apiUrl };
}

/**
 * The engine that EDGE_SPEECH names, which must be configured, so that a recording is not sent elsewhere by mistake.
 */
export function edgeEngineSettings(env: Environment): EdgeSpeech {
  const engine = choiceSetting(env, 'EDGE_SPEECH', EDGE_SPEECH, 'auto');
  if (engine === 'workers-ai' && !workersAiSettings(env)) {
    throw new ConfigError(
      'EDGE_SPEECH=workers-ai needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN',
    );
  }
  if (engine === 'openai-compatible' && !textSetting(env, 'EDGE_SPEECH_URL')) {
    throw new ConfigError('EDGE_SPEECH=openai-compatible needs EDGE_SPEECH_URL');
  }
  return engine;
}

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

export interface Tracing {
  sampler: (typeof SAMPLERS)[number];
  /** The share of traces for a ratio sampler, 0..1. */
  ratio: number;
  /** The time for which spans are collected before they are sent, in milliseconds. */
  delayMs: number;
}

/** The tracing configuration; null if no endpoint is set, or tracing is switched off. */
export function tracingSettings(env: Environment): Tracing | null {
  const isOff =
    textSetting(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true' ||
    textSetting(env, 'OTEL_TRACES_EXPORTER') === 'none';
  const endpoint =
    textSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    textSetting(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (isOff || endpoint === null) return null;
  const sampler = choiceSetting(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  const ratio = Number(textSetting(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  }
  return {
    sampler,
    ratio,
    delayMs: integerSetting(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, 0, 3_600_000),
  };
}
