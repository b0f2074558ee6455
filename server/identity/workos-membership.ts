/** Who belongs to an organisation at WorkOS, and who no longer does. */
import type { OrganizationMembershipStatus, WorkOS } from '@workos-inc/node';
import { IdentityError } from './provider.ts';
import { call, IdpFailure, type IdpRequest } from './workos-failures.ts';

/** How a person stands to the organisation that their key is issued in. */
export type Membership = 'active' | 'pending';

const PATH = '/user_management/organization_memberships';
const EVERY_STATUS: OrganizationMembershipStatus[] = ['active', 'inactive', 'pending'];

/**
 * Makes a user a member. To create a membership where there is an inactive one would activate it
 * (https://workos.com/docs/reference/authkit/organization-membership/create), so those of every status
 * are looked at first. An invitation that was not accepted yet stays as it is.
 * @throws {IdentityError} 502 `idp_membership_inactive` for a member who was deactivated: not
 *   `user_mismatch`, for it is the right person
 */
export async function provideMembership(
  client: WorkOS,
  organizationId: string,
  userId: string,
): Promise<Membership> {
  const found = await statusOf(client, organizationId, userId);
  if (found !== null) return admitted(found);
  try {
    await call({ method: 'POST', path: PATH }, () =>
      client.userManagement.createOrganizationMembership({ organizationId, userId }),
    );
    return 'active';
  } catch (error) {
    if (!(error instanceof IdpFailure)) throw error;
    if (error.code === 'cannot_reactivate_pending_organization_membership') return 'pending';
    const isThere = error.status === 409 || error.code.includes('already');
    if (!isThere) throw error;
    // Made by another claim in between.
    return admitted((await statusOf(client, organizationId, userId)) ?? 'active');
  }
}

/** The status of a membership; null where there is none. Of several, one that is not inactive. */
async function statusOf(
  client: WorkOS,
  organizationId: string,
  userId: string,
): Promise<OrganizationMembershipStatus | null> {
  const request: IdpRequest = { method: 'GET', path: PATH };
  const { data } = await call(request, async () => {
    const page = await client.userManagement.listOrganizationMemberships({
      organizationId,
      userId,
      statuses: EVERY_STATUS,
    });
    if (!page.data.every(({ status }) => EVERY_STATUS.includes(status))) {
      throw new TypeError('a membership has no status');
    }
    return page;
  });
  const statuses = new Set(data.map(({ status }) => status));
  return EVERY_STATUS.toSorted(byHarm).find((status) => statuses.has(status)) ?? null;
}

/** Whoever was deactivated stays so, whatever else is there. */
const byHarm = (a: OrganizationMembershipStatus, b: OrganizationMembershipStatus): number =>
  Number(b === 'inactive') - Number(a === 'inactive');

function admitted(status: OrganizationMembershipStatus): Membership {
  if (status !== 'inactive') return status;
  throw new IdentityError(
    502,
    'idp_membership_inactive',
    'This person was deactivated in the organisation and gets no key. Its administrator can reactivate the membership.',
    { idp: { status: 200, code: 'membership_inactive', request: { method: 'GET', path: PATH } } },
  );
}
