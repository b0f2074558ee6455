/**
 * Aligns a script with the recognised words: the script's words, with the times of the recording.
 */
import type { CaptionWord } from '../../../server/captions/build.ts';
import { readPlainText } from '../../../server/captions/files/plain-text.ts';
import { joinWords } from '../../../server/captions/width.ts';
import {
  type Bounds,
  type Pairing,
  type TimedScript,
  timeScript,
  type WrittenWord,
  writtenWords,
} from './align-words.ts';
import { lettersOf, type TimedWord } from './spoken-cut.ts';

/** A place where the script differs from the recognised words. */
interface ScriptDifference {
  /** When it is spoken, in seconds. */
  readonly start: number;
  /** Empty where only the script has words. */
  readonly heard: string;
  /** Empty where only the recording has words. */
  readonly script: string;
}

export interface AlignedScript {
  readonly words: readonly CaptionWord[];
  /** The part of the recording that the script is of, in seconds; null if it is of all of it. */
  readonly part: Bounds | null;
  /** Within that part. */
  readonly differences: readonly ScriptDifference[];
  /** The share of the script that matches the recognised words, from 0 to 1. */
  readonly agreement: number;
}

/**
 * Aligns a script with the recognised words. Paragraphs may begin with a speaker's name and a
 * colon, unless just that was said. A script may be of a part of the recording.
 * @param bounds the start and end of the recording, in seconds
 */
export function alignScript(
  script: string,
  heard: readonly TimedWord[],
  bounds: Bounds,
): AlignedScript {
  const written = wordsOfScript(script, heard);
  const timed = (from: number, to: number): TimedScript =>
    timeScript(written, heard.slice(from, to), {
      start: heard[from - 1]?.end ?? bounds.start,
      end: heard[to]?.start ?? bounds.end,
    });
  const whole = timed(0, heard.length);
  const rough = partOf(whole.pairings, written.length, heard.length);
  if (!rough) return { ...compared(written, heard, whole), part: null };
  // There, its first and last words do not match others far away.
  const { pairings } = timed(...rough);
  const last = pairings.at(-1)!;
  const from = rough[0] + pairings[0]!.heard;
  const to = rough[0] + last.heard + last.heardCount;
  return {
    ...compared(written, heard.slice(from, to), timed(from, to)),
    part: { start: heard[from]!.start, end: heard[to - 1]!.end },
  };
}

/** The words of a script. A name used once is a speaker, unless it was said like the words after it. */
function wordsOfScript(script: string, heard: readonly TimedWord[]): WrittenWord[] {
  const said = ` ${heard.map(({ text }) => lettersOf(text)).join(' ')} `;
  const letters = (text: string): string => text.split(' ').map(lettersOf).join(' ');
  return readPlainText(script, undefined, 1).flatMap(({ text, speaker }) => {
    const opening = `${speaker} ${text.split(' ').slice(0, 2).join(' ')}`;
    const isSaid = speaker !== '' && said.includes(` ${letters(opening)} `);
    if (isSaid) return writtenWords(`${speaker}: ${text}`);
    return writtenWords(text, speaker === '' ? undefined : speaker);
  });
}

/** Recognised words that the script leaves out at either end count as another part from this many on. */
const LEFT_OUT = 8;
/** Words between which more than this many others were recognised belong to different stretches. */
const APART = 4;
/** A stretch of fewer words at either end is a coincidence: “and” and “the” match anywhere. */
const FEW = 4;

/**
 * The positions of the recognised words that a script may be of, the end exclusive; null if it is of
 * all of them.
 */
function partOf(
  pairings: readonly Pairing[],
  writtenCount: number,
  heardCount: number,
): [from: number, to: number] | null {
  const stretches: [first: number, last: number][] = [];
  for (const [at, { same, heard, script }] of pairings.entries()) {
    if (!same) continue;
    const stretch = stretches.at(-1);
    const before = stretch && pairings[stretch[1]]!;
    const skipped = before ? heard - before.heard - (script - before.script) : 0;
    if (stretch && skipped <= APART) stretch[1] = at;
    else stretches.push([at, at]);
  }
  const long = stretches.filter(([first, last]) => last - first + 1 >= FEW);
  if (long.length === 0) return null;
  const [first, last] = [pairings[long[0]![0]]!, pairings[long.at(-1)![1]]!];
  // The words of the script before and after these were recognised differently, close by.
  const from = first.heard - first.script;
  const to = last.heard + last.heardCount + writtenCount - last.script - last.scriptCount;
  const isFrom = from >= LEFT_OUT;
  const isTo = heardCount - to >= LEFT_OUT;
  return isFrom || isTo ? [isFrom ? from : 0, isTo ? to : heardCount] : null;
}

/** What differs; everything between two identical words is one difference. */
function compared(
  written: readonly WrittenWord[],
  heard: readonly TimedWord[],
  { words, pairings }: TimedScript,
): Omit<AlignedScript, 'part'> {
  const same = pairings.reduce((sum, each) => sum + (each.same ? each.scriptCount : 0), 0);
  const differences: ScriptDifference[] = [];
  const add = (from: number, to: number, heardFrom: number, heardTo: number): void => {
    if (from === to && heardFrom === heardTo) return;
    differences.push({
      start: words[from]?.start ?? heard[heardFrom]!.start,
      heard: joinWords(heard.slice(heardFrom, heardTo).map(({ text }) => text)),
      script: joinWords(written.slice(from, to).map(({ text }) => text)),
    });
  };
  let [at, heardAt] = [0, 0];
  for (const pairing of pairings) {
    if (!pairing.same) continue;
    add(at, pairing.script, heardAt, pairing.heard);
    at = pairing.script + pairing.scriptCount;
    heardAt = pairing.heard + pairing.heardCount;
  }
  add(at, written.length, heardAt, heard.length);
  return { words, differences, agreement: written.length === 0 ? 0 : same / written.length };
}
