/** Two hearings of overlapping audio → one list of words: none lost, doubled or cut. Pure. */
import type { TranscriptWord } from '../contract/transcript.ts';

/** The same word may be heard this much earlier or later in the other hearing, in seconds. */
const JITTER = 0.4;
/** A word this close to where a hearing begins or ends may have been cut there, in seconds. */
const EDGE = 0.35;
/** What a word costs that the other hearing does not have, in seconds apart. */
const ALONE = JITTER;

/** What was heard in a stretch, and the stretch itself; seconds. */
export interface Hearing {
  start: number;
  end: number;
  words: TranscriptWord[];
}

/** Joins hearings in order; each may overlap the next. */
export function joinHearings(hearings: readonly Hearing[]): TranscriptWord[] {
  let words: TranscriptWord[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const hearing of hearings) {
    words =
      hearing.start < end
        ? joinAt(words, hearing.words, hearing.start, end)
        : [...words, ...hearing.words];
    end = Math.max(end, hearing.end);
  }
  return words;
}

/**
 * Joins two lists over the time both cover. Where both heard the same word, the join is there, the
 * nearer to the middle the better, since words at the edges may be cut; where they agree on nothing,
 * it is between words near the middle.
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
  return [...kept, ...withoutDouble(kept.at(-1), added)];
}

const centre = (word: TranscriptWord): number => (word.start + word.end) / 2;

/** Where the same word stands in two lists. */
interface Pair {
  left: number;
  right: number;
  /** The middle of both, and how far they are apart, in seconds. */
  at: number;
  apart: number;
}

/** The pair to join at: near the middle, and heard at the same time. */
function bestMatch(
  left: readonly TranscriptWord[],
  right: readonly TranscriptWord[],
  from: number,
  to: number,
  middle: number,
): Pair | null {
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
  return best ? { ...best, left: firstLeft + best.left, right: firstRight + best.right } : null;
}

/**
 * The pairs of words that are the same, in order, for which the times that they are apart and the
 * words that have no partner cost least (Needleman and Wunsch): of one word said again and again,
 * the nearest alone would not tell which is which.
 */
function aligned(left: readonly TranscriptWord[], right: readonly TranscriptWord[]): Pair[] {
  // costs[l][r]: the least for the first l words and the first r words.
  const costs = [[0, ...right.map((_, r) => (r + 1) * ALONE)]];
  for (const [l, a] of left.entries()) {
    const above = costs[l] ?? [];
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

/** Seconds between the centres of the same word; infinite where it cannot be the same. */
function apart(a: TranscriptWord, b: TranscriptWord): number {
  const seconds = Math.abs(centre(a) - centre(b));
  const same = seconds <= JITTER && normalized(a) === normalized(b);
  return same ? seconds : Number.POSITIVE_INFINITY;
}

const normalized = (word: TranscriptWord): string =>
  word.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The same stretch of sound, heard as two different words on either side of the middle, is one word. */
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
