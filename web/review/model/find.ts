/** Find and replace. */
import { textOf, type ReviewCue } from './cue.ts';
import { phraseExpression, type PhraseOptions } from './corrections.ts';
import { replaceText } from './edit-text.ts';
import { replaceCues, type Splice } from './splice.ts';

/** A match in a cue: offsets in `textOf` the cue, `to` exclusive. */
export interface Match {
  /** The position of the cue, from 0. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

interface FindOptions extends PhraseOptions {
  /** The query is a JavaScript regular expression. */
  regex?: boolean;
}

/**
 * The regular expression for a query; null for a blank one.
 * @throws {SyntaxError} for an invalid regular expression
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
 * All matches of a query, in order and without overlaps; none for a blank query.
 * @throws {SyntaxError} for an invalid regular expression
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
 * The text that replaces a match. With a regular expression, `$1`, `$<name>` and `$&` are replaced
 * by what its groups matched, as in JavaScript.
 */
export function replacementFor(text: string, { from, to }: Match, by: Replacement): string {
  if (typeof by === 'string') return by;
  const sticky = new RegExp(by.expression.source, `${by.expression.flags.replace('g', '')}y`);
  sticky.lastIndex = from;
  const replaced = text.replace(sticky, by.text);
  return replaced.slice(from, replaced.length - (text.length - to));
}

/** A literal replacement, or one that refers to groups of the expression that was searched for. */
export type Replacement = string | { readonly text: string; readonly expression: RegExp };

/**
 * Replaces one match.
 * @throws {RangeError} if the cue no longer exists
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

/** Replaces all matches: one splice for each cue that changes, to be applied in order. */
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
  // From last to first, so that earlier offsets stay valid.
  const text = matches
    .toSorted((a, b) => b.from - a.from)
    .reduce(
      (text, match) =>
        replaceText(text, match.from, match.to, replacementFor(before, match, replacement)),
      before,
    );
  return { ...cue, lines: text.split('\n') };
}
