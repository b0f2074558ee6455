/** The one reader of the environment: what is set, checked, with its defaults. Plain JSON, so that worker threads get the same. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  address,
  bytes,
  bytesOrOff,
  choice,
  ConfigError,
  duration,
  flag,
  integer,
  textOf,
  type Environment,
} from './config/environment.ts';
import {
  edgeEngine,
  mailServer,
  modelServer,
  remoteService,
  workersAi,
  workos,
  type EdgeSpeech,
  type ModelServer,
  type RemoteService,
  type WorkersAi,
  type WorkosService,
} from './config/services.ts';
import { audioStore, databaseUrl, isPostgres, type AudioStoreLocation } from './config/stores.ts';
import { metricsPort, metricsToken } from './config/metrics.ts';
import { pepper } from './config/pepper.ts';
import { team } from './config/team-list.ts';
import { tracing, type Tracing } from './config/telemetry.ts';
import { REGISTRATIONS_IN_ALL, REGISTRATIONS_PER_CLIENT } from './contract/limits.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';

export { ConfigError } from './config/environment.ts';
export type { EdgeSpeech, ModelServer, RemoteService, WorkosService } from './config/services.ts';

/** How long recordings and results are kept where nobody deletes them before. */
export type Lifetimes = Pick<Config, 'audioTtlMs' | 'resultTtlMs'>;

/** What a workspace may send and keep. */
export type Bounds = Pick<
  Config,
  'uploadsAtOnce' | 'uploadsPerWorkspace' | 'audioQuota' | 'resultQuota' | 'maxDurationMs'
>;

/** What a process does: answer requests, execute runs, or both. */
const ROLES = ['all', 'web', 'worker'] as const;

export interface Config {
  role: (typeof ROLES)[number];
  /** 0 takes any free port. */
  port: number;
  host: string;
  /** METRICS_PORT: /metrics and /health for operators alone; null: no such port. 0 takes any free one. */
  metricsPort: number | null;
  /** METRICS_TOKEN: what /metrics asks for; null: it is not on the public port. */
  metricsToken: string | null;
  /** Public address without a trailing slash; empty: http://localhost:PORT. */
  baseUrl: string;
  /** Outside production every result is checked against its schema before it leaves. */
  production: boolean;
  dataDir: string;
  /** The path of the service's SQLite file, or an address of PostgreSQL. */
  databaseUrl: string;
  audioStore: AudioStoreLocation;
  /** Audio that nobody deleted goes after this, in milliseconds. */
  audioTtlMs: number;
  /** Runs that have ended go with their results after this, in milliseconds. */
  resultTtlMs: number;
  /** Uploads that one process takes at once. */
  uploadsAtOnce: number;
  /** Uploads that one process takes at once from one workspace: a part of the above. */
  uploadsPerWorkspace: number;
  /** Bytes of recordings that one workspace may keep; null: any. */
  audioQuota: number | null;
  /** Bytes of payloads and results that one workspace may keep; null: any. */
  resultQuota: number | null;
  /** Bytes of the disk that uploads leave free. */
  diskReserve: number;
  /** The longest recording that is transcribed, in milliseconds. */
  maxDurationMs: number;
  /** Worker threads that execute runs. */
  workers: number;
  /** Runs that one worker thread executes at once. */
  runsAtOnce: number;
  /** COMPUTE_DEADLINE in milliseconds: a worker thread that is stuck for so long is ended and replaced. */
  computeDeadlineMs: number;
  /** What hashes of keys and codes are made with, where it is not to be made and kept by the service. */
  pepper: string | null;
  /** In lower-case ASCII. */
  teamEmailDomain: string | null;
  /** The only addresses of that domain that may have a key, as they were written; null: all of them. */
  teamEmailAllow: string[] | null;
  /** WorkOS as identity provider; null: the embedded one. */
  workos: WorkosService | null;
  smtpUrl: string | null;
  mailFrom: string;
  trustProxy: boolean;
  /** Registrations an hour for one client IP. */
  registrationsPerIp: number;
  /** Registrations an hour for all addresses together; a domain takes a quarter of it at most. */
  registrationsPerHour: number;
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
  workersAi: WorkersAi | null;
  /** PROVIDER_TIMEOUT in milliseconds: for a call to a provider; recordings add to it by their length. */
  providerTimeoutMs: number;
  /** Traces, where OTEL_ variables ask for them. */
  tracing: Tracing | null;
  logLevel: LogLevel;
}

