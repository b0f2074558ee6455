/** The embedded provider on PostgreSQL, where processes share it. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { createLog } from '../../server/base/log.ts';
import { deleteOverdueMedia } from '../../server/runs/retention.ts';
import { refused } from './attacker.ts';
import { until, type Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';
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

  test('people come, change their roles and go, and the record is searched', async () => {
    const app = await mountedApp({ env: { DATABASE_URL: await server.database() } });
    const owner = await app.signUp('owner@acme.example');
    const send = (method: string, path: string, { key }: { key: string }, json?: object) =>
      app.ask(path, { method, key, ...(json && { json }) });
    const read = async (path: string): Promise<Any> => (await send('GET', path, owner)).json();
    const sent = { email: 'Ann%@acme.example', role: 'reader' };
    expect((await send('POST', '/workspace/invitations', owner, sent)).status).toBe(201);
    const code = /^[0-9A-Z-]{23}$/m.exec(app.mailTo('ann%@acme.example'))?.[0];
    const accepted: Any = await (
      await app.ask('/workspace/invitations/accept', { json: { code } })
    ).json();
    const ann = { key: accepted.credential };
    expect((await send('POST', '/webhooks', ann, {})).status).toBe(403);
    const { members } = await read('/workspace/members');
    const path = `/workspace/members/${members.find(({ role }: Any) => role === 'reader').id}`;
    expect((await send('PATCH', path, owner, { role: 'editor' })).status).toBe(200);
    expect((await send('POST', '/webhooks', ann, {})).status).toBe(422);
    await send('PUT', '/workspace/retention', owner, { runDays: 14, mediaDays: 3 });
    const { database, audio } = app.services;
    const log = createLog('error', () => {});
    expect(await deleteOverdueMedia({ database, audio, log }, Date.now())).toBe(0);
    await send('PUT', '/workspace/quotas', owner, { recordings: 1000, results: null });
    expect((await read('/workspace/usage')).recordings.quota).toBe(1000);
    expect((await send('PATCH', path, owner, { state: 'disabled' })).status).toBe(200);
    expect((await send('GET', '/webhooks', ann)).status).toBe(401);
    // The sign is one to look for, not a wildcard.
    expect((await read('/workspace/audit?q=ANN%25')).entries).toHaveLength(3);
    expect((await read('/workspace/audit?q=a%25n')).entries).toEqual([]);
    const first = await read('/workspace/audit?limit=2');
    expect(first.entries.map(({ action }: Any) => action)).toEqual([
      'PATCH /workspace/members/{memberId}',
      'PUT /workspace/quotas',
    ]);
    const next = await read(`/workspace/audit?limit=2&cursor=${first.nextCursor}`);
    expect(next.entries).toHaveLength(2);
  });

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
