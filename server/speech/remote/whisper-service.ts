/** A service that transcribes pieces of an MP3, and what it is asked. */
import type { Callee } from '../../remote/call-failure.ts';
import type { KeytermLimit } from '../../terminology/packs/keyterms.ts';
import type { Waiting } from '../../base/concurrency.ts';
import type { TranscriptionRequest } from '../provider.ts';

/** A service that transcribes pieces of MP3. */
export interface WhisperService {
  /** The name in metadata.models. */
  engine: 'workers-ai' | 'openai-compatible';
  /** The default model. */
  model: string;
  /** The key term limits of a model (default: Whisper's prompt). */
  keytermLimit?(model: string): KeytermLimit;
  /** Transcribes a piece. @throws {StageFailure} any failure of the call */
  recognise(bytes: Uint8Array, question: RecognitionRequest): Promise<unknown>;
}

export interface RecognitionRequest {
  callee: Callee & { model: string };
  request: TranscriptionRequest;
  /** ISO 639-1, the codes that Whisper uses. */
  language: string;
  /** Key terms as a prompt; absent if there are none. */
  prompt?: string;
  timeoutMs: number;
  signal: AbortSignal;
  waiting: Waiting | undefined;
}
