/** Prepares a caption's lines, speakers and position so that every caption format can hold them. */
import type {
  Caption,
  ColouredText,
  PartOfLine,
  Placement,
  Row,
  RubyText,
  WordTime,
} from '../cue.ts';
import { withoutDirectionControls, italicRuns, withinLines, type ItalicRun } from '../italics.ts';

/** Details that some formats hold in addition to the captions. */
export interface CaptionFileOptions {
  /** BCP 47; empty if unknown. */
  language?: string;
  /** The frames a second of the picture that the captions were made for, if known. */
  frameRate?: number;
  /** Whether the time code of 29.97 and 59.94 frames a second drops numbers, so that it keeps up with the clock. */
  dropFrame?: boolean;
  /** The time code at which the programme begins, in frames; 0 if it is not given. */
  firstFrame?: number;
  /** Hears what the file cannot hold, by the number of its caption from 1. */
  lost?: (loss: Loss) => void;
}

/** Something of a caption that a file cannot hold. */
export interface Loss {
  /** The number of the caption, from 1; 0 for the whole file. */
  cue: number;
  /** What is lost, or what was changed so that it fits, in a sentence for people. */
  message: string;
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

/** The lines of a caption as text that every format can hold, without italics. */
export const writableLines = (lines: readonly string[]): string[] =>
  portableRuns(lines).map((runs) => runs.map(({ text }) => text).join(''));

/** A part of a line with one look, ready to be written. */
export interface LookRun extends ItalicRun {
  /** `#rrggbb`; without it, white. */
  colour?: string;
  /** The reading beside its characters. */
  reading?: string;
  /** Whether dots emphasise its characters. */
  dots?: true;
  /** The time at which the word that begins here is said, in seconds. */
  starts?: number;
}

/** The same runs of a caption, divided where a colour begins or ends. */
export const colouredRuns = (caption: Caption): LookRun[][] => markedRuns(caption, ['colours']);

/** What parts of lines may have beside italics. */
type Mark = 'colours' | 'ruby' | 'dots' | 'words';

/** The same runs of a caption, divided where something begins or ends that a format holds. */
export function markedRuns(caption: Caption, held: readonly Mark[]): LookRun[][] {
  const { lines } = caption;
  const of = <Each>(mark: Mark, parts: readonly Each[] = []): readonly Each[] =>
    held.includes(mark) ? parts : [];
  const colours = of('colours', caption.colours);
  const ruby = of('ruby', caption.ruby);
  const dots = of('dots', caption.dots);
  const words = of('words', timesInside(caption));
  if (colours.length + ruby.length + dots.length + words.length === 0) return portableRuns(lines);
  return italicRuns(lines).map((runs, line) => {
    const here = <Each extends { line: number }>(parts: readonly Each[]): Each[] =>
      parts.filter((part) => part.line === line);
    const own = { colours: here(colours), ruby: here(ruby), dots: here(dots), words: here(words) };
    const edges = [...own.colours, ...own.ruby, ...own.dots]
      .flatMap(({ from, to }) => [from, to])
      .concat(own.words.map(({ from }) => from))
      // A reading belongs to all of its characters.
      .filter((edge) => !own.ruby.some(({ from, to }) => from < edge && edge < to));
    const parts: LookRun[] = [];
    let at = 0;
    for (const { text, italic } of runs) {
      const inside = edges
        .map((edge) => edge - at)
        .filter((edge) => edge > 0 && edge < text.length);
      const cuts = [...new Set([0, ...inside, text.length])].sort((a, b) => a - b);
      for (const [n, from] of cuts.slice(0, -1).entries()) {
        const start = at + from;
        const isIn = (part: PartOfLine): boolean => part.from <= start && part.to > start;
        const colour = own.colours.findLast(isIn)?.colour;
        const reading = own.ruby.find((part) => part.from === start)?.reading;
        const word = own.words.find((each) => each.from === start);
        parts.push({
          text: cleanText(text.slice(from, cuts[n + 1])),
          italic,
          ...(colour && { colour }),
          ...(reading && { reading: heldName(reading) }),
          ...(own.dots.some(isIn) && { dots: true as const }),
          ...(word && { starts: word.start }),
        });
      }
      at += text.length;
    }
    return trimmed(parts);
  });
}

/** The times of words that lie within their caption, each after the one before it. */
function timesInside({ start, end, words = [] }: Caption): WordTime[] {
  let last = start - 0.001;
  return words.filter((word) => {
    const isInside = word.start > last && word.start < end;
    if (isInside) last = word.start;
    return isInside;
  });
}

/** A text on one line, without characters that no file can hold. */
export const writableText = (text: string): string =>
  text.toWellFormed().replace(NO_TEXT, '').replace(LINE_ENDS, ' ');

/** Cleans the text of one line, as portableRuns describes. */
const cleanText = (text: string): string =>
  withoutDirectionControls(writableText(text)).replaceAll('\t', ' ').replaceAll('-->', '→');

function trimmed<Run extends ItalicRun>(runs: readonly Run[]): (Run | ItalicRun)[] {
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
  lines: LookRun[][];
}

/** The lines of a caption as runs, grouped by speaker. */
export function spokenLines(caption: Caption, held: readonly Mark[]): SpokenLines[] {
  const speakers = portableSpeakers(caption);
  const groups: SpokenLines[] = [];
  for (const [at, runs] of markedRuns(caption, held).entries()) {
    const speaker = speakers[at] ?? '';
    const last = groups.at(-1);
    if (last?.speaker === speaker) last.lines.push(runs);
    else groups.push({ speaker, lines: [runs] });
  }
  return groups;
}

/** A caption read from a file, in seconds. */
export interface ReadCue extends Caption {
  start: number;
  end: number;
  lines: string[];
  speakers?: string[];
  placement?: Placement;
  colours?: ColouredText[];
  row?: Row;
}

/** A line of a file that is in no caption. */
export interface UnreadLine {
  /** From 1; in JSON and EBU-STL the number of the caption or block. 0 if it is of the file as a whole. */
  line: number;
  text: string;
  /** Why it could not be read, in words for people. */
  reason: string;
}

/** What a file says besides its captions. */
export interface FileDetails {
  language?: string;
  frameRate?: number;
  dropFrame?: boolean;
  /** The time code at which the programme begins, in frames. */
  firstFrame?: number;
}

/** What a reader is told, and to whom it reports. */
export interface Reading {
  /** The frames a second of a file that counts in frames and does not say. */
  frameRate?: number;
  /** Hears each line that could not be read. */
  unread?: (line: UnreadLine) => void;
  /** Hears what the file says besides its captions. */
  details?: (details: FileDetails) => void;
}

/** The lines of a text file, whatever ends them, without a mark of byte order. */
export const fileLines = (document: string): string[] =>
  document.replace(/^\ufeff/, '').split(/\r\n?|\n/);

/** A part of a line as read from a file, with one look. */
export interface ReadRun {
  text: string;
  italic?: boolean;
  /** `#rrggbb`; without it, white. */
  colour?: string | undefined;
  speaker?: string;
  reading?: string;
  dots?: boolean;
  /** The time at which the word that begins here is said, in seconds. */
  starts?: number | undefined;
}

/** Creates a caption from lines of runs, without white space at their edges and without lines that have no text. */
export function cueOfRuns(
  start: number,
  end: number,
  lines: readonly (readonly ReadRun[])[],
  placement: Placement = {},
): ReadCue {
  const colours: ColouredText[] = [];
  const ruby: RubyText[] = [];
  const dots: PartOfLine[] = [];
  const words: WordTime[] = [];
  const read: ReadLine[] = [];
  for (const runs of lines) {
    const whole = runs.map(({ text }) => text).join('');
    if (whole.trim() === '') continue;
    const skipped = whole.length - whole.trimStart().length;
    const length = whole.trim().length;
    let at = -skipped;
    let text = '';
    for (const run of runs) {
      const from = Math.max(0, at);
      const to = Math.min(length, at + run.text.length);
      const shown = to > from ? run.text.slice(from - at, to - at) : '';
      text += run.italic && shown !== '' ? `<i>${shown}</i>` : shown;
      at += run.text.length;
      if (shown.trim() === '') continue;
      const part = { line: read.length, from, to };
      if (run.colour && run.colour !== WHITE) {
        extend(colours, { ...part, colour: run.colour }, (last) => last.colour === run.colour);
      }
      if (run.reading && ruby.length < MOST_MARKS) ruby.push({ ...part, reading: run.reading });
      if (run.dots) extend(dots, part, () => true);
      if (run.starts !== undefined && words.length < MOST_MARKS) {
        const skippedHere = shown.length - shown.trimStart().length;
        words.push({ line: part.line, from: from + skippedHere, start: run.starts });
      }
    }
    const speaker = runs.find((run) => run.text.trim() !== '')?.speaker ?? '';
    read.push({ text, speaker });
  }
  // Files give no time for the word with which a caption begins.
  const [first] = words;
  if (first && (first.line > 0 || first.from > 0)) words.unshift({ line: 0, from: 0, start });
  return {
    ...readCue(start, end, read, placement),
    ...(colours.length > 0 && { colours }),
    ...(ruby.length > 0 && { ruby }),
    ...(dots.length > 0 && { dots }),
    ...(words.length > 0 && { words }),
  };
}

/** Adds a part, or lengthens the last one if this one continues it. */
function extend<Part extends PartOfLine>(
  parts: Part[],
  part: Part,
  isAlike: (last: Part) => boolean,
): void {
  const last = parts.at(-1);
  if (last?.line === part.line && last.to === part.from && isAlike(last)) {
    parts[parts.length - 1] = { ...last, to: part.to };
  } else if (parts.length < MOST_MARKS) parts.push(part);
}

/** The most marks of a kind that a caption keeps; no real one has so many. */
const MOST_MARKS = 1000;

/** The colour of captions that have none of their own. */
export const WHITE = '#ffffff';

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
  const cue: ReadCue = { start, end, lines: withinLines(read.map(({ text }) => text)) };
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
  lines: ReadRun[][];
  placement: Placement;
}

