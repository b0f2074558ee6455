/** The errors of calls to external services, derived from their responses, and the failures that they become. */
import {
  type CallErrorCode,
  StageFailure,
  type CaptionerErrorSuggestion,
} from '../contract/failure.ts';

interface CallErrorDetails extends ErrorOptions {
  status?: number;
  /** The service's own error code, a single word. */
  detail?: string | undefined;
  /** The wait that the service requests. */
  retryAfterMs?: number | undefined;
  /** The service's whole response. */
  answer?: string;
}

/** Interprets refusals that a provider expresses in its own way, if status and code are not enough. */
export type ReadRefusal = (status: number, answer: string) => CallErrorCode | undefined;

/** The error of one attempt. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: CallErrorCode;
  readonly status: number | undefined;
  readonly detail: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly answer: string | undefined;

  constructor(code: CallErrorCode, details: CallErrorDetails = {}) {
    super(code, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.detail = details.detail;
    this.retryAfterMs = details.retryAfterMs;
    this.answer = details.answer;
  }

  /** Whether the account has no credit left, which only its owner can change. */
  get isOutOfCredit(): boolean {
    return (
      this.code === 'provider_unauthorized' &&
      (this.status === 402 || this.status === 429 || NO_CREDIT.has(this.detail))
    );
  }

  /** Whether the service read the request and refused it, so that retrying does not help. */
  get isRefusal(): boolean {
    return this.code === 'provider_bad_response' && this.status !== undefined;
  }
}

/** The error for a response with a status other than 2xx. */
export function callErrorOf(
  status: number,
  answer: string,
  {
    waitMs,
    readRefusal,
  }: { waitMs?: number | undefined; readRefusal?: ReadRefusal | undefined } = {},
): CallError {
  const detail = serviceCode(answer);
  return new CallError(readRefusal?.(status, answer) ?? codeOf(status, detail), {
    status,
    answer,
    detail,
    retryAfterMs: waitMs,
  });
}

/** The error codes of services for accounts without credit; OpenAI sends them with 429. */
const NO_CREDIT: ReadonlySet<string | undefined> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
]);

function codeOf(status: number, detail = ''): CallErrorCode {
  if (NO_CREDIT.has(detail)) return 'provider_unauthorized';
  if (status === 401 || status === 402 || status === 403) return 'provider_unauthorized';
  if (status === 429) return 'provider_rate_limited';
  if (status === 408 || status === 504) return 'provider_timeout';
  if (status >= 500) return 'provider_unavailable';
  if (/model_?(?:not_?found|decommissioned|unavailable)/i.test(detail)) return 'model_unavailable';
  // Ollama, whose other addresses are all known to be there.
  if (status === 404 && detail === 'not_found_error') return 'model_unavailable';
  return 'provider_bad_response';
}

/**
 * The `error.code` or `error.type` of a response. Only a single word is accepted, because messages may repeat keys and
 * request data.
 */
function serviceCode(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const error = field(value, 'error');
  return [field(error, 'code'), field(error, 'type'), field(value, 'code')].find(
    (word): word is string => typeof word === 'string' && /^[A-Za-z_]{1,64}$/.test(word),
  );
}

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/**
 * The pause that a service requests, from Retry-After (RFC 9110, seconds or a date) or the finer `retry-after-ms` of
 * some services.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const fine = headers.get('retry-after-ms')?.match(/^\d+(?:\.\d+)?$/);
  if (fine) return Number(fine[0]);
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  // Date.parse accepts almost anything as a date, but in this header a date begins with the day's name.
  const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

// Converts errors of calls into failures on which a caller can act. Messages never contain keys, or data that was sent
// or received.

/** The called service, as failures name it. */
export interface Callee {
  /** The name in the contract. */
  provider: string;
  model?: string | undefined;
  /** Whether the failure's debug data includes the response, as the payload requested. */
  reveal?: boolean | undefined;
}

/** The longest part of a response shown in a failure, in characters. */
const MAX_SHOWN = 64 * 1024;

/** The names of providers in their usual spelling. */
const NAMES: Readonly<Record<string, string>> = {
  assemblyai: 'AssemblyAI',
  deepgram: 'Deepgram',
  edge: 'The edge provider',
  groq: 'Groq',
  openai: 'OpenAI',
};

const nameOf = (provider: string): string => NAMES[provider] ?? provider;

const SENTENCES: Record<CallErrorCode, string> = {
  provider_unauthorized: 'did not accept the credentials of this server',
  model_unavailable: 'does not have the model',
  language_unsupported: 'does not support the language with this model',
  audio_unreadable: 'could not read the recording',
  provider_rate_limited: 'is overloaded',
  provider_unavailable: 'could not be reached or failed',
  provider_timeout: 'took too long to respond',
  provider_bad_response: 'sent a response that cannot be read',
};

/** The explanation for lack of credit, whose status is 402 or 429; the key itself is valid. */
const OUT_OF_CREDIT = 'has no credit or quota left for the account of this server';

