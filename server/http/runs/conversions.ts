/** POST /captions/convert: converts a caption file that is sent, without its sound. */
import { Elysia } from 'elysia';
import { type Conversion, convertCaptions, WrongConversion } from '../../captions/files/convert.ts';
import { ENCODINGS } from '../../captions/files/encodings.ts';
import { endingOf, FORMAT_IDS, FORMATS } from '../../captions/files/formats.ts';
import { REVIEW } from '../../contract/limits.ts';
import { closed, enumeration, Type, type Static } from '../../contract/schema.ts';
import { LANGUAGE_TAG } from '../../contract/translations.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { readBody } from '../bodies/read-body.ts';
import type { Guard } from '../identity/guard.ts';
import { detail } from '../openapi/detail.ts';
import { response, text } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { wireQuery } from '../wire.ts';
import { HERE_BYTES, type WorkPool } from '../work/pool.ts';
import { captionType } from './profiled-captions.ts';

interface ConversionServices {
  guard: Guard;
  pool: WorkPool;
}

const words = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

/** What to do with the file. */
const ConversionQuery = closed({
  to: enumeration(FORMAT_IDS, { description: 'The format of the answer.' }),
  from: Type.Optional(
    enumeration(['txt'], {
      description:
        '`txt`: plain text, whose lines become captions, at the times with which they begin or one after another. Other formats are told by the content.',
    }),
  ),
  encoding: Type.Optional(
    enumeration(ENCODINGS, {
      description: 'The encoding of the file; by default it is detected.',
    }),
  ),
  rate: words(
    10,
    'Frames a second: of a file that does not say, of time code in this query, and of the answer.',
  ),
  toRate: words(10, 'The frames a second of the answer, if they are others.'),
  dropFrame: Type.Optional(
    enumeration(['true', 'false'], {
      description: 'Whether time code of 29.97 and 59.94 frames a second drops numbers.',
    }),
  ),
  offset: words(
    40,
    'Added to all times: seconds, a clock or time code, negative with a minus: `-10:00:00:00`.',
  ),
  stretch: words(
    20,
    'Two rates, `25:23.976`: the picture was made for the first and is played at the second.',
  ),
  points: words(
    100,
    'Two points, `0:10=0:12,50:00=50:05`: where captions are, and where they should be.',
  ),
  cut: words(
    500,
    'Stretches that are cut out, `0:10:00-0:12:30`, separated by commas: what follows moves forward.',
  ),
  start: words(20, 'The time code at which the written programme begins: `10:00:00:00`.'),
  language: Type.Optional(
    Type.String({ pattern: LANGUAGE_TAG, description: 'The language of the captions, BCP 47.' }),
  ),
  report: Type.Optional(
    enumeration(['true', 'false'], {
      description:
        'Instead of the file, what was read and what is lost, as JSON: each line that could not be read, and each caption that the format cannot hold as it is.',
    }),
  ),
});
type ConversionQuery = Static<typeof ConversionQuery>;

/** The most bytes of files that are received at once. */
const MOST_BYTES = 4 * REVIEW.maxBytes;

/** A file to convert: all that its task needs. */
interface ConversionOrder {
  bytes: Uint8Array;
  query: ConversionQuery;
}

/** Converts a file. A task. @throws {Problem} 422 for a file without captions and a field that cannot be read */
export async function convertedFile({ bytes, query }: ConversionOrder) {
  const { dropFrame, report: _report, ...rest } = query;
  const conversion: Conversion = {
    ...rest,
    ...(dropFrame !== undefined && { dropFrame: dropFrame === 'true' }),
  };
  try {
    return await convertCaptions([bytes], conversion);
  } catch (error) {
    if (!(error instanceof WrongConversion)) throw error;
    throw Problem.invalidPayload('The captions cannot be converted.', [
      { path: error.field, message: error.message },
    ]);
  }
}

/** The route of conversions. */
export function conversionRoutes({ guard, pool }: ConversionServices) {
  const budget = createBodyBudget(MOST_BYTES);
  return new Elysia().use(guard).post(
    '/captions/convert',
    async ({ request, query, sender }) => {
      const share = budget.open();
      try {
        const bytes = await readBody(request, { maxBytes: REVIEW.maxBytes, share });
        // Even a small file may take long, so it is never converted on this thread.
        const size = Math.max(HERE_BYTES + 1, bytes.byteLength);
        const load = { workspace: sender.organizationId, size };
        const { file, from, encoding, captions, unread, lost } = await pool.do(
          convertedFile,
          { bytes, query },
          load,
        );
        if (query.report === 'true') {
          return Response.json({ from, encoding, captions, unread, lost });
        }
        return new Response(file as Uint8Array<ArrayBuffer>, {
          headers: {
            'content-type': captionType(query.to),
            'content-disposition': `attachment; filename="captions.${endingOf(query.to)}"`,
            'captioner-conversion': `from=${from}; captions=${captions}; unread=${unread.length}; lost=${lost.length}`,
          },
        });
      } finally {
        share.release();
      }
    },
    {
      scope: 'captioner:caption:run',
      query: wireQuery(ConversionQuery),
      detail: detail({
        operationId: 'convertCaptions',
        summary: 'Convert a caption file to another format',
        description:
          'The body is a file in any format that is read, whatever its name and its type. The header `Captioner-Conversion` says how many captions were read, how many lines could not be, and how many losses there are; `report=true` lists them.',
        tags: ['Captioning'],
        requestBody: {
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        responses: {
          200: {
            description: 'The captions in the requested format, or the report.',
            content: {
              ...Object.assign({}, ...FORMAT_IDS.map((id) => text(FORMATS[id].type))),
              'application/json': { schema: REPORT },
            },
          },
          400: response('BrokenBody'),
          413: response('BodyTooLarge'),
          422: response('InvalidPayload'),
        },
      }),
    },
  );
}

const REPORT = {
  type: 'object',
  required: ['from', 'encoding', 'captions', 'unread', 'lost'],
  properties: {
    from: { type: 'string', description: 'The format of the file.' },
    encoding: { type: ['string', 'null'], description: 'Null for a binary file.' },
    captions: { type: 'integer', minimum: 1 },
    unread: {
      type: 'array',
      items: {
        type: 'object',
        required: ['line', 'text', 'reason'],
        properties: {
          line: { type: 'integer', minimum: 0 },
          text: { type: 'string' },
          reason: { type: 'string' },
        },
      },
    },
    lost: {
      type: 'array',
      items: {
        type: 'object',
        required: ['cue', 'message'],
        properties: { cue: { type: 'integer', minimum: 0 }, message: { type: 'string' } },
      },
    },
  },
};
