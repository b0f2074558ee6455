/** Gives captions the times of their words, as they were heard, also where people have changed the text. */
import type { Caption, WordTime } from '../cue.ts';
import type { TimedText } from './fix-word-times.ts';
import { withoutItalics } from '../italics.ts';

/** Matches a word with what stands at it; of scripts without spaces, a character. */
const PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** Words may be heard this much before or after their caption is shown, in seconds. */
const SLACK = 0.5;
/** The most words of a caption, or heard during it, that are compared. */
const MOST = 300;

/** A part of a text: a word, or a character. */
interface Part {
  /** Its letters, in lower case. */
  key: string;
  line: number;
  from: number;
}

const partsOf = (text: string, line = 0): Part[] =>
  Array.from(text.matchAll(PARTS), ({ 0: part, index }) => ({
    key: part
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}]/gu, ''),
    line,
    from: index,
  }));

/** A heard part, and whether a word begins with it. */
interface Heard {
  key: string;
  start: number;
  begins: boolean;
}

/** The parts of what was heard; characters of one word share its time. */
const heardParts = ({ text, start, end }: TimedText): Heard[] => {
  const parts = partsOf(text);
  return parts.map(({ key }, at) => ({
    key,
    start: start + ((end - start) * at) / parts.length,
    begins: at === 0,
  }));
};

/**
 * The same captions with the times of their words. A word that was not heard as it is written is said between its
 * neighbours.
 * @param heard in order of time
 * @example
 * const heard = [{ text: 'Hello', start: 0, end: 0.4, speaker: undefined }, { text: 'there.', start: 0.5, end: 1, speaker: undefined }];
 * withWordTimes([{ start: 0, end: 1, lines: ['Hello there.'] }], heard)[0].words;
 * // => [{ line: 0, from: 0, start: 0 }, { line: 0, from: 6, start: 0.5 }]
 */
export function withWordTimes<Each extends Caption>(
  captions: readonly Each[],
  heard: readonly TimedText[],
): (Each & Pick<Caption, 'words'>)[] {
  let first = 0;
  return captions.map((caption) => {
    while (heard[first] && heard[first]!.end < caption.start - SLACK) first += 1;
    const near: TimedText[] = [];
    for (let at = first; heard[at] && heard[at]!.start < caption.end + SLACK; at += 1) {
      near.push(heard[at]!);
    }
    const words = wordsOf(caption, near.flatMap(heardParts).slice(0, MOST));
    return words.length > 0 ? { ...caption, words } : caption;
  });
}

function wordsOf({ start, end, lines }: Caption, heard: readonly Heard[]): WordTime[] {
  const parts = withoutItalics(lines)
    .flatMap((line, at) => partsOf(line, at))
    .filter(({ key }) => key !== '')
    .slice(0, MOST);
  const found = pairsOf(parts, heard);
  const latest = end - 0.001;
  let last = start;
  const timed = parts.map(({ line, from }, at) => {
    const own = found[at];
    const next = found.slice(at).findIndex((each) => each !== undefined);
    const until = next < 0 ? end : found[at + next]!.start;
    const ahead = next < 0 ? parts.length - at : next;
    const guess = at === 0 ? start : last + Math.max(0, until - last) / (ahead + 1);
    last = Math.min(latest, Math.max(last, own?.start ?? guess));
    const isInWord = own !== undefined && !own.begins && found[at - 1] !== undefined;
    return { word: { line, from, start: Math.round(last * 1000) / 1000 }, isInWord };
  });
  return timed.flatMap(({ word, isInWord }) => (isInWord ? [] : [word]));
}

/** For each part of a caption the heard one that it is, by the longest common sequence. */
function pairsOf(parts: readonly Part[], heard: readonly Heard[]): (Heard | undefined)[] {
  const width = heard.length + 1;
  const lengths = new Uint16Array((parts.length + 1) * width);
  for (let row = parts.length - 1; row >= 0; row -= 1) {
    for (let column = heard.length - 1; column >= 0; column -= 1) {
      const here = row * width + column;
      lengths[here] =
        parts[row]!.key === heard[column]!.key
          ? lengths[here + width + 1]! + 1
          : Math.max(lengths[here + width]!, lengths[here + 1]!);
    }
  }
  const found: (Heard | undefined)[] = [];
  for (let row = 0, column = 0; row < parts.length; row += 1) {
    const rest = (down: number, right: number): number =>
      lengths[(row + down) * width + column + right]!;
    while (column < heard.length && parts[row]!.key !== heard[column]!.key) {
      if (rest(1, 0) >= rest(0, 1)) break;
      column += 1;
    }
    const isSame = heard[column]?.key === parts[row]!.key;
    found.push(isSame ? heard[column] : undefined);
    if (isSame) column += 1;
  }
  return found;
}
