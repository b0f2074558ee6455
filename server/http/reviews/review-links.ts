/** The routes for links that open a review without a key: make, list, name, revoke, what a link opens, and its sound. */
import { Elysia } from 'elysia';
import {
  type ListedReviewLink,
  NewReviewLink,
  ReviewLink,
  ReviewLinkInput,
  ReviewLinkList,
  ReviewLinkPatch,
} from '../../contract/sharing.ts';
import { createCounts } from '../../base/concurrency.ts';
import type { Log } from '../../base/log.ts';
import { deleteSound, type ReviewLinks, type StoredLink } from '../../reviews/review-links.ts';
import type { Runs } from '../../runs/service.ts';
import { type AudioStore, linkSoundName } from '../../storage/audio.ts';
import { QuotaExceeded } from '../../storage/audio-usage.ts';
import { fileResponse } from '../runs/file-response.ts';
import type { Database } from '../../storage/database.ts';
import { openMedia } from '../../storage/run-media.ts';
import { mediaFor, type SharedMedia } from '../runs/run-media.ts';
import { MP3_BODY, UPLOAD_REFUSALS } from '../uploads/audio.ts';
import type { Uploads } from '../uploads/mp3-upload.ts';
import { titleOf } from '../runs/caption-files.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Authorized, Guard } from '../identity/guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { failing, headerRef, response } from '../openapi/responses.ts';
import { Problem, quotaExceeded } from '../problems.ts';
import type { PublicAddress } from '../request.ts';
import { captionsNotReady, findSummary } from '../runs/run-representation.ts';
import { LINK } from '../../contract/limits.ts';
import { wireAnswer, wireInput } from '../wire.ts';

const MAX_BODY_BYTES = 4096;
/** The number of guests of one link that receive its sound from a process at the same time. */
const HEARD_AT_ONCE = 8;
const RETRY_AFTER_SECONDS = 10;
/** What helps, since no run deletes the sound of a link. */
const MAKE_ROOM =
  'Delete the sound of links that nobody needs any more, or wait until recordings are transcribed or expire.';
const NO_SOUND = 'This link has no sound.';

interface ReviewLinkServices {
  address: PublicAddress;
  guard: Guard;
  database: Database;
  runs: Runs;
  links: ReviewLinks;
  audio: AudioStore;
  uploads: Uploads;
  log: Log;
}

/** A link as clients see it, with what its guests get. */
const linkShown = (
  { createdAt, expiresAt, openedAt, ...link }: StoredLink,
  { sound, video }: SharedMedia,
): ReviewLink => ({
  id: link.id,
  runId: link.runId,
  right: link.right,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
  soundBytes: sound?.bytes ?? null,
  videoBytes: video?.bytes ?? null,
  name: link.name,
  opened: link.opened,
  lastOpenedAt: openedAt === null ? null : new Date(openedAt).toISOString(),
});

