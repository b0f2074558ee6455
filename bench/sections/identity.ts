/**
 * The cost of validating a key, and the effect of a flood of bad keys on clients with good ones.
 */
import { client } from '../../test/support/servers/client.ts';
import { testIdentity } from '../../test/support/servers/identity.ts';
import { CONCURRENCY, whileRunning } from '../concurrent.ts';
import { inTurn, row, timed } from '../measure.ts';
import type { Bench } from '../section.ts';
import { somebody, startService } from '../service.ts';
import { createKey } from '../../server/identity/keys.ts';

const KEYS = 10_000;
const REQUESTS = 500;

/** Measures key validation without HTTP, then requests to a service. */
export async function identity(bench: Bench): Promise<void> {
  await validation(bench);
  await flood(bench);
}

/** Ten thousand validations of a key, against as many reads of a row of the same table. */
async function validation(bench: Bench): Promise<void> {
  const made = await testIdentity();
  bench.after(made.close);
  const { claimToken } = await made.start('bench@example.com');
  const code = made.code('bench@example.com');
  const { key, metadata } = await made.identity.complete({ claimToken, code });
  const unknown = createKey().value;
  const often = (work: () => Promise<unknown>) =>
    timed(async () => {
      for (let count = 0; count < KEYS; count += 1) await work();
    });
  const times = await inTurn(5, {
    good: often(() => made.identity.validate(key)),
    unknown: often(() => made.identity.validate(unknown)),
    misspelt: often(() => made.identity.validate(`${key}0`)),
    bare: often(() =>
      made.database
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', metadata.id)
        .executeTakeFirst(),
    ),
  });
  const against = 'one row of the table';
  const what = KEYS.toLocaleString('en');
  bench.rows(
    row(`${what} × a good key`, against, 'ms', times.good, times.bare),
    row(`${what} × a key that was never issued`, against, 'ms', times.unknown, times.bare),
    row(`${what} × a misspelt key`, against, 'ms', times.misspelt, times.bare),
  );
}

/** Consecutive requests with a good key, alone and during a flood of bad keys. */
async function flood(bench: Bench): Promise<void> {
  const server = await startService(bench);
  const ann = await somebody(server);
  const stranger = client(server.url, createKey().value);
  const ask = async (who: typeof ann) => (await who.get('/workflows/captioner/none')).arrayBuffer();
  const good = timed(async () => {
    for (let count = 0; count < REQUESTS; count += 1) await ask(ann);
  });
  const health = async () => (await fetch(`${server.url}/health`)).arrayBuffer();
  const { alone, bad, other } = await inTurn(3, {
    alone: good,
    bad: () => whileRunning(() => ask(stranger), good),
    other: () => whileRunning(health, good),
  });
  const what = `${REQUESTS} requests with a good key, ${CONCURRENCY} bad ones always under way`;
  bench.rows(
    row(what, 'the same, as many GET /health under way', 'ms', bad, other),
    row(what, 'the same alone', 'ms', bad, alone),
  );
}
