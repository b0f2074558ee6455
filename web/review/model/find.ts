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

export interface FindOptions extends PhraseOptions {
  /** The query is a regular expression of JavaScript. */
  regex?: boolean;
}

/**
 * The expression for what is looked for; null for a blank phrase.
 * @throws {SyntaxError} for a regular expression that is none
 */
export function expressionOf(query: string, options: FindOptions): RegExp | null {
  if (!options.regex) return phraseExpression(query, options);
  if (query === '') return null;
  const source = options.wholeWord
    ? `(?<![\\p{L}\\p{N}\\p{M}])(?:${query})(?![\\p{L}\\p{N}\\p{M}])`
    : query;
  return new RegExp(source, options.matchCase ? 'gmu' : 'gimu');
}

/**
 * All places of a phrase, in order, none over another; none for a blank phrase.
 * @throws {SyntaxError} for a regular expression that is none
 */
export function findAll(cues: readonly ReviewCue[], query: string, options: FindOptions): Match[] {
  const expression = expressionOf(query, options);
  if (!expression) return [];
  return cues.flatMap((cue, index) =>
    Array.from(textOf(cue).matchAll(expression), ({ 0: found, index: from }) => ({
      index,
      from,
      to: from + found.length,
    })).filter(({ from, to }) => to > from),
  );
}

/**
 * What comes in the place of a match. Of a regular expression, `$1`, `$<name>` and `$&` are what its groups
 * found, as in JavaScript.
 */
export function replacementFor(text: string, { from, to }: Match, by: Replacement): string {
  if (typeof by === 'string') return by;
  const sticky = new RegExp(by.expression.source, `${by.expression.flags.replace('g', '')}y`);
  sticky.lastIndex = from;
  const replaced = text.replace(sticky, by.text);
  return replaced.slice(from, replaced.length - (text.length - to));
}

/** A text that comes instead, as it is; or one that names groups of the expression that was looked for. */
export type Replacement = string | { readonly text: string; readonly expression: RegExp };

/**
 * Replaces what was found in one place.
 * @throws {RangeError} where the cue is no longer there
 */
export const replaceOne = (
  cues: readonly ReviewCue[],
  match: Match,
  replacement: Replacement,
): Splice => {
  const cue = cues[match.index];
  if (!cue) throw new RangeError(`There is no cue at ${match.index}.`);
  return { at: match.index, removed: [cue], inserted: [withReplaced(cue, [match], replacement)] };
};

/** Replaces what was found in all places: a splice for each cue that changes, to be applied in order. */
export function replaceAll(
  cues: readonly ReviewCue[],
  matches: readonly Match[],
  replacement: Replacement,
): Splice[] {
  return [...Map.groupBy(matches, ({ index }) => index)].flatMap(([index, found]) => {
    const cue = cues[index];
    if (!cue) return [];
    return replaceCues(cues, index, 1, [withReplaced(cue, found, replacement)]) ?? [];
  });
}

function withReplaced(
  cue: ReviewCue,
  matches: readonly Match[],
  replacement: Replacement,
): ReviewCue {
  const before = textOf(cue);
  // From the last on: the offsets of those before stay true.
  const text = matches
    .toSorted((a, b) => b.from - a.from)
    .reduce(
      (text, match) =>
        replaceText(text, match.from, match.to, replacementFor(before, match, replacement)),
      before,
    );
  return { ...cue, lines: text.split('\n') };
}
