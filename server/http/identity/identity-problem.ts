/** Converts refusals of identity providers into HTTP problems. */
import { IdentityError, type ReachedLimit, type RemainingLimit } from '../../identity/provider.ts';
import { Problem } from '../problems.ts';

/** Calls an identity provider, and converts its refusals into problems, with any rate limits they report. */
export async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    const { status, code, message, details } = error;
    const { limit, retryAfter, idp } = details;
    throw new Problem(status, code, message, {
      more: { idp },
      headers: {
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
        ...(limit && {
          'ratelimit-policy': policyOf(limit),
          ratelimit: `"${limit.name}";r=0;t=${retryAfter ?? limit.windowSeconds}`,
        }),
      },
    });
  }
}

/** The headers for a limit that was not reached. */
export const remainingHeaders = (limit: RemainingLimit): Record<string, string> => ({
  'ratelimit-policy': policyOf(limit),
  ratelimit: `"${limit.name}";r=${limit.remaining};t=${limit.resetSeconds}`,
});

const policyOf = ({ name, quota, windowSeconds }: ReachedLimit): string =>
  `"${name}";q=${quota};w=${windowSeconds}`;
