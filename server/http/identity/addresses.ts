/** The routes of addresses that hold what a key would be, for programs with a field for an address and none for a key. */
import { Elysia } from 'elysia';
import { KeyAddressInput, KeyAddressList, NewKeyAddress } from '../../contract/addresses.ts';
import { ADDRESS } from '../../contract/limits.ts';
import { closed } from '../../contract/schema.ts';
import type { KeyAddresses } from '../../identity/key-addresses.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../request.ts';
import { wireAnswer, wireInput, wireQuery } from '../wire.ts';
import type { Guard } from './guard.ts';

const MAX_BODY_BYTES = 4096;

interface AddressServices {
  address: PublicAddress;
  guard: Guard;
  addresses: KeyAddresses;
}

/** The routes. An address ends with the key that made it, so a leaked key makes nothing that outlives it. */
export function addressRoutes({ address, guard, addresses }: AddressServices) {
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const scope = ['captioner:audio:upload', 'captioner:caption:run'] as const;
  const shown = ({
    id,
    name,
    createdAt,
  }: {
    id: string;
    name: string | null;
    createdAt: number;
  }) => ({
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
  });
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .post(
      '/workspace/addresses',
      async ({ request, body, sender }) => {
        storesDocument();
        const made = await addresses.create(sender, body.name ?? null);
        if (!made) {
          const message = `A workspace has at most ${ADDRESS.maxInWorkspace} addresses. Revoke one first.`;
          throw new Problem(409, 'too_many_addresses', message);
        }
        const base = address.of(request);
        const endpoint = base.replace('://', `://asr:${made.token}@`);
        const url = `${base}/asr?key=${made.token}`;
        return Response.json({ ...shown(made), url, endpoint }, { status: 201 });
      },
      {
        scope,
        json,
        body: wireInput(KeyAddressInput),
        response: { 201: wireAnswer(NewKeyAddress) },
        detail: detail({
          operationId: 'createAddress',
          summary: 'Make an address that a program uses instead of a key',
          description:
            'For programs with a field for the address of whisper-asr-webservice and none for a key. The address allows POST /asr and POST /detect-language and nothing else, ends with the key that made it, and can be revoked. It is shown only in this response.',
          tags: ['OpenAI'],
          requestBody: bodyExample({ name: 'Bazarr' }),
          responses: { 201: answer('The address.'), 409: response('Problem') },
        }),
      },
    )
    .get(
      '/workspace/addresses',
      async ({ sender }) => {
        const list = await addresses.list(sender.organizationId);
        return Response.json({ addresses: list.map(shown) });
      },
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(KeyAddressList) },
        detail: detail({
          operationId: 'listAddresses',
          summary: 'List the addresses of your workspace',
          tags: ['OpenAI'],
          responses: { 200: answer('The addresses, newest first, without their tokens.') },
        }),
      },
    )
    .delete(
      '/workspace/addresses/:addressId',
      async ({ params, sender }) => {
        if (await addresses.revoke(sender.organizationId, params.addressId)) {
          return new Response(null, { status: 204 });
        }
        throw new Problem(404, 'address_not_found', 'There is no such address.');
      },
      {
        scope,
        detail: detail({
          operationId: 'revokeAddress',
          summary: 'Revoke an address',
          tags: ['OpenAI'],
          responses: {
            204: { description: 'It is no longer valid.' },
            404: response('Problem'),
          },
        }),
      },
    );
}
