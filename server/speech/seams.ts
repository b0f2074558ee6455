/**
 * Builds a whole transcript: joins transcripts of overlapping audio without losing, repeating or cutting words, into
 * utterances, paragraphs and running text.
 */
import type { TranscriptWord, Transcript, TranscriptSpan } from '../contract/results.ts';
import { joinWords } from '../captions/width.ts';
import type { SpeechProvider } from './provider.ts';
import { endsSentence } from '../captions/punctuation.ts';

/** The times of the same word differ by at most so many seconds between the two transcripts. */
const JITTER = 0.4;
/** A word at most so many seconds from the start or end of a transcript may have been cut. */
const EDGE = 0.35;
/** The cost of a word that the other transcript does not have, in seconds of distance. */
const ALONE = JITTER;

/** A transcribed stretch of audio with its words, in seconds. */
export interface TranscribedStretch {
  start: number;
  end: number;
  words: TranscriptWord[];
}

/** Joins stretches in order; each may overlap the next. */
export function joinStretches(stretches: readonly TranscribedStretch[]): TranscriptWord[] {
  let words: TranscriptWord[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const stretch of stretches) {
    words =
      stretch.start < end
        ? joinAt(words, stretch.words, stretch.start, end)
        : [...words, ...stretch.words];
    end = Math.max(end, stretch.end);
  }
  return words;
}

/**
 * Joins two lists over the time they share. If both contain the same word they are joined there, preferably near the
 * middle, since words at the edges may be cut; otherwise they are joined between words near the middle, and a list that
 * stops before the middle is continued by the other.
 */
function joinAt(
  left: readonly TranscriptWord[],
  right: readonly TranscriptWord[],
  from: number,
  to: number,
): TranscriptWord[] {
  const middle = (from + to) / 2;
  const match = bestMatch(left, right, from, to, middle);
  if (match) return [...left.slice(0, match.left + 1), ...right.slice(match.right + 1)];
  const kept = left.filter((word) => centre(word) < middle);
  const added = right.filter((word) => centre(word) >= middle);
  const heardUntil = kept.at(-1)?.end ?? from;
  const heardFrom = added[0]?.start ?? to;
  const before = right.filter(
    (word) => centre(word) < middle && word.start >= Math.max(heardUntil, from + EDGE / 2),
  );
  const after = left.filter(
    (word) => centre(word) >= middle && word.end <= Math.min(heardFrom, to - EDGE / 2),
  );
  const first = [...kept, ...before, ...after];
  return [...first, ...withoutDouble(first.at(-1), added)];
}

const centre = (word: TranscriptWord): number => (word.start + word.end) / 2;

/** The positions of the same word in two lists. */
interface Pair {
  left: number;
  right: number;
  /** The middle of both, and the distance between them, in seconds. */
  at: number;
  apart: number;
}

/** The best pair at which to join: near the middle, with matching times. */
function bestMatch(
  left: readonly TranscriptWord[],
  right: readonly TranscriptWord[],
  from: number,
  to: number,
  middle: number,
): Pick<Pair, 'left' | 'right'> | null {
  const firstLeft = left.findIndex((word) => word.end > from);
  const firstRight = right.findIndex((word) => word.start - from >= EDGE / 2);
  if (firstLeft < 0 || firstRight < 0) return null;
  const lastLeft = left.findLastIndex((word) => to - word.end >= EDGE / 2);
  const lastRight = right.findLastIndex((word) => word.start < to);
  const pairs = aligned(
    left.slice(firstLeft, lastLeft + 1),
    right.slice(firstRight, lastRight + 1),
  );
  const score = ({ at, apart }: Pair) => Math.abs(at - middle) + 3 * apart;
  const [best] = pairs.toSorted((a, b) => score(a) - score(b));
  return best ? { left: firstLeft + best.left, right: firstRight + best.right } : null;
}

