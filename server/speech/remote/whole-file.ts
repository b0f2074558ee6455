/** Shared parts of providers that accept a whole recording as one piece. */
import { uncounted } from '../../compute.ts';
import { buildTranscript } from '../transcript.ts';
import { indexMp3, type AudioSource } from '../../mp3/frames.ts';
import type {
  Piece,
  PieceContext,
  PieceTranscript,
  SpeechProvider,
  TranscriptionPlan,
} from '../provider.ts';

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
