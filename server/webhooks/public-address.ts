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

/** The only part of IPv6 from which public addresses are given out (RFC 4291). */
const [GLOBAL, GLOBAL_BITS] = ipaddr.IPv6.parseCIDR('2000::/3');
/** The second word of an ISATAP identifier (RFC 5214), which an IPv4 address follows. */
const ISATAP = 0x5efe;
/** The ports of public addresses that deliveries may use, so that they cannot speak to other programs. */
const PUBLIC_PORTS = new Set(['', '443', '80']);

/**
 * Whether an address is public: not private, loopback, link-local, shared (CGNAT), unique local, multicast or reserved.
 * An IPv6 address has to be global, and in no form that holds an IPv4 address (mapped, 6to4, Teredo, NAT64, ISATAP),
 * since a gateway could turn it into a private one.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (!(parsed instanceof ipaddr.IPv6)) return true;
  const [high = 0, low = 0] = parsed.parts.slice(4);
  const isIsatap = (high & ~0x0200) === 0 && low === ISATAP;
  return parsed.zoneId === undefined && parsed.match(GLOBAL, GLOBAL_BITS) && !isIsatap;
}

/** Whether the host may turn out to be public or allowed; false if it is known to be neither without a look-up. */
export function mayBePublicHost(url: URL, allowed: readonly string[]): boolean {
  const hostname = hostOf(url);
  if (ipaddr.isValid(hostname)) return isPublicAddress(hostname) || isWithin(hostname, allowed);
  // It may be allowed by its name, or its addresses as a network.
  return allowed.length > 0 || !/(^|\.)localhost\.?$/.test(hostname);
}

/** Whether the port may turn out to be allowed: any port of a host that the operator allows, otherwise 443 and 80. */
export const mayUsePort = ({ port }: URL, allowed: readonly string[]): boolean =>
  allowed.length > 0 || PUBLIC_PORTS.has(port);

/** The host, without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replaceAll(/[[\]]/g, '');

/**
 * Resolves the host of an address once; the connection goes to the returned address.
 * @param allowed private hosts, addresses and networks (`10.0.0.0/8`) that the operator allows
 * @throws {ForbiddenAddress} one of its addresses is not public, or the port of a public one is not that of HTTP
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
  const mayConnect = (one: string) => isNamed || isPublicAddress(one) || isWithin(one, allowed);
  if (!addresses.every(mayConnect))
    throw new ForbiddenAddress('The host is not at a public address.');
  if (!isNamed && !isWithin(address, allowed) && !PUBLIC_PORTS.has(url.port)) {
    throw new ForbiddenAddress('The port must be 443 or 80.');
  }
  if (url.protocol !== 'https:' && isPublicAddress(address) && !isNamed) {
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
