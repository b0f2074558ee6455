/** Markup in braces, as ASS has it and SRT borrows it: italics and a place. */
import type { Placement } from './cue.ts';
import { padNumber, placementOfPad } from './held-lines.ts';

/**
 * Text without what a renderer of ASS takes for markup: braces are written full width, since libass hides
 * what is in them, and the backslash of `\N`, `\n` and `\h`, which are line breaks and a space, as ∖.
 */
export const withoutOverrides = (text: string): string =>
  text
    .replaceAll('{', '｛')
    .replaceAll('}', '｝')
    .replace(/\\(?=[Nnh])/g, '∖');

/** The block that puts a caption in its place; empty at the bottom in the middle. */
export function placeBlock(placement: Placement | undefined): string {
  const pad = padNumber(placement);
  return pad === 2 ? '' : `{\\an${pad}}`;
}

/** What the blocks of a text said. */
export interface Overridden {
  /** The text with `<i>` tags for italics, a line break for each of its own. */
  text: string;
  placement: Placement;
}

/** `\a` of old SSA: 1 to 3 at the bottom, 5 to 7 at the top, 9 to 11 in the middle. */
const oldPad = (number: number): number => (number & 3) + (number > 8 ? 3 : number > 4 ? 6 : 0);

/**
 * Reads a text with blocks. Those that are neither italics nor a place are left out, and so is a drawing;
 * a brace that is never closed is text, as libass has it.
 */
export function readOverrides(source: string): Overridden {
  let text = '';
  let placement: Placement = {};
  let italic = false;
  let drawing = false;
  const say = (part: string) => {
    if (drawing || part === '') return;
    text += italic ? `<i>${part}</i>` : part;
  };
  for (const part of source.split(/(\{[^{}]*\})/)) {
    if (!/^\{[^{}]*\}$/.test(part)) {
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
