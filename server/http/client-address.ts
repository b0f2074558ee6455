/** Determines the client's address of a request, for rate limits. */
import { isIP } from 'node:net';
import { lastEntry } from './header-values.ts';

/** The address of a connection according to the listener; null if unknown. */
export type PeerAddress = (request: Request) => string | null;

/**
 * Creates the function that reads client addresses.
 * @param trustProxy trusts the last entry of X-Forwarded-For, written by the nearest proxy. Security: without a proxy
 *   in front, anyone can write that header.
 */
export function clientAddress(
  peer: PeerAddress,
  trustProxy: boolean,
): (request: Request) => string {
  return (request) => {
    const forwarded = trustProxy ? lastEntry(request.headers, 'x-forwarded-for') : '';
    return ipOf(forwarded) ?? peer(request) ?? 'unknown';
  };
}

/** An address without its port, as in `192.0.2.1:4711` and `[2001:db8::1]:4711`; null if there is none. */
function ipOf(text: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) === 0 ? null : bare;
}
