/**
 * An independent checker of captions, written from the publishers' pages and sharing no code with
 * the program: it represents captions as arrays of lines with milliseconds.
 */
import type { Dashes, Limits } from './published-limits.ts';

/** A caption as read from a file. */
export interface Shown {
  start: number;
  end: number;
  lines: readonly string[];
  /** The speaker of each line, if the file names one. */
  speakers?: readonly string[];
}

/** The frame rates of film and television, as people write them. */
export const RATES = [23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60];

/** The exact rate: 23.976 is 24 × 1000/1001. */
export const exactRate = (rate: number): number =>
  Number.isInteger(rate) ? rate : (Math.round(rate) * 1000) / 1001;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const charactersOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);
const lengthOf = (text: string): number => charactersOf(text).length;
const ms = (seconds: number): number => Math.round(seconds * 1000);

/** Matches characters as wide as two Latin letters: Chinese, Japanese and Korean, their punctuation, and emoji. */
const FULL =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\u30fc\uff01-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
/** Matches scripts that have no words between spaces, or whose words are counted in another way. */
const WITHOUT_WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

const widthOf = (line: string, halves: boolean): number =>
  halves
    ? charactersOf(line).reduce((sum, each) => sum + (FULL.test(each) ? 1 : 0.5), 0)
    : lengthOf(line);

/** Whether the lines of two speakers have the dashes of the language. */
const haveDashes = (lines: readonly string[], { both, dash }: Dashes): boolean =>
  lines.length === 2 &&
  lines.every((line, at) => {
    if (at === 0 && !both) return !line.startsWith('-');
    return line.startsWith(dash) && line[dash.length] !== ' ';
  });

/** A fault: its rule and its caption. */
export interface Found {
  rule: string;
  at: number;
}

/** The faults of captions, for a picture with a frame rate and shots that start at these frames. */
export function publishedFaults(
  cues: readonly Shown[],
  limits: Limits,
  rate: number | null,
  shotFrames: readonly number[] = [],
): Found[] {
  const found: Found[] = [];
  /** The time of a frame as written to files, in milliseconds. */
  const frameMs = (frame: number): number => Math.round((frame * 1000) / (rate ?? 1000));
  for (const [at, cue] of cues.entries()) {
    const say = (rule: string, isSo: boolean) => {
      if (isSo) found.push({ rule, at });
    };
    const [start, end] = [ms(cue.start), ms(cue.end)];
    const shown = end - start;
    const text = cue.lines.join(' ');
    say('line_count', cue.lines.length > limits.lines);
    say(
      'line_length',
      Math.max(...cue.lines.map((line) => widthOf(line, limits.halves))) > limits.chars,
    );
    say('min_duration', limits.shortest !== undefined && shown < limits.shortest * 1000 - 1);
    say('max_duration', limits.longest !== undefined && shown > limits.longest * 1000 + 1);
    // A line break is read as a space, also before a mark that would join the letter before it.
    const letters = cue.lines.reduce((sum, line) => sum + lengthOf(line), cue.lines.length - 1);
    say(
      'reading_speed',
      limits.cps !== undefined && (letters * 1000) / (shown + 1) > limits.cps + 1e-6,
    );
    const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    say(
      'reading_speed',
      limits.wpm !== undefined &&
        !WITHOUT_WORDS.test(text) &&
        (words * 60_000) / (shown + 1) > limits.wpm + 1e-6,
    );
    const speakers = new Set(cue.speakers?.filter((speaker) => speaker !== '')).size;
    say(
      'two_speakers',
      limits.speakers !== undefined &&
        (speakers > 2 || (speakers === 2 && !haveDashes(cue.lines, limits.speakers))),
    );
    const next = cues[at + 1];
    const frames = (time: number): number => Math.round((time * (rate ?? 1000)) / 1000);
    if (next && rate !== null) {
      const gap = frames(ms(next.start)) - frames(end);
      say('gap', gap < limits.gapFrames);
      say('small_gap', gap > limits.gapFrames && gap < limits.smallGap * rate);
    } else if (next) {
      const gap = ms(next.start) - end;
      // A difference of one millisecond is tolerated, as everywhere.
      say('gap', gap < -1);
      say('small_gap', gap > 0 && gap < limits.smallGap * 1000);
    }
    if (rate === null) continue;
    say('on_frames', frameMs(frames(start)) !== start || frameMs(frames(end)) !== end);
    if (limits.outBefore === undefined || shotFrames.length === 0) continue;
    const half = Math.round(rate / 2);
    const near = (frame: number) => shotFrames.filter((shot) => Math.abs(shot - frame) < half);
    const [begins, ends] = [frames(start), frames(end)];
    say('shot_in', near(begins).length > 0 && !shotFrames.includes(begins));
    say('shot_out', near(ends).length > 0 && !shotFrames.includes(ends + limits.outBefore));
  }
  return found;
}

/** Whether a text has words that a limit of words a minute counts: only where spaces separate them. */
export const hasCountedWords = (text: string): boolean => !WITHOUT_WORDS.test(text);
