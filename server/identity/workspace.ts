/** Determines the workspace in which a key is issued. Contract 5, registration flow, step 5. */
import { emailDomain } from './email.ts';
import type { Workspace } from './provider.ts';

export interface TeamOptions {
  /** Addresses of exactly this domain share a workspace; in lower-case ASCII. */
  teamEmailDomain: string | null;
  /** The only addresses of that domain that may have a key, normalised; null for all. */
  teamEmailAllow: ReadonlySet<string> | null;
}

/**
 * The workspace of an address. The team's domain must match as a whole, not as a suffix: `example.com.evil.test` does
 * not belong to the team.
 * @param teamEmailDomain in lower-case ASCII
 * @param userId the identity provider's id of the person
 */
export function workspaceOf(
  email: string,
  teamEmailDomain: string | null,
  userId: string,
): Workspace {
  const domain = emailDomain(email);
  return domain === teamEmailDomain
    ? { kind: 'team', externalId: `team:${domain}` }
    : { kind: 'personal', externalId: `personal:${userId}` };
}

/**
 * Whether a normalised address may have a key: always, unless it is in the team's domain and the team has a list
 * without it.
 */
export const mayClaim = (
  email: string,
  { teamEmailDomain, teamEmailAllow }: TeamOptions,
): boolean =>
  teamEmailAllow === null || emailDomain(email) !== teamEmailDomain || teamEmailAllow.has(email);
