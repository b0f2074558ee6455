/** GET /workflows/captioner/{runId}/captions.{format}: the captions of a run as a file. */
import { Elysia } from 'elysia';
import { endingOf, FORMAT_IDS, FORMATS, type FormatId } from '../../captions/files/formats.ts';
import { closed, Type } from '../../contract/schema.ts';
import type { Runs } from '../../runs/service.ts';
import type { Translations } from '../../runs/translations.ts';
import { fileResponse } from './file-response.ts';
import type { Guard } from '../identity/guard.ts';
import { detail, schemaRef } from '../openapi/detail.ts';
import { headerRef, response, text } from '../openapi/responses.ts';
import { CaptionsQuery, captionType, FORMAT_PARAMETER, holdCaptions } from './profiled-captions.ts';
import { captionFormat, findSummary } from './run-representation.ts';
import { translationHeaders } from './translation-requests.ts';
import type { RunTexts } from './run-texts.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { wireInput, wireQuery } from '../wire.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';

interface CaptionFileServices {
  guard: Guard;
  runs: Runs;
  texts: RunTexts;
  stored: StoredTexts;
  translations: Translations;
  pool: WorkPool;
}

/** The route of caption files. */
export function captionFileRoutes({ guard, runs, ...sources }: CaptionFileServices) {
  const { translations } = sources;
  return new Elysia().use(guard).get(
    '/workflows/captioner/:runId/captions.:format',
    async ({ request, params, query, sender }) => {
      const run = await findSummary(runs, sender.organizationId, params.runId);
      const format = captionFormat(params.format);
      const held = await holdCaptions(sources, run, format, query);
      const translated =
        query.language === undefined ? null : await translations.latest(run.id, query.language);
      const suffix =
        translated?.state === 'incomplete' ? `${query.language}.incomplete` : query.language;
      const file = {
        type: captionType(format),
        name: captionName(run, format, suffix),
        ...(translated && { headers: translationHeaders(translated) }),
      };
      return fileResponse(request, held, file);
    },
    {
      scope: { key: 'captioner:caption:run', link: 'view' },
      params: wireInput(CaptionsAddress),
      query: wireQuery(CaptionsQuery),
      detail: detail({
        operationId: 'getCaptions',
        summary: 'Get the captions of a completed run',
        description:
          'The reviewed captions if there is a review. With `profile`, by the rules of a publisher. With `language`, those of a translation.',
        tags: ['Captioning'],
        parameters: [FORMAT_PARAMETER],
        responses: {
          200: {
            description: 'The captions in the requested format.',
            headers: {
              ETag: headerRef('ETag'),
              'Accept-Ranges': headerRef('AcceptRanges'),
              'Content-Disposition': headerRef('ContentDisposition'),
            },
            content: {
              ...Object.assign({}, ...FORMAT_IDS.map((id) => text(FORMATS[id].type))),
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['cues'],
                  properties: {
                    cues: { type: 'array', items: schemaRef('CaptionCue') },
                    warnings: { ...WARNINGS },
                  },
                },
              },
            },
          },
          206: { description: 'The part that `Range` requests.' },
          304: response('Unchanged'),
          404: response('RunNotFound'),
          416: response('NoSuchRange'),
          409: response('CaptionsNotReady'),
          422: response('InvalidPayload'),
        },
      }),
    },
  );
}

const WARNINGS = {
  type: 'array',
  description: 'With a profile: the rules that captions break, each in its publisher’s words.',
  items: {
    type: 'object',
    required: ['cue', 'rule', 'message', 'sentence', 'source'],
    properties: {
      cue: { type: 'integer', minimum: 1 },
      rule: { type: 'string' },
      message: { type: 'string' },
      sentence: { type: 'string' },
      source: { type: 'string' },
    },
  },
};

/** The address of a captions file. Any format is valid here, so that an unknown one gets a 404. */
const CaptionsAddress = closed({ runId: Type.String(), format: Type.String() });

/** The name of a captions file, derived from that of the recording; `suffix` says which translation it is. */
const captionName = (run: RunSummary, format: FormatId, suffix?: string): string =>
  `${titleOf(run)}.${suffix === undefined ? '' : `${suffix}.`}${endingOf(format)}`;

/** The name of a run's recording, without folders and extension. */
export function titleOf({ payload: { audio } }: RunSummary): string {
  const name = (audio.filename ?? audio.key).replace(/^.*[/\\]/s, '');
  // oxlint-disable-next-line no-control-regex
  const title = name.replaceAll(/[\u0000-\u001f\u007f]/g, '').replace(/\.[^.]{1,5}$/, '');
  return title.trim() === '' ? 'captions' : title;
}
