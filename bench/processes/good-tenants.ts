/**
 * Tenants who repeatedly upload a talk and wait for its captions. Reads the duration in
 * milliseconds, and prints the time of each talk and the number of failures, as JSON.
 */
import { readFile } from 'node:fs/promises';
import { client } from '../../test/support/servers/client.ts';
import { sample } from '../../test/support/sample.ts';
import { repeat } from '../repeat.ts';
import { payload } from '../service.ts';

const PAUSE_MS = 50;

const [url = '', ...keys] = process.argv.slice(2);
const recording = new Uint8Array(await readFile(sample));

for await (const line of console) {
  const stop = AbortSignal.timeout(Number(line));
  const times: number[] = [];
  let failed = 0;
  const tenants = keys.map((key) => {
    const tenant = client(url, key);
    return repeat(stop, PAUSE_MS, async () => {
      failed += 1;
      const began = performance.now();
      const uploaded = await tenant.put('talk.mp3', recording);
      const { result } = await tenant.caption(payload('talk.mp3'));
      times.push(performance.now() - began);
      if (uploaded.status === 200 && result.status === 'completed') failed -= 1;
    });
  });
  await Promise.all(tenants);
  console.log(JSON.stringify({ times, failed }));
}
