/** The WorkOS provider in front of a double. */
import { afterAll } from 'bun:test';
import { type TestIdentityOptions, workosIdentity } from '../support/servers/identity.ts';
import { startWorkosDouble } from '../support/doubles/workos-double.ts';

/** The values that complete a registration, and its id. */
export interface Claim {
  claimToken: string;
  registrationId: string;
  code: string;
}

/** Starts the double and creates a provider that calls it; both end with the test file. */
export async function workosBench(
  more?: Parameters<typeof workosIdentity>[2],
  options: TestIdentityOptions = {},
) {
  const workos = await startWorkosDouble();
  const made = await workosIdentity(workos, options, more);
  afterAll(async () => {
    await made.close();
    await workos.close();
  });
  return {
    workos,
    made,
    /** Registers an address and reads its mailed code. */
    async register(email: string): Promise<Claim> {
      const { claimToken, registrationId } = await made.start(email);
      return { claimToken, registrationId, code: made.code(email) };
    },
  };
}
