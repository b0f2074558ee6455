/** Limits on registrations from many networks and for many addresses. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { DOMAIN_SHARE } from '../../server/contract/limits.ts';
import { testIdentity, type TestIdentity } from '../support/servers/identity.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { begin, elsewhere, limits, refused, registrationAfterShared, wrong } from './attacker.ts';

setDefaultTimeout(300_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

describe('limits', () => {
  /** The number of registrations that pass, with more tries than allowed. */
  const passing = async (
    made: TestIdentity,
    tries: number,
    of: (at: number) => [email: string, clientAddress: string],
  ): Promise<[passed: number, last: string]> => {
    let passed = 0;
    let last = '';
    for (let at = 0; at < tries; at += 1) {
      last = await refused(begin(made, ...of(at)));
      if (last === 'accepted') passed += 1;
    }
    return [passed, last];
  };

  test('for a /48, whose 65,536 /64s are one customer', async () => {
    const made = await testIdentity({ ...limits, registrationsPerIp: 3 });
    const outcome = await passing(made, 15, (at) => [
      `a${at}@a${at}.example`,
      `2001:db8:1:${at.toString(16)}::1`,
    ]);
    expect(outcome).toEqual([12, '429 rate_limited']);
    await made.close();
  });

  test('for an IPv4 /24', async () => {
    const made = await testIdentity({ ...limits, registrationsPerIp: 3 });
    const outcome = await passing(made, 15, (at) => [`a${at}@a${at}.example`, `192.0.2.${at}`]);
    expect(outcome).toEqual([12, '429 rate_limited']);
    await begin(made, 'other@example.com', '192.0.3.1');
    await made.close();
  });

  test('of a client counts apart from that of its network, even if its address is unknown', async () => {
    const made = await testIdentity({ ...limits, registrationsPerIp: 3 });
    const outcome = await passing(made, 5, (at) => [`a${at}@a${at}.example`, 'unknown']);
    expect(outcome).toEqual([3, '429 rate_limited']);
    await made.close();
  });

  test('for a domain: a quarter of the total', async () => {
    const made = await testIdentity({ ...limits, registrationsPerHour: 40 });
    const outcome = await passing(made, 12, (at) => [`a${at}@team.example`, elsewhere(at)]);
    expect(outcome).toEqual([40 * DOMAIN_SHARE, '429 rate_limited']);
    await begin(made, 'a@example.com', elsewhere(99));
    await made.close();
  });

  test('in total', async () => {
    const made = await testIdentity({ ...limits, registrationsPerHour: 8 });
    const outcome = await passing(made, 10, (at) => [`a@a${at}.example`, elsewhere(at)]);
    expect(outcome).toEqual([8, '429 rate_limited']);
    made.clock.now += 3_600_000;
    await begin(made, 'a@example.com', elsewhere(99));
    await made.close();
  });

  test('on wrong codes from a network, without affecting other networks', async () => {
    const made = await testIdentity({ ...limits, registrationsPerIp: 3 });
    const claims: string[] = [];
    for (let at = 0; at < 2; at += 1) {
      claims.push((await begin(made, `n${at}@example.com`, `192.0.2.${at}`)).claimToken);
    }
    const outcomes: string[] = [];
    for (const claimToken of claims) {
      for (let guess = 0; guess < 4; guess += 1) {
        const code = wrong(made.code('n0@example.com'), guess + 1);
        outcomes.push(await refused(made.identity.complete({ claimToken, code })));
      }
    }
    expect(outcomes).toEqual([
      ...Array(6).fill('401 invalid_otp'),
      ...Array(2).fill('429 too_many_attempts'),
    ]);
    // It did not cost an attempt: an hour later the claim could continue if it had not expired.
    const { attempts } = await made.database
      .selectFrom('registrations')
      .select('attempts')
      .where('email', '=', 'n1@example.com')
      .executeTakeFirstOrThrow();
    expect(attempts).toBe(2);
    const { claimToken } = await begin(made, 'good@example.com', '198.51.100.1');
    await made.identity.complete({ claimToken, code: made.code('good@example.com') });
    await made.close();
  });

  test('hold across processes, also after a restart', async () => {
    expect(await registrationAfterShared(join(folder, 'shared.sqlite'))).toBe('429 rate_limited');
  });
});
