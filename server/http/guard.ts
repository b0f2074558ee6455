/** The `scope` macro: a route with it refuses requests before their body is read. Contract 5. */
import { Elysia } from 'elysia';
import {
  linkRightOf,
  scopesOf,
  type Authorize,
  type Authorized,
  type NeededAccess,
  type Routed,
} from './identity/authorize.ts';
import { createBodyRate, type OpenAccount } from './uploads/throttles.ts';
import { writeFor } from '../storage/write-limit.ts';
import { response } from './openapi/responses.ts';
import type { DocumentDecoration } from 'elysia';

/** Adds the option `scope` to routes, and the `sender` of the request to their handlers. */
export type Guard = ReturnType<typeof createGuard>;

/** The route options that the macro reads. */
interface RouteOptions {
  parse?: unknown;
  json?: unknown;
}

/**
 * Creates the macro. `scope` names the scope that a key needs, or several; null accepts any valid key; with `link`, the
 * right that a link to the review needs instead. It must come before any option that reads the body. The refusals
 * become part of the route's OpenAPI description.
 *
 * @example
 * ```ts
 * new Elysia().use(guard).get('/mine', ({ sender }) => sender.organizationId, {
 *   scope: 'captioner:caption:run',
 * });
 * ```
 */
export function createGuard(authorize: Authorize, openAccount: OpenAccount = createBodyRate()) {
  // Parsing happens only for requests with a body, before the steps common to all requests.
  const checked = new WeakMap<Request, Promise<Authorized>>();
  const check = ({ request, route }: Routed, scope: NeededAccess) => {
    const sender = checked.get(request) ?? authorized({ request, route }, scope);
    checked.set(request, sender);
    return sender;
  };
  const authorized = async (routed: Routed, scope: NeededAccess) => {
    const sender = await authorize(routed, scope);
    openAccount(routed.request, sender.organizationId);
    writeFor(sender.organizationId);
    return sender;
  };
  return new Elysia({ name: 'guard' }).macro({
    scope: (scope: NeededAccess) => {
      let readsJson: boolean | undefined;
      return {
        introspect(options) {
          const { parse, json } = options as RouteOptions;
          if (parse !== undefined && parse !== 'none') {
            throw new Error('scope has to come before the option that reads the body');
          }
          readsJson = json !== undefined;
        },
        async parse({ request, route }) {
          await check({ request, route }, scope);
          // Without a return value, the router would read the body according to its media type, however long it is.
          return readsJson ? undefined : null;
        },
        async transform({ request, route }) {
          await check({ request, route }, scope);
        },
        async resolve({ request }) {
          return { sender: await checked.get(request)! };
        },
        detail: guarded(scope),
      };
    },
  });
}

/** The part of a protected route's description that concerns keys. */
const guarded = (scope: NeededAccess) =>
  ({
    security: [
      { bearer: [...scopesOf(scope)] },
      ...(linkRightOf(scope) === null ? [] : [{ reviewLink: [] }]),
    ],
    responses: {
      401: response('Unauthorized'),
      ...(scope !== null && { 403: response('Forbidden') }),
      ...(linkRightOf(scope) !== null && { 429: response('TooManyRequests') }),
      502: response('IdentityProviderFailed'),
      503: response('Unavailable'),
    },
  }) as DocumentDecoration;
