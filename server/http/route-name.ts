/** A route as the contract writes it, for the log: keys of audio objects, run ids and links are not for it. */

/**
 * `PUT /audio/{key}` for PUT and the app's own `/audio/*`.
 * @param route absent where no route was found
 */
export const routeName = (method: string, route = '(none)'): string =>
  `${method} ${route.replace('/audio/*', '/audio/{key}').replaceAll(/:(\w+)/g, '{$1}')}`;
