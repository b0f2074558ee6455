/** Finds or creates the organisation of a claim at WorkOS. */
import { DomainDataState, type WorkOS } from '@workos-inc/node';
import type { Workspace } from './provider.ts';
import { call, IdpFailure, type IdpRequest } from './workos-failures.ts';

/**
 * The organisation of a workspace, found by its unique external id or created. If two claims create it at the same
 * time, one fails and then finds the other's.
 * @param email names a personal organisation
 */
export async function provideOrganization(
  client: WorkOS,
  { kind, externalId }: Workspace,
  email: string,
): Promise<string> {
  const found = await findOrganization(client, externalId);
  if (found !== null) return found;
  const domain = externalId.replace('team:', '');
  const team = kind === 'team' && {
    domainData: [{ domain, state: DomainDataState.Verified }],
  };
  const request: IdpRequest = { method: 'POST', path: '/organizations' };
  try {
    const made = await call(
      request,
      () =>
        client.organizations.createOrganization({
          name: kind === 'team' ? domain : email,
          externalId,
          ...team,
        }),
      ['id'],
    );
    return made.id;
  } catch (error) {
    const failure = error as IdpFailure;
    const taken = [400, 409, 422].includes(failure.status);
    const other = taken ? await findOrganization(client, externalId) : null;
    if (other !== null) return other;
    throw taken && team && isAboutDomain(failure) ? domainTaken(failure, externalId) : failure;
  }
}

const isAboutDomain = ({ status, code }: IdpFailure): boolean =>
  status === 409 || code.includes('domain');

/**
 * The failure if the team's domain belongs to an organisation created elsewhere, which only the operator can connect.
 */
const domainTaken = (failure: IdpFailure, externalId: string): IdpFailure =>
  new IdpFailure(
    failure.request,
    { status: failure.status, code: failure.code },
    `The team's domain belongs to another organisation at the identity provider. Tell the operator of this service to give that organisation the external id ${externalId} in the WorkOS dashboard, or to remove the domain from it.`,
  );

async function findOrganization(client: WorkOS, externalId: string): Promise<string | null> {
  const path = `/organizations/external_id/${externalId}`;
  try {
    const { id } = await call(
      { method: 'GET', path },
      () => client.organizations.getOrganizationByExternalId(externalId),
      ['id'],
    );
    return id;
  } catch (error) {
    if ((error as IdpFailure).status === 404) return null;
    throw error;
  }
}
