/** Reads Deepgram's response to /v1/listen, which Workers AI uses for nova-3 too. */
import { maybe, Type, validator } from '../../../contract/schema.ts';
import type { PieceTranscript } from '../../provider.ts';
import { groupStarts, serviceMetadata, transcriptWords } from './words.ts';

const Word = Type.Object({
  word: Type.String(),
  /** Absent without smart_format or punctuate, and from Workers AI. */
  punctuated_word: maybe(Type.String()),
  start: Type.Number(),
  end: Type.Number(),
  confidence: maybe(Type.Number()),
  speaker: maybe(Type.Union([Type.Number(), Type.String()])),
});

const Alternative = Type.Object({
  transcript: Type.String(),
  words: maybe(Type.Array(Word)),
  paragraphs: maybe(
    Type.Object({ paragraphs: Type.Array(Type.Object({ num_words: Type.Integer() })) }),
  ),
});

const Payload = Type.Object({
  metadata: Type.Optional(
    Type.Object({
      request_id: Type.Optional(Type.String()),
      duration: Type.Optional(Type.Number()),
      model_info: Type.Optional(
        Type.Record(
          Type.String(),
          Type.Object({
            name: Type.Optional(Type.String()),
            version: Type.Optional(Type.String()),
          }),
        ),
      ),
    }),
  ),
  results: Type.Object({
    channels: Type.Array(
      Type.Object({
        alternatives: Type.Array(Alternative),
        detected_language: Type.Optional(Type.String()),
      }),
    ),
    utterances: maybe(Type.Array(Type.Object({ words: Type.Array(Type.Unknown()) }))),
  }),
});

/**
 * Reads a response; null if it is invalid or incomplete.
 * @param shift the start of the sent audio within the recording, in seconds
 */
export function readDeepgram(payload: unknown, shift = 0): PieceTranscript | null {
  if (!validator(Payload).check(payload)) return null;
  const [channel] = payload.results.channels;
  if (!channel) return null;
  const [best] = channel.alternatives;
  const heard = best?.words ?? [];
  // Text without times cannot be captioned.
  if (heard.length === 0 && best !== undefined && best.transcript.trim() !== '') return null;
  const words = transcriptWords(
    heard.map(({ word, punctuated_word, ...rest }) => ({ ...rest, text: punctuated_word ?? word })),
    shift,
  );
  const utterances = payload.results.utterances?.map((utterance) => utterance.words.length);
  const paragraphs = best?.paragraphs?.paragraphs.map((paragraph) => paragraph.num_words);
  const { metadata } = payload;
  const [info] = Object.values(metadata?.model_info ?? {});
  return {
    words,
    utterances: groupStarts(utterances, heard, words),
    paragraphs: groupStarts(paragraphs, heard, words),
    duration: metadata?.duration,
    metadata: serviceMetadata({
      requestId: metadata?.request_id,
      modelName: info?.name,
      modelVersion: info?.version,
      detectedLanguage: channel.detected_language,
    }),
  };
}
