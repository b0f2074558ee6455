/**
 * Converts errors of calls into failures on which a caller can act. Messages never contain keys, or data that was sent
 * or received.
 */
import { StageFailure, type CaptionerErrorSuggestion } from '../contract/failure.ts';
import { CallError, type CallErrorCode } from './call-error.ts';

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
    { cause: fault, isFinal: true },
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
