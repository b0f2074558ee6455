/** The routes of translations: of the captions of a run, and of captions that are sent. */
import { Elysia } from 'elysia';
import { endingOf, FORMAT_IDS, FORMATS } from '../../captions/files/formats.ts';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import {
  hasTranslation,
  SimilarInput,
  SimilarSentences,
  Translation,
  TranslationEdits,
  TranslationList,
} from '../../contract/translations.ts';
import type { TerminologyStore } from '../../learning/terminology-store.ts';
import type { Runs } from '../../runs/service.ts';
import type { Translations } from '../../runs/translations.ts';
import { pathOf, translationOf, type TranslationRow } from '../../runs/store/stored-translation.ts';
import { fileResponse } from './file-response.ts';
import type { Guard } from '../identity/guard.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies, wireBody } from '../bodies/json-bodies.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { headerRef, response, text } from '../openapi/responses.ts';
import { entityTag, ifMatchHeader, preconditionHeader, preconditionOf } from '../preconditions.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../request.ts';
import { KeyRevoked, streamed, type StreamOptions } from '../streamed.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import { HERE_BYTES, type WorkPool } from '../work/pool.ts';
import { CaptionsQuery, captionType, FORMAT_PARAMETER } from './profiled-captions.ts';
import { FrameFields } from './frames-query.ts';
import { captionFormat, jsonText, findSummary, withConflicts } from './run-representation.ts';
import { sendHeld } from './run-streams.ts';
import type { RunTexts } from './run-texts.ts';
import {
  CAPTION_TYPES,
  checkAnew,
  OfCaptionsInput,
  OfFileQuery,
  OfRunInput,
  readCaptionFileToTranslate,
  readCaptionsToTranslate,
  readTranslationEdits,
  readTranslationMemory,
  checkCaptionsToTranslate,
  checkTranslationEdits,
  findTranslation,
  holdTranslatedCaptions,
  holdTranslation,
  saveTranslationEdits,
  translateRun,
  translationList,
  translationHeaders,
  translationRetryAfter,
  type SentEdits,
  translationSuffix,
} from './translation-requests.ts';
import { memoryPages, ofSimilarLength, rememberUnits } from '../../runs/translation-memory.ts';
import type { Database } from '../../storage/database.ts';
import { LEAST_ALIKE, similarTo } from '../../translation/similar.ts';
import { TMX_END, TMX_HEAD, tmxUnit } from '../../translation/tmx.ts';
import { readBody } from '../bodies/read-body.ts';
import { StartHeaders } from './workflows.ts';
import { REVIEW } from '../../contract/limits.ts';
import { wireAnswer, wireHeaders, wireInput, wireQuery } from '../wire.ts';

/** The parameters in the path of a request. */
type PathParameters = Readonly<Record<string, string>>;

/** What differs between the two kinds of translations. */
interface SharedRoutes {
  /** Of what they are. */
  of: string;
  operations: { list: string; get: string; edit: string; delete: string };
  example: object;
  listRefusals?: Readonly<Record<number, object>>;
  /** What is erased with what. */
  erased: string;
}

interface TranslationRouteServices {
  address: PublicAddress;
  guard: Guard;
  runs: Runs;
  translations: Translations;
  terminology: TerminologyStore;
  texts: RunTexts;
  stored: StoredTexts;
  pool: WorkPool;
  database: Database;
}

/** The key that waits. */
type Waiting = Required<Pick<StreamOptions, 'stillAllowed'>> & Pick<StreamOptions, 'keepAliveMs'>;

/** The largest request without captions. */
const MAX_REQUEST_BYTES = 16 * 1024;
/** The total size of requests being read. */
const MAX_REQUESTS_BYTES = 4 * REVIEW.maxBytes;

/** The largest TMX document. */
const MAX_TMX_BYTES = 8 * 2 ** 20;

const scope = 'captioner:caption:run';
const NoQuery = closed({});
const WaitQuery = closed({
  wait: Type.Optional(
    enumeration(['result'], {
      description:
        'answers once the translation has ended; spaces sent before the JSON keep the connection alive',
    }),
  ),
});
const JSON_TYPE = 'application/json; charset=utf-8';
const FileQuery = closed({
  profile: CaptionsQuery.properties.profile,
  ...FrameFields,
  shots: CaptionsQuery.properties.shots,
});

