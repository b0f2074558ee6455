/**
 * Converts errors of calls into failures on which a caller can act. Messages never contain keys, or data that was sent
 * or received.
 */
import {
  type CallErrorCode,
  StageFailure,
  type CaptionerErrorSuggestion,
} from '../contract/failure.ts';
import { CallError, field } from './call-error.ts';

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
  deepl: 'DeepL',
  edge: 'The edge provider',
  google: 'Google',
  groq: 'Groq',
  libretranslate: 'LibreTranslate',
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

/** The explanation for lack of credit, whose status is 402, 429 or 456; the key itself is valid. */
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
    .map((word) => (ERROR_WORDS.has(word.toLowerCase().replace(/[.,:;!]{1,3}$/, '')) ? word : '…'))
    .filter((word, at, words) => word !== '…' || words[at - 1] !== '…')
    .join(' ')
    .slice(0, MAX_SAID);
}
