/** What knowing a key costs, and what a flood of bad keys does to those who have good ones. */
import { createKey } from '../server/identity/keys.ts';
import { client, signUp } from '../test/support/client.ts';
import { testIdentity } from '../test/support/identity.ts';
import { removeFolder, startServerProcess } from '../test/support/server-process.ts';
import { inTurn, row, type Row } from './measure.ts';

const KEYS = 10_000;
const REQUESTS = 500;
const FLOOD_AT_ONCE = 32;

export async function identity(): Promise<Row[]> {
  return [...(await validation()), ...(await flood())];
}

/** Ten thousand looks at a key, against as many looks at a row of the same table. */
async function validation(): Promise<Row[]> {
  const made = await testIdentity();
  const { claimToken } = await made.start('bench@example.com');
  const code = made.code('bench@example.com');
  const { key, metadata } = await made.identity.complete({ claimToken, code });
  const unknown = createKey().value;
  const often = (work: () => Promise<unknown>) => async () => {
    for (let count = 0; count < KEYS; count += 1) await work();
  };
  const times = await inTurn(5, {
    good: often(() => made.identity.validate(key)),
    unknown: often(() => made.identity.validate(unknown)),
    misspelt: often(() => made.identity.validate(`${key}0`)),
    row: often(() =>
      made.database
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', metadata.id)
        .executeTakeFirst(),
    ),
  });
  await made.close();
  const { good, unknown: never, misspelt, row: bare } = times;
  if (!good || !never || !misspelt || !bare) return [];
  const against = 'one row of the table';
  return [
    row(`${KEYS} × a good key`, against, good, bare),
    row(`${KEYS} × a key that was never issued`, against, never, bare),
    row(`${KEYS} × a misspelt key`, against, misspelt, bare),
  ];
}

/** Requests with a good key, one after the other, alone and while others come with bad ones. */
async function flood(): Promise<Row[]> {
  const server = await startServerProcess();
  const ann = await signUp(server, 'bench@example.com');
  const stranger = client(server.url, createKey().value);
  const ask = async (who: typeof ann) => (await who.get('/workflows/captioner/none')).arrayBuffer();
  const good = async () => {
    for (let count = 0; count < REQUESTS; count += 1) await ask(ann);
  };
  const flooded = async (others: () => Promise<unknown>) => {
    const over = new AbortController();
    const lane = async () => {
      while (!over.signal.aborted) await others();
    };
    const lanes = Array.from({ length: FLOOD_AT_ONCE }, lane);
    await good();
    over.abort();
    await Promise.all(lanes);
  };
  const health = async () => (await fetch(`${server.url}/health`)).arrayBuffer();
  const times = await inTurn(3, {
    alone: good,
    bad: () => flooded(() => ask(stranger)),
    other: () => flooded(health),
  });
  await server.stop();
  await removeFolder(server.dataDir);
  const { alone, bad, other } = times;
  if (!alone || !bad || !other) return [];
  const what = `${REQUESTS} requests with a good key, ${FLOOD_AT_ONCE} bad ones always under way`;
  return [
    row(what, 'the same, as many GET /health under way', bad, other),
    row(what, 'the same alone', bad, alone),
  ];
}
