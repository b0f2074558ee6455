/**
 * The faults of a call as failures a caller can act on. Nothing of a key or of what was sent or
 * answered gets into a message.
 */
import { StageFailure, type CaptionerErrorSuggestion } from '../contract/failure.ts';
import { RemoteFault, type FaultCode } from './faults.ts';

/** Who is called: what a failure tells of. */
export interface Callee {
  /** Names on the wire. */
  provider: string;
  model?: string | undefined;
  /** Put what the service answered into the debug of a failure: whoever made the payload wants it. */
  reveal?: boolean | undefined;
}

/** Most of an answer that a failure shows, in characters. */
const MAX_SHOWN = 64 * 1024;

const SENTENCES: Record<FaultCode, string> = {
  provider_unauthorized: 'did not accept the credentials of this server',
  model_unavailable: 'does not have the model',
  language_unsupported: 'does not speak the language with this model',
  audio_unreadable: 'could not read the recording',
  provider_rate_limited: 'has too much to do',
  provider_unavailable: 'could not be reached or failed',
  provider_timeout: 'took too long to answer',
  provider_bad_response: 'gave an answer that cannot be read',
};

/** A refusal for want of credit comes as 402 or 429; the key itself is good. */
const OUT_OF_CREDIT = 'has no credit or quota left for the account of this server';

const topUp = (provider: string): CaptionerErrorSuggestion => ({
  label: `Add credit to the ${provider} account of this server, or raise its limit`,
  description:
    'Only the operator of this server can do that. Repeating the run does not help before.',
});

const RETRYABLE: ReadonlySet<FaultCode> = new Set([
  'provider_rate_limited',
  'provider_unavailable',
  'provider_timeout',
]);

/** The failure of a call whose JSON is not what the service should answer. */
export const unexpectedAnswer = (callee: Callee, answer: unknown): StageFailure =>
  failureOf(
    callee,
    new RemoteFault('provider_bad_response', callee.reveal ? { answer: asText(answer) } : {}),
  );

/** An answer as text; nothing of one that is nested too deep to be written. */
function asText(answer: unknown): string {
  try {
    return JSON.stringify(answer);
  } catch {
    return '';
  }
}

/**
 * The failure that a fault is to a caller.
 * @param headers of the call; none of their secrets gets into what is shown of an answer
 */
export function failureOf(
  { provider, model, reveal }: Callee,
  fault: RemoteFault,
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
      message: `${provider} ${fault.isOutOfCredit ? OUT_OF_CREDIT : SENTENCES[code]}.`,
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

/** An answer as it came, JSON where it is, without the credentials that some services repeat. */
function shown(answer: string, headers: Record<string, string>): unknown {
  let text = answer.slice(0, MAX_SHOWN);
  const { authorization = '' } = headers;
  for (const secret of [authorization, authorization.replace(/^\S+ /, '')]) {
    if (secret !== '') text = text.replaceAll(secret, '[redacted]');
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
