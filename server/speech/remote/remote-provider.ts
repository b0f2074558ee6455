/** What remote providers share: whom a failure names, how long a call may take, what is kept of an answer. */
import type { RemoteService } from '../../config.ts';
import { unexpectedAnswer, type Callee } from '../../remote/failures.ts';
import type { Waiting } from '../../waiting.ts';
import { isSpeech } from './payloads/words.ts';
import type { PieceTranscript, TranscriptionRequest } from '../provider.ts';

export interface RemoteSpeechOptions extends RemoteService {
  /** For one call, beside what the length of the recording adds. */
  timeoutMs: number;
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** Whom a request is put to. */
export const calleeOf = (
  provider: string,
  { model, includeRawResponse }: TranscriptionRequest,
  presetModel: string,
): Callee & { model: string } => ({
  provider,
  model: model ?? presetModel,
  reveal: includeRawResponse,
});

/** A service answers in a fraction of a recording's length; a slow line takes its time to send it. */
const TIMEOUT_SHARE = 0.25;

/** How long a call about so many seconds of audio may take. */
export const audioTimeoutMs = (baseMs: number, seconds: number): number =>
  baseMs + seconds * 1000 * TIMEOUT_SHARE;

/**
 * What was read of an answer, with the answer itself where it was asked for.
 * @param heard null: the answer could not be read
 * @throws {StageFailure} `provider_bad_response`, also for words that no recording has
 */
export function heardFrom(
  callee: Callee,
  answer: unknown,
  heard: PieceTranscript | null,
): PieceTranscript {
  if (!heard || !isSpeech(heard)) throw unexpectedAnswer(callee, answer);
  return callee.reveal ? { ...heard, raw: answer } : heard;
}
