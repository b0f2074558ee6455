/** GET /workspace/search: finds words in the captions of all runs of a workspace. */
import { Elysia } from 'elysia';
import { SEARCH } from '../../contract/limits.ts';
import type { PayloadBrief } from '../../contract/payload.ts';
import { FoundCaptions } from '../../contract/search.ts';
import { closed, dateTime, type Static, Type } from '../../contract/schema.ts';
import type { CaptionSearch } from '../../search/caption-search.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../request.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { nameOf } from './run-representation.ts';

/** What is searched for. */
export const SearchQuery = closed({
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SEARCH.maxChars,
      description:
        'Words that all have to be in captions next to each other; "phrases in quotation marks"; beginnings of two letters or more with a star: `caf*`.',
    }),
  ),
  speaker: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SEARCH.maxChars,
      description: 'The whole name of who says it, as reviews have it.',
    }),
  ),
  after: Type.Optional({ ...dateTime(), description: 'Only in runs created from this time on.' }),
  before: Type.Optional({ ...dateTime(), description: 'Only in runs created before this time.' }),
  limit: Type.Optional(
    Type.Integer({ description: 'Number of passages on a page.', ...SEARCH.page }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}$',
      description: 'The `nextCursor` of the previous page.',
    }),
  ),
});

interface SearchServices {
  address: PublicAddress;
  guard: Guard;
  captionSearch: CaptionSearch;
}

/** The route. */
export function searchRoutes({ address, guard, captionSearch }: SearchServices) {
  return new Elysia()
    .use(guard)
    .get(
      '/workspace/search',
      async ({ request, query, sender }) =>
        Response.json(
          await foundCaptions(captionSearch, sender.organizationId, query, address.of(request)),
        ),
      {
        scope: 'captioner:caption:run',
        query: wireQuery(SearchQuery),
        response: { 200: wireAnswer(FoundCaptions) },
        detail: detail({
          operationId: 'searchCaptions',
          summary: 'Search the captions of your workspace',
          description:
            'Finds captions of completed runs as their reviews have them now, newest first. Accents and capitals do not count; in Chinese, Japanese, Thai and other scripts without spaces any part of a sentence is found. `url` opens the review there.',
          tags: ['Captioning'],
          responses: {
            200: answer('The captions: one of each passage that has all words.', {
              captions: [
                {
                  runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11',
                  name: 'keynote.mp3',
                  createdAt: '2026-11-21T09:00:00.000Z',
                  start: 723.4,
                  end: 726.1,
                  text: 'and that is what we call a café',
                  speaker: 'Ada Quilter',
                  url: 'https://captions.example/app#/runs/run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11/723.4',
                },
              ],
              nextCursor: null,
            }),
            422: response('InvalidPayload'),
          },
        }),
      },
    );
}

/**
 * Searches the captions of a workspace.
 * @param baseUrl the address of the service
 * @throws {Problem} 422 if nothing is searched for
 */
export async function foundCaptions(
  search: CaptionSearch,
  organizationId: string,
  {
    q = '',
    speaker,
    after,
    before,
    limit = SEARCH.page.default,
    cursor,
  }: Static<typeof SearchQuery>,
  baseUrl: string,
): Promise<Static<typeof FoundCaptions>> {
  if (q.trim() === '' && speaker === undefined) {
    const message = 'is required, or speaker';
    throw Problem.invalidPayload(`The query parameter q ${message}.`, [{ path: 'q', message }]);
  }
  const { found, next } = await search.find(organizationId, {
    text: q,
    speaker,
    after: after === undefined ? undefined : Date.parse(after),
    before: before === undefined ? undefined : Date.parse(before),
    limit,
    from: cursor === undefined ? null : Number(cursor),
  });
  return {
    captions: found.map(({ runId, createdAt, name, payload, start, end, text, speaker: who }) => ({
      runId,
      name: nameOf({ name, payload: JSON.parse(payload) as PayloadBrief }),
      createdAt: new Date(createdAt).toISOString(),
      start,
      end,
      text,
      ...(who !== undefined && { speaker: who }),
      url: `${baseUrl}/app#/runs/${runId}/${start}`,
    })),
    nextCursor: next === null ? null : String(next),
  };
}
