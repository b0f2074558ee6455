/** Determines the address at which a client reaches the service, for documents and links. */
import { isIP } from 'node:net';
import { headerText, lastEntry } from './request.ts';

/** The settings that determine the public address. */
interface PublicAddressOptions {
  /** BASE_URL if it is set, otherwise the address for requests without one. No trailing slash. */
  baseUrl: string;
  /** Whether an operator has set BASE_URL, so that no header changes it. Default: true. */
  baseUrlIsSet?: boolean;
  /**
   * Whether to trust the last entries of X-Forwarded-Host and X-Forwarded-Proto, written by the nearest proxy.
   * Security: without a proxy in front, anyone can write those headers.
   */
  trustProxy?: boolean;
}

export interface PublicAddress {
  /** The origin, or BASE_URL with its path, without a trailing slash. */
  of(request: Request): string;
  /** The request headers on which it depends, for Vary; none if BASE_URL is set. */
  varyBy: readonly string[];
  /**
   * Whether an Origin header names the service itself. Without BASE_URL and without a proxy, the name in Host proves
   * nothing, since a foreign page can make its own name resolve to this machine (DNS rebinding); then only IP addresses
   * and localhost count.
   */
  isOwnOrigin(request: Request, origin: string): boolean;
}

/** The number of hosts whose address is cached, since parsing one costs more than serving a document. */
const MAX_REMEMBERED = 64;
/** The longest DNS name with a port. */
const LONGEST_HOST = 260;

/** Creates the function that determines public addresses. It ignores a Host that is not a plain host and port. */
export function publicAddress(options: PublicAddressOptions): PublicAddress {
  const { baseUrl, baseUrlIsSet = true, trustProxy = false } = options;
  if (baseUrlIsSet) {
    const own = new URL(baseUrl).origin;
    return { of: () => baseUrl, varyBy: [], isOwnOrigin: (_request, origin) => origin === own };
  }
  const known = new Map<string, string | null>();
  const remembered = (scheme: string, host: string): string | null => {
    const asked = `${scheme}://${host}`;
    const before = known.get(asked);
    if (before !== undefined) return before;
    const origin = readOrigin(scheme, host);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(asked, origin);
    return origin;
  };
  const of = ({ headers }: Request): string => {
    const forwarded = (name: string) => (trustProxy ? lastEntry(headers, name).toLowerCase() : '');
    const scheme = forwarded('x-forwarded-proto') === 'https' ? 'https' : 'http';
    const host = forwarded('x-forwarded-host') || headerText(headers, 'host');
    if (host.length > LONGEST_HOST) return baseUrl;
    return remembered(scheme, host) ?? baseUrl;
  };
  return {
    of,
    varyBy: trustProxy ? ['Host', 'X-Forwarded-Host', 'X-Forwarded-Proto'] : ['Host'],
    isOwnOrigin: (request, origin) =>
      origin === of(request) && (trustProxy || cannotBeRebound(new URL(origin).hostname)),
  };
}

const cannotBeRebound = (hostname: string): boolean =>
  hostname === 'localhost' || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;

/** Normalises `http://host:port`; null for anything but a name or an IP address, with or without a port. */
function readOrigin(scheme: string, host: string): string | null {
  if (!/^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host)) return null;
  const url = URL.parse(`${scheme}://${host}`);
  if (!url) return null;
  const { hostname } = url;
  if (hostname.startsWith('[')) return url.origin;
  const labels = hostname.replace(/\.$/, '').split('.');
  return labels.every((label) => /^[a-z\d-]{1,63}$/.test(label)) ? url.origin : null;
}
