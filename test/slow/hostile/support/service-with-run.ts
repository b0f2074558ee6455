/** A service in a process of its own, with a workspace and its completed run, and what it says of its routes. */
import { afterAll } from 'bun:test';
import { join } from 'node:path';
import { openDatabase } from '../../../../server/storage/database.ts';
import { signUp, type Any } from '../../../support/servers/client.ts';
import { completedRun, spoken } from '../../../support/servers/completed-run.ts';
import { testServer } from '../../../support/servers/test-server.ts';

/** Starts the service. @param text the words of the run */
export async function serviceWithRun(text: string) {
  const server = await testServer({ env: { REGISTRATIONS_PER_IP: '1000000' } });
  const ann = await signUp(server, 'ann@example.com');
  const document: Any = await (await fetch(`${server.url}/openapi.json`)).json();
  const database = openDatabase(join(server.dataDir, 'captioner.sqlite'));
  afterAll(() => database.destroy());
  const { organization_id: organizationId } = await database
    .selectFrom('api_keys')
    .select('organization_id')
    .executeTakeFirstOrThrow();
  const { runId } = await completedRun(database, organizationId, spoken(text));
  return { server, ann, document, database, organizationId, runId };
}
