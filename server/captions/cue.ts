/**
 * A caption with its times and lines, also of two speakers, who have a line each, with dashes according to the
 * language.
 */
import { baseOf } from './language-tag.ts';
import type { CaptionCue } from '../contract/captions.ts';
import { formatTimestamp, LATEST_MS } from './timestamps.ts';

/** The part of a cue that a caption file needs: its lines and its times in seconds. */
export interface TimedLines {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** The position of a caption in the picture; by default at the bottom, in the middle. */
export interface Placement {
  readonly vertical?: 'top' | 'middle';
  /** The edge to which its lines are aligned, in the direction of their script. */
  readonly align?: 'start' | 'end';
}

/** A part of a line. */
export interface PartOfLine {
  /** From 0. */
  readonly line: number;
  /** The place in the line without the tags of italics, in UTF-16 units; `to` is not included. */
  readonly from: number;
  readonly to: number;
}

/** A part of a line in another colour than white. */
export interface ColouredText extends PartOfLine {
  /** `#rrggbb`. */
  readonly colour: string;
}

/** Characters with their reading beside them, as Japanese has it (ruby). */
export interface RubyText extends PartOfLine {
  readonly reading: string;
}

/** The time at which a word is said; it lasts until the next one. */
export interface WordTime extends Omit<PartOfLine, 'to'> {
  /** Seconds. */
  readonly start: number;
}

/** The row of a caption's first line, from 1, in a picture with so many rows. */
export interface Row {
  readonly first: number;
  readonly of: number;
}

/** A caption with everything that a file can hold. */
export interface Caption extends TimedLines {
  /** The speaker of each line; empty if unknown. */
  readonly speakers?: readonly string[];
  readonly placement?: Placement;
  readonly colours?: readonly ColouredText[];
  readonly ruby?: readonly RubyText[];
  /** Parts that are emphasised by dots beside their characters. */
  readonly dots?: readonly PartOfLine[];
  /** In their order. */
  readonly words?: readonly WordTime[];
  /** The edge of the picture at which its lines are columns, from right to left; without it, they are rows. */
  readonly columns?: 'right' | 'left';
  /** Where its placement alone is not exact. */
  readonly row?: Row;
}

/**
 * Creates a cue, with its timestamps and text computed.
 * @param index from 1
 * @param start seconds, as is `end`
 * @throws {RangeError} past 99:59:59,999
 * @example
 * const cue = makeCue(1, 0.5, 2, ['Hello', 'there']);
 * cue.text; // => 'Hello\nthere'
 * cue.startTime; // => '00:00:00,500'
 */
export const makeCue = (index: number, start: number, end: number, lines: string[]): CaptionCue => {
  if (Math.round(end * 1000) > LATEST_MS) {
    throw new RangeError(`A caption at ${end} s is too late: the latest time is 99:59:59,999.`);
  }
  return {
    index,
    start,
    end,
    startTime: formatTimestamp(start),
    endTime: formatTimestamp(end),
    text: lines.join('\n'),
    lines,
  };
};

/**
 * A caption as requests have it, with its speakers as one text.
 * @example
 * sentCue({ start: 0, end: 1, lines: ['-Hi.', '-Yes?'], speakers: ['Ada', 'Ben'] }).speaker; // => 'Ada\nBen'
 */
export const sentCue = ({ start, end, lines, speakers = [] }: Caption) => ({
  start,
  end,
  lines: [...lines],
  ...(speakers.length > 0 && { speaker: speakers.join('\n') }),
});

/** The lines that begin with a dash, and whether a space follows it. */
export interface DialogueStyle {
  lines: 'both' | 'second';
  dash: '-' | '- ';
}

/**
 * Languages that put a space after the dash, and languages that mark only the second speaker, from the dual-speaker
 * sections of Netflix's Timed Text Style Guides
 * (https://partnerhelp.netflixstudios.com/hc/en-us/sections/22463232153235). All others, including English and German,
 * write a hyphen without a space on both lines.
 */
const SPACED = new Set('ar bg cs es fr hu id it ko ms pl pt ro ru sk th vi'.split(' '));
const SECOND_ONLY = new Set('bg fi he nl sr'.split(' '));

/**
 * The dashes of two speakers in one caption.
 * @param tag BCP 47
 * @example
 * dialogueStyleOf('fr'); // => { lines: 'both', dash: '- ' }
 */
export function dialogueStyleOf(tag: string): DialogueStyle {
  const language = baseOf(tag);
  return {
    lines: SECOND_ONLY.has(language) ? 'second' : 'both',
    dash: SPACED.has(language) ? '- ' : '-',
  };
}

/**
 * Adds the dashes to the lines of two speakers.
 * @example
 * withDashes(['Hello.', 'Hi.'], { lines: 'second', dash: '-' }); // => ['Hello.', '-Hi.']
 */
export const withDashes = (
  [first = '', second = '']: readonly string[],
  { lines, dash }: DialogueStyle,
): string[] => [lines === 'both' ? dash + first : first, dash + second];
