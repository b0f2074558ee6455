/** Gives written words the times at which they were spoken. */
import type { CaptionWord } from '../../../server/captions/build.ts';
import { alignWords, type Pairing } from './align-words.ts';
import { lettersOf, type TimedWord } from './spoken-cut.ts';

/** A written word, with its speaker if known. */
export type WrittenWord = Pick<CaptionWord, 'text' | 'speaker'>;

/** Two times, in seconds, between which words with unknown times lie. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** The words of a script with times, and the pairings these come from. */
export interface TimedScript {
  readonly words: readonly CaptionWord[];
  readonly pairings: readonly Pairing[];
}

/**
 * Gives words the times of the recognised words. A word that was recognised differently gets the
 * time of what was recognised in its place; a word that was not recognised at all is placed between
 * its neighbours. The times never go back.
 */
export function timeScript(
  script: readonly WrittenWord[],
  heard: readonly TimedWord[],
  bounds: Bounds,
): TimedScript {
  const pairings = alignWords(
    script.map(({ text }) => lettersOf(text)),
    heard.map(({ text }) => lettersOf(text)),
  );
  const times = script.map((): Bounds | undefined => undefined);
  const sure = pairings.filter(
    (pairing, at) => pairing.same || !isInExchange(pairings, at, heard.length),
  );
  for (const { script: at, scriptCount, heard: from, heardCount } of sure) {
    const [first, last] = [heard[from]!, heard[from + heardCount - 1]!];
    const within = { start: first.start, end: last.end };
    share(script.slice(at, at + scriptCount), within, (index, part) => {
      times[at + index] = part;
    });
  }
  fillIn(script, times, heard, sure, bounds);
  let earliest = bounds.start;
  const words = script.map((word, at): CaptionWord => {
    const start = Math.max(earliest, Math.min(bounds.end, times[at]!.start));
    const end = Math.max(start, Math.min(bounds.end, times[at]!.end));
    earliest = end;
    return { ...word, start, end };
  });
  return { words, pairings };
}

/** The most recognised words that may be exchanged as a whole for a few others. */
const EXCHANGE = 6;

/**
 * Whether words that differ are part of an exchange of a few recognised words for a different
 * number of written ones, such as “em see pee” for “MCP”: all the written words then share the time
 * of all the recognised ones.
 */
function isInExchange(pairings: readonly Pairing[], at: number, heardCount: number): boolean {
  let [from, to] = [at - 1, at + 1];
  while (pairings[from] && !pairings[from]!.same) from -= 1;
  while (pairings[to] && !pairings[to]!.same) to += 1;
  const [before, after] = [pairings[from], pairings[to]];
  const heardFrom = before ? before.heard + before.heardCount : 0;
  const heard = (after ? after.heard : heardCount) - heardFrom;
  const paired = to - from - 1;
  return heard <= EXCHANGE && heard > paired;
}

/** Divides a stretch of time among words in proportion to their lengths. */
function share(
  words: readonly WrittenWord[],
  { start, end }: Bounds,
  give: (index: number, part: Bounds) => void,
): void {
  const all = words.reduce((sum, { text }) => sum + text.length, 0);
  let before = 0;
  for (const [index, { text }] of words.entries()) {
    const at = (letters: number): number => start + ((end - start) * letters) / all;
    give(index, { start: at(before), end: at(before + text.length) });
    before += text.length;
  }
}

/**
 * Places words without a time where something else was recognised between their neighbours, or in
 * the silence there.
 */
function fillIn(
  script: readonly WrittenWord[],
  times: (Bounds | undefined)[],
  heard: readonly TimedWord[],
  pairings: readonly Pairing[],
  bounds: Bounds,
): void {
  const edges = [
    ...pairings,
    { script: script.length, scriptCount: 0, heard: heard.length, heardCount: 0, same: false },
  ];
  let [at, heardAt, last] = [0, 0, bounds.start];
  for (const { script: next, scriptCount, heard: heardNext, heardCount } of edges) {
    const missing = script.slice(at, next);
    if (missing.length > 0) {
      const unpaired = heard.slice(heardAt, heardNext);
      const [first, end] = [unpaired[0], unpaired.at(-1)];
      const until = heard[heardNext]?.start ?? bounds.end;
      const within =
        first && end ? { start: first.start, end: end.end } : spoken(last, until, missing);
      const from = at;
      share(missing, within, (index, part) => {
        times[from + index] = part;
      });
    }
    at = next + scriptCount;
    heardAt = heardNext + heardCount;
    last = heard[heardAt - 1]?.end ?? last;
  }
}

/** The time a letter takes to say, in seconds. */
const A_LETTER = 0.08;

/** In a silence, words take no longer than it takes to say them. */
function spoken(from: number, to: number, words: readonly WrittenWord[]): Bounds {
  const letters = words.reduce((sum, { text }) => sum + text.length + 1, 0);
  return { start: from, end: Math.min(to, from + letters * A_LETTER) };
}
