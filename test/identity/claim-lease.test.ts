/** The lease of a claim: renewed repeatedly, and lost once another claim has taken it. */
import { expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { keepLease, LEASE_TIMES } from '../../server/identity/claim-lease.ts';
import { until } from '../support/servers/client.ts';
import { workosBench } from './support.ts';

setDefaultTimeout(300_000);

const { made, register } = await workosBench();
const { database, clock } = made;

/** A registration with a lease, and the functions that read and take it. */
async function leased(email: string) {
  const { registrationId } = await register(email);
  const take = (lease_until: number) =>
    database
      .updateTable('registrations')
      .set({ lease_until })
      .where('id', '=', registrationId)
      .execute();
  await take(clock.now + 50);
  const row = () =>
    database
      .selectFrom('registrations')
      .selectAll()
      .where('id', '=', registrationId)
      .executeTakeFirstOrThrow();
  const services = { database, now: () => clock.now };
  const lease = keepLease(services, await row(), { leaseMs: 60, renewEveryMs: 1 });
  return { lease, row, take };
}

test('it is renewed repeatedly, and unchanged once it is stopped', async () => {
  const { lease, row } = await leased('again@example.com');
  for (let time = 0; time < 3; time += 1) {
    clock.now += 10;
    await until(async () => (await row()).lease_until === clock.now + 60);
  }
  await lease.stop();
  expect([lease.isHeld(), lease.until()]).toEqual([true, clock.now + 60]);
  clock.now += 10;
  await Bun.sleep(5);
  expect((await row()).lease_until).toBe(clock.now + 50);
});

test('a lease of another registration that ends at the same instant is not renewed with it', async () => {
  const other = await leased('other@example.com');
  await other.lease.stop();
  const { lease, take } = await leased('renewed@example.com');
  await lease.stop();
  const end = clock.now + 50;
  await Promise.all([other.take(end), take(end)]);
  const services = { database, now: () => clock.now + 10 };
  const row = { ...(await other.row()), lease_until: end };
  const renewed = keepLease(services, row, { leaseMs: 60, renewEveryMs: 1 });
  await until(async () => renewed.until() !== end);
  await renewed.stop();
  expect((await other.row()).lease_until).toBe(clock.now + 70);
  expect(
    await database
      .selectFrom('registrations')
      .select('id')
      .where('lease_until', '=', end)
      .execute(),
  ).toHaveLength(1);
});

test('it is lost once another claim has taken it, whose lease is unchanged', async () => {
  const { lease, row, take } = await leased('taken@example.com');
  const theirs = clock.now + 5000;
  await take(theirs);
  await until(async () => !lease.isHeld());
  await lease.stop();
  expect((await row()).lease_until).toBe(theirs);
});

test('it is renewed at the given interval', async () => {
  const { lease, row } = await leased('times@example.com');
  await lease.stop();
  const timers = spyOn(globalThis, 'setInterval');
  const services = { database, now: () => clock.now };
  await keepLease(services, await row(), LEASE_TIMES).stop();
  expect(timers.mock.calls.map(([, pause]) => pause)).toContain(500);
  timers.mockRestore();
});

test('a renewal that fails once is repeated at the next interval', async () => {
  const { lease, row } = await leased('outage@example.com');
  await lease.stop();
  let failures = 0;
  const failing = new Proxy(database, {
    get(target, name) {
      if (name === 'updateTable' && failures < 2) {
        failures += 1;
        throw new Error('the database does not respond');
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const before = await row();
  const services = { database: failing, now: () => clock.now };
  const renewed = keepLease(services, before, { leaseMs: 70, renewEveryMs: 1 });
  await until(async () => renewed.until() === clock.now + 70);
  await renewed.stop();
  expect([failures, renewed.isHeld()]).toEqual([2, true]);
});
