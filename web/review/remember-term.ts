/** Remembers for the workspace what was replaced by what, so that the next talk is heard right. */
import { rememberTerm } from '../api/terminology.ts';
import { failureWords } from '../failure-words.ts';
import { withKey } from '../session.ts';
import type { Review } from './review.ts';

/** Asks the service to; says what came of it. Whoever is not signed in is asked to. */
export async function remember(review: Review, mishear: string, term: string): Promise<void> {
  const pair = { term: term.trim(), mishear: mishear.trim() };
  try {
    await withKey((key) => rememberTerm(key, pair));
    review.said.value = `“${pair.mishear}” → “${pair.term}” is now among the terms of your workspace.`;
  } catch (error) {
    const words = failureWords(error);
    if (words !== null) review.said.value = words;
  }
}
