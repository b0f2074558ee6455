/** Which methods an address answers, read from the routes there are. */

export interface Route {
  method: string;
  /** As it is written in the app: `/runs/:id`, `/audio/*`. */
  path: string;
}

/**
 * Makes the reader of an address's methods: all that it answers, OPTIONS too; empty for an address
 * that nothing is at.
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
