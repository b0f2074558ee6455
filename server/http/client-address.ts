/** The address a request comes from, for limits. */
import { isIP } from 'node:net';

/** What the listener knows of a connection; null where it knows nothing. */
export type PeerAddress = (request: Request) => string | null;

/**
 * Makes the reader of client addresses.
 * @param trustProxy believes the last entry of X-Forwarded-For, the one the nearest proxy wrote.
 *   Security: without a proxy in front anyone can write that header.
 */
export function clientAddress(
  peer: PeerAddress,
  trustProxy: boolean,
): (request: Request) => string {
  return (request) => {
    const forwarded = trustProxy ? request.headers.get('x-forwarded-for') : null;
    return ipOf(forwarded?.split(',').at(-1) ?? '') ?? peer(request) ?? 'unknown';
  };
}

/** The address alone, of `192.0.2.1:4711` and `[2001:db8::1]:4711` too; null where there is none. */
function ipOf(entry: string): string | null {
  const text = entry.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) === 0 ? null : bare;
}
