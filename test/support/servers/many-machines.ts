/** Two web processes and a worker on PostgreSQL and S3, with a signed-up user. */
import { afterAll } from 'bun:test';
import { client, signUp } from './client.ts';
import { startFleet } from './fleet.ts';
import { startHttpDouble } from '../doubles/http-double.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../doubles/speech-doubles.ts';
import { DEEPGRAM_KEY } from '../doubles/provider-keys.ts';

/** The time for which a process that died keeps its runs. */
export const LEASE_SECONDS = 4;

/** Starts two web processes and a worker, which all end with the test file. */
export async function manyMachines() {
  const wire = deepgramWire(deepgramAnswer(TALK));
  const deepgram = await startHttpDouble(wire);
  const fleet = await startFleet({
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    // Otherwise the runs of a killed process would be free only after 15 seconds.
    RUN_LEASE: `${LEASE_SECONDS}s`,
  });
  const [web, other, worker] = await Promise.all([
    fleet.start('web'),
    fleet.start('web'),
    fleet.start('worker', { WORKERS: '2' }),
  ]);
  const ann = await signUp(web, 'ann@example.com');
  afterAll(async () => {
    await fleet.close();
    await deepgram.close();
  });
  // The same user, at the other web process.
  const elsewhere = client(other.url, ann.key);
  return { fleet, deepgram, wire, web, other, worker, ann, elsewhere };
}
