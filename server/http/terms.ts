/**
 * The routes for a workspace's terms: read, replace, change and remove them, as JSON, as YAML like a pack, or as a
 * plain list.
 */
import { Elysia } from 'elysia';
import { MAX_TERMS_BYTES } from '../contract/limits.ts';
import { closed, enumeration, Type } from '../contract/schema.ts';
import { fromPlainList, fromYaml, toPlainList, toYaml } from '../learning/term-files.ts';
import type { TerminologyStore, Versioned } from '../learning/terminology-store.ts';
import { createBodyBudget, type BodyShare } from './body-budget.ts';
import type { Guard } from './guard.ts';
import { mediaTypeOf } from './header-values.ts';
import { terminologyDetails } from './openapi/terminology-details.ts';
import { readJson, readText } from './json-body.ts';
import { matchesEntityTag } from './negotiate.ts';
import { entityTag, expectedOf } from './preconditions.ts';
import { Problem } from './problems.ts';
import { wireQuery } from './wire.ts';
import {
  changeTerms,
  putTerms,
  removeTerms,
  termsOf,
  termsTag,
  versionsOf,
} from './term-requests.ts';

/** The total size of the terms being read. */
const MAX_BODIES_BYTES = 16 * MAX_TERMS_BYTES;

export interface TermRouteServices {
  guard: Guard;
  terminology: TerminologyStore;
}

/** The routes of a workspace's terms. */
export function termRoutes({ guard, terminology }: TermRouteServices) {
  const bodies = createBodyBudget(MAX_BODIES_BYTES);
  const read = async (request: Request) => {
    const share = bodies.open();
    return readTerms(request, share).finally(share.release);
  };
  const path = '/terminology/terms';
  const {
    listTerms,
    replaceTerms,
    changeTerms: change,
    removeTerms: remove,
  } = terminologyDetails();
  return new Elysia()
    .use(guard)
    .get(
      path,
      async ({ request, query, sender }) => {
        const { format = 'json' } = query;
        const found = await terminology.get(sender.organizationId);
        const headers = { etag: entityTag(termsTag(found)) };
        if (matchesEntityTag(request.headers.get('if-none-match'), headers.etag)) {
          return new Response(null, { status: 304, headers });
        }
        if (format === 'json') return termsResponse(found);
        const [type, text] =
          format === 'yaml'
            ? ['application/yaml', await toYaml(found.document.terms)]
            : ['text/plain', toPlainList(found.document.terms)];
        return new Response(text, {
          headers: { ...headers, 'content-type': `${type}; charset=utf-8` },
        });
      },
      { scope: 'captioner:terminology:read', query: wireQuery(FormatQuery), detail: listTerms },
    )
    .put(
      path,
      async ({ request, sender }) => {
        const expected = expectedVersions(request.headers);
        const { value, kind } = await read(request);
        return termsResponse(
          await putTerms(terminology, sender.organizationId, value, kind, expected),
        );
      },
      { scope: 'captioner:caption:run', detail: replaceTerms },
    )
    .patch(
      path,
      async ({ request, sender }) => {
        const expected = expectedVersions(request.headers);
        const { value, kind } = await read(request);
        return termsResponse(
          await changeTerms(terminology, sender.organizationId, value, kind, expected),
        );
      },
      { scope: 'captioner:caption:run', detail: change },
    )
    .delete(
      path,
      async ({ request, query, sender }) => {
        const names = query.canonical === undefined ? [] : [query.canonical];
        const expected = expectedVersions(request.headers);
        return termsResponse(
          await removeTerms(terminology, sender.organizationId, names, expected),
        );
      },
      { scope: 'captioner:caption:run', query: wireQuery(RemoveQuery), detail: remove },
    );
}

const termsResponse = (found: Versioned): Response =>
  Response.json(termsOf(found), { headers: { etag: entityTag(termsTag(found)) } });

function expectedVersions(headers: Headers): readonly number[] | null {
  const expected = expectedOf(headers);
  if (expected === null || expected === 'any') return null;
  return expected === 'none' ? [0] : versionsOf(expected);
}

const FormatQuery = closed({
  format: Type.Optional(
    enumeration(['json', 'yaml', 'txt'], {
      default: 'json',
      description: 'yaml: as a terminology pack; txt: a plain list',
    }),
  ),
});
const RemoveQuery = closed({
  canonical: Type.Optional(
    Type.String({ description: 'the term to remove; without it all terms are removed' }),
  ),
});

/** The terms in a body: JSON, YAML like a pack, or a plain list. */
async function readTerms(
  request: Request,
  share: BodyShare,
): Promise<{ value: unknown; kind: 'person' | 'import' }> {
  const options = { maxBytes: MAX_TERMS_BYTES, share };
  const type = mediaTypeOf(request.headers);
  if (type === 'text/plain') {
    return { value: { terms: fromPlainList(await readText(request, options)) }, kind: 'import' };
  }
  if (/^(?:application|text)\/(?:x-)?ya?ml$/.test(type)) {
    const read = await fromYaml(await readText(request, options));
    if ('issues' in read) throw new Problem(400, 'invalid_payload', 'The body is not YAML.');
    return { value: read.value, kind: 'import' };
  }
  return { value: await readJson(request, options), kind: 'person' };
}
