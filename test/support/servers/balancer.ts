/** A small balancer as operators have: it asks each process whether it is ready, and opens connections to those that are. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { repeat } from '../../../server/base/concurrency.ts';

/** The interval at which /ready is read. */
const POLL_MS = 250;

/** Starts it. @param urls the processes; the caller adds and removes them as an operator does */
export async function startBalancer(urls: string[]) {
  let ready = [...urls];
  let turn = 0;
  const polling = repeat(POLL_MS, async () => {
    const asked = [...urls];
    const answers = await Promise.all(
      asked.map((url) =>
        fetch(`${url}/ready`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      ),
    );
    ready = asked.filter((_url, at) => answers[at]);
  });
  const server = createServer((client) => {
    const target = ready[(turn += 1) % ready.length];
    if (target === undefined) return client.destroy();
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.end());
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Whether it sends requests to a process. */
    uses: (url: string) => ready.includes(url),
    async close() {
      await polling.stop();
      server.close();
    },
  };
}
