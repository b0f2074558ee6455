/**
 * Reads, checks and completes the configuration from the environment. Plain JSON, so that worker
 * threads receive the same.
 */
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
  remoteServices,
  workersAi,
  workos,
  type ModelServer,
  type RemoteService,
  type SpeechSettings,
  type WorkersAi,
  type WorkosService,
} from './config/services.ts';
import { audioStore, databaseUrl, isPostgres, type AudioStoreLocation } from './config/stores.ts';
import { metricsPort, metricsToken } from './config/metrics.ts';
import { operatorContact } from './config/operator-contact.ts';
import { pepper } from './config/pepper.ts';
import { webhookAllow } from './config/webhook-allow.ts';
import { team } from './config/team-list.ts';
import { tracing, type Tracing } from './config/telemetry.ts';
import { REGISTRATIONS_IN_ALL, REGISTRATIONS_PER_CLIENT } from './contract/limits.ts';
import { AUDIT_SERVICES } from './language/services.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { SPEECH_SERVICES } from './speech/remote/services.ts';

export { ConfigError } from './config/environment.ts';
export type { WorkosService } from './config/services.ts';

/** How long recordings and results are kept unless somebody deletes them earlier. */
export type Lifetimes = Pick<Config, 'audioTtlMs' | 'resultTtlMs'>;

/** How much a workspace may send and keep. */
export type Bounds = Pick<
  Config,
  | 'uploadsAtOnce'
  | 'uploadsPerWorkspace'
  | 'uploadsPerNetwork'
  | 'audioQuota'
  | 'resultQuota'
  | 'maxDurationMs'
>;

/** What the documents say of the operator. */
export type Operator = Partial<Pick<Config, 'operatorContact'>>;

/** The role of a process: answer requests, execute runs, or both. */
const ROLES = ['all', 'web', 'worker'] as const;

export interface Config {
  role: (typeof ROLES)[number];
  /** 0 takes any free port. */
  port: number;
  host: string;
  /** METRICS_PORT, for /metrics and /health only; null for none. 0 takes any free port. */
  metricsPort: number | null;
  /** METRICS_TOKEN, required by /metrics; null if it is not on the public port. */
  metricsToken: string | null;
  /** Public address without a trailing slash; empty for http://localhost:PORT. */
  baseUrl: string;
  /** Outside production every result is validated against its schema before it is returned. */
  production: boolean;
  dataDir: string;
  /** The path of the service's SQLite file, or a PostgreSQL address. */
  databaseUrl: string;
  audioStore: AudioStoreLocation;
  /** Recordings that nobody deleted are deleted after this, in milliseconds. */
  audioTtlMs: number;
  /** Ended runs are deleted with their results after this, in milliseconds. */
  resultTtlMs: number;
  /** Simultaneous uploads to one process. */
  uploadsAtOnce: number;
  /** Simultaneous uploads to one process from one workspace: a share of uploadsAtOnce. */
  uploadsPerWorkspace: number;
  /** Simultaneous uploads to one process from one network: a share of uploadsAtOnce. */
  uploadsPerNetwork: number;
  /** Bytes of recordings that one workspace may keep; null for no limit. */
  audioQuota: number | null;
  /** Bytes of payloads and results that one workspace may keep; null for no limit. */
  resultQuota: number | null;
  /** Bytes of disk that uploads leave free. */
  diskReserve: number;
  /** The longest recording that is transcribed, in milliseconds. */
  maxDurationMs: number;
  /** Worker threads that execute runs. */
  workers: number;
  /** Runs that one worker thread executes at once. */
  runsAtOnce: number;
  /**
   * COMPUTE_DEADLINE in milliseconds: a worker thread stuck for this long is ended and replaced.
   */
  computeDeadlineMs: number;
  /** RUN_LEASE in milliseconds: how long a process that died keeps its runs from others. */
  runLeaseMs: number;
  /** The secret used to hash keys and codes; null if the service creates and keeps it. */
  pepper: string | null;
  /** In lower-case ASCII. */
  teamEmailDomain: string | null;
  /** The only addresses of that domain that may have a key, as entered; null for all. */
  teamEmailAllow: string[] | null;
  /** WorkOS as identity provider; null for the embedded one. */
  workos: WorkosService | null;
  /** WEBHOOK_ALLOW: hosts, addresses and networks that webhooks reach although they are private. */
  webhookAllow: string[];
  smtpUrl: string | null;
  mailFrom: string;
  /** OPERATOR_CONTACT as a link; null if it is not set. */
  operatorContact: string | null;
  trustProxy: boolean;
  /** Registrations an hour for one client IP. */
  registrationsPerIp: number;
  /** Registrations an hour for all addresses together; one domain can use a quarter at most. */
  registrationsPerHour: number;
  speech: SpeechSettings;
  language: {
    /** The services that need a key, by provider name; null without their key. */
    services: Record<string, RemoteService | null>;
    /** The operator's own OpenAI-compatible language model: EDGE_LLM_URL, EDGE_LLM_MODEL. */
    edge: ModelServer | null;
  };
  moderation: {
    /** The operator's own Llama Guard: EDGE_MODERATION_URL, EDGE_MODERATION_MODEL. */
    edge: ModelServer | null;
  };
  /** Cloudflare's models, for all stages of `edge`. */
  workersAi: WorkersAi | null;
  /**
   * PROVIDER_TIMEOUT in milliseconds, for one call to a provider; the length of a recording is
   * added.
   */
  providerTimeoutMs: number;
  /** Tracing, if OTEL_ variables request it. */
  tracing: Tracing | null;
  logLevel: LogLevel;
}

