/**
 * The routes for a workspace's terms: read, replace, change and remove them, as JSON, as YAML like a pack, or as a
 * plain list.
 */
import { Elysia } from 'elysia';
import { MAX_TERMS_BYTES, MAX_YAML_BYTES } from '../../contract/limits.ts';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import type { VersionedText } from '../../learning/terminology-store.ts';
import { createBodyBudget } from '../uploads/throttles.ts';
import type { Guard } from '../guard.ts';
import { mediaTypeOf } from '../request.ts';
import { terminologyDetails } from '../openapi/terminology-details.ts';
import { readBytes, requireJson } from '../json-body.ts';
import { matchesEntityTag } from '../negotiate.ts';
import { entityTag, expectedOf } from '../preconditions.ts';
import { jsonText } from '../runs/run-representation.ts';
import { wireQuery } from '../wire.ts';
import {
  changeTerms,
  termsTag,
  termsText,
  versionsOf,
  type TermChange,
  type TermFormat,
  type TermServices,
} from './term-requests.ts';

/** The total size of the terms being read. */
const MAX_BODIES_BYTES = 16 * MAX_TERMS_BYTES;

export interface TermRouteServices extends TermServices {
  guard: Guard;
}

/** The routes of a workspace's terms. */
export function termRoutes({ guard, terminology, pool }: TermRouteServices) {
  const bodies = createBodyBudget(MAX_BODIES_BYTES);
  const answer = async (workspace: string, found: VersionedText, format: TermFormat = 'json') =>
    jsonText(await termsText(pool, workspace, found, format), 200, {
      etag: entityTag(termsTag(found)),
    });
  const send = async (how: 'put' | 'patch', request: Request, workspace: string) => {
    const expected = expectedVersions(request.headers);
    const format = formatOf(request);
    const maxBytes = format === 'yaml' ? MAX_YAML_BYTES : MAX_TERMS_BYTES;
    const share = bodies.open();
    try {
      const sent = { format, body: await readBytes(request, { maxBytes, share }) };
      const change: TermChange = { how, sent, at: new Date().toISOString() };
      return await answer(
        workspace,
        await changeTerms({ terminology, pool }, workspace, change, expected),
      );
    } finally {
      share.release();
    }
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
        const workspace = sender.organizationId;
        const found = await terminology.read(workspace);
        const headers = { etag: entityTag(termsTag(found)) };
        if (matchesEntityTag(request.headers.get('if-none-match'), headers.etag)) {
          return new Response(null, { status: 304, headers });
        }
        const type = MEDIA_TYPES[format];
        return new Response(await termsText(pool, workspace, found, format), {
          headers: { ...headers, 'content-type': `${type}; charset=utf-8` },
        });
      },
      { scope: 'captioner:terminology:read', query: wireQuery(FormatQuery), detail: listTerms },
    )
    .put(path, ({ request, sender }) => send('put', request, sender.organizationId), {
      scope: 'captioner:caption:run',
      detail: replaceTerms,
    })
    .patch(path, ({ request, sender }) => send('patch', request, sender.organizationId), {
      scope: 'captioner:caption:run',
      detail: change,
    })
    .delete(
      path,
      async ({ request, query, sender }) => {
        const names = query.canonical === undefined ? [] : [query.canonical];
        const expected = expectedVersions(request.headers);
        const removal: TermChange = { how: 'remove', names, at: new Date().toISOString() };
        const workspace = sender.organizationId;
        return answer(
          workspace,
          await changeTerms({ terminology, pool }, workspace, removal, expected),
        );
      },
      { scope: 'captioner:caption:run', query: wireQuery(RemoveQuery), detail: remove },
    );
}

const MEDIA_TYPES: Record<TermFormat, string> = {
  json: 'application/json',
  yaml: 'application/yaml',
  txt: 'text/plain',
};

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

/** The format of a body: JSON, YAML like a pack, or a plain list. @throws {Problem} 415 */
function formatOf(request: Request): TermFormat {
  const type = mediaTypeOf(request.headers);
  if (type === 'text/plain') return 'txt';
  if (/^(?:application|text)\/(?:x-)?ya?ml$/.test(type)) return 'yaml';
  requireJson(request);
  return 'json';
}
