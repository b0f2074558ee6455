/** Guessed codes and registration ceilings on PostgreSQL, where processes share them. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { begin, elsewhere, limits, refused } from '../identity/attacker.ts';
import { guessedCodesSuite } from '../identity/guessed-codes.suite.ts';
import { testIdentity } from '../support/identity.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../support/postgres.ts';

setDefaultTimeout(120_000);

if (hasPostgres) {
  const postgres = await startPostgres();
  afterAll(() => postgres.close());
  guessedCodesSuite('guessed codes on PostgreSQL', async (options) =>
    testIdentity({ ...limits, ...options, databaseUrl: await postgres.database() }),
  );

  test('ceilings are counted by every process', async () => {
    const databaseUrl = await postgres.database();
    const shared = { ...limits, registrationsPerHour: 8, databaseUrl, pepper: 'p'.repeat(32) };
    const one = await testIdentity(shared);
    const two = await testIdentity(shared);
    for (let at = 0; at < 4; at += 1) {
      await begin(one, `a@b${at}.example`, elsewhere(at));
      await begin(two, `a@c${at}.example`, elsewhere(100 + at));
    }
    await two.close();
    expect(await refused(begin(one, 'a@d.example', elsewhere(99)))).toBe('429 rate_limited');
    await one.close();
  });
} else needsPostgres('guessed codes on PostgreSQL', () => {});
