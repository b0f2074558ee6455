/** Shared parts of remote providers: their names in failures, time-outs, responses, and recordings sent whole. */
import type { RemoteService } from '../../config/services.ts';
import { unexpectedAnswer, type Callee } from '../../remote/call-error.ts';
import type { ServiceDescription } from '../../remote/service.ts';
import type { Waiting } from '../../waiting.ts';
import { isSpeech } from './recognised-words.ts';
import type {
  PieceTranscript,
  SpeechProvider,
  TranscriptionRequest,
  Piece,
  PieceContext,
  TranscriptionPlan,
} from '../provider.ts';
import { uncounted } from '../../compute.ts';
import { buildTranscript } from '../transcript.ts';
import { indexMp3, type AudioSource } from '../../mp3/frames.ts';

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

/** Plans a recording as one piece. @throws {StageFailure} `audio_unreadable` */
export async function planWhole(
  audio: AudioSource,
  { signal, compute = uncounted }: PieceContext,
  engine: TranscriptionPlan['engine'],
): Promise<TranscriptionPlan & { pieces: [Piece] }> {
  const { duration } = await compute(() => indexMp3(audio, signal));
  return { duration, pieces: [{ index: 0, start: 0, end: duration }], engine };
}

/** The share of the reported progress that sending takes up. */
const SENDING_SHARE = 0.5;

/** The bytes of a recording, with progress as they are sent. */
export async function* sending(
  audio: AudioSource,
  progress: (fraction: number) => void,
): AsyncIterable<Uint8Array> {
  let sent = 0;
  for await (const chunk of audio.read()) {
    yield chunk;
    sent += chunk.byteLength;
    progress((sent / audio.size) * SENDING_SHARE);
  }
}

/** The transcript of the only piece. */
export const mergeWhole: SpeechProvider['merge'] = (plan, [heard], { language }) =>
  buildTranscript(heard?.words ?? [], {
    language,
    duration: Math.max(heard?.duration ?? plan.duration, lastMoment(heard)),
    utterances: heard?.utterances,
    paragraphs: heard?.paragraphs,
    metadata: heard?.metadata,
  });

const lastMoment = (heard: PieceTranscript | undefined): number => heard?.words.at(-1)?.end ?? 0;
