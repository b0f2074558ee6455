/** What to tell a person when the service could not do what was asked. */
import { ApiProblem, NoAnswer } from './api/problem.ts';
import { SignInDismissed } from './session.ts';
import { text } from './strings.ts';

/**
 * The words for a failed request; null for somebody who chose not to sign in.
 * @param refused the words for a refusal with this message
 * @throws the error itself, if it is no failure of a request
 */
export function failureWords(
  error: unknown,
  refused: (message: string) => string = text.run.refused,
): string | null {
  if (error instanceof SignInDismissed) return null;
  if (error instanceof NoAnswer) return text.offline;
  if (error instanceof ApiProblem) return refused(error.message);
  throw error;
}