/** The routes of links. */
export function reviewLinkRoutes(services: ReviewLinkServices) {
  const { address, guard, database, runs, links, audio, log } = services;
  const addressOf = (request: Request, token: string): string =>
    `${address.of(request)}/app#/shared/${token}`;
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(256 * MAX_BODY_BYTES) };
  const scope = 'captioner:caption:run';
  const path = '/workflows/captioner/:runId/links';
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .post(
      path,
      async ({ request, params, body, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        if (run.state !== 'completed') throw captionsNotReady(run);
        const link = await links.create(run, sender.keyId, body);
        if (!link) throw tooManyLinks();
        log.audit('review_link_made', { ...audited(link), keyId: sender.keyId, right: link.right });
        const { token } = link;
        const url = addressOf(request, token);
        const shown = linkShown(link, await mediaFor(database, run, link));
        const created: NewReviewLink = { ...shown, token, url };
        return Response.json(created, { status: 201 });
      },
      {
        scope,
        json,
        body: wireInput(ReviewLinkInput),
        response: { 201: wireAnswer(NewReviewLink) },
        detail: detail({
          operationId: 'createReviewLink',
          summary: 'Make a link to the review of a run',
          description:
            'Whoever has the link needs no account: they see the run with its captions, transcript and comments, hear and see what stays with the run as far as `sound` and `video` say, or the recording that was stored for the link, and may comment, or save the review, as `right` says. It opens nothing else, expires, and can be revoked. The token is sent as a bearer, and stands after the # of `url`, so that no log contains it.',
          tags: ['Captioning'],
          requestBody: bodyExample({ right: 'comment', days: 7, name: 'For Ann', sound: true }),
          responses: {
            201: answer('The link, with its token.', {
              ...exampleLink,
              token: 'link_2c1zT6m0V4iYk3hYcX0fVqXo1mW7dQe8sJ5uN9aRbLE',
              url: 'https://captions.example/app#/shared/link_2c1zT6m0V4iYk3hYcX0fVqXo1mW7dQe8sJ5uN9aRbLE',
            }),
            404: response('RunNotFound'),
            409: failing(
              '`captions_not_ready`, or `too_many_links`.',
              'too_many_links',
              TOO_MANY_LINKS,
            ),
          },
        }),
      },
    )
    .get(
      path,
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const found: ListedReviewLink[] = [];
        for (const link of await links.list(run.id)) {
          const { token, people } = link;
          const url = token === null ? null : addressOf(request, token);
          found.push({ ...linkShown(link, await mediaFor(database, run, link)), url, people });
        }
        return Response.json({ links: found });
      },
      {
        scope,
        response: { 200: wireAnswer(ReviewLinkList) },
        detail: detail({
          operationId: 'listReviewLinks',
          summary: 'List the valid links to the review of a run',
          description: 'Links that have expired or been revoked are not listed.',
          tags: ['Captioning'],
          responses: {
            200: answer('The links, with who has commented by them.', {
              links: [{ ...exampleLink, url: null, people: ['Quill'] }],
            }),
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .delete(
      `${path}/:linkId`,
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        if (!(await links.revoke(run.id, params.linkId))) throw unknownLink();
        // If the store does not answer, housekeeping deletes it: the link opens nothing either way.
        await deleteSound(audio, run.organizationId, params.linkId).catch(() => false);
        const link = { id: params.linkId, runId: run.id, organizationId: sender.organizationId };
        log.audit('review_link_revoked', { ...audited(link), keyId: sender.keyId });
        return new Response(null, { status: 204 });
      },
      {
        scope,
        detail: detail({
          operationId: 'revokeReviewLink',
          summary: 'Revoke a link to the review of a run',
          description:
            'It stops working at once, and its sound is deleted. Comments made with it stay.',
          tags: ['Captioning'],
          responses: {
            204: { description: 'The link is revoked.' },
            404: failing('There is no such run or link.', 'link_not_found', NO_LINK),
          },
        }),
      },
    )
    .patch(
      `${path}/:linkId`,
      async ({ params, body, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const { linkId } = params;
        if (!(await links.rename(run.id, linkId, body.name))) throw unknownLink();
        const link = (await links.list(run.id)).find(({ id }) => id === linkId);
        if (!link) throw unknownLink();
        return Response.json(linkShown(link, await mediaFor(database, run, link)));
      },
      {
        scope,
        json,
        body: wireInput(ReviewLinkPatch),
        response: { 200: wireAnswer(ReviewLink) },
        detail: detail({
          operationId: 'renameReviewLink',
          summary: 'Name a link to the review of a run',
          description: 'For those who made it: guests see no name.',
          tags: ['Captioning'],
          requestBody: bodyExample({ name: 'For Ann' }),
          responses: {
            200: answer('The link.', exampleLink),
            400: response('BrokenBody'),
            404: failing('There is no such run or link.', 'link_not_found', NO_LINK),
            413: response('BodyTooLarge'),
            415: response('NotJson'),
            422: response('InvalidPayload'),
          },
        }),
      },
    )
    .get(
      '/review-link',
      async ({ sender }) => {
        if (!sender.link) throw unknownLink();
        const { id, organizationId, runId } = sender.link;
        const run = await findSummary(runs, organizationId, runId);
        await links.noteOpened(id);
        const shown = linkShown(sender.link, await mediaFor(database, run, sender.link));
        // What its maker calls it, and who else uses it, is not for its guests.
        return Response.json({ ...shown, name: null, opened: 0, lastOpenedAt: null });
      },
      {
        scope: { key: scope, link: 'view' },
        response: { 200: wireAnswer(ReviewLink) },
        detail: detail({
          operationId: 'openReviewLink',
          summary: 'Get the run and the right of a link',
          description: 'For the link whose token the request sends as its bearer.',
          tags: ['Captioning'],
          responses: {
            200: answer('The link.', exampleLink),
            404: failing('The bearer is an API key, not a link.', 'link_not_found', NO_LINK),
          },
        }),
      },
    )
    .use(soundRoutes(services));
}

/** The routes of sounds. */
function soundRoutes(services: ReviewLinkServices) {
  const { guard, database, audio, uploads, runs, links, log } = services;
  const path = '/workflows/captioner/:runId/links/:linkId/sound';
  const listeners = createCounts();
  const find = async (
    { organizationId }: Authorized,
    params: { runId: string; linkId: string },
  ): Promise<StoredLink> => {
    const run = await findSummary(runs, organizationId, params.runId);
    const link = (await links.list(run.id)).find(({ id }) => id === params.linkId);
    if (!link) throw unknownLink();
    return link;
  };
  const audit = (event: string, { keyId, organizationId }: Authorized, link: StoredLink) =>
    log.audit(event, { linkId: link.id, runId: link.runId, organizationId, keyId });
  return new Elysia()
    .use(guard)
    .put(
      path,
      async ({ request, params, sender }) => {
        const link = await find(sender, params);
        const name = linkSoundName(link.organizationId, link.id);
        const { size = 0 } = await uploads.store(request, name).catch((error: unknown) => {
          throw error instanceof QuotaExceeded ? quotaExceeded(error, MAKE_ROOM) : error;
        });
        if (!(await links.setSound(link.id, size))) {
          // It was revoked meanwhile, or has expired.
          await deleteSound(audio, link.organizationId, link.id);
          throw unknownLink();
        }
        audit('review_sound_stored', sender, link);
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const stored = { ...link, soundBytes: size };
        return Response.json(linkShown(stored, await mediaFor(database, run, stored)));
      },
      {
        scope: ['captioner:audio:upload', 'captioner:caption:run'],
        response: { 200: wireAnswer(ReviewLink) },
        detail: detail({
          operationId: 'putLinkSound',
          summary: 'Let the guests of a link hear the recording',
          description:
            'Stores an MP3 for as long as the link is valid; runs delete their own. It counts as a recording of the workspace, and is deleted when the link is revoked or expires, or with its run. A small one is enough: mono, 16 kHz, 32 kbit/s. A second one replaces the first.',
          tags: ['Captioning'],
          requestBody: MP3_BODY,
          responses: {
            200: answer('The link, with the size of its sound.', {
              ...exampleLink,
              soundBytes: 14_400_000,
            }),
            ...UPLOAD_REFUSALS,
            400: response('BadUpload'),
            404: failing('There is no such run or link.', 'link_not_found', NO_LINK),
          },
        }),
      },
    )
    .get(
      path,
      async ({ request, params, sender }) => {
        // A guest has the sound of the own link alone.
        if (sender.link && sender.link.id !== params.linkId) throw unknownLink();
        const link = sender.link ?? (await find(sender, params));
        const run = await findSummary(runs, link.organizationId, params.runId);
        const { sound: media } = await mediaFor(database, run, link);
        const found = media ? await openMedia(audio, media) : null;
        if (!media || !found) throw unknownSound();
        const { id } = link;
        const { organizationId, key } = media.name;
        if (listeners.of(id) >= HEARD_AT_ONCE) throw tooManyListeners();
        const sound = {
          size: found.size,
          digest: found.version,
          read: (start: number, end: number) => audio.read(organizationId, key, { start, end }),
          release: listeners.hold(id),
        };
        return fileResponse(request, sound, {
          type: 'audio/mpeg',
          name: `${titleOf(run)}.mp3`,
          isPacked: true,
          stillAllowed: sender.stillAllowed,
        });
      },
      {
        scope: { key: 'captioner:caption:run', link: 'view' },
        detail: detail({
          operationId: 'getLinkSound',
          summary: 'Hear the recording that a link lets its guests hear',
          description:
            'Needs the link itself as the bearer, or a key of its workspace. Supports `Range`.',
          tags: ['Captioning'],
          responses: {
            200: {
              description: 'The MP3.',
              headers: {
                ETag: headerRef('ETag'),
                'Accept-Ranges': headerRef('AcceptRanges'),
              },
              content: MP3_BODY.content,
            },
            206: { description: 'The part that `Range` requests.', content: MP3_BODY.content },
            304: response('Unchanged'),
            404: failing(
              'There is no such run or link (`link_not_found`), or it has no sound.',
              'sound_not_found',
              NO_SOUND,
            ),
            416: response('NoSuchRange'),
          },
        }),
      },
    )
    .delete(
      path,
      async ({ params, sender }) => {
        const link = await find(sender, params);
        await links.setSound(link.id, null);
        if (!(await deleteSound(audio, link.organizationId, link.id))) throw unknownSound();
        audit('review_sound_deleted', sender, link);
        return new Response(null, { status: 204 });
      },
      {
        scope: 'captioner:caption:run',
        detail: detail({
          operationId: 'deleteLinkSound',
          summary: 'Delete the recording that a link lets its guests hear',
          description: 'The link stays.',
          tags: ['Captioning'],
          responses: {
            204: { description: 'The recording is deleted.' },
            404: failing(
              'There is no such run or link (`link_not_found`), or it has no sound.',
              'sound_not_found',
              NO_SOUND,
            ),
          },
        }),
      },
    );
}

const tooManyListeners = (): Problem =>
  new Problem(
    429,
    'rate_limited',
    'Too many people are receiving this recording. Try again soon.',
    { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  );

const unknownSound = (): Problem => new Problem(404, 'sound_not_found', NO_SOUND);

/** What the audit log says about a link. */
const audited = ({
  id,
  runId,
  organizationId,
}: Pick<StoredLink, 'id' | 'runId' | 'organizationId'>) => ({ linkId: id, runId, organizationId });

/** Why a link is not found. */
const NO_LINK = 'There is no such link.';
const TOO_MANY_LINKS = `A run has at most ${LINK.maxLinks} valid links, and a workspace ${LINK.maxInWorkspace}. Revoke one first.`;

/** The problem of a link that is not found. */
const unknownLink = (): Problem => new Problem(404, 'link_not_found', NO_LINK);
const tooManyLinks = (): Problem => new Problem(409, 'too_many_links', TOO_MANY_LINKS);

/** A link, for the OpenAPI document. */
const exampleLink: ReviewLink = {
  id: 'lnk_0b54c4a4-7f55-4b0c-9d0f-3f2f8f6a0c11',
  runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11',
  right: 'comment',
  createdAt: '2026-11-21T18:00:00.000Z',
  expiresAt: '2026-11-28T18:00:00.000Z',
  soundBytes: null,
  videoBytes: null,
  name: 'For Ann',
  opened: 2,
  lastOpenedAt: '2026-11-22T09:00:00.000Z',
};
