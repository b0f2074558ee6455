/**
 * The routes for a workspace's terms: read, replace, change and remove them, as JSON, as YAML like a pack, or as a
 * plain list.
 */
import { Elysia } from 'elysia';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import {
  WorkspaceTerms,
  WorkspaceTermsInput,
  WorkspaceTermsPatch,
} from '../../contract/workspace-terms.ts';
import type { VersionedText } from '../../learning/terminology-store.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { readBody, requireJson } from '../bodies/read-body.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { BODY_REFUSALS } from '../bodies/json-bodies.ts';
import { headerRef, response, text } from '../openapi/responses.ts';
import { matchesEntityTag } from '../negotiate.ts';
import { entityTag, preconditionOf } from '../preconditions.ts';
import { jsonText } from '../runs/run-representation.ts';
import {
  type TermServices,
  changeTerms,
  termsTag,
  termsText,
  termVersionsOf,
  type TermChange,
  type TermFormat,
} from './term-requests.ts';
import { TERM } from '../../contract/limits.ts';
import { wireAnswer, wireQuery, wireShown } from '../wire.ts';
import { mediaTypeOf } from '../request.ts';

/** The total size of the terms being read. */
const MAX_BODIES_BYTES = 16 * TERM.maxBytes;

interface TermRouteServices extends TermServices {
  guard: Guard;
}

/** The routes of a workspace's terms. */
export function termRoutes({ guard, terminology, pool }: TermRouteServices) {
  const bodies = createBodyBudget(MAX_BODIES_BYTES);
  const sendTerms = async (workspace: string, found: VersionedText, format: TermFormat = 'json') =>
    jsonText(await termsText(pool, workspace, found, format), 200, {
      etag: entityTag(termsTag(found)),
    });
  const send = async (how: 'put' | 'patch', request: Request, workspace: string) => {
    const expected = expectedVersions(request.headers);
    const format = formatOf(request);
    const maxBytes = format === 'yaml' ? TERM.maxYamlBytes : TERM.maxBytes;
    const share = bodies.open();
    try {
      const sent = { format, body: await readBody(request, { maxBytes, share }) };
      const change: TermChange = { how, sent, at: new Date().toISOString() };
      return await sendTerms(
        workspace,
        await changeTerms({ terminology, pool }, workspace, change, expected),
      );
    } finally {
      share.release();
    }
  };
  const path = '/terminology/terms';
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
      {
        scope: 'captioner:terminology:read',
        query: wireQuery(FormatQuery),
        response: { 200: wireAnswer(WorkspaceTerms) },
        detail: detail({
          operationId: 'listTerms',
          summary: 'List the terms of the workspace',
          description: 'Every run of the workspace uses them, after the terms of its payload.',
          tags,
          responses: {
            200: {
              ...ok('The terms.'),
              content: { ...example(terms), ...files },
            },
            304: {
              description:
                'Not modified: the client already has the version that If-None-Match names.',
              headers: etag,
            },
            422: response('InvalidPayload'),
          },
        }),
      },
    )
    .put(path, ({ request, sender }) => send('put', request, sender.organizationId), {
      scope: 'captioner:caption:run',
      body: wireShown(WorkspaceTermsInput),
      response: { 200: wireAnswer(WorkspaceTerms) },
      detail: detail({
        operationId: 'replaceTerms',
        summary: 'Replace all terms of the workspace',
        description: `At most ${TERM.maxTerms} terms and ${TERM.maxBytes} bytes, as sent and, with the learned rules, as stored: JSON, a pack as YAML (at most ${TERM.maxYamlBytes} bytes, without aliases), or a plain list, one term a line.`,
        tags,
        parameters: [ifMatch],
        requestBody: {
          required: true,
          content: { ...example(terms), ...files },
        },
        responses: written('The terms after the change.'),
      }),
    })
    .patch(path, ({ request, sender }) => send('patch', request, sender.organizationId), {
      scope: 'captioner:caption:run',
      body: wireShown(WorkspaceTermsPatch),
      response: { 200: wireAnswer(WorkspaceTerms) },
      detail: detail({
        operationId: 'changeTerms',
        summary: 'Add, replace or remove some terms',
        description:
          'A term replaces the one with the same canonical form. A pack as YAML or a plain list adds its terms.',
        tags,
        parameters: [ifMatch],
        requestBody: {
          required: true,
          content: {
            ...example({ terms: terms.terms, remove: ['Keycloak'] }),
            ...files,
          },
        },
        responses: written('The terms after the change.'),
      }),
    })
    .delete(
      path,
      async ({ request, query, sender }) => {
        const names = query.canonical === undefined ? [] : [query.canonical];
        const expected = expectedVersions(request.headers);
        const removal: TermChange = { how: 'remove', names, at: new Date().toISOString() };
        const workspace = sender.organizationId;
        return sendTerms(
          workspace,
          await changeTerms({ terminology, pool }, workspace, removal, expected),
        );
      },
      {
        scope: 'captioner:caption:run',
        query: wireQuery(RemoveQuery),
        response: { 200: wireAnswer(WorkspaceTerms) },
        detail: detail({
          operationId: 'removeTerms',
          summary: 'Remove terms',
          tags,
          parameters: [ifMatch],
          responses: {
            200: ok('The remaining terms.'),
            404: response('TermNotFound'),
            412: response('PreconditionFailed'),
            422: response('InvalidPayload'),
          },
        }),
      },
    );
}

const MEDIA_TYPES: Record<TermFormat, string> = {
  json: 'application/json',
  yaml: 'application/yaml',
  txt: 'text/plain',
};

function expectedVersions(headers: Headers): readonly number[] | null {
  const expected = preconditionOf(headers);
  if (expected === null || expected === 'any') return null;
  return expected === 'none' ? [0] : termVersionsOf(expected);
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

const tags: ['Terminology'] = ['Terminology'];
const etag = { ETag: headerRef('ETag') };
const terms = {
  terms: [
    {
      canonical: 'SCIM',
      kind: 'acronym' as const,
      mishears: ['skim'],
      risky: ['skim'],
      near: ['provisioning'],
      weight: 10,
      source: { kind: 'learned' as const, at: '2026-11-21T18:00:00.000Z' },
    },
  ],
  limit: TERM.maxTerms,
};
const ok = (description: string) => ({ ...answer(description, terms), headers: etag });
const written = (description: string) => ({
  ...BODY_REFUSALS,
  200: ok(description),
  412: response('PreconditionFailed'),
});
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the terms you have seen, so that newer ones are not overwritten.',
  schema: { type: 'string' },
};
const example = (value: unknown) => ({ 'application/json': { example: value } });
const files = { 'application/yaml': { schema: { type: 'string' } }, ...text('text/plain') };
