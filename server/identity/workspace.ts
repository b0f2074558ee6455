/** Whose workspace a key is issued in. Contract 5, registration flow, step 5. */
import { emailDomain } from './email.ts';
import type { Workspace } from './provider.ts';

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
