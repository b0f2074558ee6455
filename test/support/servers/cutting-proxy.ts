/** A proxy in front of a server that cuts connections: each is reset after a number of bytes. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

/**
 * Starts a proxy.
 * @param cuts the number of connections to cut; later ones may send anything
 * @param bytes the bytes that each of them may send first
 * @param onCut called at each cut, before the connection is reset
 */
export async function startCuttingProxy(
  target: string,
  { cuts, bytes, onCut }: { cuts: number; bytes: number; onCut?: (count: number) => void },
) {
  let { port } = new URL(target);
  let count = 0;
  let total = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    let passed = 0;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (chunk) => {
      passed += chunk.length;
      total += chunk.length;
      if (!upstream.write(chunk)) {
        client.pause();
        upstream.once('drain', () => client.resume());
      }
      if (passed < bytes || count >= cuts) return;
      count += 1;
      client.pause();
      // The sent bytes arrive, but the response does not.
      upstream.end(() => {
        onCut?.(count);
        end();
      });
    });
    upstream.pipe(client);
    client.on('error', end).on('close', () => upstream.destroy());
    upstream.on('error', end).on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The number of connections cut so far. */
    cuts: () => count,
    /** The bytes that clients have sent through it. */
    sent: () => total,
    /** Forwards new connections to another server. */
    moveTo: (next: string) => void ({ port } = new URL(next)),
    async close() {
      server.close();
    },
  };
}
