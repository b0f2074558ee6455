/** The services of others that the configuration names: providers, models, identity. */
import { domainToASCII } from 'node:url';
import { address, choice, ConfigError, textOf, type Environment } from './environment.ts';

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

/** Cloudflare's models, for all that `edge` does. */
export interface WorkersAi {
  accountId: string;
  apiToken: string;
  /** Up to `/accounts`, without a trailing slash. */
  baseUrl: string;
}

/** A service is there where its key is. */
export function remoteService(
  env: Environment,
  name: string,
  preset: string,
): RemoteService | null {
  const apiKey = textOf(env, `${name}_API_KEY`);
  const baseUrl = address(env, `${name}_BASE_URL`, preset) || preset;
  return apiKey ? { apiKey, baseUrl } : null;
}

/** A model server is there where its address is; an address without a path means its `/v1`. */
export function modelServer(
  env: Environment,
  name: string,
  presetModel: string,
): ModelServer | null {
  const url = address(env, `${name}_URL`, 'http://127.0.0.1:11434/v1');
  if (!url) return null;
  const base = url.replace(/\/(?:chat\/completions|audio\/transcriptions)$/, '');
  return {
    baseUrl: new URL(base).pathname === '/' ? `${base}/v1` : base,
    model: textOf(env, `${name}_MODEL`) ?? presetModel,
  };
}

/**
 * Workers AI is there where both account and token are.
 * @throws {ConfigError} for a CLOUDFLARE_BASE_URL that cannot be used
 */
export function workersAi(env: Environment): WorkersAi | null {
  const preset = 'https://api.cloudflare.com/client/v4';
  const baseUrl = address(env, 'CLOUDFLARE_BASE_URL', preset) || preset;
  const accountId = textOf(env, 'CLOUDFLARE_ACCOUNT_ID');
  const apiToken = textOf(env, 'CLOUDFLARE_API_TOKEN');
  return accountId && apiToken ? { accountId, apiToken, baseUrl } : null;
}

/** WorkOS serves where its key is, unless IDENTITY says otherwise. */
export function workos(env: Environment): WorkosService | null {
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
export function emailDomain(env: Environment, name: string): string | null {
  const value = textOf(env, name);
  if (value === null) return null;
  const domain = domainToASCII(value.replace(/^@/, '')).toLowerCase();
  // Line ends within it would be dropped, and the domain be another.
  if (/\s/.test(value) || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) {
    throw new ConfigError(`${name} must be a domain, such as example.com`);
  }
  return domain;
}

/** The mail server under a name; null where there is none. */
export function mailServer(env: Environment, name: string): string | null {
  const value = textOf(env, name);
  if (value === null || /^smtps?:\/\/[^\s/]/i.test(value)) return value;
  throw new ConfigError(`${name} must be like smtp://user:password@host:587 or smtps://…`);
}

/** What EDGE_SPEECH names must be there: a recording is not to be sent elsewhere by mistake. */
export function edgeEngine(env: Environment): EdgeSpeech {
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
