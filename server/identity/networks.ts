/** The clients and networks behind addresses, as limits count them. */
import { isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * The client behind an address: for IPv4 the address itself; for IPv6 the /64 of one customer, who can change the rest
 * at will. An IPv4 address within IPv6 counts as IPv4.
 */
export function clientNetwork(address: string): string {
  const ip = plain(address);
  return isIPv6(ip) ? `${groupsOf(ip).slice(0, 4).join(':')}::/64` : ip;
}

/**
 * The network of an address: for IPv6 the /48 of one site, which holds 65,536 /64s; for IPv4 the
 * /24, the smallest that is routed.
 */
export function siteNetwork(address: string): string {
  const ip = plain(address);
  if (isIPv6(ip)) return `${groupsOf(ip).slice(0, 3).join(':')}::/48`;
  return isIPv4(ip) ? `${ip.split('.').slice(0, 3).join('.')}.0/24` : ip;
}

/**
 * The network of an address as in {@link siteNetwork}; null if the address is unknown or is loopback, which is a
 * program on this machine or a proxy that is not trusted to name its clients.
 */
export function remoteNetwork(address: string): string | null {
  const ip = plain(address);
  const isLoopback = ip.startsWith('127.') || groupsOf(ip).join(':') === LOOPBACK;
  return isIP(ip) === 0 || isLoopback ? null : siteNetwork(ip);
}

/** `::1` written out. */
const LOOPBACK = '0:0:0:0:0:0:0:1';

/** An address without its zone; IPv4 within IPv6, in either notation, as IPv4. */
function plain(address: string): string {
  if (!isIPv6(address)) return address;
  const bare = address.replace(/%.*/s, '');
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return bare;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = withoutDots(address).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}

/** Replaces an IPv4 address at the end by the two groups it stands for. */
const withoutDots = (address: string): string =>
  address.replace(/:(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
