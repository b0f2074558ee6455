/** Determines the route of an address and the methods that it supports, from the app's routes. */

interface Route {
  method: string;
  /** As in the app: `/runs/:id`, `/audio/*`. */
  path: string;
}

interface RouteTable {
  /** The methods of an address, including OPTIONS; empty for an unknown address. */
  methodsOf(path: string): string[];
  /** The route of an address in the contract's notation; null for an unknown address. */
  routeOf(path: string): string | null;
}

/** Creates the table of routes. */
export function routeTable(routes: readonly Route[]): RouteTable {
  const isFixed = ({ path }: Route) => !/[:*]/.test(path);
  const fixed = new Set(routes.filter(isFixed).map(({ path }) => path));
  const patterns = routes.map(({ method, path }) => ({ method, path, pattern: patternOf(path) }));
  const matching = (path: string) => patterns.filter(({ pattern }) => pattern.test(path));
  return {
    methodsOf(path) {
      const found = matching(path).map(({ method }) => method);
      if (found.length === 0) return [];
      const more = found.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
      return [...new Set([...found, ...more])];
    },
    routeOf(path) {
      if (fixed.has(path)) return path;
      const found = patterns.find(({ pattern }) => pattern.test(path));
      return found ? contractPath(found.path) : null;
    },
  };
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => {
      if (part === '*') return '.+';
      // A parameter may follow fixed text: `captions.:format`.
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+$/, '[^/]+');
    })
    .join('/');
  return new RegExp(`^${source}$`);
}

/** Names routes as the contract does, for the log and the OpenAPI document, without keys, run ids and links. */

/** `/audio/{key}` for the app's own `/audio/*`, `/runs/{id}` for `/runs/:id`. */
export const contractPath = (route: string): string =>
  route.replace('/audio/*', '/audio/{key}').replaceAll(/:(\w+)/g, '{$1}');

/**
 * `PUT /audio/{key}` for PUT and the app's own `/audio/*`.
 * @param route absent if no route matches
 */
export const routeName = (method: string, route = '(none)'): string =>
  `${method} ${contractPath(route)}`;
