/**
 * Aligns a script with the recognised words: the script's words, with the times of the recording.
 */
import type { CaptionWord } from '../../../server/captions/build.ts';
import { readPlainText } from '../../../server/captions/files/plain-text.ts';
import { joinWords } from '../../../server/captions/width.ts';
import type { TimedWord } from './spoken-cut.ts';
import { timeScript, type Bounds } from './timed-script.ts';
import { writtenWords } from './written-words.ts';

/** A place where the script differs from the recognised words. */
export interface ScriptDifference {
  /** When it is spoken, in seconds. */
  readonly start: number;
  /** Empty where only the script has words. */
  readonly heard: string;
  /** Empty where only the recording has words. */
  readonly script: string;
}

export interface AlignedScript {
  readonly words: readonly CaptionWord[];
  readonly differences: readonly ScriptDifference[];
  /** The share of the script that matches the recognised words, from 0 to 1. */
  readonly agreement: number;
}

/**
 * Aligns a script with the recognised words. Paragraphs may begin with a speaker's name and a
 * colon.
 * @param bounds the start and end of the recording, in seconds
 */
export function alignScript(
  script: string,
  heard: readonly TimedWord[],
  bounds: Bounds,
): AlignedScript {
  const written = readPlainText(script).flatMap(({ text, speaker }) =>
    writtenWords(text, speaker === '' ? undefined : speaker),
  );
  const { words, pairings } = timeScript(written, heard, bounds);
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
  // Everything between two identical words is one difference.
  let [at, heardAt] = [0, 0];
  for (const {
    script: next,
    scriptCount,
    heard: heardNext,
    heardCount,
    same: isSame,
  } of pairings) {
    if (!isSame) continue;
    add(at, next, heardAt, heardNext);
    at = next + scriptCount;
    heardAt = heardNext + heardCount;
  }
  add(at, written.length, heardAt, heard.length);
  return { words, differences, agreement: written.length === 0 ? 0 : same / written.length };
}
