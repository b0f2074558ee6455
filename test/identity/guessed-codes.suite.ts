/** Attackers who guess codes at scale or try to lock addresses out, with many addresses, tokens and networks. */
import { describe, expect, test } from 'bun:test';
import { REGISTRATION, GUESSES } from '../../server/contract/limits.ts';
import type { TestIdentity, TestIdentityOptions } from '../support/servers/identity.ts';
import { begin, elsewhere, refused, wrong } from './attacker.ts';

const HOUR_MS = 3_600_000;

/** Describes a provider with the limits of a real service; `make` creates one on a new database. */
export function guessedCodesSuite(
  name: string,
  make: (options?: TestIdentityOptions) => Promise<TestIdentity>,
): void {
  describe(name, () => {
    /**
     * Enters wrong codes at invented addresses in the team's domain, each from a different network.
     */
    const guessAtTeam = async (made: TestIdentity, guesses: number, from = 0): Promise<void> => {
      for (let count = 0; count < guesses; count += 1) {
        const email = `invented${from + count}@team.example`;
        const { claimToken } = await begin(made, email, elsewhere(from + count + 1));
        const claim = { claimToken, code: wrong(made.code(email)) };
        expect(await refused(made.identity.complete(claim))).toBe('401 invalid_otp');
      }
    };

    test('invented addresses of the team: after one guess, a lucky one is not enough', async () => {
      const made = await make();
      await guessAtTeam(made, GUESSES.perDomain);
      const { claimToken } = await begin(made, 'lucky@team.example', elsewhere(500));
      const hit = { claimToken, code: made.code('lucky@team.example') };
      expect(await refused(made.identity.complete(hit))).toBe('401 invalid_otp');
      expect(made.mails('lucky@team.example')).toBe(2);
      // The same code again, and guesses at the second one, end the registration.
      const outcomes: string[] = [];
      for (let tries = 0; tries < REGISTRATION.maxCodes; tries += 1) {
        outcomes.push(await refused(made.identity.complete(hit)));
      }
      expect(outcomes).toContain('429 too_many_attempts');
      expect(outcomes).not.toContain('accepted');
      expect(outcomes.indexOf('429 too_many_attempts')).toBeLessThan(4);
      await made.close();
    });

    test('a member of the team still gets in, with the code of a second mail', async () => {
      const made = await make();
      await guessAtTeam(made, GUESSES.perDomain + 1, 20);
      const { claimToken } = await begin(made, 'ann@team.example', '192.0.2.1');
      const first = made.code('ann@team.example');
      expect(await refused(made.identity.complete({ claimToken, code: first }))).toBe(
        '401 invalid_otp',
      );
      const second = made.code('ann@team.example');
      const { workspace } = await made.identity.complete({ claimToken, code: second });
      expect(workspace.externalId).toBe('team:team.example');
      // Later, one code is enough again.
      made.clock.now += GUESSES.perDomainHours * HOUR_MS;
      const later = await begin(made, 'ben@team.example', '192.0.2.1');
      const code = made.code('ben@team.example');
      await made.identity.complete({ claimToken: later.claimToken, code });
      await made.close();
    });

    test('no 24 hours allow two guesses with a single code', async () => {
      const made = await make();
      const lucky = async (at: number): Promise<string> => {
        const email = `lucky${at}@team.example`;
        const { claimToken } = await begin(made, email, elsewhere(600 + at));
        return refused(made.identity.complete({ claimToken, code: made.code(email) }));
      };
      await guessAtTeam(made, 1, 40);
      made.clock.now += 24 * HOUR_MS;
      expect(await lucky(1)).toBe('401 invalid_otp');
      made.clock.now += (GUESSES.perDomainHours - 24) * HOUR_MS;
      expect(await lucky(2)).toBe('accepted');
      await made.close();
    });

    test('a guess compared with two codes of the team needs the second code for either', async () => {
      const made = await make();
      const email = 'twice@team.example';
      const { claimToken } = await begin(made, email, elsewhere(800));
      await begin(made, email, elsewhere(801));
      const newest = made.code(email);
      expect(await refused(made.identity.complete({ claimToken, code: newest }))).toBe(
        '401 invalid_otp',
      );
      expect(made.mails(email)).toBe(3);
      await made.identity.complete({ claimToken, code: made.code(email) });
      await made.close();
    });

    test('the last try that matches the first code leaves two tries for the second', async () => {
      const made = await make();
      await guessAtTeam(made, GUESSES.perDomain, 60);
      const { claimToken } = await begin(made, 'late@team.example', '192.0.2.1');
      const first = made.code('late@team.example');
      for (let tries = 0; tries < REGISTRATION.maxCodes - 1; tries += 1) {
        await refused(made.identity.complete({ claimToken, code: wrong(first, 3) }));
      }
      expect(await refused(made.identity.complete({ claimToken, code: first }))).toBe(
        '401 invalid_otp',
      );
      const second = made.code('late@team.example');
      expect(await refused(made.identity.complete({ claimToken, code: wrong(second) }))).toBe(
        '401 invalid_otp',
      );
      await made.identity.complete({ claimToken, code: second });
      await made.close();
    });

    test('simultaneous guesses are counted as if made one after the other', async () => {
      const made = await make();
      const emails = Array.from({ length: 12 }, (__, at) => `atonce${at}@team.example`);
      const claims: { claimToken: string; email: string }[] = [];
      for (const [at, email] of emails.entries()) {
        claims.push({ email, ...(await begin(made, email, elsewhere(900 + at))) });
      }
      await Promise.all(
        claims.map(({ claimToken, email }) =>
          refused(made.identity.complete({ claimToken, code: wrong(made.code(email)) })),
        ),
      );
      const hits = await Promise.all(
        claims.map(({ claimToken, email }) =>
          refused(made.identity.complete({ claimToken, code: made.code(email) })),
        ),
      );
      expect(hits).not.toContain('accepted');
      await made.close();
    });

    test('many tokens for one address do not give more tries', async () => {
      const made = await make();
      const email = 'target@example.com';
      const tokens: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        tokens.push((await begin(made, email, elsewhere(700 + count))).claimToken);
      }
      const { claimToken: own } = await begin(made, email, '192.0.2.1');
      const newest = made.code(email);
      let tries = 0;
      for (const claimToken of tokens) {
        for (let guess = 0; guess < REGISTRATION.maxCodes - 1; guess += 1) {
          await refused(made.identity.complete({ claimToken, code: wrong(newest, tries + 1) }));
          tries += 1;
        }
      }
      // Each was compared with two codes, its own and the newest: the address's budget is long used
      // up.
      expect(tries).toBeGreaterThan(GUESSES.perAddress / 2);
      const lucky = { claimToken: tokens[0] ?? '', code: newest };
      expect(await refused(made.identity.complete(lucky))).toBe('401 invalid_otp');
      expect(made.mails(email)).toBe(7);
      // The owner, whose token is unaffected, has the mail with the valid code.
      const outcome = await refused(made.identity.complete({ claimToken: own, code: newest }));
      expect(outcome).not.toBe('accepted');
      await made.close();
    });

    test('five registrations by strangers neither lock an address out nor invalidate its code', async () => {
      const made = await make();
      const email = 'owner@example.com';
      const { claimToken } = await begin(made, email, '192.0.2.1');
      const code = made.code(email);
      for (let count = 0; count < 5; count += 1) await begin(made, email, '198.51.100.7');
      expect(await refused(begin(made, email, '198.51.100.200'))).toBe('429 rate_limited');
      await begin(made, email, '192.0.2.1');
      // Registering again from the same network replaces the older code; from another network it
      // does not.
      expect(await refused(made.identity.complete({ claimToken, code }))).toBe('401 invalid_otp');
      const newest = made.code(email);
      await begin(made, email, '203.0.113.1');
      const latest = await begin(made, email, '192.0.2.1');
      const mine = made.code(email);
      expect(mine === newest ? 'same' : 'new').toBe('new');
      await begin(made, email, '203.0.113.1');
      await made.identity.complete({ claimToken: latest.claimToken, code: mine });
      await made.close();
    });

    test('a mailbox gets at most twenty mails an hour, from any number of networks', async () => {
      const made = await make();
      const outcomes: string[] = [];
      for (let at = 0; at < 22; at += 1) {
        outcomes.push(await refused(begin(made, 'flooded@example.com', elsewhere(300 + at))));
      }
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(20);
      expect(outcomes.at(-1)).toBe('429 rate_limited');
      expect(made.mails('flooded@example.com')).toBe(20);
      await made.close();
    });

    test('an address that is not on the list gets the same answer, no mail, and no key', async () => {
      const made = await make({ teamEmailAllow: ['ann@team.example'] });
      const { claimToken, expiresAt } = await begin(made, 'nobody@team.example', '192.0.2.1');
      expect(claimToken).toStartWith('clm_');
      // The same as for others: ten minutes, at WorkOS by its clock.
      const others = await begin(made, 'somebody@example.com', '192.0.2.1');
      expect(Math.abs(others.expiresAt - expiresAt)).toBeLessThan(60_000);
      expect(Math.abs(expiresAt - made.clock.now - 600_000)).toBeLessThan(60_000);
      expect(made.mails('nobody@team.example')).toBe(0);
      const outcomes: string[] = [];
      for (let guess = 0; guess < REGISTRATION.maxCodes; guess += 1) {
        const code = String(guess).padStart(6, '0');
        outcomes.push(await refused(made.identity.complete({ claimToken, code })));
      }
      expect(outcomes).toEqual([...Array(4).fill('401 invalid_otp'), '429 too_many_attempts']);
      // Guesses that can never succeed do not count against those that can.
      const own = await begin(made, 'Ann@TEAM.example', '192.0.2.1');
      const claim = { claimToken: own.claimToken, code: made.code('ann@team.example') };
      expect((await made.identity.complete(claim)).workspace.kind).toBe('team');
      await begin(made, 'anybody@example.com', '192.0.2.1');
      expect(made.mails('anybody@example.com')).toBe(1);
      await made.close();
    });
  });
}
