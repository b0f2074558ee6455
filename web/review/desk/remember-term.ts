/** Adds a replacement to the workspace's terms, so that the next talk is recognised correctly. */
import { rememberTerm } from '../../api/terminology.ts';
import { failureText } from '../../failure-text.ts';
import { withKey } from '../../session.ts';
import { find } from '../../texts/find.ts';
import type { Review } from './review.ts';

/** Adds the pair and reports the result, after asking the user to sign in if necessary. */
export async function remember(review: Review, mishear: string, term: string): Promise<void> {
  const pair = { term: term.trim(), mishear: mishear.trim() };
  try {
    await withKey((key) => rememberTerm(key, pair));
    review.message.value = find.remembered(pair.mishear, pair.term);
  } catch (error) {
    const words = failureText(error);
    if (words !== null) review.message.value = words;
  }
}
