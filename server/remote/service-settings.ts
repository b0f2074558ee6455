/** Reads the settings of services that this one uses: WorkOS, speech and language. */
import {
  ConfigError,
  type Environment,
  addressSetting,
  choiceSetting,
  textSetting,
} from '../base/environment.ts';

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

/**
 * Whether speakers are distinguished by voice: `auto` where the models are installed, `on` with their download, or so
 * many of them.
 */
export type SpeakersSetting = 'off' | 'auto' | 'on' | number;

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
  /** Whether speakers are distinguished by voice on this host: EDGE_SPEAKERS. */
  speakers: SpeakersSetting;
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
