/** Deepgram's answer to /v1/listen; Workers AI answers the same for nova-3. */
import { maybe, Type, validator, type Static } from '../../contract/schema.ts';
import type { PieceTranscript } from '../provider.ts';
import { startsOf, transcriptWords } from './words.ts';

const Word = Type.Object({
  word: Type.String(),
  /** Not there without smart_format or punctuate, nor from Workers AI. */
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
      { minItems: 1 },
    ),
    utterances: maybe(Type.Array(Type.Object({ words: Type.Array(Type.Unknown()) }))),
  }),
});
type Payload = Static<typeof Payload>;

/**
 * Reads an answer; null where it is none, or only half of one.
 * @param shift in seconds, where what was sent begins in the recording
 */
export function readDeepgram(payload: unknown, shift = 0): PieceTranscript | null {
  if (!validator(Payload).check(payload)) return null;
  const [channel] = payload.results.channels;
  const [best] = channel?.alternatives ?? [];
  const heard = best?.words ?? [];
  // Text without a time for any of its words cannot be captioned.
  if (heard.length === 0 && best !== undefined && best.transcript.trim() !== '') return null;
  const words = transcriptWords(
    heard.map(({ word, punctuated_word, ...rest }) => ({ ...rest, text: punctuated_word ?? word })),
    shift,
  );
  const groups = (lengths: number[] | undefined) =>
    lengths && words.length === heard.length ? startsOf(lengths, words.length) : undefined;
  return {
    words,
    utterances: groups(payload.results.utterances?.map((utterance) => utterance.words.length)),
    paragraphs: groups(best?.paragraphs?.paragraphs.map((paragraph) => paragraph.num_words)),
    duration: payload.metadata?.duration,
    metadata: describe(payload, channel?.detected_language),
  };
}

function describe({ metadata }: Payload, detectedLanguage: string | undefined) {
  const [info] = Object.values(metadata?.model_info ?? {});
  return {
    ...(metadata?.request_id === undefined ? {} : { requestId: metadata.request_id }),
    ...(info?.name === undefined ? {} : { modelName: info.name }),
    ...(info?.version === undefined ? {} : { modelVersion: info.version }),
    ...(detectedLanguage === undefined ? {} : { detectedLanguage }),
  };
}
