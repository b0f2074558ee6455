/** Returns the problem with which a request is refused. */
import { Problem } from '../../server/http/problems.ts';

/** The status and the code of a problem; any other error as it is. */
export const statusAndCode = (error: unknown): unknown =>
  error instanceof Problem ? [error.status, error.code] : error;

/** The status and the code of the problem with which a promise rejects; `taken` if it resolves. */
export const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => 'taken', statusAndCode);
