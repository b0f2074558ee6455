import { afterAll, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { hasPostgres, needsPostgres, startPostgres } from '../support/servers/postgres.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { queueSuite } from './queue.suite.ts';

setDefaultTimeout(600_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

let count = 0;
queueSuite('runs in a file', {
  folder,
  leaseMs: null,
  location: async () => join(folder, `${(count += 1)}.sqlite`),
});

if (hasPostgres) {
  const server = await startPostgres();
  afterAll(() => server.close());
  queueSuite('runs in PostgreSQL', {
    folder,
    leaseMs: 1500,
    location: server.database,
  });
} else needsPostgres('runs in PostgreSQL', () => {});
