/**
 * Pairs the words of two texts of the same speech, in order, by dynamic programming. Long texts are
 * first cut at phrases that occur exactly once in both, so that the time taken grows linearly with
 * their length.
 */
import { distance } from 'fastest-levenshtein';
import { longestRising, type CaptionWord } from '../../../server/captions/divide/fix-word-times.ts';
import { hasSpaceless, joinWords } from '../../../server/captions/width.ts';
import { lettersOf, type TimedWord } from './spoken-cut.ts';

/** Words that correspond in the two texts: one to one, or one to two. */
interface Pairing {
  /** The position of the first script word, and the number of them. */
  readonly script: number;
  readonly scriptCount: number;
  readonly heard: number;
  readonly heardCount: number;
  /** Whether the letters are identical. */
  readonly same: boolean;
}

/** Stretches with at most this many pairs of words are compared word by word. */
const MAX_CELLS = 160_000;
/** The length, in words, of the phrases at which long texts are cut. */
const PHRASE = 3;
/** The cost of leaving out a word on either side. */
const LEFT_OUT = 1;
/** By how much less it costs before and after all words of the script, which are then together if they can be. */
const OUTSIDE = 1e-6;
/** The cost of pairing one word with the same letters written as two words. */
const JOINED = 0.2;
/** The cost of pairing words that share no letters: a last resort. */
const UNLIKE = 1.7;

/** The steps of the alignment: a word from each text, a word from one of them, or two for one. */
const Move = { none: 0, pair: 1, script: 2, heard: 3, joinHeard: 4, joinScript: 5 } as const;

/** A stretch of both texts; `to` and `heardTo` are exclusive. */
interface AlignedStretch {
  readonly from: number;
  readonly to: number;
  readonly heardFrom: number;
  readonly heardTo: number;
}

/**
 * Aligns two lists of words.
 * @param script the letters and digits of each word, in lower case; empty for a word without any
 * @returns the pairs in order; words in no pair have no counterpart
 */
function alignWords(script: readonly string[], heard: readonly string[]): Pairing[] {
  const pairings: Pairing[] = [];
  const open: AlignedStretch[] = [
    { from: 0, to: script.length, heardFrom: 0, heardTo: heard.length },
  ];
  for (let stretch = open.pop(); stretch; stretch = open.pop()) {
    const { from, to, heardFrom, heardTo } = stretch;
    if ((to - from) * (heardTo - heardFrom) <= MAX_CELLS) {
      pairings.push(...compare(script, heard, stretch));
      continue;
    }
    open.push(...cut(script, heard, stretch).toReversed());
  }
  return pairings;
}

/** Divides a stretch at phrases that occur once in both texts; without any, at the middle. */
function cut(
  script: readonly string[],
  heard: readonly string[],
  stretch: AlignedStretch,
): AlignedStretch[] {
  const anchors = commonPhrases(script, heard, stretch);
  const { from, to, heardFrom, heardTo } = stretch;
  if (anchors.length === 0) {
    anchors.push([Math.ceil((from + to) / 2), Math.ceil((heardFrom + heardTo) / 2)]);
  }
  const edges = [...anchors, [to, heardTo] as const];
  let [at, heardAt] = [from, heardFrom];
  return edges.map(([next, heardNext]) => {
    const part = { from: at, to: next, heardFrom: heardAt, heardTo: heardNext };
    [at, heardAt] = [next, heardNext];
    return part;
  });
}

/** The starts of phrases that occur once in both texts; as many as possible in the same order. */
function commonPhrases(
  script: readonly string[],
  heard: readonly string[],
  { from, to, heardFrom, heardTo }: AlignedStretch,
): [script: number, heard: number][] {
  const here = onlyOnce(script, from, to);
  const there = onlyOnce(heard, heardFrom, heardTo);
  const found: [number, number][] = [];
  for (const [phrase, at] of here) {
    const other = there.get(phrase);
    // An anchor at the start of both would cut nothing off.
    if (at !== null && other != null && (at > from || other > heardFrom)) found.push([at, other]);
  }
  return longestRising(found.map(([, second]) => second)).map((at) => found[at]!);
}

