/** The one reader of the environment: what is set, checked, with its defaults. Plain JSON, so that worker threads get the same. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { LOG_LEVELS, type LogLevel } from './log.ts';

export interface Config {
  /** 0 takes any free port. */
  port: number;
  host: string;
  /** Public address without a trailing slash; empty: http://localhost:PORT. */
  baseUrl: string;
  /** Outside production every result is checked against its schema before it leaves. */
  production: boolean;
  dataDir: string;
  /** A path to the service's SQLite file. */
  databaseUrl: string;
  /** Folder of the audio objects. */
  audioDir: string;
  /** Worker threads that execute runs. */
  workers: number;
  /** In lower-case ASCII. */
  teamEmailDomain: string | null;
  /** WorkOS as identity provider; null: the embedded one. */
  workos: WorkosService | null;
  smtpUrl: string | null;
  mailFrom: string;
  trustProxy: boolean;
  /** Registrations an hour for one client IP. */
  registrationsPerIp: number;
  speech: {
    modelsDir: string;
    /** Where models are fetched from; null: where they are published. */
    modelsBaseUrl: string | null;
    /** `auto`, the name of a model, or a folder. */
    model: string;
    /** EDGE_SPEECH: what `edge` is, whatever else is there. */
    engine: EdgeSpeech;
    /** The OpenAI-compatible transcription server beside the service: EDGE_SPEECH_URL, EDGE_SPEECH_MODEL. */
    edge: ModelServer | null;
    deepgram: RemoteService | null;
    assemblyai: RemoteService | null;
    voiceActivity: boolean;
    /** Recogniser processes, shared by all worker threads. */
    slots: number;
  };
  language: {
    openai: RemoteService | null;
    groq: RemoteService | null;
    /** The OpenAI-compatible model beside the service: EDGE_LLM_URL, EDGE_LLM_MODEL. */
    edge: ModelServer | null;
  };
  moderation: {
    /** An OpenAI-compatible Llama Guard beside the service: EDGE_MODERATION_URL, EDGE_MODERATION_MODEL. */
    edge: ModelServer | null;
  };
  /** Cloudflare's models, for all that `edge` does. */
  workersAi: {
    accountId: string;
    apiToken: string;
    /** Up to `/accounts`, without a trailing slash. */
    baseUrl: string;
  } | null;
  /** PROVIDER_TIMEOUT in milliseconds: for a call to a provider; recordings add to it by their length. */
  providerTimeoutMs: number;
  logLevel: LogLevel;
}

/** What `edge` transcribes with; `auto` takes the first that is there. */
const EDGE_SPEECH = ['auto', 'workers-ai', 'openai-compatible', 'sherpa', 'pocketsphinx'] as const;
export type EdgeSpeech = (typeof EDGE_SPEECH)[number];

/** Who registers addresses and issues keys. */
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

/** A model server of one's own. */
export interface ModelServer {
  /** Up to `/v1`, without a trailing slash. */
  baseUrl: string;
  model: string;
}

/** A setting that cannot be used; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the configuration.
 * @throws {ConfigError} naming the variable and what it may be
 */
