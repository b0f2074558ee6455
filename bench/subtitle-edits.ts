/**
 * SubER, the subtitle edit rate of Wilken, Georgakopoulou and Matusov (“SubER: A Metric for
 * Automatic Evaluation of Subtitle Quality”, IWSLT 2022): the edits and shifts of words and breaks
 * that turn captions into those of people, per hundred of their words and breaks. Words are
 * compared without case and punctuation, and only where their captions overlap in time; shifts are
 * searched for as in TER.
 */
import type { TimedLines } from '../server/captions/cue.ts';

interface Token {
  text: string;
  isBreak: boolean;
  start: number;
  end: number;
}

const LONGEST_SHIFT = 10;
const FARTHEST_SHIFT = 50;
const MAX_SHIFTS = 1000;

/** ASCII punctuation and the ellipsis; a word made only of these keeps them. */
const PUNCTUATION = /[!-/:-@[-`{-~…]/g;

function tokensOf(cues: readonly TimedLines[]): Token[] {
  return cues.flatMap(({ start, end, lines }) =>
    lines.flatMap((line, at) => [
      ...line
        .split(/\s+/)
        .filter((word) => word !== '')
        .map((word) => {
          const lower = word.toLowerCase();
          return { text: lower.replace(PUNCTUATION, '') || lower, isBreak: false, start, end };
        }),
      { text: at === lines.length - 1 ? '<eob>' : '<eol>', isBreak: true, start, end },
    ]),
  );
}

const mayAlign = (one: Token, other: Token): boolean =>
  one.isBreak === other.isBreak && one.start < other.end === other.start < one.end;
const matches = (one: Token, other: Token): boolean =>
  one.text === other.text && mayAlign(one, other);

/**
 * The edits from one list to another, and the wrong tokens of each; `align` maps from the
 * reference.
 */
interface Edits {
  count: number;
  align: Int32Array;
  wrongMine: boolean[];
  wrongTheirs: boolean[];
}

function edits(mine: readonly Token[], theirs: readonly Token[]): Edits {
  const width = theirs.length + 1;
  const cost = new Float64Array((mine.length + 1) * width);
  for (let row = 0; row <= mine.length; row += 1) {
    for (let column = 0; column < width; column += 1) {
      if (row === 0 || column === 0) {
        cost[row * width + column] = row + column;
        continue;
      }
      const [left, above] = [mine[row - 1]!, theirs[column - 1]!];
      const diagonal = cost[(row - 1) * width + column - 1]!;
      const substituted = matches(left, above)
        ? diagonal
        : mayAlign(left, above)
          ? diagonal + 1
          : Number.POSITIVE_INFINITY;
      cost[row * width + column] = Math.min(
        substituted,
        cost[(row - 1) * width + column]! + 1,
        cost[row * width + column - 1]! + 1,
      );
    }
  }
  const found: Edits = {
    count: cost.at(-1)!,
    align: new Int32Array(theirs.length),
    wrongMine: mine.map(() => false),
    wrongTheirs: theirs.map(() => false),
  };
  let [row, column] = [mine.length, theirs.length];
  while (row > 0 || column > 0) {
    const here = cost[row * width + column]!;
    const [left, above] = [mine[row - 1], theirs[column - 1]];
    const step = left && above && (matches(left, above) ? 0 : mayAlign(left, above) ? 1 : Infinity);
    if (step !== undefined && here === cost[(row - 1) * width + column - 1]! + step) {
      found.align[column - 1] = row - 1;
      if (step === 1) found.wrongMine[row - 1] = found.wrongTheirs[column - 1] = true;
      row -= 1;
      column -= 1;
    } else if (row > 0 && here === cost[(row - 1) * width + column]! + 1) {
      found.wrongMine[row - 1] = true;
      row -= 1;
    } else {
      found.align[column - 1] = row - 1;
      found.wrongTheirs[column - 1] = true;
      column -= 1;
    }
  }
  return found;
}

/** Moves a run of tokens in front of another token. */
function shifted(tokens: readonly Token[], start: number, length: number, to: number): Token[] {
  const run = tokens.slice(start, start + length);
  const rest = [...tokens.slice(0, start), ...tokens.slice(start + length)];
  rest.splice(to <= start ? to : Math.max(start, to - length), 0, ...run);
  return rest;
}

/** The edits and shifts from one list to another, always taking the shift that saves most. */
function editsWithShifts(hypothesis: readonly Token[], theirs: readonly Token[]): number {
  let mine = [...hypothesis];
  let shifts = 0;
  let tried = 0;
  while (tried < MAX_SHIFTS) {
    const before = edits(mine, theirs);
    let best: { saved: number; length: number; tokens: Token[] } | undefined;
    for (let at = 0; at < mine.length && tried < MAX_SHIFTS; at += 1) {
      const first = Math.max(0, at - FARTHEST_SHIFT);
      const last = Math.min(theirs.length - 1, at + FARTHEST_SHIFT);
      for (let target = first; target <= last; target += 1) {
        let wrongMine = false;
        let wrongTheirs = false;
        for (let length = 1; length <= LONGEST_SHIFT; length += 1) {
          const [left, above] = [mine[at + length - 1], theirs[target + length - 1]];
          if (!left || !above || !matches(left, above)) break;
          wrongMine ||= before.wrongMine[at + length - 1]!;
          wrongTheirs ||= before.wrongTheirs[target + length - 1]!;
          const place = before.align[target]!;
          if (!wrongMine || !wrongTheirs || (place >= at && place < at + length)) continue;
          let previous = -1;
          for (let offset = -1; offset < length; offset += 1) {
            const to = target + offset < 0 ? 0 : before.align[target + offset]! + 1;
            if (to === previous) continue;
            previous = to;
            const tokens = shifted(mine, at, length, to);
            tried += 1;
            const saved = before.count - edits(tokens, theirs).count;
            if (!best || saved > best.saved || (saved === best.saved && length > best.length)) {
              best = { saved, length, tokens };
            }
          }
        }
      }
    }
    if (!best || best.saved <= 0) break;
    mine = best.tokens;
    shifts += 1;
  }
  return shifts + edits(mine, theirs).count;
}

/** Divides captions at times when neither list shows any: edits never cross such a time. */
function* independentParts(mine: readonly TimedLines[], theirs: readonly TimedLines[]) {
  const all = [
    ...mine.map((cue) => ({ cue, isMine: true })),
    ...theirs.map((cue) => ({ cue, isMine: false })),
  ].sort((one, other) => one.cue.start - other.cue.start);
  let part: typeof all = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const each of all) {
    if (part.length > 0 && each.cue.start >= until) {
      yield part;
      part = [];
    }
    part.push(each);
    until = Math.max(until, each.cue.end);
  }
  if (part.length > 0) yield part;
}

/** The edits from captions to those of people, and the number of their words and breaks. */
export function subtitleEdits(
  mine: readonly TimedLines[],
  theirs: readonly TimedLines[],
): { edits: number; tokens: number } {
  const total = { edits: 0, tokens: 0 };
  for (const part of independentParts(mine, theirs)) {
    const of = (isMine: boolean) =>
      tokensOf(part.filter((each) => each.isMine === isMine).map(({ cue }) => cue));
    const reference = of(false);
    total.edits += editsWithShifts(of(true), reference);
    total.tokens += reference.length;
  }
  return total;
}
