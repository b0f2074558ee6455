/** The one reader of the environment: what is set, checked, with its defaults. Plain JSON, so that worker threads get the same. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
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
  teamEmailDomain: string | null;
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
    /** EDGE_SPEECH: the engine to use, whatever else is there. */
    engine: 'auto' | 'sherpa' | 'pocketsphinx';
    voiceActivity: boolean;
    /** Recogniser processes, shared by all worker threads. */
    slots: number;
  };
  language: {
    openai: LanguageService | null;
    groq: LanguageService | null;
    /** The OpenAI-compatible model beside the service: EDGE_LLM_URL, EDGE_LLM_MODEL. */
    edge: { baseUrl: string; model: string } | null;
  };
  logLevel: LogLevel;
}

/** A chat-completions service with its key. */
export interface LanguageService {
  apiKey: string;
  /** Up to `/chat/completions`, without a trailing slash. */
  baseUrl: string;
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
    teamEmailDomain: text('TEAM_EMAIL_DOMAIN')?.toLowerCase() ?? null,
    smtpUrl: text('SMTP_URL'),
    mailFrom: text('MAIL_FROM') ?? 'Captioner <captioner@localhost>',
    trustProxy: flag(env, 'TRUST_PROXY', false),
    registrationsPerIp: integer(env, 'REGISTRATIONS_PER_IP', 30, 1, 1_000_000),
    speech: {
      modelsDir: modelsDir ? resolve(modelsDir) : join(dataDir, 'models'),
      modelsBaseUrl: text('MODELS_BASE_URL'),
      model: text('SPEECH_MODEL') ?? 'auto',
      engine: choice(env, 'EDGE_SPEECH', ['auto', 'sherpa', 'pocketsphinx'] as const, 'auto'),
      voiceActivity: flag(env, 'EDGE_VAD', true),
      slots: integer(env, 'SPEECH_PROCESSES', availableParallelism(), 1, 256),
    },
    language: {
      openai: languageService(env, 'OPENAI', 'https://api.openai.com/v1'),
      groq: languageService(env, 'GROQ', 'https://api.groq.com/openai/v1'),
      edge: edgeModel(env),
    },
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
function languageService(env: Environment, name: string, preset: string): LanguageService | null {
  const apiKey = textOf(env, `${name}_API_KEY`);
  const baseUrl = address(env, `${name}_BASE_URL`, preset) || preset;
  return apiKey ? { apiKey, baseUrl } : null;
}

function edgeModel(env: Environment): Config['language']['edge'] {
  const url = address(env, 'EDGE_LLM_URL', 'http://127.0.0.1:11434/v1');
  if (!url) return null;
  return {
    baseUrl: url.replace(/\/chat\/completions$/, ''),
    model: textOf(env, 'EDGE_LLM_MODEL') ?? 'default',
  };
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
