/** Find and replace. */
import { textOf, type ReviewCue } from './cue.ts';
import { phraseExpression, type PhraseOptions } from './phrase.ts';
import { replaceText } from './replace-text.ts';
import { replaceCues, type Splice } from './splice.ts';

/** A place in a cue: offsets in `textOf` the cue, up to and not including `to`. */
export interface Match {
  /** That of the cue, from 0. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** All places of a phrase, in order, none over another; none for a blank phrase. */
export function findAll(
  cues: readonly ReviewCue[],
  query: string,
  options: PhraseOptions,
): Match[] {
  const expression = phraseExpression(query, options);
  if (!expression) return [];
  return cues.flatMap((cue, index) =>
    Array.from(textOf(cue).matchAll(expression), ({ 0: found, index: from }) => ({
      index,
      from,
      to: from + found.length,
    })),
  );
}

/**
 * Replaces what was found in one place.
 * @param replacement literal
 * @throws {RangeError} where the cue is no longer there
 */
export const replaceOne = (
  cues: readonly ReviewCue[],
  match: Match,
  replacement: string,
): Splice => {
  const cue = cues[match.index];
  if (!cue) throw new RangeError(`There is no cue at ${match.index}.`);
  return { at: match.index, removed: [cue], inserted: [withReplaced(cue, [match], replacement)] };
};

/** Replaces what was found in all places: a splice for each cue that changes, to be applied in order. */
export function replaceAll(
  cues: readonly ReviewCue[],
  matches: readonly Match[],
  replacement: string,
): Splice[] {
  return [...Map.groupBy(matches, ({ index }) => index)].flatMap(([index, found]) => {
    const cue = cues[index];
    if (!cue) return [];
    return replaceCues(cues, index, 1, [withReplaced(cue, found, replacement)]) ?? [];
  });
}

function withReplaced(cue: ReviewCue, matches: readonly Match[], replacement: string): ReviewCue {
  // From the last on: the offsets of those before stay true.
  const text = matches
    .toSorted((a, b) => b.from - a.from)
    .reduce((text, { from, to }) => replaceText(text, from, to, replacement), textOf(cue));
  return { ...cue, lines: text.split('\n') };
}
