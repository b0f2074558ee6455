/** Builds cues from words with times: divides them, breaks lines, and times the cues. */
import type { CaptionCue, CaptionSettings } from '../contract/captions.ts';
import { breaksOf } from './breaks.ts';
import { makeCue } from './cue.ts';
import { divide, type Division } from './divide.ts';
import { languageOf } from './language.ts';
import { lineColumns, measure } from './lines.ts';
import type { CaptionWord } from './repair.ts';
import { timeCues } from './timing.ts';
import { textOfTokens, tokensOf, type Token } from './tokens.ts';

export type { CaptionWord } from './repair.ts';

/**
 * Builds cues. Together they contain exactly the text of the words, in order, and do not overlap.
 * Lines, line count and duration respect the settings wherever single words allow it. Faulty words
 * are repaired, never refused, and every time can be written in SRT.
 * @param language BCP 47; its small words show where a break reads well
 * @example
 * const [cue] = buildCues([{ text: 'Hello', start: 0, end: 0.4 }], DEFAULT_CAPTION_SETTINGS, 'en');
 * cue?.lines; // => ['Hello']
 */
export function buildCues(
  words: readonly CaptionWord[],
  settings: CaptionSettings,
  language = 'en',
): CaptionCue[] {
  const tokens = tokensOf(words);
  if (tokens.length === 0) return [];
  const measures = measure(tokens);
  const breaks = breaksOf(tokens, languageOf(language));
  const divisions = divide(breaks, measures, settings);
  const times = timeCues(
    divisions.map(({ from, to }) => ({
      start: tokens[from]!.start,
      end: tokens[to - 1]!.end,
      columns: lineColumns(measures, from, to),
    })),
    settings,
  );
  return divisions.map((division, index) => {
    const lines = linesOf(tokens, division);
    const { start, end } = times[index]!;
    return makeCue(index + 1, start / 1000, end / 1000, lines);
  });
}

function linesOf(tokens: readonly Token[], { from, to, starts }: Division): string[] {
  const bounds = [from, ...starts, to];
  return bounds.slice(0, -1).map((begin, index) => textOfTokens(tokens, begin, bounds[index + 1]!));
}
