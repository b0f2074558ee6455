/** Claims at WorkOS whose state cannot be recorded: none counts as done. */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { refusing } from '../support/servers/sqlite-database.ts';
import { type Claim, type WorkosBench, workosBench } from './support.ts';

setDefaultTimeout(300_000);

const { workos, made, register } = await workosBench();
const { identity } = made;

/** The duration of a lease, in milliseconds. */
const LEASE_MS = 3000;
/** The tries and the lease of a registration. */
const leaseOf = ({ registrationId }: Claim) =>
  made.database
    .selectFrom('registrations')
    .select(['attempts', 'lease_until'])
    .where('id', '=', registrationId)
    .executeTakeFirstOrThrow();
const serverError = () => new Response('{"message":"oops"}', { status: 500 });

describe('a claim', () => {
  /** Makes a claim while the database refuses a kind of write, and expects that it fails with that. */
  const without = (write: string, claim: Claim) =>
    refusing(made.database, write, () => identity.complete(claim));

  test.each([
    ['verifying', `update of state on registrations when new.state = 'verifying'`],
    ['verified', `update of state on registrations when new.state = 'verified'`],
    ['issuing', `update of state on registrations when new.state = 'issuing'`],
  ])('whose state cannot be recorded as %s returns no key', async (state, write) => {
    const claim = await register(`${state}@full.example`);
    await without(write, claim);
    expect(workos.keys.filter(({ name }) => name.includes(claim.registrationId))).toEqual([]);
  });

  test.each([
    ['one_time_code_too_many_attempts', 'burnt'],
    ['invalid_one_time_code', 'open'],
    ['one_time_code_expired', 'open'],
    ['sso_required', 'open'],
  ])('that %s ends must be recorded as %s', async (code, state) => {
    const claim = await register(`${code}@full.example`);
    workos.fail(/authenticate/, () => Response.json({ code, message: 'm' }, { status: 400 }));
    await without(`update of state on registrations when new.state = '${state}'`, claim);
  });

  test('of another user must be recorded as open again', async () => {
    const claim = await register('other-user@full.example');
    workos.answerInPlace(/authenticate/, () =>
      Response.json({ user: { id: 'user_other', email: 'other-user@full.example' } }),
    );
    await without(`update of state on registrations when new.state = 'open'`, claim);
  });

  test('whose lease cannot be released fails with that error', async () => {
    const claim = await register('lease@full.example');
    workos.fail(/authenticate/, serverError);
    await without('update of lease_until on registrations when new.lease_until is null', claim);
  });
});

test('a claim that fails releases its own lease, not another that ends at the same time', async () => {
  const claim = await register('failing@full.example');
  const other = await register('other-lease@full.example');
  // The time at which the lease of the claim will end.
  const held = { attempts: 3, lease_until: made.clock.now + LEASE_MS };
  await made.database
    .updateTable('registrations')
    .set(held)
    .where('id', '=', other.registrationId)
    .execute();
  workos.fail(/authenticate/, serverError);
  await expect(identity.complete(claim)).rejects.toThrow();
  expect(await leaseOf(other)).toEqual(held);
});

describe('a lease that is being renewed while its claim', () => {
  /** Lets a claim wait for an answer, and gives the answer while a renewal waits for the database. */
  async function whileRenewing(
    email: string,
    wait: (bench: WorkosBench, answer: () => Promise<Response>) => void,
    answerTo: (bench: WorkosBench, claim: Claim) => Response,
  ) {
    const busy = await workosBench({ leaseTimes: { leaseMs: 60_000, renewEveryMs: 1 } });
    const { database, clock } = busy.made;
    const claim = await busy.register(email);
    const held = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    wait(busy, () => {
      asked.resolve();
      return held.promise;
    });
    const outcome = busy.made.identity.complete(claim).catch((error: unknown) => error);
    await asked.promise;
    const row = () =>
      database
        .selectFrom('registrations')
        .select(['state', 'lease_until'])
        .where('id', '=', claim.registrationId)
        .executeTakeFirstOrThrow();
    await database.transaction().execute(async (transaction) => {
      // Everything else waits for this transaction: first a renewal, then the end of the claim.
      await transaction.deleteFrom('rate_events').where('id', '=', 'none').execute();
      clock.now += 10;
      await Bun.sleep(20);
      held.resolve(answerTo(busy, claim));
      await Bun.sleep(20);
    });
    return { outcome: await outcome, row: await row() };
  }

  test('fails is released all the same', async () => {
    const { outcome, row } = await whileRenewing(
      'renewing@example.com',
      ({ workos: busy }, answer) => busy.fail(/authenticate/, answer),
      serverError,
    );
    expect(outcome).toMatchObject({ code: 'idp_server_error' });
    expect(row.lease_until).toBeNull();
  });

  test('succeeds is still its own, and is no longer renewed', async () => {
    const timers = spyOn(globalThis, 'setInterval');
    const stopped = spyOn(globalThis, 'clearInterval');
    const { outcome, row } = await whileRenewing(
      'renewed@example.com',
      ({ workos: busy }, answer) => busy.answerInPlace(/^POST .*api_keys$/, answer),
      ({ workos: busy }, { registrationId }) =>
        Response.json(
          busy.keys.find(({ name }) => name.includes(registrationId)),
          { status: 201 },
        ),
    );
    expect(outcome).toMatchObject({ key: expect.any(String) });
    expect(row).toEqual({ state: 'claimed', lease_until: null });
    const renewals = timers.mock.results.filter((_, at) => timers.mock.calls[at]?.[1] === 1);
    const ended = new Set(stopped.mock.calls.map(([timer]): unknown => timer));
    expect(renewals.map(({ value }) => ended.has(value))).toEqual([true]);
    timers.mockRestore();
    stopped.mockRestore();
  });
});

test('a claim that fails after another has taken its lease leaves theirs, and the tries, as they are', async () => {
  const claim = await register('theirs@example.com');
  const theirs = made.clock.now + 60_000;
  workos.fail(/authenticate/, async () => {
    await made.database
      .updateTable('registrations')
      .set({ lease_until: theirs })
      .where('id', '=', claim.registrationId)
      .execute();
    return serverError();
  });
  await expect(identity.complete(claim)).rejects.toMatchObject({ code: 'idp_server_error' });
  expect(await leaseOf(claim)).toEqual({ attempts: 1, lease_until: theirs });
});

test('a registration without a user of the provider gets no key', async () => {
  const claim = await register('nobody@example.com');
  await made.database
    .updateTable('registrations')
    .set({ provider_user_id: null })
    .where('id', '=', claim.registrationId)
    .execute();
  await expect(identity.complete(claim)).rejects.toThrow(
    `registration ${claim.registrationId} has no user`,
  );
});
