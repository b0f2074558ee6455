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
