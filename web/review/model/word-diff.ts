/** Two texts, word by word. */
import { diffArrays } from 'diff';

/** A piece of a text that stayed, went or came. */
export interface DiffPart {
  readonly text: string;
  readonly kind: 'same' | 'removed' | 'added';
}

// Words of any script; the usual expressions for words know Latin letters only.
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const wordsOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * What stayed, went and came between two texts: all but what was added makes the first, all but what
 * was removed the second. Words that changed side by side are one removal and one addition.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [];
  let [removed, added] = ['', ''];
  /** Puts down what has changed; the space that both end with stays, and is given back. */
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