const topUp = (provider: string): CaptionerErrorSuggestion => ({
  label: `Add credit to the ${nameOf(provider)} account of this server, or raise its limit`,
  description:
    'Only the operator of this server can do that. Until then, repeating the run does not help.',
});

const RETRYABLE: ReadonlySet<CallErrorCode> = new Set([
  'provider_rate_limited',
  'provider_unavailable',
  'provider_timeout',
]);

/** The failure of a call that returned unexpected JSON. */
export const unexpectedAnswer = (callee: Callee, answer?: unknown): StageFailure =>
  failureOf(
    callee,
    new CallError('provider_bad_response', callee.reveal ? { answer: asText(answer) } : {}),
  );

/** A response as text; empty if it is nested too deeply to be written. */
function asText(answer: unknown): string {
  try {
    return JSON.stringify(answer);
  } catch {
    return '';
  }
}

/**
 * The failure that reports an error to a caller.
 * @param headers those of the call, whose secrets are removed from the response if it is shown
 */
export function failureOf(
  { provider, model, reveal }: Callee,
  fault: CallError,
  headers: Record<string, string> = {},
): StageFailure {
  const { code, status, detail, answer } = fault;
  const wait = RETRYABLE.has(code) ? fault.retryAfterMs : undefined;
  const debug = {
    ...(status === undefined ? {} : { status }),
    ...(detail === undefined ? {} : { detail }),
    ...(reveal && answer !== undefined ? { raw: shown(answer, headers) } : {}),
  };
  return new StageFailure(
    {
      code,
      message: `${nameOf(provider)} ${fault.isOutOfCredit ? OUT_OF_CREDIT : SENTENCES[code]}.`,
      retryable: RETRYABLE.has(code),
      provider,
      ...(model === undefined ? {} : { model }),
      suggestions: [
        ...(fault.isOutOfCredit ? [topUp(provider)] : []),
        ...(wait === undefined
          ? []
          : [{ label: `Start the run again in ${Math.ceil(wait / 1000)} seconds` }]),
      ],
      ...(Object.keys(debug).length > 0 ? { debug } : {}),
    },
    {
      cause: fault,
      isFinal: true,
      said: status === undefined ? undefined : saidBy(answer ?? ''),
    },
  );
}

/** A response, parsed if it is JSON, and without the credentials that some services repeat in it. */
function shown(answer: string, headers: Record<string, string>): unknown {
  let text = answer;
  const { authorization = '' } = headers;
  for (const secret of [authorization, authorization.replace(/^\S+ /, '')]) {
    if (secret !== '') text = text.replaceAll(secret, '[redacted]');
  }
  // Cut last, since half a credential would not be recognised.
  text = text.slice(0, MAX_SHOWN);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The longest part of a refusal that is read, and the longest sentence that the log quotes, in characters. */
const MAX_READ = 16 * 1024;
const MAX_SAID = 200;
/** The words of error messages that the log quotes. Any other may be a key, or something that was sent. */
const ERROR_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be been before but by can cannot does for from has have in into is it its more must no not of
  on only or than that the this to too under was were will with you your
  access account active admin allowed api application audio authentication authorization authorized available bad balance
  bearer billing body busy capacity change channel channels check client concurrent contact content corrupt corrupted
  could country credential credentials credit credits currently daily data deactivated decode decoded decommissioned
  denied deprecated detected disabled does doesn't don't download duration empty enabled enough error exceed exceeded
  exceeds exhausted exist exists expired failed feature file files forbidden format found free funds gateway header
  however http hour incorrect input insufficient internal invalid key keys language languages large later length limit
  limited limits long malformed maximum media member method minute missing model models monthly negative network
  occurred organization overloaded paid parameter payment per permission permissions plan please process project
  provide provided quota rate reach reached read reason received recording region request requested requests required
  restricted retry revoked scope second seconds server service short size soon specified started support supported
  suspended temporarily then time timed timeout token tokens try type unable unauthorized unavailable unknown unpaid
  unrecognized unsupported upgrade upload usage use used user valid value verified wait while wrong`.split(
    /\s+/,
  ),
);

/**
 * The sentence in which a service refused a call, for the log: that of its error message, in which only the words of
 * ERROR_WORDS are left. Undefined if there is none.
 */
function saidBy(answer: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(answer.slice(0, MAX_READ));
  } catch {
    return undefined;
  }
  const error = field(value, 'error');
  return [
    field(error, 'message'),
    error,
    field(value, 'err_msg'),
    field(value, 'message'),
    field(field(field(value, 'errors'), '0'), 'message'),
  ]
    .find((each): each is string => typeof each === 'string')
    ?.split(/\s+/)
    .map((word) => (ERROR_WORDS.has(word.toLowerCase().replace(/[.,:;!]+$/, '')) ? word : '…'))
    .filter((word, at, words) => word !== '…' || words[at - 1] !== '…')
    .join(' ')
    .slice(0, MAX_SAID);
}
