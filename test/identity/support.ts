/** The WorkOS provider in front of a double. */
import { afterAll } from 'bun:test';
import { type TestIdentity, workosIdentity } from '../support/servers/identity.ts';
import { startWorkosDouble, type WorkosDouble } from '../support/doubles/workos-double.ts';

/** What completes a registration, and its id. */
export interface Claim {
  claimToken: string;
  registrationId: string;
  code: string;
}

/** The double and the provider that calls it. */
export interface WorkosBench {
  workos: WorkosDouble;
  made: TestIdentity;
  /** Registers an address and reads the code that was mailed to it. */
  register(email: string): Promise<Claim>;
}

/** Starts the double and makes a provider that calls it; both end with the file. */
export async function workosBench(
  more?: Parameters<typeof workosIdentity>[2],
): Promise<WorkosBench> {
  const workos = await startWorkosDouble();
  const made = await workosIdentity(workos, {}, more);
  afterAll(async () => {
    await made.close();
    await workos.close();
  });
  return {
    workos,
    made,
    async register(email) {
      const { claimToken, registrationId } = await made.start(email);
      return { claimToken, registrationId, code: made.code(email) };
    },
  };
}