export function readConfig(env: Environment = process.env): Config {
  const text = (name: string): string | null => textOf(env, name);
  const dataDir = resolve(text('DATA_DIR') ?? 'data');
  const modelsDir = text('MODELS_DIR');
  return {
    port: integer(env, 'PORT', 3000, 0, 65_535),
    host: text('HOST') ?? '0.0.0.0',
    baseUrl: address(env, 'BASE_URL', 'https://captions.example'),
    production: text('NODE_ENV') === 'production',
    dataDir,
    databaseUrl: sqlitePath(text('DATABASE_URL'), dataDir),
    audioDir: audioFolder(text('AUDIO_STORE_URL'), dataDir),
    workers: integer(env, 'WORKERS', 1, 1, 64),
    teamEmailDomain: emailDomain(env, 'TEAM_EMAIL_DOMAIN'),
    workos: workos(env),
    smtpUrl: text('SMTP_URL'),
    mailFrom: text('MAIL_FROM') ?? 'Captioner <captioner@localhost>',
    trustProxy: flag(env, 'TRUST_PROXY', false),
    registrationsPerIp: integer(env, 'REGISTRATIONS_PER_IP', 30, 1, 1_000_000),
    speech: {
      modelsDir: modelsDir ? resolve(modelsDir) : join(dataDir, 'models'),
      modelsBaseUrl: text('MODELS_BASE_URL'),
      model: text('SPEECH_MODEL') ?? 'auto',
      engine: edgeEngine(env),
      edge: modelServer(env, 'EDGE_SPEECH', 'whisper-1'),
      deepgram: remoteService(env, 'DEEPGRAM', 'https://api.deepgram.com'),
      assemblyai: remoteService(env, 'ASSEMBLYAI', 'https://api.assemblyai.com'),
      voiceActivity: flag(env, 'EDGE_VAD', true),
      slots: integer(env, 'SPEECH_PROCESSES', availableParallelism(), 1, 256),
    },
    language: {
      openai: remoteService(env, 'OPENAI', 'https://api.openai.com/v1'),
      groq: remoteService(env, 'GROQ', 'https://api.groq.com/openai/v1'),
      edge: modelServer(env, 'EDGE_LLM', 'default'),
    },
    moderation: { edge: modelServer(env, 'EDGE_MODERATION', 'llama-guard3') },
    workersAi: workersAi(env),
    providerTimeoutMs: 1000 * integer(env, 'PROVIDER_TIMEOUT', 30, 1, 3600),
    logLevel: choice(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

/** What a variable is set to; null where it is not, or is blank. */
const textOf = (env: Environment, name: string): string | null => env[name]?.trim() || null;

function integer(
  env: Environment,
  name: string,
  preset: number,
  low: number,
  high: number,
): number {
  const value = textOf(env, name);
  if (value === null) return preset;
  const number = Number(value);
  if (!Number.isInteger(number) || number < low || number > high) {
    throw new ConfigError(`${name} must be a whole number from ${low} to ${high}`);
  }
  return number;
}

function flag(env: Environment, name: string, preset: boolean): boolean {
  const value = textOf(env, name)?.toLowerCase();
  if (value === undefined) return preset;
  if (['on', 'true', '1', 'yes'].includes(value)) return true;
  if (['off', 'false', '0', 'no'].includes(value)) return false;
  throw new ConfigError(`${name} must be on or off`);
}

function choice<const T extends string>(
  env: Environment,
  name: string,
  values: readonly T[],
  preset: T,
): T {
  const value = textOf(env, name);
  if (value === null) return preset;
  const known = values.find((candidate) => candidate === value);
  if (known === undefined) throw new ConfigError(`${name} must be one of ${values.join(', ')}`);
  return known;
}

/** The address under a name, without a trailing slash; empty where there is none. */
function address(env: Environment, name: string, example: string): string {
  const value = textOf(env, name);
  if (value === null) return '';
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash) {
    throw new ConfigError(`${name} must be an http or https address, such as ${example}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** A service is there where its key is. */
function remoteService(env: Environment, name: string, preset: string): RemoteService | null {
  const apiKey = textOf(env, `${name}_API_KEY`);
  const baseUrl = address(env, `${name}_BASE_URL`, preset) || preset;
  return apiKey ? { apiKey, baseUrl } : null;
}

/** A model server is there where its address is; an address without a path means its `/v1`. */
function modelServer(env: Environment, name: string, presetModel: string): ModelServer | null {
  const url = address(env, `${name}_URL`, 'http://127.0.0.1:11434/v1');
  if (!url) return null;
  const base = url.replace(/\/(?:chat\/completions|audio\/transcriptions)$/, '');
  return {
    baseUrl: new URL(base).pathname === '/' ? `${base}/v1` : base,
    model: textOf(env, `${name}_MODEL`) ?? presetModel,
  };
}

function workersAi(env: Environment): Config['workersAi'] {
  const preset = 'https://api.cloudflare.com/client/v4';
  const baseUrl = address(env, 'CLOUDFLARE_BASE_URL', preset) || preset;
  const accountId = textOf(env, 'CLOUDFLARE_ACCOUNT_ID');
  const apiToken = textOf(env, 'CLOUDFLARE_API_TOKEN');
  return accountId && apiToken ? { accountId, apiToken, baseUrl } : null;
}

/** WorkOS serves where its key is, unless IDENTITY says otherwise. */
function workos(env: Environment): WorkosService | null {
  const apiKey = textOf(env, 'WORKOS_API_KEY');
  const clientId = textOf(env, 'WORKOS_CLIENT_ID');
  const apiUrl = address(env, 'WORKOS_API_URL', WORKOS) || WORKOS;
  const identity = choice(env, 'IDENTITY', IDENTITIES, apiKey ? 'workos' : 'embedded');
  if (identity === 'embedded') return null;
  if (!apiKey || !clientId) {
    throw new ConfigError('IDENTITY=workos needs WORKOS_API_KEY and WORKOS_CLIENT_ID');
  }
  if (new URL(apiUrl).pathname !== '/') {
    throw new ConfigError(`WORKOS_API_URL must be an address without a path, such as ${WORKOS}`);
  }
  return { apiKey, clientId, apiUrl };
}

/** A domain as it stands behind an @, in lower-case ASCII. */
function emailDomain(env: Environment, name: string): string | null {
  const value = textOf(env, name);
  if (value === null) return null;
  const domain = domainToASCII(value.replace(/^@/, '')).toLowerCase();
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) {
    throw new ConfigError(`${name} must be a domain, such as example.com`);
  }
  return domain;
}

/** What EDGE_SPEECH names must be there: a recording is not to be sent elsewhere by mistake. */
function edgeEngine(env: Environment): EdgeSpeech {
  const engine = choice(env, 'EDGE_SPEECH', EDGE_SPEECH, 'auto');
  if (engine === 'workers-ai' && !workersAi(env)) {
    throw new ConfigError(
      'EDGE_SPEECH=workers-ai needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN',
    );
  }
  if (engine === 'openai-compatible' && !textOf(env, 'EDGE_SPEECH_URL')) {
    throw new ConfigError('EDGE_SPEECH=openai-compatible needs EDGE_SPEECH_URL');
  }
  return engine;
}

function sqlitePath(value: string | null, dataDir: string): string {
  if (value === null) return join(dataDir, 'captioner.sqlite');
  if (/^(postgres(ql)?):/.test(value)) {
    throw new ConfigError(
      'DATABASE_URL: PostgreSQL is not supported by this version; leave it out',
    );
  }
  return resolve(value.replace(/^(sqlite|file):(\/\/)?/, ''));
}

function audioFolder(value: string | null, dataDir: string): string {
  if (value === null) return join(dataDir, 'audio');
  if (value.startsWith('s3:')) {
    throw new ConfigError('AUDIO_STORE_URL: S3 is not supported by this version; leave it out');
  }
  return resolve(value.replace(/^file:(\/\/)?/, ''));
}
