/** Shared parts of remote providers: their names in failures, time-outs, and reading responses. */
import type { RemoteService } from '../../config/services.ts';
import { unexpectedAnswer, type Callee } from '../../remote/failures.ts';
import type { ServiceDescription } from '../../remote/service.ts';
import type { Waiting } from '../../waiting.ts';
import { isSpeech } from './payloads/words.ts';
import type { PieceTranscript, SpeechProvider, TranscriptionRequest } from '../provider.ts';

export interface RemoteSpeechOptions extends RemoteService {
  /** The time-out of one call, in addition to the time for the length of the recording. */
  timeoutMs: number;
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** A transcription service, with everything that the program knows about it. */
export interface SpeechService extends ServiceDescription {
  /** Creates its provider. Nothing is sent before the first use. */
  create(options: RemoteSpeechOptions): SpeechProvider;
}

/** The provider and model to which a request goes. */
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
 * The share of the recording's length that is added to the time-out. A service responds in a fraction of that length,
 * but a slow connection takes time to send the recording.
 */
const TIMEOUT_SHARE = 0.25;

/** The time-out of a call about this many seconds of audio. */
export const audioTimeoutMs = (baseMs: number, seconds: number): number =>
  baseMs + seconds * 1000 * TIMEOUT_SHARE;

/**
 * The transcript in a response, with the raw response if it was requested.
 * @param heard the transcript; null if the response could not be read
 * @throws {StageFailure} `provider_bad_response`, also for implausible words
 */
export function checkedTranscript(
  callee: Callee,
  answer: unknown,
  heard: PieceTranscript | null,
): PieceTranscript {
  if (!heard || !isSpeech(heard)) throw unexpectedAnswer(callee, answer);
  return callee.reveal ? { ...heard, raw: answer } : heard;
}
