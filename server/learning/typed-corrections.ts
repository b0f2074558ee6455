/** Finds the words of captions that people retyped, by aligning the new text with the original. */
import { diffArrays } from 'diff';
import { fold, wordParts } from '../terminology/match/normalize.ts';

/** The part of a caption that is compared. */
interface Lines {
  readonly lines: readonly string[];
}

/** A word of the captions, without the punctuation around it. */
export interface CaptionWord {
  text: string;
  /** Whether it begins a sentence. */
  opens: boolean;
}

/** A stretch of words that was replaced. `first` and `last` are indexes into the original words, inclusive. */
export interface TypedCorrection {
  first: number;
  last: number;
  before: string;
  after: string;
  /** Whether it begins a sentence, where a capital means nothing. */
  opens: boolean;
}

/** The most words of a stretch on either side; a longer one is another sentence rather than a term. */
const MAX_WORDS = 6;
/** The most words that may have been added or removed in all; nothing is learned from captions that were rewritten. */
const MAX_EDITS = 500;

const TAGS = /<\/?i>/g;
const ENDS = /[.!?…:]["'”’)\]]*$/;

/** The words of captions in order; punctuation alone is not a word. */
export function captionWords(cues: readonly Lines[]): CaptionWord[] {
  const words: CaptionWord[] = [];
  let opens = true;
  for (const { lines } of cues) {
    for (const raw of lines.join(' ').replace(TAGS, '').split(/\s+/)) {
      const { core } = wordParts(raw);
      if (core !== '') {
        words.push({ text: core, opens });
        opens = false;
      }
      if (ENDS.test(raw)) opens = true;
    }
  }
  return words;
}

/** The stretches that were replaced, in order; none if there were more than MAX_EDITS edits. */
export function typedCorrections(
  before: readonly CaptionWord[],
  after: readonly CaptionWord[],
): TypedCorrection[] {
  const [from, to] = [before.map(({ text }) => text), after.map(({ text }) => text)];
  const changes = diffArrays(from, to, { maxEditLength: MAX_EDITS });
  if (!changes) return [];
  const found: TypedCorrection[] = [];
  let at = 0;
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    const [gone, come] = trimmed(removed, added);
    const first = at - removed.length + gone.skipped;
    if (gone.words.length > 0 && come.length > 0) {
      if (gone.words.length <= MAX_WORDS && come.length <= MAX_WORDS) {
        found.push({
          first,
          last: first + gone.words.length - 1,
          before: gone.words.join(' '),
          after: come.join(' '),
          opens: before[first]?.opens ?? false,
        });
      }
    }
    [removed, added] = [[], []];
  };
  for (const { value, removed: isGone, added: isNew } of changes) {
    if (isGone) {
      removed.push(...value);
      at += value.length;
    } else if (isNew) added.push(...value);
    else {
      flush();
      at += value.length;
    }
  }
  flush();
  return found;
}

/**
 * Drops words at the start of a longer stretch that differ only in case and are now in lower case: they belong to the
 * sentence, not to the term.
 */
function trimmed(
  removed: readonly string[],
  added: readonly string[],
): [{ words: string[]; skipped: number }, string[]] {
  const most = Math.max(0, Math.min(removed.length, added.length) - 1);
  const belongs = added
    .slice(0, most)
    .findIndex((word, at) => fold(word) !== fold(removed[at] ?? '') || /\p{Lu}/u.test(word));
  const head = belongs < 0 ? most : belongs;
  return [{ words: removed.slice(head), skipped: head }, added.slice(head)];
}
