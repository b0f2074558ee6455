/** Makes the user of a claim a member of the organisation. */
import { type WorkOS, type OrganizationMembershipStatus } from '@workos-inc/node';
import { IdentityError } from './provider.ts';
import { call, IdpFailure, type IdpRequest } from './workos-failures.ts';

/** The person's relation to the organisation that issues the key. */
export type Membership = 'active' | 'pending';

const PATH = '/user_management/organization_memberships';
const EVERY_STATUS: OrganizationMembershipStatus[] = ['active', 'inactive', 'pending'];

/**
 * Makes a user a member. Creating a membership would reactivate an inactive one
 * (https://workos.com/docs/reference/authkit/organization-membership/create), so memberships of every status are looked
 * up first. A pending invitation stays pending.
 * @throws {IdentityError} 502 `idp_membership_inactive` for a deactivated member; not `user_mismatch`, since it is the
 *   right person
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
    const { code, status } = error as IdpFailure;
    if (code === 'cannot_reactivate_pending_organization_membership') return 'pending';
    const isThere = status === 409 || code.includes('already');
    if (!isThere) throw error;
    // Another claim has created it in the meantime.
    return admitted((await statusOf(client, organizationId, userId)) ?? 'active');
  }
}

/** The status of a membership; null if there is none. If there are several, an inactive one decides. */
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

/** The order of statuses: a deactivated person stays deactivated, whatever other memberships there are. */
const byHarm = (a: OrganizationMembershipStatus, b: OrganizationMembershipStatus): number =>
  Number(b === 'inactive') - Number(a === 'inactive');

function admitted(status: OrganizationMembershipStatus): Membership {
  if (status !== 'inactive') return status;
  throw new IdentityError(
    502,
    'idp_membership_inactive',
    'This person was deactivated in the organisation and cannot get a key. Its administrator can reactivate the membership.',
    { idp: { status: 200, code: 'membership_inactive', request: { method: 'GET', path: PATH } } },
  );
}
