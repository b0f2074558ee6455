/** What a file holds of captions that the desk does not show: kept where their text stays as it was. */
import type { Caption, PartOfLine } from '../../../server/captions/cue.ts';
import { type ReviewCue, tidyCues, withoutTags } from './cue.ts';

/** What the desk does not show. */
export type Looks = Pick<Caption, 'colours' | 'ruby' | 'dots' | 'words' | 'columns' | 'row'>;

const MARKS = ['colours', 'ruby', 'dots', 'words'] as const;

/** What the desk does not show of a caption. */
export const looksOf = ({ colours, ruby, dots, words, columns, row }: Looks): Looks => ({
  ...(colours && { colours }),
  ...(ruby && { ruby }),
  ...(dots && { dots }),
  ...(words && { words }),
  ...(columns && { columns }),
  ...(row && { row }),
});

/** Captions as they were opened, in the order of their ids from 1, and what the desk does not show of them. */
export interface Opened {
  original: readonly ReviewCue[];
  looks?: readonly Looks[] | undefined;
}

/**
 * The captions for a file with what was in the file that was opened. Of a caption whose text was changed, the rest of the
 * text keeps it; parts of a divided one have theirs.
 * @param changed hears the number of each caption that has lost some of it, from 1
 */
export function cuesWithLooks(
  cues: readonly ReviewCue[],
  { original, looks = [] }: Opened,
  changed: (cue: number) => void = () => {},
): Caption[] {
  const tidied: Caption[] = [];
  let last = 0;
  for (const cue of cues) {
    const [tidy] = tidyCues([cue]);
    if (!tidy) continue;
    // The parts of a divided caption follow it.
    if (cue.id <= looks.length) last = cue.id;
    const [own, had] = [looks[last - 1], original[last - 1]];
    const isIts = own && had && (cue.id === last || textOf(had.lines).includes(textOf(tidy.lines)));
    if (!isIts || Object.keys(own).length === 0) {
      tidied.push(tidy);
      continue;
    }
    const { kept, isWhole } = fitted(own, had, tidy);
    tidied.push({ ...tidy, ...kept });
    if (!isWhole && cue.id === last) changed(tidied.length);
  }
  return tidied;
}

/** The text of a caption in one line: where its lines are broken does not matter. */
const textOf = (lines: readonly string[]): string => withoutTags(lines.join(' '));

/** The looks of a caption as they fit another text. */
function fitted(looks: Looks, had: ReviewCue, now: Caption): { kept: Looks; isWhole: boolean } {
  const [before, after] = [textOf(had.lines), textOf(now.lines)];
  const move = placesIn(before, after);
  const [from, to] = [had.lines, now.lines].map(startsOf);
  let isWhole = true;
  const moved = <Part extends Omit<PartOfLine, 'to'> & { to?: number }>(
    parts: readonly Part[] = [],
  ): Part[] =>
    parts.flatMap((part) => {
      const first = move(from![part.line]! + part.from);
      const end = move(from![part.line]! + (part.to ?? part.from + 1) - 1);
      const line = to!.findLastIndex((start) => first !== null && start <= first);
      const start = to![line];
      const isHere = end !== null && end < (to![line + 1] ?? Number.POSITIVE_INFINITY);
      if (first === null || start === undefined || !isHere) {
        isWhole = false;
        return [];
      }
      const place = { line, from: first - start };
      return [{ ...part, ...place, ...(part.to !== undefined && { to: end + 1 - start }) }];
    });
  const shift = now.start - had.start;
  const words = moved(looks.words).map((word) => ({ ...word, start: word.start + shift }));
  const marks = { ...looks, colours: moved(looks.colours), ruby: moved(looks.ruby) };
  const all = { ...marks, dots: moved(looks.dots), words };
  const isThere =
    had.placement?.vertical === now.placement?.vertical &&
    had.placement?.align === now.placement?.align;
  if (!isThere) delete all.row;
  for (const mark of MARKS) if (all[mark].length === 0) Reflect.deleteProperty(all, mark);
  // What is not in a part of the text is gone with the rest, or in another part.
  return { kept: all, isWhole: isWhole || before.includes(after) };
}

/** Where each line begins in the text of all. */
function startsOf(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += withoutTags(line).length + 1;
    return start;
  });
}

/** Where a character of a text is in another one: in a part that both have; null for one that was changed. */
function placesIn(before: string, after: string): (at: number) => number | null {
  const inside = before.indexOf(after);
  if (inside >= 0) {
    return (at) => (at >= inside && at < inside + after.length ? at - inside : null);
  }
  const least = Math.min(before.length, after.length);
  let [head, tail] = [0, 0];
  while (head < least && before[head] === after[head]) head += 1;
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return (at) =>
    at < head ? at : at >= before.length - tail ? at + after.length - before.length : null;
}
