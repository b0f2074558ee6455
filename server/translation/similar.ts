/** Finds the remembered sentences that are most like another one. */
import { distance } from 'fastest-levenshtein';
import { withoutTags } from './sentences.ts';

/** A remembered sentence and its translation. */
export interface Remembered {
  source: string;
  text: string;
  /** `person`, or the engine. */
  who: string;
}

/** A remembered sentence that is like another one. */
export interface Similar extends Remembered {
  /** The share of letters that are the same, 0..1: 1 for the sentence itself. */
  likeness: number;
}

/** A sentence, and those with which it is compared: all that the task needs. */
interface SimilarOrder {
  sentence: string;
  remembered: readonly Remembered[];
}

/** Less alike, an earlier translation is more work than none. */
export const LEAST_ALIKE = 0.6;
/** The most that are returned. */
const MOST = 5;

const lettersOf = (text: string): string =>
  withoutTags(text).toLowerCase().replace(/\s+/gu, ' ').trim();

/**
 * The remembered sentences that are most like a sentence, the likest first, a person's before those of engines. One
 * translation is named once. A task.
 * @example
 * const remembered = [{ source: 'Rivers wait for us.', text: 'Flüsse warten.', who: 'person' }];
 * similarTo({ sentence: 'Rivers wait for you.', remembered })[0].likeness; // => 0.85
 */
export function similarTo({ sentence, remembered }: SimilarOrder): Similar[] {
  const asked = lettersOf(sentence);
  const found = new Map<string, Similar>();
  for (const each of remembered) {
    const source = lettersOf(each.source);
    const longer = Math.max(source.length, asked.length, 1);
    const likeness = Math.round(100 * (1 - distance(asked, source) / longer)) / 100;
    const before = found.get(each.text);
    if (likeness >= LEAST_ALIKE && (!before || isBetter({ ...each, likeness }, before))) {
      found.set(each.text, { ...each, likeness });
    }
  }
  return [...found.values()].toSorted((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, MOST);
}

const isBetter = (a: Similar, b: Similar): boolean =>
  a.likeness === b.likeness ? a.who === 'person' && b.who !== 'person' : a.likeness > b.likeness;
