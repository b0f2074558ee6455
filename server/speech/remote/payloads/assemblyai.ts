/** Reads AssemblyAI's transcript object (/v2/transcript/{id}), whose times are whole milliseconds. */
import { maybe, Type, validator } from '../../../contract/schema.ts';
import type { PieceTranscript } from '../../provider.ts';
import { groupStarts, serviceMetadata, transcriptWords } from './words.ts';

const Word = Type.Object({
  text: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  confidence: maybe(Type.Number()),
  speaker: maybe(Type.String()),
});

/** The state of a transcript. */
export const AssemblyAiStatus = Type.Object({
  id: Type.String(),
  status: Type.String(),
  error: maybe(Type.String()),
});

const Payload = Type.Object({
  id: Type.String(),
  text: maybe(Type.String()),
  words: maybe(Type.Array(Word)),
  utterances: maybe(Type.Array(Type.Object({ words: Type.Array(Type.Unknown()) }))),
  audio_duration: maybe(Type.Number()),
  language_code: maybe(Type.String()),
  /** The model, out of `speech_models`, that transcribed the recording. */
  speech_model_used: maybe(Type.String()),
});

/** Reads a completed transcript; null if it is invalid or incomplete. */
export function readAssemblyAi(payload: unknown): PieceTranscript | null {
  if (!validator(Payload).check(payload)) return null;
  const heard = payload.words ?? [];
  if (heard.length === 0 && (payload.text ?? '').trim() !== '') return null;
  const words = transcriptWords(
    heard.map((word) => ({ ...word, start: word.start / 1000, end: word.end / 1000 })),
  );
  const lengths = payload.utterances?.map((utterance) => utterance.words.length);
  return {
    words,
    utterances: groupStarts(lengths, heard, words),
    duration: payload.audio_duration ?? undefined,
    metadata: serviceMetadata({
      transcriptId: payload.id,
      model: payload.speech_model_used,
      detectedLanguage: payload.language_code,
    }),
  };
}