/** Converts `\a` of old SSA, in which 1 to 3 are at the bottom, 5 to 7 at the top and 9 to 11 in the middle. */
const oldPad = (number: number): number => (number & 3) + (number > 8 ? 3 : number > 4 ? 6 : 0);

/**
 * Reads a text with blocks. Removes drawings and all blocks except italics, colours and positions. A brace that is never
 * closed is text, as in libass.
 * @param isMarkup distinguishes markup from text in braces; by default every block is markup, as in ASS
 * @param begins the time from which the words of karaoke count, in seconds
 */
export function readOverrides(
  source: readonly ReadRun[],
  isMarkup: (block: string) => boolean = () => true,
  begins = 0,
): Overridden {
  const lines: ReadRun[][] = [[]];
  let placement: Placement = {};
  let italic = false;
  let colour: string | undefined;
  let drawing = false;
  let hundredths = 0;
  let starts: number | undefined;
  for (const run of source) {
    for (const part of run.text.split(/(\{[^{}]*\})/)) {
      if (!/^\{[^{}]*\}$/.test(part) || !isMarkup(part)) {
        if (drawing || part === '') continue;
        const shown = part.replace(/\\[Nn]/g, '\n').replaceAll('\\h', '\u00a0');
        const look = { italic: italic || run.italic === true, colour: colour ?? run.colour };
        for (const [at, text] of shown.split('\n').entries()) {
          if (at > 0) lines.push([]);
          lines.at(-1)!.push({ ...run, ...look, text, starts });
          if (text.trim() !== '') starts = undefined;
        }
        continue;
      }
      for (const [, tag = '', value = ''] of part.matchAll(
        /\\(an|a|i|r|p|1?c|k[fo]?)(\d*|&?H[\da-f]{1,8}&?)(?=[\\}(]|$)/gi,
      )) {
        if (tag === 'an' && /^[1-9]$/.test(value)) placement = placementOfPad(Number(value));
        else if (tag === 'a' && /^\d+$/.test(value))
          placement = placementOfPad(oldPad(Number(value)));
        else if (tag === 'i') italic = value === '1';
        else if (tag === 'r') [italic, colour] = [false, undefined];
        else if (tag === 'p') drawing = Number(value) > 0;
        else if (/^k/i.test(tag)) {
          starts = begins + hundredths / 100;
          hundredths += Number(value);
        } else if (tag.endsWith('c')) colour = colourOfBlock(value);
      }
    }
  }
  return { lines, placement };
}

/** The colour of `&HBBGGRR&`. */
function colourOfBlock(value: string): string | undefined {
  const digits = value.replace(/[&H]/gi, '').padStart(6, '0').slice(-6);
  if (value === '') return undefined;
  return `#${digits.slice(4)}${digits.slice(2, 4)}${digits.slice(0, 2)}`.toLowerCase();
}

/** The block that begins a colour in ASS. */
export const colourBlock = (colour: string): string =>
  `{\\c&H${colour.slice(5)}${colour.slice(3, 5)}${colour.slice(1, 3)}&}`
    .toUpperCase()
    .replace('\\C', '\\c');