/**
 * Reads the configuration.
 * @throws {ConfigError} naming the variable and its possible values
 */
export function readConfig(env: Environment = process.env): Config {
  const text = (name: string): string | null => textOf(env, name);
  const dataDir = resolve(text('DATA_DIR') ?? 'data');
  const modelsDir = text('MODELS_DIR');
  const uploadsAtOnce = integer(env, 'UPLOADS_AT_ONCE', 64, 1, 10_000);
  return {
    role: role(env),
    // A worker takes any free port, since it may run beside a web process and its port is only for
    // operators.
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
    uploadsPerNetwork: integer(env, 'UPLOADS_PER_NETWORK', Math.ceil(uploadsAtOnce / 2), 1, 10_000),
    audioQuota: bytesOrOff(env, 'AUDIO_QUOTA', '5G'),
    resultQuota: bytesOrOff(env, 'RESULT_QUOTA', '4G'),
    diskReserve: bytes(env, 'DISK_RESERVE', '512M'),
    maxDurationMs: duration(env, 'MAX_DURATION', '12h'),
    workers: integer(env, 'WORKERS', 1, 1, 64),
    runsAtOnce: integer(env, 'RUNS_AT_ONCE', 8, 1, 256),
    computeDeadlineMs: duration(env, 'COMPUTE_DEADLINE', '20s'),
    runLeaseMs: duration(env, 'RUN_LEASE', '15s'),
    pepper: pepper(env),
    ...team(env),
    workos: workos(env),
    webhookAllow: webhookAllow(env),
    smtpUrl: mailServer(env, 'SMTP_URL'),
    operatorContact: operatorContact(env),
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
      services: remoteServices(env, SPEECH_SERVICES),
      voiceActivity: flag(env, 'EDGE_VAD', true),
      speakers: flag(env, 'EDGE_SPEAKERS', false),
      slots: integer(env, 'SPEECH_PROCESSES', availableParallelism(), 1, 256),
    },
    language: {
      services: remoteServices(env, AUDIT_SERVICES),
      edge: modelServer(env, 'EDGE_LLM', 'default'),
    },
    moderation: { edge: modelServer(env, 'EDGE_MODERATION', 'llama-guard3') },
    workersAi: workersAi(env),
    providerTimeoutMs: 1000 * integer(env, 'PROVIDER_TIMEOUT', 30, 1, 3600),
    tracing: tracing(env),
    logLevel: choice(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

/** A process with only one role needs others, and a database shared with them. */
function role(env: Environment): Config['role'] {
  const value = choice(env, 'ROLE', ROLES, 'all');
  if (value !== 'all' && !isPostgres(textOf(env, 'DATABASE_URL') ?? '')) {
    throw new ConfigError(
      `ROLE=${value} needs DATABASE_URL=postgres://…, shared with the other processes`,
    );
  }
  return value;
}
