/**
 * Pairs the words of two texts of the same speech, in order, by dynamic programming. Long texts are first
 * cut at phrases that both have just once, so that the time it takes grows with their length alone.
 */
import { distance } from 'fastest-levenshtein';
import { longestRising } from '../../../server/captions/longest-rising.ts';

/** Words of one text that are words of the other: one of each, or one that is two in the other. */
export interface Pairing {
  /** The first of the script's, and how many. */
  readonly script: number;
  readonly scriptCount: number;
  readonly heard: number;
  readonly heardCount: number;
  /** Whether their letters are the same. */
  readonly same: boolean;
}

/** Stretches with up to so many pairs of words are compared word by word. */
const MOST_CELLS = 160_000;
/** A phrase that is found once in each text is a place to cut at, in words. */
const PHRASE = 3;
/** What it costs to leave a word out, on either side. */
const LEFT_OUT = 1;
/** Letters that are the same, written as two words. */
const JOINED = 0.2;
/** Words without a letter in common stand for each other only if nothing better can be had. */
const UNLIKE = 1.7;

/** How a pairing goes on: with a word of each, with one of either, or with two for one. */
const Move = { none: 0, pair: 1, script: 2, heard: 3, joinHeard: 4, joinScript: 5 } as const;

/** A stretch of both texts, ends not included. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly heardFrom: number;
  readonly heardTo: number;
}

/**
 * Aligns two lists of words.
 * @param script letters and digits of each word, in small letters; empty for what has none
 * @returns the pairs in order; words that are in none have no counterpart
 */
export function alignWords(script: readonly string[], heard: readonly string[]): Pairing[] {
  const pairings: Pairing[] = [];
  const open: Stretch[] = [{ from: 0, to: script.length, heardFrom: 0, heardTo: heard.length }];
  while (open.length > 0) {
    const stretch = open.pop();
    if (!stretch) break;
    const { from, to, heardFrom, heardTo } = stretch;
    if (from === to || heardFrom === heardTo) continue;
    if ((to - from) * (heardTo - heardFrom) <= MOST_CELLS) {
      pairings.push(...compare(script, heard, stretch));
      continue;
    }
    open.push(...cut(script, heard, stretch).toReversed());
  }
  return pairings;
}

/** A stretch in parts: at phrases that stand in both just once, else at half of each. */
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

/** Where phrases begin that stand in both texts just once, as many in the same order as there can be. */
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
    // The beginning of both cuts nothing off.
    if (at !== null && other != null && (at > from || other > heardFrom)) found.push([at, other]);
  }
  return longestRising(found.map(([, second]) => second)).map((at) => found[at]!);
}

/** The phrases of a text with the place of each; null for one that comes again. */
function onlyOnce(words: readonly string[], from: number, to: number): Map<string, number | null> {
  const places = new Map<string, number | null>();
  for (let at = from; at + PHRASE <= to; at += 1) {
    const phrase = words.slice(at, at + PHRASE).join(' ');
    places.set(phrase, places.has(phrase) ? null : at);
  }
  return places;
}

/** What it costs that two words stand for each other. */
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
  // Of the row that is reckoned, and of the two before it.
  let [twoBefore, before, now] = [0, 0, 0].map(() => new Float64Array(width)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let row = 0; row <= rows; row += 1) {
    const word = script[from + row - 1] ?? '';
    const wordBefore = row > 1 ? (script[from + row - 2] ?? '') : '';
    for (let column = 0; column < width; column += 1) {
      let best = row === 0 && column === 0 ? 0 : Number.POSITIVE_INFINITY;
      let move: number = Move.none;
      const offer = (cost: number, by: number) => {
        if (cost >= best) return;
        best = cost;
        move = by;
      };
      const other = heard[heardFrom + column - 1] ?? '';
      if (row > 0 && column > 0) offer(before[column - 1]! + costOf(word, other), Move.pair);
      if (row > 0 && column > 1) {
        const joined = (heard[heardFrom + column - 2] ?? '') + other;
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
    const move = moves[row * width + column] ?? Move.none;
    const [down, across] = STEPS[move] ?? [0, 0];
    if (down + across === 0) break;
    row -= down;
    column -= across;
    if (down === 0 || across === 0) continue;
    const [at, heardAt] = [from + row, heardFrom + column];
    const same = down + across > 2 || script[at] === heard[heardAt];
    found.push({ script: at, scriptCount: down, heard: heardAt, heardCount: across, same });
  }
  return found.toReversed();
}
