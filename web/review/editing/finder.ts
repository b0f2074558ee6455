/** Find and replace: the query, its matches and the current match. */
import { computed, effect, type ReadonlySignal, signal, type Signal } from '@preact/signals';
import { loadPart } from '../../api/load-part.ts';
import { text } from '../../texts/review.ts';
import { textOf, timeAt, type ReviewCue } from '../model/cue.ts';
import type { Tried } from './try-expression.ts';
import type { Review } from './review.ts';
import {
  phraseExpression,
  type PhraseOptions,
  replaceText,
} from '../../../server/captions/divide/replace-spoken.ts';
import { replaceCues, type Splice } from '../model/splice.ts';

/** A match in its caption; `isMeant` marks the current one. */
interface FoundHere extends Match {
  isMeant: boolean;
}

export interface Finder {
  /** Whether the bar is open, and whether it shows the replace field. */
  open: ReadonlySignal<'closed' | 'find' | 'replace'>;
  query: Signal<string>;
  replacement: Signal<string>;
  matchCase: Signal<boolean>;
  wholeWord: Signal<boolean>;
  /** The query is a regular expression. */
  regex: Signal<boolean>;
  /** Whether the query is an invalid regular expression. */
  isWrong: ReadonlySignal<boolean>;
  /** Whether the expression is fast enough; this is tested before it is used for searching. */
  tried: ReadonlySignal<Tried>;
  matches: ReadonlySignal<readonly Match[]>;
  /** The matches by caption position. */
  byCue: ReadonlySignal<ReadonlyMap<number, readonly FoundHere[]>>;
  /** The times at which the matches are spoken, in seconds. */
  times: ReadonlySignal<readonly number[]>;
  /** The index of the current match, from 0; -1 if there is none. */
  at: ReadonlySignal<number>;
  /** The text around the current match: before, match, after. */
  context: ReadonlySignal<readonly [string, string, string] | null>;
  /** Counts requests to show the bar, each of which focuses it. */
  asked: ReadonlySignal<number>;
  show(mode: 'find' | 'replace'): void;
  /** Closes the bar and puts the cursor at the current match. */
  close(): void;
  go(step: 1 | -1): void;
  replace(): void;
  /** Replaces all matches; returns their number. */
  replaceAll(): number;
}