/**
 * The pairs of equal words, in order, with the lowest total of time differences and of words without a partner
 * (Needleman and Wunsch). For a word that is repeated several times, the distance alone would be ambiguous.
 */
function aligned(left: readonly TranscriptWord[], right: readonly TranscriptWord[]): Pair[] {
  // costs[l][r] is the lowest cost for the first l words and the first r words.
  const costs = [[0, ...right.map((_, r) => (r + 1) * ALONE)]];
  for (const [l, a] of left.entries()) {
    const above = costs[l]!;
    const row = [(l + 1) * ALONE];
    for (const [r, b] of right.entries()) {
      const alone = Math.min(row[r] ?? 0, above[r + 1] ?? 0) + ALONE;
      row.push(Math.min(alone, (above[r] ?? 0) + apart(a, b)));
    }
    costs.push(row);
  }
  const pairs: Pair[] = [];
  let [l, r] = [left.length, right.length];
  for (let [a, b] = [left[l - 1], right[r - 1]]; a && b; [a, b] = [left[l - 1], right[r - 1]]) {
    const cost = costs[l]?.[r] ?? 0;
    if (cost === (costs[l - 1]?.[r - 1] ?? 0) + apart(a, b)) {
      l -= 1;
      r -= 1;
      pairs.push({ left: l, right: r, at: (centre(a) + centre(b)) / 2, apart: apart(a, b) });
    } else if (cost === (costs[l - 1]?.[r] ?? 0) + ALONE) l -= 1;
    else r -= 1;
  }
  return pairs;
}

/** The seconds between the centres of two occurrences of a word; infinite if they cannot be the same. */
function apart(a: TranscriptWord, b: TranscriptWord): number {
  const seconds = Math.abs(centre(a) - centre(b));
  const same = seconds <= JITTER && normalized(a) === normalized(b);
  return same ? seconds : Number.POSITIVE_INFINITY;
}

const normalized = (word: TranscriptWord): string =>
  word.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Removes a word at the join if the other side has the same audio as a different word. */
function withoutDouble(
  last: TranscriptWord | undefined,
  added: readonly TranscriptWord[],
): readonly TranscriptWord[] {
  const [first] = added;
  if (!last || !first) return added;
  const shared = Math.min(last.end, first.end) - Math.max(last.start, first.start);
  const shorter = Math.min(last.end - last.start, first.end - first.start);
  return shared > shorter / 2 ? added.slice(1) : added;
}

// Reports words in order as they become final, although windows are recognised in any order.

/** A recognised window. */
interface RecognizedWindow extends TranscribedStretch {
  /** A later window can replace its words from this second on; infinite if none can. */
  until: number;
}

/**
 * Creates a function that takes each window with its number (0, 1, 2 …), in any order, and passes on the words that no
 * later window can change, in order of time and without repeating any where windows overlap.
 */
export function createFinalWords(
  report: (words: TranscriptWord[]) => void,
): (number: number, window: RecognizedWindow) => void {
  const waiting = new Map<number, RecognizedWindow>();
  let next = 0;
  let pending: TranscribedStretch | null = null;

  const advance = ({ until, ...window }: RecognizedWindow): void => {
    const words = pending ? joinStretches([pending, window]) : window.words;
    const isFinal = (word: TranscriptWord) => (word.start + word.end) / 2 < until;
    const final = words.filter(isFinal);
    pending = { ...window, words: words.filter((word) => !isFinal(word)) };
    if (final.length > 0) report(final);
  };

  return (number, window) => {
    waiting.set(number, window);
    for (let found = waiting.get(next); found; found = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      advance(found);
    }
  };
}

/** A silence that ends an utterance, in seconds. */
const UTTERANCE_PAUSE = 0.8;
/** A silence that ends a paragraph, in seconds. */
const PARAGRAPH_PAUSE = 2;
/** A paragraph also ends after this many sentences. */
const PARAGRAPH_SENTENCES = 5;

interface TranscriptFacts {
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