/**
 * Reads the configuration.
 * @throws {ConfigError} naming the variable and what it may be
 */
export function readConfig(env: Environment = process.env): Config {
  const text = (name: string): string | null => textOf(env, name);
  const dataDir = resolve(text('DATA_DIR') ?? 'data');
  const modelsDir = text('MODELS_DIR');
  const uploadsAtOnce = integer(env, 'UPLOADS_AT_ONCE', 64, 1, 10_000);
  return {
    role: role(env),
    // Beside a web process a worker takes any free port: it is for operators alone.
    port: integer(env, 'PORT', text('ROLE') === 'worker' ? 0 : 3000, 0, 65_535),
    host: text('HOST') ?? '0.0.0.0',
    metricsPort: metricsPort(env),
    metricsToken: metricsToken(env),
    baseUrl: address(env, 'BASE_URL', 'https://captions.example'),
    production: text('NODE_ENV') === 'production',
    dataDir,
    databaseUrl: databaseUrl(env, dataDir),
    audioStore: audioStore(env, dataDir),
    audioTtlMs: duration(env, 'AUDIO_TTL', '7d'),
    resultTtlMs: duration(env, 'RESULT_TTL', '30d'),
    uploadsAtOnce,
    uploadsPerWorkspace: integer(
      env,
      'UPLOADS_PER_WORKSPACE',
      Math.ceil(uploadsAtOnce / 4),
      1,
      10_000,
    ),
    audioQuota: bytesOrOff(env, 'AUDIO_QUOTA', '5G'),
    resultQuota: bytesOrOff(env, 'RESULT_QUOTA', '4G'),
    diskReserve: bytes(env, 'DISK_RESERVE', '512M'),
    maxDurationMs: duration(env, 'MAX_DURATION', '12h'),
    workers: integer(env, 'WORKERS', 1, 1, 64),
    runsAtOnce: integer(env, 'RUNS_AT_ONCE', 8, 1, 256),
    computeDeadlineMs: duration(env, 'COMPUTE_DEADLINE', '20s'),
    pepper: pepper(env),
    ...team(env),
    workos: workos(env),
    smtpUrl: mailServer(env, 'SMTP_URL'),
    mailFrom: text('MAIL_FROM') ?? 'Captioner <captioner@localhost>',
    trustProxy: flag(env, 'TRUST_PROXY', false),
    registrationsPerIp: integer(
      env,
      'REGISTRATIONS_PER_IP',
      REGISTRATIONS_PER_CLIENT,
      1,
      1_000_000,
    ),
    registrationsPerHour: integer(
      env,
      'REGISTRATIONS_PER_HOUR',
      REGISTRATIONS_IN_ALL,
      1,
      1_000_000,
    ),
    speech: {
      modelsDir: modelsDir ? resolve(modelsDir) : join(dataDir, 'models'),
      modelsBaseUrl: address(env, 'MODELS_BASE_URL', 'https://models.example') || null,
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
    tracing: tracing(env),
    logLevel: choice(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

/** A process that does only half of the work needs others, and a database they share. */
function role(env: Environment): Config['role'] {
  const value = choice(env, 'ROLE', ROLES, 'all');
  if (value !== 'all' && !isPostgres(textOf(env, 'DATABASE_URL') ?? '')) {
    throw new ConfigError(
      `ROLE=${value} needs DATABASE_URL=postgres://…, which the others use too`,
    );
  }
  return value;
}