/** The routes of translations. */
export function translationRoutes(services: TranslationRouteServices) {
  const { address, guard, runs, translations, terminology, database, ...sources } = services;
  const budget = createBodyBudget(MAX_REQUESTS_BYTES);
  const ofRun = '/workflows/captioner/:runId/translations';
  const accepted = (request: Request, row: TranslationRow): Response =>
    Response.json(translationOf(row), {
      status: 202,
      headers: { location: `${address.of(request)}${pathOf(row)}`, 'retry-after': '3' },
    });
  const whole = async (row: TranslationRow): Promise<Response> => {
    const head = JSON.stringify(translationOf(row));
    if (!hasTranslation(row.state)) return jsonText(head, 200, translationRetryAfter(row));
    const held = await holdTranslation(sources, row);
    const answered = sendHeld({ type: JSON_TYPE }, held, `${head.slice(0, -1)},"result":`, '}');
    if (row.edits) answered.headers.set('etag', entityTag(row.edits.tag));
    return answered;
  };
  /** Answers when the translation has ended; until then it sends spaces, which are valid before JSON. */
  const whenEnded = (row: TranslationRow, { stillAllowed, keepAliveMs }: Waiting): Response => {
    const options = { type: JSON_TYPE, heartbeat: ' ', stillAllowed, keepAliveMs };
    return streamed(options, async ({ write, signal }) => {
      const ended = await translations.wait(row, signal);
      if (!(await stillAllowed())) throw new KeyRevoked();
      if (!ended) throw new Error('the translation was erased');
      const answered = await whole(ended);
      await write(new Uint8Array(await answered.arrayBuffer()));
    });
  };
  const edit = async (row: TranslationRow, edits: SentEdits, headers: Headers): Promise<Response> =>
    whole(
      await saveTranslationEdits(
        { translations, terminology, ...sources },
        row,
        edits,
        preconditionOf(headers),
      ),
    );
  const edits = {
    scope,
    json: {
      maxBytes: REVIEW.maxBytes,
      budget,
      large: { pool: sources.pool, read: readTranslationEdits },
    },
    body: wireBody(TranslationEdits, checkTranslationEdits),
    query: wireQuery(NoQuery),
    response: { 200: wireAnswer(Translation) },
  } as const;
  const editing = (operationId: string, summary: string, shown: object) =>
    detail({
      operationId,
      summary,
      description:
        'Replaces all earlier changes. Send each sentence that differs from the engine’s translation, in full. The changed sentences are checked again and divided into captions again, and all others keep their places. For a first save send `If-None-Match: *`, afterwards `If-Match` with the ETag of the translation. An empty list restores the engine’s translation.',
      tags: ['Captioning'],
      parameters: [
        ifMatchHeader,
        preconditionHeader('If-None-Match', '`*`: nobody must have changed it yet.', '*'),
      ],
      requestBody: bodyExample({ sentences: [{ sentence: 1, text: 'Willkommen bei MCP Night.' }] }),
      responses: {
        200: {
          ...answer('The translation, with its result.', shown),
          headers: { ETag: headerRef('ETag') },
        },
        404: response('TranslationNotFound'),
        409: response('CaptionsNotReady'),
        412: response('PreconditionFailed'),
        428: response('PreconditionRequired'),
        429: response('TooManyResults'),
      },
    });
  /** Cancels a translation in progress, and erases one that has ended. */
  const end = async (row: TranslationRow): Promise<Response> => {
    if (row.finishedAt === null && (await translations.cancel(row))) {
      const now = await translations.get(row.organizationId, row.runId, row.id);
      return Response.json(translationOf(now ?? row), { status: 202 });
    }
    if (!(await translations.erase(row))) throw notEnded();
    return new Response(null, { status: 204 });
  };

  /** The routes that translations of a run and those of captions that were sent have in common. */
  const shared = (base: string, { of, operations, ...described }: SharedRoutes) => {
    /** The run in the path of a request; null if it has none. */
    const runOf = (params?: PathParameters): string | null => params?.['runId'] ?? null;
    const found = (params: PathParameters, organizationId: string) =>
      findTranslation(translations, organizationId, runOf(params), params['translationId'] ?? '');
    return new Elysia()
      .use(guard)
      .use(jsonBodies)
      .get(
        base,
        async ({ params, sender: { organizationId } }) => {
          const runId = runOf(params);
          if (runId !== null) await findSummary(runs, organizationId, runId);
          return translationList(translations, organizationId, runId);
        },
        {
          scope,
          query: wireQuery(NoQuery),
          response: { 200: wireAnswer(TranslationList) },
          detail: detail({
            operationId: operations.list,
            summary: `List the translations of ${of}, newest first`,
            description:
              'Without their results. `reviewChanged` says that the review of a run has changed since.',
            tags: ['Captioning'],
            responses: {
              200: answer('The translations, without their results.', {
                translations: [described.example],
              }),
              ...described.listRefusals,
            },
          }),
        },
      )
      .get(
        `${base}/:translationId`,
        async ({ params, query: { wait }, sender }) => {
          const row = await found(params, sender.organizationId);
          return wait === undefined ? whole(row) : whenEnded(row, sender);
        },
        {
          scope,
          query: wireQuery(WaitQuery),
          response: { 200: wireAnswer(Translation) },
          detail: detail({
            operationId: operations.get,
            summary: `Get a translation of ${of}, and its result once it is completed`,
            description:
              'The result has every sentence with its translation, the captions, doubts at their places, and the rules of the profile that captions break.',
            tags: ['Captioning'],
            responses: {
              200: { ...answer('The translation.', described.example), headers: PACE },
              404: response('TranslationNotFound'),
            },
          }),
        },
      )
      .put(
        `${base}/:translationId/edits`,
        async ({ request, params, body, sender }) => {
          const row = await found(params, sender.organizationId);
          return edit(row, body, request.headers);
        },
        {
          ...edits,
          detail: editing(
            operations.edit,
            `Change sentences of a translation of ${of}`,
            described.example,
          ),
        },
      )
      .delete(
        `${base}/:translationId`,
        async ({ params, sender }) => end(await found(params, sender.organizationId)),
        {
          scope,
          query: wireQuery(NoQuery),
          response: { 202: wireAnswer(Translation) },
          detail: detail({
            operationId: operations.delete,
            summary: `Cancel a translation of ${of} in progress, or erase one that has ended`,
            description: described.erased,
            tags: ['Captioning'],
            responses: {
              202: answer('The translation is being cancelled.', described.example),
              204: { description: 'The translation is erased.' },
              404: response('TranslationNotFound'),
              409: response('Problem'),
            },
          }),
        },
      );
  };

  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .post(
      ofRun,
      async ({ request, params, body, headers: given, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const key = given['idempotency-key'] ?? null;
        return accepted(request, await translateRun(translations, run, body, key));
      },
      {
        scope,
        json: { maxBytes: MAX_REQUEST_BYTES, budget },
        body: wireInput(OfRunInput),
        headers: wireHeaders(StartHeaders),
        response: { 202: wireAnswer(Translation) },
        detail: detail({
          operationId: 'translateRun',
          summary: 'Translate the captions of a run',
          description:
            'Translates the reviewed captions if there is a review. The sentences and what surrounds them are sent to the provider of the language model. Whole sentences are translated, each translation is checked and asked for again if it fails, and the captions are divided anew for the language. What remains wrong is listed under `doubts`. `anew` translates some sentences of an earlier translation again, perhaps by another engine, and keeps the others.',
          tags: ['Captioning'],
          requestBody: bodyExample({ language: 'de', profile: 'netflix' }),
          responses: {
            202: { ...answer('The translation is queued.', example), headers: GOING_ON },
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
            429: response('TooManyResults'),
          },
        }),
      },
    )
    .use(
      shared(ofRun, {
        of: 'a run',
        operations: {
          list: 'listTranslations',
          get: 'getTranslation',
          edit: 'editTranslation',
          delete: 'deleteTranslation',
        },
        example,
        listRefusals: { 404: response('RunNotFound') },
        erased: 'Erasing the run erases its translations too.',
      }),
    )
    .post(
      '/translations',
      async ({ request, body: { format, ...body }, query, headers: given, sender }) => {
        if (format === undefined) refuseQuery(query);
        const { organizationId } = sender;
        const idempotencyKey = given['idempotency-key'] ?? null;
        const translation = { organizationId, runId: null, idempotencyKey, ...body };
        await checkAnew(translations, translation);
        const row = await withConflicts(() => translations.submit(translation));
        const answered = accepted(request, row);
        if (format !== undefined) {
          const file = `${answered.headers.get('location')}/captions.${format}`;
          answered.headers.set(
            'link',
            `<${file}>; rel="alternate"; type="${FORMATS[format].type}"`,
          );
        }
        return answered;
      },
      {
        scope,
        json: {
          maxBytes: REVIEW.maxBytes,
          budget,
          large: { pool: sources.pool, read: readCaptionsToTranslate },
          files: { types: CAPTION_TYPES, pool: sources.pool, read: readCaptionFileToTranslate },
        },
        body: wireBody(OfCaptionsInput, checkCaptionsToTranslate),
        query: wireQuery(OfFileQuery),
        headers: wireHeaders(StartHeaders),
        response: { 202: wireAnswer(Translation) },
        detail: detail({
          operationId: 'translateCaptions',
          summary: 'Translate the captions in the request',
          description:
            'For captions that were not made by a run; otherwise the same as for the captions of a run. A caption file of any format may be the body in place of JSON: `language` and the other fields are then in the query, and the header `Link` names the file of the translation in the same format.',
          tags: ['Captioning'],
          // Caption files stand in the description: clients that are generated take one type of body.
          requestBody: bodyExample({
            language: 'de',
            sourceLanguage: 'en',
            cues: [{ start: 0.2, end: 2.4, lines: ['Welcome to MCP Night.'] }],
          }),
          responses: {
            409: response('IdempotencyConflict'),
            202: { ...answer('The translation is queued.', sentExample), headers: GOING_ON },
            404: response('TranslationNotFound'),
            429: response('TooManyResults'),
          },
        }),
      },
    )
    .use(
      shared('/translations', {
        of: 'captions that were sent',
        operations: {
          list: 'listCaptionTranslations',
          get: 'getCaptionTranslation',
          edit: 'editCaptionTranslation',
          delete: 'deleteCaptionTranslation',
        },
        example: sentExample,
        erased: 'The captions that were sent are erased with it.',
      }),
    )
    .get(
      '/translations/memory.tmx',
      ({ sender }) => {
        const file = streamed({ type: 'application/xml; charset=utf-8' }, async ({ write }) => {
          await write(TMX_HEAD);
          for await (const page of memoryPages(database, sender.organizationId)) {
            await write(page.map((entry) => tmxUnit(entry, entry.who)).join(''));
          }
          await write(TMX_END);
        });
        file.headers.set('content-disposition', 'attachment; filename="memory.tmx"');
        return file;
      },
      {
        scope,
        query: wireQuery(NoQuery),
        detail: detail({
          operationId: 'getTranslationMemory',
          summary: 'Get the sentences that were translated before, as TMX',
          description:
            'All pairs of languages. `creationid` is `person`, or the provider and the model.',
          tags: ['Captioning'],
          responses: {
            200: { description: 'TMX 1.4.', content: text('application/xml') },
          },
        }),
      },
    )
    .put(
      '/translations/memory.tmx',
      async ({ request, sender }) => {
        const { organizationId } = sender;
        if (
          !/^(?:application|text)\/(?:xml|x-tmx\+xml)\b/.test(
            request.headers.get('content-type') ?? '',
          )
        ) {
          throw new Problem(415, 'unsupported_media_type', 'Send TMX as application/xml.');
        }
        const share = budget.open();
        try {
          const bytes = await readBody(request, { maxBytes: MAX_TMX_BYTES, share });
          const load = { workspace: organizationId, size: bytes.byteLength };
          const { units, skipped } = await sources.pool.do(readTranslationMemory, bytes, load);
          await rememberUnits(database, organizationId, units);
          return Response.json({ remembered: units.length, skipped });
        } finally {
          share.release();
        }
      },
      {
        scope,
        query: wireQuery(NoQuery),
        detail: detail({
          operationId: 'putTranslationMemory',
          summary: 'Add translated sentences from TMX to those of the workspace',
          description:
            'Each counts as written by a person, so later translations use it instead of asking a model. `skipped` counts units that lack one of two languages or have very long sentences.',
          tags: ['Captioning'],
          responses: {
            200: answer('The number of sentences.', { remembered: 120, skipped: 0 }),
            413: response('BodyTooLarge'),
            415: response('Problem'),
            422: response('InvalidPayload'),
          },
        }),
      },
    )
    .post(
      '/translations/memory/similar',
      async ({ body: { source, sourceLanguage = null, language }, sender }) => {
        const pair = { from: sourceLanguage, to: language };
        const { organizationId } = sender;
        const query = ofSimilarLength(database, organizationId, pair, source, LEAST_ALIKE);
        const remembered = await sources.stored.rows(query, organizationId);
        const order = { sentence: source, remembered };
        const load = { workspace: organizationId, size: HERE_BYTES + 1 };
        return { matches: await sources.pool.do(similarTo, order, load) };
      },
      {
        scope,
        json: { maxBytes: MAX_REQUEST_BYTES, budget },
        body: wireInput(SimilarInput),
        response: { 200: wireAnswer(SimilarSentences) },
        detail: detail({
          operationId: 'findSimilarTranslations',
          summary: 'Find sentences that were translated before and are like another one',
          description:
            'Up to five, from the memory of the workspace, the most similar first. The sentence itself is among them if it was translated, perhaps by several engines.',
          tags: ['Captioning'],
          requestBody: bodyExample({
            source: 'Rivers wait for you.',
            sourceLanguage: 'en',
            language: 'de',
          }),
          responses: {
            200: answer('The sentences with their translations.', {
              matches: [
                {
                  source: 'Rivers wait for us.',
                  text: 'Flüsse warten auf uns.',
                  who: 'person',
                  likeness: 0.85,
                },
              ],
            }),
          },
        }),
      },
    )
    .get(
      '/translations/:translationId/captions.:format',
      async ({ request, params, query, sender }) => {
        const { organizationId } = sender;
        const row = await findTranslation(translations, organizationId, null, params.translationId);
        const format = captionFormat(params.format);
        const held = await holdTranslatedCaptions(sources, row, format, query);
        const name = `captions.${translationSuffix(row)}.${endingOf(format)}`;
        const file = { type: captionType(format), name, headers: translationHeaders(row) };
        return fileResponse(request, held, file);
      },
      {
        scope,
        params: wireInput(closed({ translationId: Type.String(), format: Type.String() })),
        query: wireQuery(FileQuery),
        detail: detail({
          operationId: 'getTranslatedCaptions',
          summary: 'Get the translated captions that were sent, as a file',
          description: 'In any format, and by the rules of another profile if the query names one.',
          tags: ['Captioning'],
          parameters: [FORMAT_PARAMETER],
          responses: {
            200: {
              description: 'The captions in the requested format.',
              headers: { ETag: headerRef('ETag') },
              content: Object.assign({}, ...FORMAT_IDS.map((id) => text(FORMATS[id].type))),
            },
            304: response('Unchanged'),
            404: response('TranslationNotFound'),
            409: response('CaptionsNotReady'),
            416: response('NoSuchRange'),
            422: response('InvalidPayload'),
          },
        }),
      },
    );
}

/** Refuses what belongs into the body. @throws {Problem} 422 */
function refuseQuery(query: object): void {
  const issues = Object.keys(query).map((path) => ({ path, message: 'belongs into the body' }));
  if (issues.length > 0) throw Problem.invalidPayload('The query is invalid.', issues);
}

const GOING_ON = { Location: headerRef('Location'), 'Retry-After': headerRef('RetryAfter') };
const PACE = { 'Retry-After': headerRef('RetryAfter') };

const notEnded = (): Problem =>
  new Problem(
    409,
    'translation_not_ended',
    'The translation is being cancelled and has not ended yet. Try again soon.',
    { headers: { 'retry-after': '3' } },
  );

const sentExample = {
  id: 'translation_0b8e4c52-5f0e-4d0c-9a3b-6a2f4a1c7d21',
  language: 'de',
  sourceLanguage: null,
  provider: null,
  model: null,
  profile: 'default',
  formality: null,
  state: 'queued',
  progress: 0,
  basis: null,
  reviewChanged: false,
  createdAt: '2026-11-26T18:00:00.000Z',
  startedAt: null,
  finishedAt: null,
};
const example = { ...sentExample, runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11' };
