/**
 * Shared parts of remote providers: their names in failures, time-outs, responses and their words, and recordings sent
 * whole.
 */
import type { RemoteService } from '../../remote/service-settings.ts';
import { unexpectedAnswer, type Callee } from '../../remote/call-failure.ts';
import type { ServiceDescription } from '../../remote/call.ts';
import type { Waiting } from '../../base/concurrency.ts';
import type {
  PieceTranscript,
  SpeechProvider,
  TranscriptionRequest,
  Piece,
  PieceContext,
  TranscriptionPlan,
} from '../provider.ts';
import { uncounted } from '../../base/compute.ts';
import { buildTranscript } from '../seams.ts';
import { indexMp3, type AudioSource } from '../../mp3/frames.ts';
import { wholeMilliseconds, type TranscriptWord } from '../../contract/results.ts';
import { SPEECH } from '../../contract/limits.ts';

/** What a transcription service is created with. */
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
export async function* sendingAudio(
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

/** A word as read from a payload, with times in seconds of the sent audio. */
export interface RawWord {
  text: string;
  start: number;
  end: number;
  confidence?: number | null | undefined;
  speaker?: string | number | null | undefined;
}

/**
 * Removes spaces around words and floating-point noise (0.79999995 becomes 0.8).
 * @param shift the start of the sent audio within the recording, in seconds
 */
export function transcriptWords(words: readonly RawWord[], shift = 0): TranscriptWord[] {
  return words.flatMap(({ text, start, end, confidence, speaker }) => {
    const shown = text.trim();
    if (shown === '') return [];
    const from = Math.max(0, wholeMilliseconds(start + shift));
    return [
      {
        text: shown,
        start: from,
        end: Math.max(from, wholeMilliseconds(end + shift)),
        ...(typeof confidence === 'number'
          ? { confidence: Math.min(1, Math.max(0, confidence)) }
          : {}),
        ...(speaker === null || speaker === undefined ? {} : { speaker: String(speaker) }),
      },
    ];
  });
}

/** The indexes at which groups of the transcript's words begin; none if the groups do not cover all words. */
export function groupStarts(
  lengths: readonly number[] | undefined,
  heard: readonly unknown[],
  words: readonly TranscriptWord[],
): number[] | undefined {
  if (!lengths || words.length !== heard.length || words.length === 0) return undefined;
  let next = 0;
  const starts = lengths.map((length) => (next += length) - length);
  return next === words.length ? starts : undefined;
}

/** The longest speaker name, and the longest metadata value of a service, in characters. */
const MAX_FACT = 200;

/**
 * Whether a service's transcript is plausible: a limited number of words of limited length, at times that a recording
 * can have. All later stages rely on that.
 */
const isSpeech = ({ words, duration = 0 }: PieceTranscript): boolean =>
  words.length <= SPEECH.maxWords &&
  duration <= SPEECH.maxSeconds &&
  words.every(
    ({ text, end, speaker = '' }) =>
      text.length <= SPEECH.maxWordChars && speaker.length <= MAX_FACT && end <= SPEECH.maxSeconds,
  );

/** The metadata of a service, without missing values. */
export const serviceMetadata = (
  facts: Record<string, string | null | undefined>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && entry[1].length <= MAX_FACT,
    ),
  );
