/** Builds a whole transcript from words: utterances, paragraphs and running text. It is the same for every provider. */
import { endsSentence } from '../captions/punctuation.ts';
import { joinWords } from '../captions/width.ts';
import type { Transcript, TranscriptSpan, TranscriptWord } from '../contract/results.ts';
import type { SpeechProvider } from './provider.ts';
import { joinStretches } from './seams.ts';

/** A silence that ends an utterance, in seconds. */
const UTTERANCE_PAUSE = 0.8;
/** A silence that ends a paragraph, in seconds. */
const PARAGRAPH_PAUSE = 2;
/** A paragraph also ends after this many sentences. */
const PARAGRAPH_SENTENCES = 5;

export interface TranscriptFacts {
  language: string;
  duration: number;
  /** The indexes of the words that begin an utterance, if known; otherwise they follow from pauses and speakers. */
  utterances?: readonly number[] | undefined;
  /** The same for paragraphs. */
  paragraphs?: readonly number[] | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Builds a transcript from words in order; the same words always give the same transcript. */
export function buildTranscript(
  words: readonly TranscriptWord[],
  { language, duration, utterances, paragraphs, metadata }: TranscriptFacts,
): Transcript {
  const pause = (at: number) => words[at]!.start - words[at - 1]!.end;
  const speakerChanges = (at: number) => words[at]?.speaker !== words[at - 1]?.speaker;
  let sentences = 0;
  return {
    language,
    duration,
    words: [...words],
    utterances: spans(
      words,
      among(utterances) ?? ((at) => pause(at) >= UTTERANCE_PAUSE || speakerChanges(at)),
    ),
    paragraphs: spans(words, among(paragraphs) ?? endsParagraph),
    text: joinWords(words.map((word) => word.text)),
    ...(metadata ? { metadata } : {}),
  };

  function endsParagraph(at: number): boolean {
    if (endsSentence(words[at - 1]!.text)) sentences += 1;
    const ends =
      pause(at) >= PARAGRAPH_PAUSE || speakerChanges(at) || sentences >= PARAGRAPH_SENTENCES;
    if (ends) sentences = 0;
    return ends;
  }
}

function among(starts: readonly number[] | undefined): ((index: number) => boolean) | null {
  if (!starts || starts.length === 0) return null;
  const known = new Set(starts);
  return (index) => known.has(index);
}

function spans(
  words: readonly TranscriptWord[],
  beginsAt: (index: number) => boolean,
): TranscriptSpan[] {
  const starts = words.flatMap((_, at) => (at === 0 || beginsAt(at) ? [at] : []));
  return starts.map((firstWord, at) => {
    const lastWord = (starts[at + 1] ?? words.length) - 1;
    const part = words.slice(firstWord, lastWord + 1);
    const speaker = part[0]?.speaker;
    return {
      text: joinWords(part.map((word) => word.text)),
      start: part[0]!.start,
      end: part.at(-1)!.end,
      firstWord,
      lastWord,
      ...(speaker === undefined ? {} : { speaker }),
    };
  });
}

// Merges separately recognised pieces of a recording into one transcript.

/** Joins the pieces at their seams. The service metadata is that of the first piece. */
export const mergePieces: SpeechProvider['merge'] = (plan, pieces, { language }) => {
  const words = joinStretches(
    pieces.map(({ words }, at) => ({
      start: plan.pieces[at]!.start,
      end: plan.pieces[at]!.end,
      words,
    })),
  );
  return buildTranscript(words, {
    language,
    duration: Math.max(plan.duration, words.at(-1)?.end ?? 0),
    metadata: pieces[0]?.metadata,
  });
};
