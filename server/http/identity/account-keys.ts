/**
 * The keys of an account. Agents can list them; revoking is left to people, in the settings of the app, and with an
 * outside identity provider in its own pages. Contract 5.
 */
import { Elysia } from 'elysia';
import { AccountKeys, SCOPES } from '../../contract/registration.ts';
import { closed } from '../../contract/schema.ts';
import type { IdentityProvider } from '../../identity/provider.ts';
import type { Log } from '../../base/log.ts';
import type { Database } from '../../storage/database.ts';
import { asProblem, type Guard } from './guard.ts';
import { answer, detail, HIDDEN } from '../openapi/detail.ts';
import { Problem } from '../problems.ts';
import { type PublicAddress, headerText } from '../request.ts';
import { wireAnswer, wireQuery } from '../wire.ts';

/** The most keys in a list. */
const MOST_KEYS = 100;

interface AccountKeyServices {
  address: PublicAddress;
  guard: Guard;
  identity: IdentityProvider;
  database: Database;
  log: Log;
}

/**
 * The routes. Keys are issued by registration alone, which proves that the address is the sender's: a leaked key must
 * not be able to make others that outlive it.
 */
export function accountKeyRoutes({ address, guard, identity, database, log }: AccountKeyServices) {
  const scope = 'captioner:caption:run';
  return new Elysia()
    .use(guard)
    .get(
      '/workspace/keys',
      async ({ sender }) => {
        const { organizationId, keyId } = sender;
        const keys = await asProblem(() => identity.keysOf(sender));
        const workspace = await database
          .selectFrom('organizations')
          .select('kind')
          .where('id', '=', organizationId)
          .executeTakeFirst();
        const instant = (ms: number) => new Date(ms).toISOString();
        return Response.json({
          organizationId,
          workspace: workspace?.kind ?? 'unknown',
          keys: keys.slice(0, MOST_KEYS).map(({ createdAt, lastUsedAt, ...key }) => ({
            ...key,
            createdAt: instant(createdAt),
            lastUsedAt: lastUsedAt === null ? null : instant(lastUsedAt),
            current: key.id === keyId,
          })),
          revocable: identity.revoke !== undefined,
          total: keys.length,
        } satisfies AccountKeys);
      },
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(AccountKeys) },
        detail: detail({
          operationId: 'listKeys',
          summary: 'List the valid keys of your account',
          description:
            'The keys that the same email address has claimed in the same workspace, without their secrets. POST /agent/auth issues another one.',
          tags: ['Registration'],
          responses: {
            200: answer('The workspace of the key, and the keys.', {
              organizationId: 'org_01J9ZK6X',
              workspace: 'personal',
              keys: [
                {
                  id: '3kQ9vTnX2bLaR',
                  obfuscated: 'cap_live_3kQ9vTnX2bLaR_…9fQ2',
                  name: 'Captioner key of 2026-11-21',
                  scopes: [...SCOPES],
                  createdAt: '2026-11-21T18:00:00.000Z',
                  lastUsedAt: '2026-11-22T09:30:00.000Z',
                  current: true,
                },
              ],
              revocable: true,
              total: 1,
            }),
          },
        }),
      },
    )
    .delete(
      '/workspace/keys/:keyId',
      async ({ request, params, sender }) => {
        // Browsers name the page that sends a DELETE.
        const page = URL.parse(headerText(request.headers, 'origin'));
        const isFromApp = page?.host === new URL(address.of(request)).host;
        if (!identity.revoke || !isFromApp) throw Problem.notFound();
        if (!(await identity.revoke(sender, params.keyId))) throw unknownKey();
        log.audit('key_revoked', { keyId: sender.keyId, revoked: params.keyId });
        return new Response(null, { status: 204 });
      },
      { scope, query: wireQuery(closed({})), detail: { ...HIDDEN } },
    );
}

const unknownKey = (): Problem =>
  new Problem(404, 'key_not_found', 'Your account has no such key.');
