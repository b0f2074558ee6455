/** Whose workspace a key is issued in. Contract 5, registration flow, step 5. */
import { emailDomain } from './email.ts';
import type { Workspace } from './provider.ts';

export interface TeamOptions {
  /** Addresses of exactly this domain share a workspace; in lower-case ASCII. */
  teamEmailDomain: string | null;
  /** The only addresses of that domain that may have a key, normalized; null: all of them. */
  teamEmailAllow: ReadonlySet<string> | null;
}

/**
 * The workspace of an address. The team's domain matches exactly, never by its ending:
 * `example.com.evil.test` is no team.
 * @param teamEmailDomain in lower-case ASCII
 * @param userId the identity provider's name for the person
 */
export function workspaceOf(
  email: string,
  teamEmailDomain: string | null,
  userId: string,
): Workspace {
  const domain = emailDomain(email);
  return teamEmailDomain !== null && domain === teamEmailDomain
    ? { kind: 'team', externalId: `team:${domain}` }
    : { kind: 'personal', externalId: `personal:${userId}` };
}

/** Whether a normalized address may have a key: all may, but for those of a team with a list that they are not on. */
export const mayClaim = (
  email: string,
  { teamEmailDomain, teamEmailAllow }: TeamOptions,
): boolean =>
  teamEmailAllow === null || emailDomain(email) !== teamEmailDomain || teamEmailAllow.has(email);
