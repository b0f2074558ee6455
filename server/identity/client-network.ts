/** What counts as one client for a limit. */
import { isIPv6 } from 'node:net';

/**
 * The network of a client: an IPv4 address by itself, of an IPv6 address the /64 that one customer
 * holds; the rest of it changes as the client likes. IPv4 within IPv6 is the IPv4 address.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  // What `::` stands for is only zeros; how many does not matter to the first four groups,
  // unless the groups after it reach into them.
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const first = [...before, ...zeros, ...after].slice(0, 4);
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
