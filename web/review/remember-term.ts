/** Remembers for the workspace what was replaced by what, so that the next talk is heard right. */
import { ApiProblem, NoAnswer } from '../api/problem.ts';
import { rememberTerm } from '../api/terminology.ts';
import { SignInDismissed, withKey } from '../session.ts';
import { text } from '../strings.ts';
import type { Review } from './review.ts';

/** Asks the service to; says what came of it. Whoever is not signed in is asked to. */
export async function remember(review: Review, mishear: string, term: string): Promise<void> {
  const pair = { term: term.trim(), mishear: mishear.trim() };
  try {
    await withKey((key) => rememberTerm(key, pair));
    review.said.value = `“${pair.mishear}” → “${pair.term}” is now among the terms of your workspace.`;
  } catch (error) {
    if (error instanceof SignInDismissed) return;
    if (error instanceof NoAnswer) review.said.value = text.offline;
    else if (error instanceof ApiProblem) review.said.value = text.run.refused(error.message);
    else throw error;
  }
}
