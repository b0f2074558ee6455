/** The suite that every identity provider has to pass. */
import { describe, expect, test } from 'bun:test';
import {
  disablePerson,
  enablePerson,
  erasePerson,
  personData,
} from '../../server/identity/people.ts';
import type { IdentityProvider } from '../../server/identity/provider.ts';
import { isOutage } from '../../server/storage/outage.ts';
import type { TestIdentity } from '../support/servers/identity.ts';
import { expectNoSecrets } from '../support/secrets.ts';
import { refused, wrong } from './attacker.ts';

/**
 * The final result: requests to a database that is too busy are repeated, as clients do after a
 * 503.
 */
async function insisting<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || tries >= 1000) throw error;
    }
  }
}

type Claim = Parameters<IdentityProvider['complete']>[0];

/** Describes a provider; `made` has its database, clock and mails. */
export function identityProviderSuite(name: string, made: () => TestIdentity): void {
  const register = async (email: string): Promise<Claim> => {
    const { claimToken } = await made().start(email);
    return { claimToken, code: made().code(email) };
  };
  const complete = (claim: Claim) => made().identity.complete(claim);

  describe(name, () => {
    test('issues a key once, with its scopes and organisation', async () => {
      const claim = await register('ann@example.com');
      const claimed = await complete(claim);
      expect(claimed).toMatchObject({
        scopes: ['captioner:audio:upload'],
        workspace: { kind: 'personal', externalId: expect.stringMatching(/^personal:user_/) },
        metadata: { owner: { type: 'organization', id: claimed.organizationId } },
      });
      expect(await made().identity.validate(claimed.key)).toEqual({
        keyId: claimed.metadata.id,
        ownerType: 'organization',
        organizationId: claimed.organizationId,
        scopes: ['captioner:audio:upload'],
      });
      expect(await refused(complete(claim))).toBe('409 claim_already_used');
    });

    test('a hundred simultaneous completions yield exactly one key', async () => {
      const claim = await register('many@example.com');
      const before = await keyCount();
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () => refused(insisting(() => complete(claim)))),
      );
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
      expect(new Set(outcomes)).toEqual(new Set(['accepted', '409 claim_already_used']));
      expect(await keyCount()).toBe(before + 1);
    });

    const keyCount = async (): Promise<number> =>
      (await made().database.selectFrom('api_keys').select('id').execute()).length;

    test('a claim expires after ten minutes', async () => {
      const { claimToken, expiresAt } = await made().start('late@example.com');
      const code = made().code('late@example.com');
      const { clock } = made();
      const before = clock.now;
      expect(Math.abs(expiresAt - before - 600_000)).toBeLessThan(60_000);
      clock.now = expiresAt;
      expect(await refused(complete({ claimToken, code }))).toBe('410 claim_expired');
      clock.now = before;
    });

    test('after five wrong codes even the right one is refused', async () => {
      const { claimToken, code } = await register('guess@example.com');
      const outcomes: string[] = [];
      for (let tries = 0; tries < 5; tries += 1) {
        outcomes.push(await refused(complete({ claimToken, code: wrong(code) })));
      }
      expect(outcomes).toEqual([...Array(4).fill('401 invalid_otp'), '429 too_many_attempts']);
      expect(await refused(complete({ claimToken, code }))).toBe('429 too_many_attempts');
    });

    test('the right code works as the fifth', async () => {
      const { claimToken, code } = await register('fifth@example.com');
      for (let tries = 0; tries < 4; tries += 1) {
        await refused(complete({ claimToken, code: wrong(code) }));
      }
      expect((await complete({ claimToken, code })).key).not.toBeEmpty();
    });

    test('a hundred simultaneous wrong codes count as five', async () => {
      const { claimToken, code } = await register('flood@example.com');
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () =>
          refused(insisting(() => complete({ claimToken, code: wrong(code) }))),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === '401 invalid_otp')).toHaveLength(4);
      expect(new Set(outcomes)).toEqual(new Set(['401 invalid_otp', '429 too_many_attempts']));
    });

    test('after a second registration only the newest code is valid, with either claim token', async () => {
      const first = await register('twice@example.com');
      const second = await register('twice@example.com');
      if (first.code !== second.code)
        expect(await refused(complete(first))).toBe('401 invalid_otp');
      await complete({ claimToken: first.claimToken, code: second.code });
      expect(await refused(complete(second))).toMatch(/^(409 claim_already_used|401 invalid_otp)$/);
    });

    test('registrations completed simultaneously with one code yield exactly one key', async () => {
      for (let round = 0; round < 4; round += 1) {
        const email = `one-code-${round}@example.com`;
        const other = await made().start(email, { clientAddress: '198.51.100.4' });
        const newest = await register(email);
        const tokens = [newest.claimToken, other.claimToken];
        if (round % 2 === 1) tokens.reverse();
        const outcomes = await Promise.all(
          tokens.map((claimToken) => refused(complete({ claimToken, code: newest.code }))),
        );
        expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
        const rest = await Promise.all(
          tokens.map((claimToken) => refused(complete({ claimToken, code: newest.code }))),
        );
        expect(rest).not.toContain('accepted');
      }
    });

    test('an unknown token is refused', async () => {
      expect(await refused(complete({ claimToken: 'clm_x', code: '123456' }))).toBe(
        '401 invalid_claim_token',
      );
    });

    test('an address has one workspace, whatever its case or the spelling of its domain', async () => {
      const one = await complete(await register('case@münchen.example'));
      const two = await complete(await register('CASE@MÜNCHEN.example'));
      const three = await complete(await register('case@xn--mnchen-3ya.example'));
      const other = await complete(await register('other@münchen.example'));
      expect([two.organizationId, three.organizationId]).toEqual([
        one.organizationId,
        one.organizationId,
      ]);
      expect(other.organizationId).not.toBe(one.organizationId);
    });

    test('addresses of the team domain share a workspace, look-alikes do not', async () => {
      const one = await complete(await register('a@team.example'));
      const two = await complete(await register('b@TEAM.example'));
      expect(one.workspace).toEqual({ kind: 'team', externalId: 'team:team.example' });
      expect(two.organizationId).toBe(one.organizationId);
      for (const email of ['c@sub.team.example', 'd@team.example.evil.test', 'e@notteam.example']) {
        expect((await complete(await register(email))).workspace.kind).toBe('personal');
      }
    });

    test("competing claims create the team's organisation once", async () => {
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, at) => register(`racer${at}@team.example`)),
      );
      const claimed = await Promise.all(claims.map(complete));
      expect(new Set(claimed.map(({ organizationId }) => organizationId)).size).toBe(1);
    });

    test('a modified, shortened or invented key is refused', async () => {
      const { key } = await complete(await register('key@example.com'));
      const last = key.at(-1) === 'a' ? 'b' : 'a';
      for (const bad of [
        key.slice(0, -1) + last,
        key.slice(0, -1),
        `${key}0`,
        key.toUpperCase(),
        '',
        'cap_live_',
        'clé',
      ]) {
        expect(await made().identity.validate(bad)).toBeNull();
      }
      expect(await made().identity.validate(key)).not.toBeNull();
    });

    test('an owner lists the keys of the same address, and revokes no others where that is possible', async () => {
      const issued = async (email: string) => {
        const { metadata, organizationId, key } = await complete(await register(email));
        return { keyId: metadata.id, organizationId, key };
      };
      const { identity } = made();
      const [first, second, colleague] = [
        await issued('owner@team.example'),
        await issued('Owner@team.example'),
        await issued('other@team.example'),
      ];
      expect(colleague.organizationId).toBe(first.organizationId);
      const ids = async () => (await identity.keysOf(first)).map(({ id }) => id);
      expect(await ids()).toEqual([second.keyId, first.keyId]);
      expectNoSecrets(JSON.stringify(await identity.keysOf(first)), [first.key, second.key]);
      expect(await identity.keysOf({ ...first, organizationId: 'org_elsewhere' })).toEqual([]);
      if (!identity.revoke) return;
      for (const id of [colleague.keyId, 'nothing', '']) {
        expect(await identity.revoke(first, id)).toBe(false);
      }
      expect(await identity.revoke(first, second.keyId)).toBe(true);
      expect(await identity.validate(second.key)).toBeNull();
      expect(await identity.revoke(first, second.keyId)).toBe(false);
      expect(await ids()).toEqual([first.keyId]);
      expect(await identity.validate(colleague.key)).not.toBeNull();
    });

    test('five registrations an hour for an address, with the exact time to wait', async () => {
      const { clock, start } = made();
      clock.now += 10_000_000;
      const first = clock.now + 1;
      for (let count = 0; count < 5; count += 1) await start('often@example.com');
      const error = await start('often@example.com').then(
        () => null,
        (thrown: { code: string; details: { retryAfter: number } }) => thrown,
      );
      expect([error?.code, error?.details.retryAfter]).toEqual(['rate_limited', 3600]);
      clock.now = first + 3_600_000 - 2;
      expect(await refused(start('often@example.com'))).toBe('429 rate_limited');
      clock.now = first + 3_600_000;
      await start('often@example.com');
    });

    test('a refused address gets no code and no key, as an address outside of the team, until it is accepted again', async () => {
      const { database, hasher, identity, clock, start, mails } = made();
      const email = 'refused@example.com';
      const { key } = await complete(await register(email));
      const [before, fresh] = [await register(email), { fresh: true }];
      expect(await disablePerson(database, hasher, email, clock.now)).toBe(1);
      expect(await identity.validate(key, fresh)).toBe(null);
      expect(await refused(complete(before))).toBe('410 claim_expired');
      const sent = mails(email);
      const started = await start('Refused@example.com');
      const other = await start('somebody-else@example.com');
      // A stranger cannot tell it from any other address.
      expect(Object.keys(started)).toEqual(Object.keys(other));
      expect(mails(email)).toBe(sent);
      const claim = { claimToken: started.claimToken, code: before.code };
      expect(await refused(complete(claim))).not.toBe('accepted');
      expect(await enablePerson(database, hasher, email)).toBe(true);
      expect(await identity.validate(key, fresh)).toBe(null);
      expect(await refused(complete(await register(email)))).toBe('accepted');
    });

    test('an erased address stands nowhere, but in no other form on record, and its keys are void', async () => {
      const { database, hasher, identity, clock, databaseBytes } = made();
      const email = 'erased@example.com';
      const { key, metadata } = await complete(await register(email));
      const { key: kept } = await complete(await register('un-erased@example.com'));
      await register(email);
      const action = { at: 5, actor: 'root@host', action: 'keys create' };
      for (const [id, subject] of [
        [`${name} 1`, `Erased@EXAMPLE.com captioner:caption:run`],
        [`${name} 2`, 'un-erased@example.com'],
      ] as const) {
        await database
          .insertInto('operator_actions')
          .values({ id, subject, ...action })
          .execute();
      }
      expect(await personData(database, hasher, email)).toMatchObject({
        address: email,
        disabled: false,
        keys: [{ id: metadata.id, workspace: 'personal' }],
        registrations: [{}, {}],
        operatorActions: [{ action: 'keys create' }],
      });
      const at = clock.now;
      const erased = await erasePerson(database, hasher, email, { dataDir: '/nowhere', at });
      expect(erased).toMatchObject({ keys: 1, registrations: 2, operatorActions: 1, mails: 0 });
      expect(await identity.validate(key, { fresh: true })).toBe(null);
      expect(await identity.validate(kept, { fresh: true })).not.toBe(null);
      const { keys, registrations, operatorActions } = await personData(database, hasher, email);
      expect([keys, registrations, operatorActions]).toEqual([[], [], []]);
      const { subject } = await database
        .selectFrom('operator_actions')
        .select('subject')
        .where('id', '=', `${name} 1`)
        .executeTakeFirstOrThrow();
      expect(subject).toMatch(/^person_[0-9a-f]{24} captioner:caption:run$/);
      expect((await databaseBytes()).replaceAll('un-erased@', '')).not.toMatch(
        /erased@example\.com/i,
      );
      await database.deleteFrom('operator_actions').execute();
    });

    test('the database contains no secret in plain text', async () => {
      const claim = await register('secret@example.com');
      const { key } = await complete(claim);
      const bytes = await made().databaseBytes();
      expect(bytes).toContain('secret@example.com');
      expectNoSecrets(bytes, [key, claim.claimToken, claim.code]);
    });
  });
}