/** Creates the finder of a review. */
export function createFinder(review: Review): Finder {
  const open = signal<'closed' | 'find' | 'replace'>('closed');
  const query = signal('');
  const replacement = signal('');
  const matchCase = signal(false);
  const wholeWord = signal(false);
  const place = signal(0);
  const regex = signal(false);
  const options = computed(() => ({
    matchCase: matchCase.value,
    wholeWord: wholeWord.value,
    regex: regex.value,
  }));
  /** Null if there is no expression, or if it is invalid. */
  const expression = computed(() => {
    if (open.value === 'closed' || !regex.value) return null;
    try {
      return expressionOf(query.value, options.value);
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  });
  /**
   * The result of the last trial and its expression: another expression is not used before its own
   * trial.
   */
  const verdict = signal<{ of: RegExp | null; how: Tried }>({ of: null, how: 'quick' });
  effect(() => {
    const of = expression.value;
    if (!of) return undefined;
    let end = (): void => {};
    let isOver = false;
    const texts = review.cues.peek().map(textOf);
    const begin = async () => {
      const { tryExpression } = await loadPart(() => import('./try-expression.ts'));
      if (!isOver) end = tryExpression(of, texts, (how) => (verdict.value = { of, how }));
    };
    void begin();
    return () => {
      isOver = true;
      end();
    };
  });
  const tried = computed((): Tried => {
    if (!expression.value) return 'quick';
    return verdict.value.of === expression.value ? verdict.value.how : 'trying';
  });
  const matches = computed(() => {
    if (open.value === 'closed') return [];
    if (!regex.value) return findAll(review.cues.value, query.value, options.value);
    if (!expression.value || tried.value !== 'quick') return [];
    return findAll(review.cues.value, query.value, options.value);
  });
  const replacementNow = (): Replacement => {
    const made = replacement.peek();
    const expression = regex.peek() ? expressionOf(query.peek(), options.peek()) : null;
    return expression ? { text: made, expression } : made;
  };
  const at = computed(() => Math.min(place.value, matches.value.length - 1));
  const asked = signal(0);
  const look = () => {
    const match = matches.peek()[at.peek()];
    const cue = match && review.cues.peek()[match.index];
    if (!cue) return;
    review.currentId.value = cue.id;
    review.reveal.value = { id: cue.id };
  };
  effect(() => {
    // A new search starts at the current caption.
    void tried.value;
    if (query.value === '') return;
    const from = review.currentIndex.peek();
    const found = matches.peek().findIndex(({ index }) => index >= from);
    place.value = Math.max(0, found);
    look();
  });
  return {
    open,
    query,
    replacement,
    matchCase,
    wholeWord,
    regex,
    isWrong: computed(() => regex.value && query.value !== '' && expression.value === null),
    tried,
    matches,
    times: computed(() =>
      matches.value.map(({ index, from }) => {
        const cue = review.cues.value[index];
        return cue ? timeAt(cue, from) : 0;
      }),
    ),
    byCue: computed(() =>
      Map.groupBy(
        matches.value.map((match, place) => ({ ...match, isMeant: place === at.value })),
        ({ index }) => index,
      ),
    ),
    at,
    context: computed(() => {
      const match = matches.value[at.value];
      const cue = match && review.cues.value[match.index];
      if (!cue) return null;
      const words = textOf(cue);
      return [
        words.slice(0, match.from),
        words.slice(match.from, match.to),
        words.slice(match.to),
      ] as const;
    }),
    asked,
    show(mode) {
      open.value = mode;
      asked.value += 1;
    },
    close() {
      const match = matches.peek()[at.peek()];
      const cue = review.cues.peek()[match?.index ?? review.currentIndex.peek()];
      open.value = 'closed';
      if (!cue) return;
      review.reveal.value = { id: cue.id, select: match ? [match.from, match.to] : 'start' };
    },
    go(step) {
      const count = matches.peek().length;
      if (count === 0) return;
      place.value = (at.peek() + step + count) % count;
      look();
    },
    replace() {
      const match = matches.peek()[at.peek()];
      if (!match) return;
      const cues = review.cues.peek();
      const by = replacementNow();
      const cue = cues[match.index];
      const made = cue ? replacementFor(textOf(cue), match, by) : '';
      review.edit('replace', replaceOne(cues, match, by));
      // Continue after the replacement, because it may contain the query.
      const next = matches
        .peek()
        .findIndex(
          ({ index, from }) =>
            index > match.index || (index === match.index && from >= match.from + made.length),
        );
      place.value = Math.max(0, next);
      look();
    },
    replaceAll() {
      const found = matches.peek();
      if (found.length === 0) return 0;
      review.edit('replace', replaceAll(review.cues.peek(), found, replacementNow()));
      review.message.value = text.review.replaced(found.length);
      return found.length;
    },
  };
}

/** A match in a cue: offsets in `textOf` the cue, `to` exclusive. */
interface Match {
  /** The position of the cue, from 0. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

type FindOptions = PhraseOptions & {
  /** The query is a JavaScript regular expression. */
  regex?: boolean;
};

/**
 * The regular expression for a query; null for a blank one.
 * @throws {SyntaxError} for an invalid regular expression
 */
function expressionOf(query: string, options: FindOptions): RegExp | null {
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
function findAll(cues: readonly ReviewCue[], query: string, options: FindOptions): Match[] {
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
function replacementFor(text: string, { from, to }: Match, by: Replacement): string {
  if (typeof by === 'string') return by;
  const sticky = new RegExp(by.expression.source, `${by.expression.flags.replace('g', '')}y`);
  sticky.lastIndex = from;
  const replaced = text.replace(sticky, by.text);
  return replaced.slice(from, replaced.length - (text.length - to));
}

/** A literal replacement, or one that refers to groups of the expression that was searched for. */
type Replacement = string | { readonly text: string; readonly expression: RegExp };

/**
 * Replaces one match.
 * @throws {RangeError} if the cue no longer exists
 */
const replaceOne = (cues: readonly ReviewCue[], match: Match, replacement: Replacement): Splice => {
  const cue = cues[match.index];
  if (!cue) throw new RangeError(`There is no cue at ${match.index}.`);
  return { at: match.index, removed: [cue], inserted: [withReplaced(cue, [match], replacement)] };
};

/** Replaces all matches: one splice for each cue that changes, to be applied in order. */
function replaceAll(
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
