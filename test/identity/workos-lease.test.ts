/** The lease of a claim: one claim at a time, ended with its process, and no orphaned keys. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { LEASE_TIMES } from '../../server/identity/claim-lease.ts';
import { TIMEOUT_MS } from '../../server/identity/workos.ts';
import { workosIdentity } from '../support/servers/identity.ts';
import { startWorkosDouble } from '../support/doubles/workos-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { refused, wrong } from './identity-provider.suite.ts';
import { workosBench } from './support.ts';
import { until } from '../support/servers/client.ts';

setDefaultTimeout(300_000);

const { workos, made, register } = await workosBench({
  // No call is given up here unless a test says so, however long a busy machine holds up its process.
  timeoutMs: 300_000,
  leaseTimes: { leaseMs: 60, renewEveryMs: 10 },
});
/** One whose calls are soon given up. */
const silent = await workosBench({ timeoutMs: 100 });
const { identity, database, clock } = made;
const registration = (id: string) =>
  database.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
/** Holds back the response to the next request to a path until it is given. */
const holdBack = (path: RegExp): ((answer: Response) => void) => {
  const held = Promise.withResolvers<Response>();
  workos.fail(path, () => held.promise);
  return held.resolve;
};
const serverError = () => new Response('{"message":"oops"}', { status: 500 });
const named = (id: string) => workos.keys.filter(({ name }) => name.includes(id));

describe('the lease of a claim', () => {
  test('is short, and renewed several times before it ends', () => {
    expect(LEASE_TIMES).toEqual({ leaseMs: 3000, renewEveryMs: 500 });
  });

  test('of a killed process blocks the next try until it ends', async () => {
    const claim = await register('killed@example.com');
    const leaseUntil = clock.now + LEASE_TIMES.leaseMs;
    await database
      .updateTable('registrations')
      .set({ lease_until: leaseUntil, state: 'verifying' })
      .where('id', '=', claim.registrationId)
      .execute();
    let isDone = false;
    const next = identity.complete(claim).finally(() => (isDone = true));
    await Bun.sleep(120);
    expect(isDone).toBe(false);
    clock.now = leaseUntil;
    await next;
  });

  test('that does not end is waited for at most a quarter of a minute', async () => {
    const waiting = noWaiting();
    const patient = await workosBench({ waiting });
    const claim = await patient.register('kept@example.com');
    await patient.made.database
      .updateTable('registrations')
      .set({ lease_until: patient.made.clock.now + 60_000, state: 'verifying' })
      .where('id', '=', claim.registrationId)
      .execute();
    await expect(patient.made.identity.complete(claim)).rejects.toMatchObject({
      status: 503,
      code: 'idp_claim_in_progress',
      details: { idp: { status: 503, code: 'claim_in_progress' }, retryAfter: 15 },
    });
    expect(waiting.pauses).toEqual(Array(300).fill(50));
  });

  test('is renewed while the claim continues, and released when it fails', async () => {
    const claim = await register('slow@example.com');
    const answer = holdBack(/authenticate/);
    const first = refused(identity.complete(claim));
    const { lease_until: before } = await untilLeased(claim.registrationId, 0);
    clock.now += 50;
    const { lease_until: after } = await untilLeased(claim.registrationId, before ?? 0);
    expect(after).toBe(clock.now + 60);
    answer(serverError());
    expect(await first).toBe('503 idp_server_error');
    expect((await registration(claim.registrationId)).lease_until).toBeNull();
  });

  const untilLeased = (id: string, more: number) =>
    until(async () => {
      const row = await registration(id);
      return (row.lease_until ?? 0) > more && row;
    });

  test('blocks its code for every other registration', async () => {
    const other = await made.start('shared@example.com', { clientAddress: '198.51.100.9' });
    const own = await register('shared@example.com');
    const answer = holdBack(/organizations/);
    const first = refused(identity.complete(own));
    await untilLeased(own.registrationId, 0);
    const second = { claimToken: other.claimToken, code: own.code };
    expect(await refused(identity.complete(second))).toBe('401 invalid_otp');
    answer(serverError());
    expect(await first).toBe('503 idp_server_error');
    const { key } = await identity.complete(own);
    expect(await refused(identity.complete(second))).toBe('401 invalid_otp');
    expect(named(own.registrationId).map(({ value }) => value)).toEqual([key]);
    expect(named(other.registrationId)).toEqual([]);
  });

  test('that was lost while its process was suspended creates no second key', async () => {
    const claim = await register('stalled@example.com');
    const answer = holdBack(/api_keys$/);
    const stalled = refused(identity.complete(claim));
    await until(async () => (await registration(claim.registrationId)).state === 'issuing');
    await database
      .updateTable('registrations')
      .set({ lease_until: null })
      .where('id', '=', claim.registrationId)
      .execute();
    const { key } = await identity.complete(claim);
    answer(serverError());
    expect(await stalled).not.toBe('accepted');
    expect(named(claim.registrationId).map(({ value }) => value)).toEqual([key]);
    expect((await registration(claim.registrationId)).state).toBe('claimed');
  });
});

