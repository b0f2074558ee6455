/** Resolves the host of a webhook to a public address, to which deliveries may connect. */
import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/** Thrown for a host to which deliveries are not sent. The message names no address of this network. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Finds the addresses of a host. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const resolveAll: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Whether an address is public: not private, loopback, link-local, shared (CGNAT), unique local, multicast or reserved,
 * nor one of these in IPv6 form.
 */
export const isPublic = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** Whether the host may turn out to be public or allowed; false if it is known to be neither without a look-up. */
export function mayBePublic(url: URL, allowed: readonly string[]): boolean {
  const hostname = hostOf(url);
  if (ipaddr.isValid(hostname)) return isPublic(hostname) || isWithin(hostname, allowed);
  // It may be allowed by its name, or its addresses as a network.
  return allowed.length > 0 || !/(^|\.)localhost\.?$/.test(hostname);
}

/** The host, without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replaceAll(/[[\]]/g, '');

/**
 * Resolves the host of an address once; the connection goes to the returned address.
 * @param allowed private hosts, addresses and networks (`10.0.0.0/8`) that the operator allows
 * @throws {ForbiddenAddress} one of its addresses is not public
 */
export async function publicAddressOf(
  url: URL,
  allowed: readonly string[],
  resolve: Resolve = resolveAll,
): Promise<string> {
  const hostname = hostOf(url);
  const addresses = ipaddr.isValid(hostname) ? [hostname] : await resolve(hostname);
  const [address] = addresses;
  if (address === undefined) throw new ForbiddenAddress('The host has no address.');
  const isNamed = allowed.includes(hostname);
  const mayConnect = (one: string) => isNamed || isPublic(one) || isWithin(one, allowed);
  if (!addresses.every(mayConnect))
    throw new ForbiddenAddress('The host is not at a public address.');
  if (url.protocol !== 'https:' && isPublic(address) && !isNamed) {
    throw new ForbiddenAddress('The address must use https.');
  }
  return address;
}

function isWithin(address: string, networks: readonly string[]): boolean {
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    if (!ipaddr.isValidCIDR(network)) return network === address;
    const [base, bits] = ipaddr.parseCIDR(network);
    if (base.kind() !== parsed.kind()) return false;
    return parsed.match(base, bits);
  });
}
