/** Reads and writes markup in braces, which SRT borrows from ASS: italics and positions. */
import type { Placement } from '../cue.ts';
import { padNumber, placementOfPad } from './portable-captions.ts';

/**
 * Text without anything that an ASS renderer treats as markup. Braces become full-width ones, because libass hides
 * their content, and the backslash of `\N`, `\n` and `\h` (line breaks and a space) becomes ∖.
 */
export const withoutOverrides = (text: string): string =>
  text
    .replaceAll('{', '｛')
    .replaceAll('}', '｝')
    .replace(/\\(?=[Nnh])/g, '∖');

/** The block that sets the position of a caption; empty for the middle of the bottom. */
export function placeBlock(placement: Placement | undefined): string {
  const pad = padNumber(placement);
  return pad === 2 ? '' : `{\\an${pad}}`;
}

/** The result of reading a text with blocks. */
interface Overridden {
  /** The text with its line breaks and `<i>` tags for italics. */
  text: string;
  placement: Placement;
}

/** Converts `\a` of old SSA, in which 1 to 3 are at the bottom, 5 to 7 at the top and 9 to 11 in the middle. */
const oldPad = (number: number): number => (number & 3) + (number > 8 ? 3 : number > 4 ? 6 : 0);

/**
 * Reads a text with blocks. Removes drawings and all blocks except italics and positions. A brace that is never closed
 * is text, as in libass.
 * @param isMarkup distinguishes markup from text in braces; by default every block is markup, as in ASS
 */
export function readOverrides(
  source: string,
  isMarkup: (block: string) => boolean = () => true,
): Overridden {
  let text = '';
  let placement: Placement = {};
  let italic = false;
  let drawing = false;
  const say = (part: string) => {
    if (drawing || part === '') return;
    text += italic ? `<i>${part}</i>` : part;
  };
  for (const part of source.split(/(\{[^{}]*\})/)) {
    if (!/^\{[^{}]*\}$/.test(part) || !isMarkup(part)) {
      say(part.replace(/\\[Nn]/g, '\n').replaceAll('\\h', '\u00a0'));
      continue;
    }
    for (const [, tag = '', value = ''] of part.matchAll(/\\(an|a|i|r|p)(\d*)(?=[\\}(]|$)/g)) {
      if (tag === 'an' && /^[1-9]$/.test(value)) placement = placementOfPad(Number(value));
      else if (tag === 'a' && value !== '') placement = placementOfPad(oldPad(Number(value)));
      else if (tag === 'i') italic = value === '1';
      else if (tag === 'r') italic = false;
      else if (tag === 'p') drawing = Number(value) > 0;
    }
  }
  return { text, placement };
}
