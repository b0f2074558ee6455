/** Shared parts of remote providers: the name in failures, time-outs, and reading responses. */
import type { RemoteService } from '../../config.ts';
import { unexpectedAnswer, type Callee } from '../../remote/failures.ts';
import type { Waiting } from '../../waiting.ts';
import { isSpeech } from './payloads/words.ts';
import type { PieceTranscript, TranscriptionRequest } from '../provider.ts';

export interface RemoteSpeechOptions extends RemoteService {
  /** For one call, in addition to the time for the length of the recording. */
  timeoutMs: number;
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** The provider and model of a request. */
export const calleeOf = (
  provider: string,
  { model, includeRawResponse }: TranscriptionRequest,
  presetModel: string,
): Callee & { model: string } => ({
  provider,
  model: model ?? presetModel,
  reveal: includeRawResponse,
});

/**
 * A service responds in a fraction of the recording's length; a slow connection takes time to send
 * it.
 */
const TIMEOUT_SHARE = 0.25;

/** The time-out of a call about this many seconds of audio. */
export const audioTimeoutMs = (baseMs: number, seconds: number): number =>
  baseMs + seconds * 1000 * TIMEOUT_SHARE;

/**
 * The transcript in a response, with the raw response if it was requested.
 * @param heard null if the response could not be read
 * @throws {StageFailure} `provider_bad_response`, also for implausible words
 */
export function heardFrom(
  callee: Callee,
  answer: unknown,
  heard: PieceTranscript | null,
): PieceTranscript {
  if (!heard || !isSpeech(heard)) throw unexpectedAnswer(callee, answer);
  return callee.reveal ? { ...heard, raw: answer } : heard;
}
