/** The embedded provider on PostgreSQL, where processes share it. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { refused } from './attacker.ts';
import { until } from '../support/servers/client.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../support/servers/postgres.ts';
import { identityProviderSuite } from './identity-provider.suite.ts';
import { tryCode } from '../../server/identity/codes.ts';

setDefaultTimeout(300_000);

if (hasPostgres) {
  const server = await startPostgres();
  const made = await testIdentity({ databaseUrl: await server.database() });
  afterAll(async () => {
    await made.close();
    await server.close();
  });
  identityProviderSuite('embedded on PostgreSQL', () => made);

  test('of simultaneous registrations as many succeed as in sequence', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, () => refused(made.start('crowd@example.com'))),
    );
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(5);
  });

  test('a try waits until another one for the same address has ended', async () => {
    const { database, hasher, identity, clock } = made;
    const email = 'both@example.com';
    const { claimToken: first } = await made.start(email);
    const { claimToken: second } = await made.start(email, { clientAddress: '198.51.100.1' });
    const tokenHash = hasher.hash('claim', first);
    const options = { hasher, teamEmailDomain: null, registrationsPerIp: 9, now: () => clock.now };
    const waiting = async () =>
      (
        await sql<object>`select 1 from pg_stat_activity
          where datname = current_database() and wait_event = 'advisory'`.execute(database)
      ).rows.length;
    const ended: string[] = [];
    let other: Promise<unknown> | undefined;
    await database.transaction().execute(async (transaction) => {
      await tryCode(transaction, options, { tokenHash, code: 'none' });
      other = refused(identity.complete({ claimToken: second, code: 'none' })).then(() =>
        ended.push('second'),
      );
      await until(async () => ended.length > 0 || (await waiting()) > 0);
      ended.push('first');
    });
    await other;
    expect(ended).toEqual(['first', 'second']);
  });
} else needsPostgres('embedded on PostgreSQL', () => {});
