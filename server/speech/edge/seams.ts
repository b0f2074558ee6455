/** Two hearings of overlapping audio → one list of words: none lost, doubled or cut. Pure. */
import type { TranscriptWord } from '../../contract/transcript.ts';

/** The same word may be heard this much earlier or later in the other hearing, in seconds. */
const JITTER = 0.4;
/** A word this close to where a hearing begins or ends may have been cut there, in seconds. */
const EDGE = 0.35;

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

function bestMatch(
  left: readonly TranscriptWord[],
  right: readonly TranscriptWord[],
  from: number,
  to: number,
  middle: number,
): { left: number; right: number } | null {
  const inside = (word: TranscriptWord) => word.end > from && word.start < to;
  let best: { left: number; right: number } | null = null;
  let bestScore = Number.POSITIVE_INFINITY;
  for (let l = left.length - 1; l >= 0; l -= 1) {
    const a = left[l];
    if (!a || a.end <= from) break;
    if (!inside(a) || to - a.end < EDGE / 2) continue;
    for (const [r, b] of right.entries()) {
      if (b.start >= to) break;
      if (b.start - from < EDGE / 2) continue;
      const apart = Math.abs(centre(a) - centre(b));
      if (apart > JITTER || normalized(a) !== normalized(b)) continue;
      const score = Math.abs((centre(a) + centre(b)) / 2 - middle) + 3 * apart;
      if (score < bestScore) {
        bestScore = score;
        best = { left: l, right: r };
      }
    }
  }
  return best;
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
