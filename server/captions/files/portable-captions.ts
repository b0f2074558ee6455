/** Prepares a caption's lines, speakers and position so that every caption format can hold them. */
import type { Caption, Placement } from '../cue.ts';
import {
  withoutDirectionControls,
  italicRuns,
  readItalics,
  writeItalics,
  type ItalicRun,
} from '../italics.ts';

/** Details that some formats hold in addition to the captions. */
export interface CaptionFileOptions {
  /** BCP 47; empty if unknown. */
  language?: string;
  /** The frames a second of the picture that the captions were made for, if known. */
  frameRate?: number;
}

/** Characters that some reader takes for the end of a line, including VT, FF, NEL, LS and PS. */
const LINE_ENDS = /[\n-\r\u0085\u2028\u2029]+/g;
/**
 * Control characters and noncharacters, which XML does not allow; a null ends the file for some readers. Includes the
 * invisible word joiner, which our files put between a backslash and a letter.
 */
// oxlint-disable-next-line no-control-regex
const NO_TEXT = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u2060\ufeff\ufffe\uffff]/g;
/** Replaces a line without text, since a blank line would end the caption. */
const BLANK = '…';

/**
 * The lines of a caption as italic and upright runs that every format can hold. A line break inside a line becomes a
 * space, `-->` becomes `→` (it would begin another caption), and a blank line becomes an ellipsis. Direction controls
 * are removed, because they would reverse the line in a player.
 */
export const portableRuns = (lines: readonly string[]): ItalicRun[][] =>
  italicRuns(lines.map(cleanText)).map(trimmed);

/** A text on one line, without characters that no file can hold. */
export const writableText = (text: string): string =>
  text.toWellFormed().replace(NO_TEXT, '').replace(LINE_ENDS, ' ');

/** Cleans the text of one line, as portableRuns describes. */
const cleanText = (text: string): string =>
  withoutDirectionControls(writableText(text)).replaceAll('\t', ' ').replaceAll('-->', '→');

function trimmed(runs: readonly ItalicRun[]): ItalicRun[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last || runs.every(({ text }) => text.trim() === '')) {
    return [{ text: BLANK, italic: false }];
  }
  return runs
    .map((run) => {
      let { text } = run;
      if (run === first) text = text.trimStart();
      if (run === last) text = text.trimEnd();
      return { ...run, text };
    })
    .filter(({ text }) => text !== '');
}

/** A speaker's name on one line, with single spaces. */
const heldName = (name: string): string => cleanText(name).replace(/\s+/g, ' ').trim();

/** The speaker of each line, as a file can hold it; empty if unknown. */
export const portableSpeakers = ({ lines, speakers }: Caption): string[] =>
  lines.map((_, at) => heldName(speakers?.[at] ?? ''));

/** Consecutive lines with the same speaker. */
interface SpokenLines {
  speaker: string;
  lines: ItalicRun[][];
}

/** The lines of a caption as runs, grouped by speaker. */
export function spokenLines(caption: Caption): SpokenLines[] {
  const speakers = portableSpeakers(caption);
  const groups: SpokenLines[] = [];
  for (const [at, runs] of portableRuns(caption.lines).entries()) {
    const speaker = speakers[at] ?? '';
    const last = groups.at(-1);
    if (last?.speaker === speaker) last.lines.push(runs);
    else groups.push({ speaker, lines: [runs] });
  }
  return groups;
}

/** A caption read from a file, in seconds. */
export interface ReadCue {
  start: number;
  end: number;
  lines: string[];
  speakers?: string[];
  placement?: Placement;
}

/** A line as read from a file: its text with the tags of italics, and its speaker. */
export interface ReadLine {
  text: string;
  speaker: string;
}

/** Creates a caption from the parts that were read, with names and a position only if there are any. */
export function readCue(
  start: number,
  end: number,
  read: readonly ReadLine[],
  placement: Placement = {},
): ReadCue {
  const { lines, marks } = readItalics(read.map(({ text }) => text));
  const cue: ReadCue = { start, end, lines: writeItalics(lines, marks) };
  if (read.some(({ speaker }) => speaker !== '')) cue.speakers = read.map(({ speaker }) => speaker);
  if (placement.vertical || placement.align) cue.placement = placement;
  return cue;
}

/** A position that contains only what differs from the default, the middle of the bottom. */
export const placementOf = (
  vertical: 'top' | 'middle' | 'bottom',
  align: 'start' | 'center' | 'end',
): Placement => ({
  ...(vertical === 'bottom' ? {} : { vertical }),
  ...(align === 'center' ? {} : { align }),
});

/**
 * The `\an` number of a position in SRT and ASS, laid out like a number pad: 2 is the middle of the bottom, 8 the
 * middle of the top.
 */
const padNumber = ({ vertical, align }: Placement = {}): number =>
  (vertical === 'top' ? 7 : vertical === 'middle' ? 4 : 1) +
  (align === 'start' ? 0 : align === 'end' ? 2 : 1);

/** The position for an `\an` number from 1 to 9. */
const placementOfPad = (pad: number): Placement =>
  placementOf(
    pad > 6 ? 'top' : pad > 3 ? 'middle' : 'bottom',
    pad % 3 === 1 ? 'start' : pad % 3 === 0 ? 'end' : 'center',
  );

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

/** Scripts that run from right to left (Unicode Standard Annex 9), by their ISO 15924 codes. */
const RIGHT_TO_LEFT = new Set([
  'Adlm',
  'Arab',
  'Hebr',
  'Mand',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
]);

/**
 * Whether a language is written from right to left.
 * @param language BCP 47; anything else is read from left to right
 * @example
 * isRightToLeft('ar-EG'); // => true
 * isRightToLeft('az'); // => false
 */
export function isRightToLeft(language: string): boolean {
  try {
    return RIGHT_TO_LEFT.has(new Intl.Locale(language).maximize().script ?? '');
  } catch {
    return false;
  }
}
