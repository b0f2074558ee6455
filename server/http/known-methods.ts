/** Determines the methods that an address supports, from the routes. */

export interface Route {
  method: string;
  /** As written in the app: `/runs/:id`, `/audio/*`. */
  path: string;
}

/**
 * Creates a function that returns the methods of an address, including OPTIONS; empty for an
 * unknown address.
 */
export function knownMethods(routes: readonly Route[]): (path: string) => string[] {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return (path) => {
    const found = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (found.length === 0) return [];
    const more = found.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
    return [...new Set([...found, ...more])];
  };
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => {
      if (part === '*') return '.+';
      // A parameter may follow a fixed beginning: `captions.:format`.
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+$/, '[^/]+');
    })
    .join('/');
  return new RegExp(`^${source}$`);
}
