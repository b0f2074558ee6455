/** Two web processes and a worker on PostgreSQL and S3, with a signed-up user. */
import { afterAll } from 'bun:test';
import { client, signUp, type Client } from './client.ts';
import { startFleet, type Fleet } from './fleet.ts';
import { startHttpDouble, type HttpDouble, type Wire } from '../doubles/http-double.ts';
import type { ServerProcess } from './server-process.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../doubles/speech-doubles.ts';
import { DEEPGRAM_KEY } from '../doubles/provider-keys.ts';

/** How long a process that died keeps its runs. */
export const LEASE_SECONDS = 4;

export interface ManyMachines {
  fleet: Fleet;
  deepgram: HttpDouble;
  /** What the provider answers unless a test says otherwise. */
  wire: Wire;
  web: ServerProcess;
  other: ServerProcess;
  worker: ServerProcess;
  ann: Client;
  /** The same person, at the other web process. */
  elsewhere: Client;
}

/** Starts two web processes and a worker; all of it ends with the file. */
export async function manyMachines(): Promise<ManyMachines> {
  const wire = deepgramWire(deepgramAnswer(TALK));
  const deepgram = await startHttpDouble(wire);
  const fleet = await startFleet({
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    // Nobody has to wait a quarter of a minute for the runs of a process that was killed.
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
