/** Transcribes a recording with a provider, as a run does. */
import type { AudioSource } from '../../server/mp3/frames.ts';
import type {
  PieceContext,
  PieceTranscript,
  SpeechProvider,
  TranscriptionRequest,
} from '../../server/speech/provider.ts';

/** Plans, transcribes and merges, part by part, with everything in between stored as JSON. */
export async function transcribed(
  speech: SpeechProvider,
  audio: AudioSource,
  request: Partial<TranscriptionRequest> = {},
  context: Partial<PieceContext> = {},
) {
  const asked: TranscriptionRequest = {
    language: 'en',
    keyterms: [],
    chunkBytes: 5_242_880,
    includeRawResponse: false,
    ...request,
  };
  const around = { signal: new AbortController().signal, progress: () => {}, ...context };
  const plan = stored(await speech.plan(audio, asked, around));
  while (plan.next !== undefined && speech.planMore) {
    const { pieces, next } = await speech.planMore(audio, plan, asked, around);
    plan.pieces.push(...pieces);
    plan.next = next;
  }
  const pieces: PieceTranscript[] = [];
  for (const piece of plan.pieces) {
    pieces.push(stored(await speech.transcribe(audio, piece, asked, around)));
  }
  return { plan, pieces, transcript: speech.merge(plan, pieces, asked) };
}

const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value));
