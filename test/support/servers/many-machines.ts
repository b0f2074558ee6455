/** Two web processes and a worker on PostgreSQL and S3, with a signed-up user. */
import { afterAll } from 'bun:test';
import { client, signUp, type Client } from './client.ts';
import { startFleet, type Fleet } from './fleet.ts';
import { startHttpDouble, type HttpDouble, type Wire } from '../doubles/http-double.ts';
import type { ServerProcess } from './server-process.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../doubles/speech-doubles.ts';
import { DEEPGRAM_KEY } from '../doubles/provider-keys.ts';

/** The time for which a process that died keeps its runs. */
export const LEASE_SECONDS = 4;

export interface ManyMachines {
  fleet: Fleet;
  deepgram: HttpDouble;
  /** The provider's default response. */
  wire: Wire;
  web: ServerProcess;
  other: ServerProcess;
  worker: ServerProcess;
  ann: Client;
  /** The same user, at the other web process. */
  elsewhere: Client;
}

/** Starts two web processes and a worker, which all end with the test file. */
export async function manyMachines(): Promise<ManyMachines> {
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
  return { fleet, deepgram, wire, web, other, worker, ann, elsewhere: client(other.url, ann.key) };
}
