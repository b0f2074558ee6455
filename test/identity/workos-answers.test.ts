/** Responses of WorkOS without a field that is needed count as invalid, not as another person's. */
import { afterAll, expect, test } from 'bun:test';
import type { WorkOS } from '@workos-inc/node';
import { type UserRegistration, verifiedUser } from '../../server/identity/workos-verify.ts';
import { testIdentity } from '../support/servers/identity.ts';

const identity = await testIdentity();
afterAll(() => identity.close());

const refusal = (code: string, more: object = {}) =>
  Promise.reject(Object.assign(new Error(code), { status: 400, rawData: { code, ...more } }));
const selection = () =>
  refusal('organization_selection_required', { pending_authentication_token: 'pending_1' });
const wrongCode = () => refusal('invalid_one_time_code');

/** Verifies a code; the client has only these calls. */
async function verifyWith(email: string, userManagement: object): Promise<void> {
  const rows: UserRegistration[] = [];
  for (const at of [1, 2]) {
    const { registrationId } = await identity.start(email, {
      clientAddress: `2001:db8:${email.length}:${at}::1`,
    });
    const row = await identity.database
      .updateTable('registrations')
      .set({ provider_user_id: 'user_1', provider_code_id: `magic_${at}` })
      .where('id', '=', registrationId)
      .returningAll()
      .executeTakeFirstOrThrow();
    rows.push(row as UserRegistration);
  }
  const client = { userManagement } as unknown as WorkOS;
  const services = { client, workos: { clientId: 'client_1' }, database: identity.database };
  const target = { organizationId: 'org_1', membership: 'active' } as const;
  await verifiedUser(services, rows[0]!, '123456', target);
}

const [id, email] = ['user_1', 'ann@a.example'];
test.each<[string, string, Record<string, () => Promise<unknown>>]>([
  ['an id', email, { authenticateWithMagicAuth: async () => ({ user: { email } }) }],
  ['an address', 'ann@bb.example', { authenticateWithMagicAuth: async () => ({ user: { id } }) }],
  [
    'an id for the selected organisation',
    'ann@ccc.example',
    {
      authenticateWithMagicAuth: selection,
      authenticateWithOrganizationSelection: async () => ({ user: { email: 'ann@ccc.example' } }),
    },
  ],
  [
    'an address for the selected organisation',
    'ann@dddd.example',
    {
      authenticateWithMagicAuth: selection,
      authenticateWithOrganizationSelection: async () => ({ user: { id } }),
    },
  ],
  [
    'the newer code',
    'ann@eeeee.example',
    { authenticateWithMagicAuth: wrongCode, getMagicAuth: async () => ({}) },
  ],
])('without %s', async (_, address, calls) => {
  await expect(verifyWith(address, calls)).rejects.toMatchObject({
    status: 200,
    code: 'bad_response',
  });
});
