/** A proxy in front of a server that cuts connections: each may send so many bytes, then it is reset. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

export interface CuttingProxy {
  url: string;
  /** Connections that were cut so far. */
  cuts(): number;
  /** Bytes that clients have sent through it. */
  sent(): number;
  /** Sends what comes from now on to another server. */
  moveTo(target: string): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy.
 * @param cuts how many connections it cuts; later ones may send anything
 * @param bytes what each of them may send before
 * @param onCut called at each cut, before the connection is reset
 */
export async function startCuttingProxy(
  target: string,
  { cuts, bytes, onCut }: { cuts: number; bytes: number; onCut?: (count: number) => void },
): Promise<CuttingProxy> {
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
      // What it has sent arrives; the answer does not.
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
    cuts: () => count,
    sent: () => total,
    moveTo: (next) => void ({ port } = new URL(next)),
    async close() {
      server.close();
    },
  };
}