test('a key created for a claim that had lost its lease is deleted', async () => {
  const claim = await register('overtaken@example.com');
  const theirs = clock.now + 60_000;
  workos.answerInPlace(/^POST .*api_keys$/, () => {
    void database
      .updateTable('registrations')
      .set({ lease_until: theirs })
      .where('id', '=', claim.registrationId)
      .execute();
    return Response.json(named(claim.registrationId)[0], { status: 201 });
  });
  expect(await refused(identity.complete(claim))).toBe('409 claim_already_used');
  expect(named(claim.registrationId)).toEqual([]);
  expect(await registration(claim.registrationId)).toMatchObject({
    state: 'issuing',
    lease_until: theirs,
  });
});

describe('failures of WorkOS', () => {
  test('do not count as tries: after seven, a wrong code is still the first', async () => {
    const claim = await register('patient@example.com');
    workos.fail(/authenticate/, serverError, 7);
    for (let tries = 0; tries < 7; tries += 1) {
      expect(await refused(identity.complete(claim))).toBe('503 idp_server_error');
    }
    const guess = { ...claim, code: wrong(claim.code) };
    expect(await refused(identity.complete(guess))).toBe('401 invalid_otp');
    await identity.complete(claim);
  });

  test('a call that takes too long times out, by default after five seconds', async () => {
    silent.workos.fail(/validations/, () => ({ fault: 'hang' }));
    const began = performance.now();
    const error = await silent.made.identity.validate('sk_any').catch((thrown: unknown) => thrown);
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(error).toMatchObject({
      status: 503,
      code: 'idp_timeout',
      details: { idp: { status: 408, request: { method: 'POST', path: '/api_keys/validations' } } },
    });
    expect(TIMEOUT_MS).toBe(5000);
  });
});

describe('a key created by a call with a lost response', () => {
  test('is deleted by the claim that follows', async () => {
    const claim = await register('orphan@example.com');
    workos.loseAnswer(/^POST .*api_keys$/);
    expect(await refused(identity.complete(claim))).toBe('503 idp_unreachable');
    expect(named(claim.registrationId)).toHaveLength(1);
    const { key } = await identity.complete(claim);
    expect(named(claim.registrationId).map(({ value }) => value)).toEqual([key]);
    expect((await registration(claim.registrationId)).cleanup_due).toBe(0);
  });

  test('is deleted later if nobody comes back, or if that failed', async () => {
    const left = await register('left@example.com');
    workos.loseAnswer(/^POST .*api_keys$/);
    await refused(identity.complete(left));
    const failed = await register('failed@example.com');
    workos.loseAnswer(/^POST .*api_keys$/);
    await refused(identity.complete(failed));
    workos.fail(/^DELETE/, serverError);
    const { key } = await identity.complete(failed);
    expect(named(failed.registrationId)).toHaveLength(2);
    expect(made.log()).toContain('orphaned_keys_not_deleted');
    clock.now += 3_600_000;
    await made.start('later@example.com');
    await until(async () => named(left.registrationId).length === 0);
    await until(async () => named(failed.registrationId).length === 1);
    expect(named(failed.registrationId).map(({ value }) => value)).toEqual([key]);
    expect(await identity.validate(key, { fresh: true })).not.toBeNull();
  });

  test('is not deleted while its claim may still continue', async () => {
    const claim = await register('underway@example.com');
    workos.loseAnswer(/^POST .*api_keys$/);
    await refused(identity.complete(claim));
    clock.now += 599_000;
    await made.start('other@example.com');
    await Bun.sleep(30);
    expect(named(claim.registrationId)).toHaveLength(1);
    clock.now += 10_000;
  });
});

test("if WorkOS invalidates a code by a stranger's newer one, the owner still gets in", async () => {
  const own = await register('owner@example.com');
  const { claimToken } = await made.start('owner@example.com', { clientAddress: '198.51.100.9' });
  const { key } = await identity.complete(own);
  expect(await identity.validate(key)).not.toBeNull();
  expect(await refused(identity.complete({ claimToken, code: own.code }))).toBe('401 invalid_otp');
});

test('a deleted key is invalid, whoever owns it', async () => {
  const claimed = await identity.complete(await register('alive@example.com'));
  const owner = { keyId: claimed.metadata.id, organizationId: claimed.organizationId };
  expect(await identity.isLive(owner)).toBe(true);
  workos.deleteKey(claimed.key);
  expect(await identity.isLive(owner)).toBe(false);
  workos.keys.push({ id: 'k_u', value: 'sk_u', owner: { type: 'user', id: 'user_1' } });
  const byUser = { keyId: 'k_u', organizationId: 'org_1', userId: 'user_1' };
  expect(await identity.isLive(byUser)).toBe(true);
  workos.deleteKey('sk_u');
  expect(await identity.isLive(byUser)).toBe(false);
  workos.fail(/api_keys$/, serverError);
  expect(await refused(identity.isLive(owner))).toBe('503 idp_server_error');
});

test('keys are cached separately for each service', async () => {
  const other = await startWorkosDouble();
  const there = await workosIdentity(other);
  const { key } = await identity.complete(await register('mine@example.com'));
  expect(await there.identity.validate(key)).toBeNull();
  await there.close();
  await other.close();
});
