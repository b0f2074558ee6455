/** Divides a talk into passages, and draws them in an order that a seed determines: evenly by time, speaker and doubt. */

/** A word of the captions. */
export interface CaptionedWord {
  readonly start: number;
  readonly end: number;
  readonly speaker?: string | undefined;
  /** Whether the recogniser was unsure of it. */
  readonly doubtful?: boolean;
}

/** A stretch of a talk that is judged as a whole: some words, or silence in the captions. */
export interface Passage {
  /** In seconds; the passages of a talk follow each other without gaps. */
  readonly start: number;
  readonly end: number;
  /** The first word, and the number of words; none in a stretch without captions. */
  readonly first: number;
  readonly words: number;
  readonly speaker: string;
  readonly doubtful: boolean;
}

/** A passage that was drawn. */
export interface DrawnPassage extends Passage {
  /** Its place among the passages of the talk. */
  readonly at: number;
  /** The part of the talk whose passages stand for each other, and their number. */
  readonly cell: number;
  readonly cellSize: number;
  readonly stratum: number;
}

/** The most words of a passage: few, so that one burst of errors counts as little as it can. */
const PASSAGE_WORDS = 6;
/** The length from which a stretch without captions is judged on its own, and its longest part, in seconds. */
const SILENCE_SECONDS = 3;
const LONGEST_SILENCE_SECONDS = 6;
/** The passages that are drawn at a time, one of each cell. */
export const BATCH = 50;
/** How much more often a doubtful passage is drawn. */
const DOUBT_RATE = 2;

/**
 * Divides a talk into passages. Each has up to six words of one speaker; a long stretch without captions has none.
 * @param duration of the recording, in seconds
 */
export function passagesOf(words: readonly CaptionedWord[], duration: number): Passage[] {
  const passages: Passage[] = [];
  let from = 0;
  const silence = (to: number): void => {
    const parts = Math.ceil((to - from) / LONGEST_SILENCE_SECONDS);
    const step = (to - from) / parts;
    for (let part = 0; part < parts; part += 1) {
      const start = from + part * step;
      const end = part === parts - 1 ? to : start + step;
      passages.push({ start, end, first: at, words: 0, speaker: '', doubtful: false });
    }
    from = to;
  };
  let at = 0;
  while (at < words.length) {
    const { start, speaker } = words[at]!;
    if (start - from >= SILENCE_SECONDS) silence(start);
    let to = at + 1;
    while (
      to < words.length &&
      to - at < PASSAGE_WORDS &&
      words[to]!.speaker === speaker &&
      words[to]!.start - words[to - 1]!.end < SILENCE_SECONDS
    ) {
      to += 1;
    }
    const last = words[to - 1]!.end;
    const next = words[to]?.start ?? duration;
    // What is between two passages belongs to the first, so that nothing that was said is in none.
    const end = Math.max(from, next - last < SILENCE_SECONDS ? next : last);
    const doubtful = words.slice(at, to).some((word) => word.doubtful === true);
    passages.push({
      start: from,
      end,
      first: at,
      words: to - at,
      speaker: speaker ?? '',
      doubtful,
    });
    from = end;
    at = to;
  }
  if (duration - from >= SILENCE_SECONDS) silence(duration);
  return passages;
}

/**
 * All passages in the order in which they are drawn: batches with one passage of each cell. The cells are parts of equal
 * size of the passages in the order of doubt, speaker and time; doubtful passages have smaller ones.
 */
export function drawOrder(passages: readonly Passage[], seed: string): DrawnPassage[] {
  const numbered = passages.map((passage, at) => ({ ...passage, at }));
  const doubtful = numbered.filter((passage) => passage.doubtful);
  const sure = numbered.filter((passage) => !passage.doubtful);
  const weighted = DOUBT_RATE * doubtful.length;
  const cells = Math.min(BATCH, passages.length);
  const forDoubt = Math.round((cells * weighted) / (weighted + sure.length || 1));
  const strata =
    forDoubt < 2 || cells - forDoubt < 2
      ? [{ members: numbered, count: cells }]
      : [
          { members: sure, count: cells - forDoubt },
          { members: doubtful, count: Math.min(forDoubt, doubtful.length) },
        ];
  const key = keysOf(seed);
  const drawn: { turn: number; passage: DrawnPassage }[] = [];
  let cell = 0;
  for (const [stratum, { members, count }] of strata.entries()) {
    const sorted = members.toSorted(
      (one, other) =>
        Number(one.speaker > other.speaker) - Number(one.speaker < other.speaker) ||
        one.at - other.at,
    );
    for (let part = 0; part < count; part += 1, cell += 1) {
      const inCell = sorted.slice(
        Math.floor((part * sorted.length) / count),
        Math.floor(((part + 1) * sorted.length) / count),
      );
      const shuffled = inCell.toSorted(
        (one, other) => key(one.at) - key(other.at) || one.at - other.at,
      );
      for (const [turn, passage] of shuffled.entries()) {
        drawn.push({ turn, passage: { ...passage, cell, cellSize: inCell.length, stratum } });
      }
    }
  }
  return drawn
    .toSorted((one, other) => one.turn - other.turn || one.passage.at - other.passage.at)
    .map(({ passage }) => passage);
}

/** Numbers that look random, one for each passage, of a seed: FNV-1a of `seed:number`, mixed. */
const keysOf =
  (seed: string) =>
  (at: number): number => {
    let hash = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(`${seed}:${at}`)) {
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  };
