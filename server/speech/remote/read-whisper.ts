/** Reads the answers of Whisper servers: OpenAI's verbose_json, with words beside the text, and those with words within segments. */
import type { PieceTranscript } from '../provider.ts';
import { serviceMetadata, transcriptWords, type RawWord } from './remote-provider.ts';
import { maybe, Type, validator, type Static } from '../../contract/schema.ts';
import { dropLoops } from '../host/words.ts';
import { punctuate } from './punctuate.ts';

/** A word, whose text and confidence have different names in different services. */
const Word = Type.Object({
  word: maybe(Type.String()),
  text: maybe(Type.String()),
  start: Type.Number(),
  end: Type.Number(),
  probability: maybe(Type.Number()),
  confidence: maybe(Type.Number()),
  score: maybe(Type.Number()),
});
type Word = Static<typeof Word>;

const Segment = Type.Object({
  text: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  words: maybe(Type.Array(Word)),
  avg_logprob: maybe(Type.Number()),
  compression_ratio: maybe(Type.Number()),
  no_speech_prob: maybe(Type.Number()),
});
type Segment = Static<typeof Segment>;

const Payload = Type.Object({
  text: Type.String(),
  words: maybe(Type.Array(Word)),
  segments: maybe(Type.Array(Segment)),
  language: maybe(Type.String()),
  transcription_info: maybe(Type.Object({ language: maybe(Type.String()) })),
});

/** Whisper's own threshold for a loop; repetitive text compresses better. */
const LOOP_RATIO = 2.4;
/** Whisper's own thresholds for text without speech. */
const NO_SPEECH = 0.6;
const UNSURE_LOGPROB = -1;

/**
 * Reads a response; null if it is invalid or has no times.
 * @param shift the start of the sent audio within the recording, in seconds
 */
export function readWhisper(payload: unknown, shift = 0): PieceTranscript | null {
  if (!validator(Payload).check(payload)) return null;
  const { text, words, segments, transcription_info } = payload;
  const spoken = (segments ?? []).filter((segment) => !isSilence(segment));
  const raw = spoken.some((segment) => segment.words?.length)
    ? spoken.flatMap(wordsOfSegment)
    : words?.length
      ? punctuate(words.map(rawWord), text)
      : spoken.flatMap(wordsOfSegment);
  const silent = segments?.length ? spoken.length === 0 : text.trim() === '';
  if (raw.length === 0 && !silent) return null;
  const detectedLanguage = payload.language ?? transcription_info?.language;
  return {
    words: transcriptWords(raw, shift),
    metadata: serviceMetadata({ detectedLanguage }),
  };
}

const isSilence = ({ no_speech_prob, avg_logprob }: Segment): boolean =>
  (no_speech_prob ?? 0) > NO_SPEECH && (avg_logprob ?? 0) < UNSURE_LOGPROB;

function wordsOfSegment(segment: Segment): RawWord[] {
  const words = segment.words?.length ? segment.words.map(rawWord) : sharedOut(segment);
  return (segment.compression_ratio ?? 0) > LOOP_RATIO ? dropLoops(words) : words;
}

const rawWord = ({ word, text, start, end, probability, confidence, score }: Word): RawWord => ({
  text: word ?? text ?? '',
  start,
  end,
  confidence: probability ?? confidence ?? score,
});

/** Divides the time of a segment without words among its text in proportion to the characters. */
function sharedOut({ text, start, end }: Segment): RawWord[] {
  const texts = text.split(/\s+/).filter((word) => word !== '');
  const each = (end - start) / Math.max(1, texts.join('').length);
  let at = start;
  return texts.map((word) => {
    const begins = at;
    at += each * word.length;
    return { text: word, start: begins, end: at };
  });
}
