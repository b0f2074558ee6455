/** The address a request comes from, for limits. */

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
    const forwarded = trustProxy
      ? request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
      : undefined;
    return forwarded || peer(request) || 'unknown';
  };
}
