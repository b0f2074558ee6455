/**
 * Reads a request: its id, its path, its headers, the address of its client and the one at which it reached the
 * service.
 */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';

/** The random beginning of all ids of a process; a counter makes them unique. */
const PROCESS = randomBytes(9).toString('base64url');
let count = 0;

/**
 * The caller's own id if it is fit for a log, otherwise a new one.
 * @example
 * requestId(new Request('http://a.example', { headers: { 'x-request-id': 'abc-1' } })); // => 'abc-1'
 */
export function requestId({ headers }: Request): string {
  const own = headers.get('x-request-id');
  if (own !== null && /^[\w.:+/=@-]{1,128}$/.test(own)) return own;
  count += 1;
  return `${PROCESS}-${count.toString(36)}`;
}

/** Extracts the path and the query of a request. */

/** The path of an address as sent. Slicing it out costs a tenth of parsing the URL. */
export function pathOf(url: string): string {
  // After `http://` and a host of at least one character.
  const start = url.indexOf('/', 8);
  if (start < 0) return '/';
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** Paths that contain names chosen by clients, which their routes validate. */
const FREE_NAMES = /^\/(?:audio|uploads)\//;

/**
 * Whether a path is in the exact form of a route. Proxies filter by path, so `//health`, `/x/../health` and `/%68ealth`
 * must not match anything. Paths that a runtime has already resolved (as Bun does with `..`) cannot be recognised.
 */
export function isPlainPath({ url }: Request): boolean {
  const path = pathOf(url);
  if (FREE_NAMES.test(path)) return true;
  if (path !== '/' && path.endsWith('/')) return false;
  return !/[%\\;]|\/\/|\/\.{1,2}(?:\/|$)/.test(path);
}

/** Reads request headers that may be missing. */

/** The text of a header; empty if it is missing. */
export const headerText = (headers: Headers, name: string): string => headers.get(name) ?? '';

/** The last entry of a list, which the nearest proxy has written. */
const lastEntry = (headers: Headers, name: string): string =>
  headerText(headers, name).replace(/^.*,/s, '').trim();

/** The media type of a body in lower case, without its parameters; empty if it is not given. */
export const mediaTypeOf = (headers: Headers): string =>
  headerText(headers, 'content-type').split(';', 1).join('').trim().toLowerCase();

/** Whether a body has a content coding. */
export const isEncoded = (headers: Headers): boolean =>
  !['', 'identity'].includes(headerText(headers, 'content-encoding').trim().toLowerCase());

/**
 * The name of a header in its usual spelling; schemas have it in lower case.
 * @example
 * headerName('idempotency-key'); // => 'Idempotency-Key'
 */
export const headerName = (name: string): string =>
  name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());

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
