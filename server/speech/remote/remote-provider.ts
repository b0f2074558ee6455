/** Shared parts of remote providers: the name in failures, time-outs, and reading responses. */
import type { RemoteService } from '../../config/services.ts';
import { unexpectedAnswer, type Callee } from '../../remote/failures.ts';
import type { ServiceDescription } from '../../remote/service.ts';
import type { Waiting } from '../../waiting.ts';
import { isSpeech } from './payloads/words.ts';
import type { PieceTranscript, SpeechProvider, TranscriptionRequest } from '../provider.ts';

export interface RemoteSpeechOptions extends RemoteService {
  /** For one call, in addition to the time for the length of the recording. */
  timeoutMs: number;
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** A transcription service: all that the program knows of it. */
export interface SpeechService extends ServiceDescription {
  /** Makes its provider. Nothing is sent before the first use. */
  create(options: RemoteSpeechOptions): SpeechProvider;
}

/** The provider and model a request goes to. */
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
