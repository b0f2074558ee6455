/**
 * Reads, checks and completes the configuration from the environment. It is plain JSON, so that it can be passed to
 * worker threads.
 */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { readFileSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import {
  ConfigError,
  type Environment,
  addressSetting,
  bytesOrOffSetting,
  bytesSetting,
  choiceSetting,
  integerSetting,
  textSetting,
} from '../base/environment.ts';
import { type Tracing, tracingSettings } from '../base/tracing-settings.ts';
import {
  type ModelServer,
  type RemoteService,
  type SpeakersSetting,
  type SpeechSettings,
  type WorkersAi,
  type WorkosService,
  edgeEngineSettings,
  type ModelLimits,
  workersAiSettings,
  workosSettings,
} from '../remote/service-settings.ts';
import {
  type SingleSignOnSettings,
  singleSignOnSettings,
} from '../remote/single-sign-on-settings.ts';
import { audioStore, isPostgres, type AudioStoreLocation } from '../storage/locations.ts';
import { AUDIT_SERVICES } from '../language/providers.ts';
import { LOG_LEVELS, type LogLevel } from '../base/log.ts';
import { SPEECH_SERVICES } from '../speech/remote/services.ts';
import { TEXT_SERVICES } from '../translation/engines/services.ts';
import { REGISTRATION, SPEAKERS } from '../contract/limits.ts';

/** The time for which recordings and results are kept unless they are deleted earlier. */
export type Lifetimes = Pick<Config, 'audioTtlMs' | 'resultTtlMs'>;

/** The limits on what a workspace may send and keep. */
export type Bounds = Pick<
  Config,
  | 'uploadsAtOnce'
  | 'uploadsPerWorkspace'
  | 'uploadsPerNetwork'
  | 'audioQuota'
  | 'resultQuota'
  | 'maxDurationMs'
  | 'registrationsPerIp'
>;

/** The details of the operator in documents. */
export type Operator = Partial<Pick<Config, 'operatorContact'>>;

/** The role of a process: answer requests, execute runs, or both. */
const ROLES = ['all', 'web', 'worker'] as const;

export interface Config {
  role: (typeof ROLES)[number];
  /** 0 selects any free port. */
  port: number;
  host: string;
  /** METRICS_PORT, only for /metrics and /health; null for none. 0 selects any free port. */
  metricsPort: number | null;
  /** METRICS_TOKEN, required by /metrics; null if /metrics is not on the public port. */
  metricsToken: string | null;
  /** Public address without a trailing slash; empty for http://HOST:PORT, or localhost if HOST is every address. */
  baseUrl: string;
  /** Whether this is production; outside it, every result is validated against its schema before it is returned. */
  production: boolean;
  dataDir: string;
  /** The path of the service's SQLite file, or a PostgreSQL address. */
  databaseUrl: string;
  audioStore: AudioStoreLocation;
  /** The time in milliseconds after which recordings are deleted. */
  audioTtlMs: number;
  /** The time in milliseconds after which ended runs are deleted with their results. */
  resultTtlMs: number;
  /** The most simultaneous uploads to one process. */
  uploadsAtOnce: number;
  /** The most simultaneous uploads to one process from one workspace: a share of uploadsAtOnce. */
  uploadsPerWorkspace: number;
  /** The most simultaneous uploads to one process from one network: a share of uploadsAtOnce. */
  uploadsPerNetwork: number;
  /** The bytes of recordings that one workspace may keep; null for no limit. */
  audioQuota: number | null;
  /** The bytes of payloads and results that one workspace may keep; null for no limit. */
  resultQuota: number | null;
  /** The bytes of disk that uploads leave free. */
  diskReserve: number;
  /** The longest recording that is transcribed, in milliseconds. */
  maxDurationMs: number;
  /** The number of worker threads that execute runs. */
  workers: number;
  /** The number of runs that one worker thread executes at once. */
  runsAtOnce: number;
  /** COMPUTE_DEADLINE in milliseconds: a worker thread that is stuck for this long is ended and replaced. */
  computeDeadlineMs: number;
  /** DRAIN_TIME in milliseconds: how long a process that is asked to stop goes on answering while it is not ready. */
  drainMs: number;
  /** RUN_LEASE in milliseconds: the time for which a dead process keeps its runs from others. */
  runLeaseMs: number;
  /** The secret used to hash keys and codes; null if the service creates and keeps it. */
  pepper: string | null;
  /** In lower-case ASCII. */
  teamEmailDomain: string | null;
  /** The only addresses of that domain that may have a key, as entered; null for all. */
  teamEmailAllow: string[] | null;
  /** WorkOS as identity provider; null for the embedded one. */
  workos: WorkosService | null;
  /** The OpenID Connect provider that signs people in; null if there is none. */
  singleSignOn: SingleSignOnSettings | null;
  /** For how long a key of such a sign-in is valid. */
  sessionMs: number;
  /** WEBHOOK_ALLOW: private hosts, addresses and networks that webhooks may reach. */
  webhookAllow: string[];
  smtpUrl: string | null;
  mailFrom: string;
  /** OPERATOR_CONTACT as a link; null if it is not set. */
  operatorContact: string | null;
  trustProxy: boolean;
  /** Registrations an hour for one client IP. */
  registrationsPerIp: number;
  speech: SpeechSettings;
  language: {
    /** The services that need a key, by provider name; null without their key. */
    services: Record<string, RemoteService | null>;
    /** The operator's own OpenAI-compatible language model: EDGE_LLM_URL and the other EDGE_LLM_ settings. */
    edge: (ModelServer & { limits: ModelLimits }) | null;
  };
  /** The services that only translate, by provider name; null for those that are not configured. */
  translation: { services: Record<string, RemoteService | null> };
  moderation: {
    /** The operator's own Llama Guard: EDGE_MODERATION_URL, EDGE_MODERATION_MODEL. */
    edge: ModelServer | null;
  };
  /** Cloudflare's models, for all stages of `edge`. */
  workersAi: WorkersAi | null;
  /** PROVIDER_TIMEOUT in milliseconds, for one call to a provider; the length of a recording is added to it. */
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
  const text = (name: string): string | null => textSetting(env, name);
  const dataDir = resolve(text('DATA_DIR') ?? 'data');
  const modelsDir = text('MODELS_DIR');
  const uploadsAtOnce = integerSetting(env, 'UPLOADS_AT_ONCE', 64, 1, 10_000);
  return {
    role: role(env),
    // A worker uses any free port, since it may run next to a web process, and its port is only for operators.
    port: integerSetting(env, 'PORT', text('ROLE') === 'worker' ? 0 : 3000, 0, 65_535),
    host: text('HOST') ?? '0.0.0.0',
    metricsPort: metricsPort(env),
    metricsToken: metricsToken(env),
    baseUrl: addressSetting(env, 'BASE_URL', 'https://captions.example'),
    production: text('NODE_ENV') === 'production',
    dataDir,
    databaseUrl: databaseUrl(env, dataDir),
    audioStore: audioStore(env, dataDir),
    audioTtlMs: duration(env, 'AUDIO_TTL', '7d'),
    resultTtlMs: duration(env, 'RESULT_TTL', '30d'),
    uploadsAtOnce,
    uploadsPerWorkspace: integerSetting(
      env,
      'UPLOADS_PER_WORKSPACE',
      Math.ceil(uploadsAtOnce / 4),
      1,
      10_000,
    ),
    uploadsPerNetwork: Math.ceil(uploadsAtOnce / 2),
    audioQuota: bytesOrOffSetting(env, 'AUDIO_QUOTA', '5G'),
    resultQuota: bytesOrOffSetting(env, 'RESULT_QUOTA', '4G'),
    diskReserve: bytesSetting(env, 'DISK_RESERVE', '512M'),
    maxDurationMs: duration(env, 'MAX_DURATION', '12h'),
    workers: integerSetting(env, 'WORKERS', 1, 1, 64),
    runsAtOnce: integerSetting(env, 'RUNS_AT_ONCE', 8, 1, 256),
    computeDeadlineMs: duration(env, 'COMPUTE_DEADLINE', '20s'),
    drainMs: duration(env, 'DRAIN_TIME', '5s', 0),
    runLeaseMs: duration(env, 'RUN_LEASE', '15s'),
    pepper: pepper(env),
    ...team(env),
    workos: workosSettings(env),
    singleSignOn: singleSignOnSettings(env, {
      baseUrl: text('BASE_URL') ?? '',
      isOutside: text('WORKOS_API_KEY') !== null,
    }),
    sessionMs: duration(env, 'OIDC_SESSION', '12h'),
    webhookAllow: webhookAllow(env),
    smtpUrl: mailServer(env, 'SMTP_URL'),
    operatorContact: operatorContact(env),
    mailFrom: text('MAIL_FROM') ?? 'Captioner <captioner@localhost>',
    trustProxy: flag(env, 'TRUST_PROXY', false),
    registrationsPerIp: integerSetting(
      env,
      'REGISTRATIONS_PER_IP',
      REGISTRATION.perClient,
      1,
      1_000_000,
    ),
    speech: {
      modelsDir: modelsDir ? resolve(modelsDir) : join(dataDir, 'models'),
      modelsBaseUrl: addressSetting(env, 'MODELS_BASE_URL', 'https://models.example') || null,
      model: text('SPEECH_MODEL') ?? 'auto',
      engine: edgeEngineSettings(env),
      edge: modelServer(env, 'EDGE_SPEECH', 'whisper-1'),
      services: remoteServices(env, SPEECH_SERVICES),
      voiceActivity: flag(env, 'EDGE_VAD', true),
      speakers: speakersSetting(env),
      slots: integerSetting(env, 'SPEECH_PROCESSES', availableParallelism(), 1, 256),
    },
    language: {
      services: remoteServices(env, AUDIT_SERVICES),
      edge: languageServer(env),
    },
    translation: { services: remoteServices(env, TEXT_SERVICES) },
    moderation: { edge: modelServer(env, 'EDGE_MODERATION', 'llama-guard3') },
    workersAi: workersAiSettings(env),
    providerTimeoutMs: 1000 * integerSetting(env, 'PROVIDER_TIMEOUT', 30, 1, 3600),
    tracing: tracingSettings(env),
    logLevel: choiceSetting(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

/** The role of the process. One with a single role needs other processes, and a database shared with them. */
function role(env: Environment): Config['role'] {
  const value = choiceSetting(env, 'ROLE', ROLES, 'all');
  if (value !== 'all' && !isPostgres(textSetting(env, 'DATABASE_URL') ?? '')) {
    throw new ConfigError(
      `ROLE=${value} needs DATABASE_URL=postgres://…, shared with the other processes`,
    );
  }
  return value;
}

/** METRICS_PORT; null if it is not set. */
function metricsPort(env: Environment): number | null {
  if (textSetting(env, 'METRICS_PORT') === null) return null;
  const port = integerSetting(env, 'METRICS_PORT', 0, 0, 65_535);
  if (port !== 0 && String(port) === (textSetting(env, 'PORT') ?? '3000')) {
    throw new ConfigError('METRICS_PORT must differ from PORT');
  }
  return port;
}

/** METRICS_TOKEN; null if it is not set. */
function metricsToken(env: Environment): string | null {
  const token = textSetting(env, 'METRICS_TOKEN');
  if (token !== null && !/^[\x21-\x7e]{16,}$/.test(token)) {
    throw new ConfigError(
      'METRICS_TOKEN must have at least 16 visible ASCII characters, such as the output of openssl rand -hex 16',
    );
  }
  return token;
}

const EMAIL = /^[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}$/i;

/**
 * OPERATOR_CONTACT: an email address or the address of a page, as a link for documents; null if it
 * is not set.
 * @throws {ConfigError} for anything else
 */
function operatorContact(env: Environment): string | null {
  const value = textSetting(env, 'OPERATOR_CONTACT');
  if (value === null) return null;
  if (EMAIL.test(value)) return `mailto:${value}`;
  if (value.includes('@') && !value.includes('/')) {
    throw new ConfigError('OPERATOR_CONTACT must be an email address or the address of a page');
  }
  return addressSetting(
    env,
    'OPERATOR_CONTACT',
    'help@captions.example or https://captions.example/help',
  );
}

/**
 * The configured pepper; null if the service creates and keeps its own.
 * @throws {ConfigError} if it is too short to be a secret
 */
function pepper(env: Environment): string | null {
  const value = textSetting(env, 'PEPPER');
  if (value !== null && value.length < 32) {
    throw new ConfigError(
      'PEPPER must have at least 32 characters, such as the output of openssl rand -hex 32',
    );
  }
  return value;
}

/**
 * WEBHOOK_ALLOW: host names, addresses and networks in CIDR form, separated by commas.
 * @throws {ConfigError} for anything else
 */
function webhookAllow(env: Environment): string[] {
  const entries = (textSetting(env, 'WEBHOOK_ALLOW') ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  for (const entry of entries) {
    const known = ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry) || /^[a-z\d.-]+$/.test(entry);
    if (!known) {
      throw new ConfigError(
        'WEBHOOK_ALLOW must be hosts, addresses or networks, such as hooks.internal, 10.0.0.0/8',
      );
    }
  }
  return entries;
}

/** The team: its domain, and the addresses that may have a key. */
function team(env: Environment) {
  const teamEmailDomain = emailDomain(env, 'TEAM_EMAIL_DOMAIN');
  const teamEmailAllow = emailList(env, 'TEAM_EMAIL_ALLOW', teamEmailDomain);
  return { teamEmailDomain, teamEmailAllow };
}

/**
 * The addresses in a variable, separated by commas, spaces or line breaks, or the path of a file that contains them, in
 * which `#` begins a comment. Null if it is not set.
 * @param teamEmailDomain the domain to which they must belong
 * @throws {ConfigError} for an unreadable file, an empty list, or an address of another domain
 */
function emailList(
  env: Environment,
  name: string,
  teamEmailDomain: string | null,
): string[] | null {
  const value = textSetting(env, name);
  if (value === null) return null;
  if (teamEmailDomain === null) throw new ConfigError(`${name} needs TEAM_EMAIL_DOMAIN`);
  const addresses = (value.includes('@') ? value : textIn(name, value))
    .replaceAll(/#.*/g, '')
    .split(/[\s,;]+/)
    .filter((text) => text !== '');
  const other = addresses.find((address) => !belongsTo(address, teamEmailDomain));
  if (addresses.length === 0 || other !== undefined) {
    const what = other === undefined ? 'names nobody' : `has ${other}`;
    throw new ConfigError(`${name} ${what}; it must list addresses of ${teamEmailDomain}`);
  }
  return addresses;
}

function textIn(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(
      `${name} must list addresses, or be a file with them: ${path} cannot be read`,
    );
  }
}

function belongsTo(address: string, domain: string): boolean {
  const at = address.lastIndexOf('@');
  return at > 0 && domainToASCII(address.slice(at + 1)).toLowerCase() === domain;
}

/** The part of a service's description that names its settings. */
interface DescribedService {
  name: string;
  environment: string;
  baseUrl: string;
  /** Whether an address without a key is enough. */
  isKeyOptional?: true;
  /** Whether the key may be a file. */
  takesKeyFile?: true;
}

/**
 * The services whose keys are set, by name; null for the others.
 * @throws {ConfigError} for an address or a file that cannot be used
 */
const remoteServices = (
  env: Environment,
  services: readonly DescribedService[],
): Record<string, RemoteService | null> =>
  Object.fromEntries(
    services.map(({ name, environment, baseUrl: preset, isKeyOptional, takesKeyFile }) => {
      const keyName = `${environment}_API_KEY`;
      const given = textSetting(env, keyName);
      const apiKey = takesKeyFile && given?.endsWith('.json') ? keyIn(keyName, given) : given;
      const address = addressSetting(env, `${environment}_BASE_URL`, preset);
      const isConfigured = apiKey !== null || (isKeyOptional === true && address !== '');
      return [name, isConfigured ? { apiKey: apiKey ?? '', baseUrl: address || preset } : null];
    }),
  );

/** The key in a file. @throws {ConfigError} it cannot be read, or is not JSON */
function keyIn(name: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim();
    JSON.parse(text);
    return text;
  } catch {
    throw new ConfigError(`${name} must be a key, or a file with one as JSON: ${path} is not`);
  }
}

/** The model server, if its address is set; an address without a path means its `/v1`. */
function modelServer(env: Environment, name: string, presetModel: string): ModelServer | null {
  const url = addressSetting(env, `${name}_URL`, 'http://127.0.0.1:11434/v1');
  if (!url) return null;
  const base = url.replace(/\/(?:chat\/completions|audio\/transcriptions)$/, '');
  return {
    baseUrl: new URL(base).pathname === '/' ? `${base}/v1` : base,
    model: textSetting(env, `${name}_MODEL`) ?? presetModel,
  };
}

/** The operator's own language model, and how it is asked; null if its address is not set. */
function languageServer(env: Environment): Config['language']['edge'] {
  const server = modelServer(env, 'EDGE_LLM', 'default');
  if (!server) return null;
  const number = (name: string, least: number, most: number): number | undefined =>
    textSetting(env, name) === null ? undefined : integerSetting(env, name, least, least, most);
  const temperature = Number(textSetting(env, 'EDGE_LLM_TEMPERATURE') ?? NaN);
  if (
    textSetting(env, 'EDGE_LLM_TEMPERATURE') !== null &&
    !(temperature >= 0 && temperature <= 2)
  ) {
    throw new ConfigError('EDGE_LLM_TEMPERATURE must be a number from 0 to 2');
  }
  const maxTokens = number('EDGE_LLM_MAX_TOKENS', 64, 1_000_000);
  const sentences = number('EDGE_LLM_BATCH', 1, 100);
  const parallel = number('EDGE_LLM_PARALLEL', 1, 64);
  const seconds = number('EDGE_LLM_TIMEOUT', 1, 86_400);
  return {
    ...server,
    limits: {
      ...(!Number.isNaN(temperature) && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(sentences !== undefined && { sentences }),
      ...(parallel !== undefined && { parallel }),
      ...(seconds !== undefined && { timeoutMs: 1000 * seconds }),
    },
  };
}

/** The domain of email addresses, in lower-case ASCII. */
function emailDomain(env: Environment, name: string): string | null {
  const value = textSetting(env, name);
  if (value === null) return null;
  const domain = domainToASCII(value.replace(/^@/, '')).toLowerCase();
  // Line breaks within it are dropped, which would make it a different domain.
  if (/\s/.test(value) || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) {
    throw new ConfigError(`${name} must be a domain, such as example.com`);
  }
  return domain;
}

/** The mail server in a variable; null if it is not set. */
function mailServer(env: Environment, name: string): string | null {
  const value = textSetting(env, name);
  if (value === null || /^smtps?:\/\/[^\s/]/i.test(value)) return value;
  throw new ConfigError(`${name} must look like smtp://user:password@host:587 or smtps://…`);
}

/** DATABASE_URL: the path of a SQLite file, or a PostgreSQL address. */
function databaseUrl(env: Environment, dataDir: string): string {
  const value = textSetting(env, 'DATABASE_URL');
  if (value === null) return join(dataDir, 'captioner.sqlite');
  if (isPostgres(value)) {
    if (URL.parse(value)?.hostname || URL.parse(value)?.searchParams.has('host')) return value;
    throw new ConfigError(
      'DATABASE_URL must look like postgres://user:password@host:5432/captioner',
    );
  }
  if (/^(?!sqlite|file)[a-z][a-z0-9+.-]+:\/\//.test(value)) {
    throw new ConfigError('DATABASE_URL must be the path of a SQLite file, or postgres://…');
  }
  return resolve(value.replace(/^(sqlite|file):(\/\/)?/, ''));
}

/**
 * Whether a switch is on: `on`, `true`, `1` or `yes`, or `off`, `false`, `0` or `no`, in any case; `preset` if it is
 * not set.
 * @throws {ConfigError} for anything else
 */
function flag(env: Environment, name: string, preset: boolean): boolean {
  const value = textSetting(env, name)?.toLowerCase();
  if (value === undefined) return preset;
  if (['on', 'true', '1', 'yes'].includes(value)) return true;
  if (['off', 'false', '0', 'no'].includes(value)) return false;
  throw new ConfigError(`${name} must be on or off`);
}

/** EDGE_SPEAKERS: auto, on, off, or the number of speakers in every recording. */
function speakersSetting(env: Environment): SpeakersSetting {
  const value = textSetting(env, 'EDGE_SPEAKERS')?.toLowerCase() ?? 'auto';
  const number = Number(value);
  if (number > 1 && number <= SPEAKERS.mostTold && Number.isInteger(number)) return number;
  if (value === 'auto') return value;
  try {
    return flag(env, 'EDGE_SPEAKERS', false) ? 'on' : 'off';
  } catch {
    throw new ConfigError(
      `EDGE_SPEAKERS must be auto, on, off or a whole number from 2 to ${SPEAKERS.mostTold}`,
    );
  }
}

const UNITS: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** A duration in milliseconds: `90s`, `30m`, `12h`, `7d`, or a number of seconds. */
function duration(env: Environment, name: string, preset: string, least = 1): number {
  const value = (textSetting(env, name) ?? preset).toLowerCase();
  const [, number, unit = ''] = /^(\d{1,9})([smhd]?)$/.exec(value) ?? [];
  const seconds = Number(number) * Number(UNITS[unit]);
  if (!(seconds >= least)) {
    throw new ConfigError(`${name} must be a duration, such as ${preset}, 12h, 30m or 90s`);
  }
  return seconds * 1000;
}
