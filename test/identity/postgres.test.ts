/** The embedded provider on PostgreSQL, where processes share it. */
import { afterAll, setDefaultTimeout } from 'bun:test';
import { testIdentity } from '../support/servers/identity.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../support/servers/postgres.ts';
import { identityProviderSuite } from './identity-provider.suite.ts';

setDefaultTimeout(300_000);

if (hasPostgres) {
  const server = await startPostgres();
  const made = await testIdentity({ databaseUrl: await server.database() });
  afterAll(async () => {
    await made.close();
    await server.close();
  });
  identityProviderSuite('embedded on PostgreSQL', () => made);
} else needsPostgres('embedded on PostgreSQL', () => {});