/** The phrases of a text with their positions; null for a phrase that is repeated. */
function onlyOnce(words: readonly string[], from: number, to: number): Map<string, number | null> {
  const places = new Map<string, number | null>();
  for (let at = from; at + PHRASE <= to; at += 1) {
    const phrase = words.slice(at, at + PHRASE).join(' ');
    places.set(phrase, places.has(phrase) ? null : at);
  }
  return places;
}

/** The cost of pairing two words. */
function costOf(one: string, other: string): number {
  if (one === other) return 0;
  if (one === '' || other === '') return 2 * LEFT_OUT + 1;
  const share = distance(one, other) / Math.max(one.length, other.length);
  return share < 1 ? 0.4 + share : UNLIKE;
}

/** The cheapest pairing of a short stretch. */
function compare(
  script: readonly string[],
  heard: readonly string[],
  { from, to, heardFrom, heardTo }: AlignedStretch,
): Pairing[] {
  const [rows, width] = [to - from, heardTo - heardFrom + 1];
  const moves = new Uint8Array((rows + 1) * width);
  // The costs of the current row and of the two rows before it.
  let [twoBefore, before, now] = [0, 0, 0].map(() => new Float64Array(width)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let row = 0; row <= rows; row += 1) {
    const word = script[from + row - 1]!;
    const wordBefore = script[from + row - 2]!;
    const isOutside = from + row === 0 || from + row === script.length;
    const leftOut = isOutside ? LEFT_OUT - OUTSIDE : LEFT_OUT;
    for (let column = 0; column < width; column += 1) {
      let best = row === 0 && column === 0 ? 0 : Number.POSITIVE_INFINITY;
      let move: number = Move.none;
      const offer = (cost: number, by: number) => {
        if (cost >= best) return;
        best = cost;
        move = by;
      };
      const other = heard[heardFrom + column - 1]!;
      if (row > 0 && column > 0) offer(before[column - 1]! + costOf(word, other), Move.pair);
      if (row > 0 && column > 1) {
        const joined = heard[heardFrom + column - 2]! + other;
        if (word !== '' && joined === word) offer(before[column - 2]! + JOINED, Move.joinHeard);
      }
      if (row > 1 && column > 0 && other !== '' && wordBefore + word === other) {
        offer(twoBefore[column - 1]! + JOINED, Move.joinScript);
      }
      if (row > 0) offer(before[column]! + LEFT_OUT, Move.script);
      if (column > 0) offer(now[column - 1]! + leftOut, Move.heard);
      now[column] = best;
      moves[row * width + column] = move;
    }
    [twoBefore, before, now] = [before, now, twoBefore];
  }
  return walkBack(moves, { from, to, heardFrom, heardTo }, script, heard);
}

const STEPS: Readonly<Record<number, readonly [script: number, heard: number]>> = {
  [Move.pair]: [1, 1],
  [Move.script]: [1, 0],
  [Move.heard]: [0, 1],
  [Move.joinHeard]: [1, 2],
  [Move.joinScript]: [2, 1],
};

function walkBack(
  moves: Uint8Array,
  { from, to, heardFrom, heardTo }: AlignedStretch,
  script: readonly string[],
  heard: readonly string[],
): Pairing[] {
  const width = heardTo - heardFrom + 1;
  const found: Pairing[] = [];
  let [row, column] = [to - from, heardTo - heardFrom];
  while (row > 0 || column > 0) {
    const [down, across] = STEPS[moves[row * width + column]!]!;
    row -= down;
    column -= across;
    if (down === 0 || across === 0) continue;
    const [at, heardAt] = [from + row, heardFrom + column];
    const same = down + across > 2 || script[at] === heard[heardAt];
    found.push({ script: at, scriptCount: down, heard: heardAt, heardCount: across, same });
  }
  return found.toReversed();
}

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

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a text, in order; joined by the rules of their scripts they give the text again. */
export const writtenWords = (text: string, speaker?: string): WrittenWord[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => (hasSpaceless(word) ? segmented(word) : [word]))
    .map((word) => (speaker === undefined ? { text: word } : { text: word, speaker }));

/**
 * Divides text without spaces into words with their punctuation; leaves it whole if the words would
 * not join to it.
 */
function segmented(run: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike || words.length === 0) words.push(segment);
    else words.push(words.pop()! + segment);
  }
  return joinWords(words) === run ? words : [run];
}
