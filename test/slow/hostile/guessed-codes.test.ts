/** Guessed codes and registration ceilings on PostgreSQL, where processes share them. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { limits, registrationAfterShared } from '../../identity/attacker.ts';
import { guessedCodesSuite } from '../../identity/guessed-codes.suite.ts';
import { testIdentity } from '../../support/servers/identity.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../../support/servers/postgres.ts';

setDefaultTimeout(300_000);

if (hasPostgres) {
  const postgres = await startPostgres();
  afterAll(() => postgres.close());
  guessedCodesSuite('guessed codes on PostgreSQL', async (options) =>
    testIdentity({ ...limits, ...options, databaseUrl: await postgres.database() }),
  );

  test('limits apply to all processes together', async () => {
    expect(await registrationAfterShared(await postgres.database())).toBe('429 rate_limited');
  });
} else needsPostgres('guessed codes on PostgreSQL', () => {});
