/** Where a request goes. */

/** The path of an address as it was sent; reading it out by hand costs a tenth of parsing it. */
export function pathOf(url: string): string {
  // Behind `http://` and a host of at least one character.
  const start = url.indexOf('/', 8);
  if (start < 0) return '/';
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** Where names of a client's own choice stand in the path: their routes check them. */
const FREE_NAMES = /^\/(?:audio|uploads)\//;

/**
 * Whether a path is written the one way that routes are known by. Proxies are told what to let through
 * by path, so `//health`, `/x/../health` and `/%68ealth` must reach nothing. What a runtime has resolved
 * before (Bun does with `..`) cannot be told apart any more.
 */
export function isPlainPath({ url }: Request): boolean {
  const path = pathOf(url);
  if (FREE_NAMES.test(path)) return true;
  if (path !== '/' && path.endsWith('/')) return false;
  return !/[%\\;]|\/\/|\/\.{1,2}(?:\/|$)/.test(path);
}
