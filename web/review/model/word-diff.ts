/** Compares two texts word by word. */
import { diffArrays } from 'diff';

/** A piece of text that stayed, was removed or was added. */
export interface DiffPart {
  readonly text: string;
  readonly kind: 'same' | 'removed' | 'added';
}

// Segments words in any script; the usual regular expressions know only Latin letters.
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const wordsOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * The differences between two texts: without the added parts they make the first, without the
 * removed parts the second. Words that changed side by side are one removal and one addition.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [];
  let [removed, added] = ['', ''];
  /** Adds the pending change; a space that ends both sides is returned instead, as unchanged. */
  const flush = (): string => {
    const space = removed.endsWith(' ') && added.endsWith(' ') ? ' ' : '';
    const [gone, come] = [removed, added].map((text) => text.slice(0, text.length - space.length));
    if (gone) parts.push({ text: gone, kind: 'removed' });
    if (come) parts.push({ text: come, kind: 'added' });
    [removed, added] = ['', ''];
    return space;
  };
  const changes = diffArrays(wordsOf(before), wordsOf(after));
  for (const [at, change] of changes.entries()) {
    const text = change.value.join('');
    const isBetween = removed + added !== '' && at + 1 < changes.length && text.trim() === '';
    if (change.removed) removed += text;
    else if (change.added) added += text;
    else if (isBetween) {
      removed += text;
      added += text;
    } else {
      parts.push({ text: flush() + text, kind: 'same' });
    }
  }
  const space = flush();
  if (space !== '') parts.push({ text: space, kind: 'same' });
  return parts;
}
