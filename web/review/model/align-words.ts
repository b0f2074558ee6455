/**
 * Pairs the words of two texts of the same speech, in order, by dynamic programming. Long texts are
 * first cut at phrases that occur exactly once in both, so that the time taken grows linearly with
 * their length.
 */
import { distance } from 'fastest-levenshtein';
import { longestRising } from '../../../server/captions/divide/longest-rising.ts';

/** Words that correspond in the two texts: one to one, or one to two. */
export interface Pairing {
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
/** The cost of pairing one word with the same letters written as two words. */
const JOINED = 0.2;
/** The cost of pairing words that share no letters: a last resort. */
const UNLIKE = 1.7;

/** The steps of the alignment: a word from each text, a word from one of them, or two for one. */
const Move = { none: 0, pair: 1, script: 2, heard: 3, joinHeard: 4, joinScript: 5 } as const;

/** A stretch of both texts; `to` and `heardTo` are exclusive. */
interface Stretch {
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
export function alignWords(script: readonly string[], heard: readonly string[]): Pairing[] {
  const pairings: Pairing[] = [];
  const open: Stretch[] = [{ from: 0, to: script.length, heardFrom: 0, heardTo: heard.length }];
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
function cut(script: readonly string[], heard: readonly string[], stretch: Stretch): Stretch[] {
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
  { from, to, heardFrom, heardTo }: Stretch,
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
  { from, to, heardFrom, heardTo }: Stretch,
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
      if (column > 0) offer(now[column - 1]! + LEFT_OUT, Move.heard);
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
  { from, to, heardFrom, heardTo }: Stretch,
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
