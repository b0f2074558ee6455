/** Messages for requests that failed. */
import { ApiProblem, NoAnswer } from '../api/request.ts';
import { SignInDismissed } from './session.ts';
import { problemText } from '../texts/problems.ts';
import { text } from '../texts/shell.ts';

/**
 * The message for a failed request; null if the user declined to sign in.
 * @param refused the message for a refusal, given what is said of it
 * @throws the error itself, if it is not a failed request
 */
export function failureText(
  error: unknown,
  refused: (message: string) => string = text.run.refused,
): string | null {
  if (error instanceof SignInDismissed) return null;
  if (error instanceof NoAnswer) return text.offline;
  if (error instanceof ApiProblem) return refused(problemText(error));
  throw error;
}

/** Does work; returns what it says, or why it failed; '' if the user declined to sign in. */
export const orFailure = (work: () => Promise<string>): Promise<string> =>
  work().catch((error: unknown) => failureText(error) ?? '');
