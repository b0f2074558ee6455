/** The sound of a link: the recording that its guests hear. Stored, heard, and deleted with the link. */
import { Elysia } from 'elysia';
import { ReviewLink } from '../../contract/sharing.ts';
import type { Log } from '../../log.ts';
import { deleteSound, type ReviewLinks, type StoredLink } from '../../runs/store/review-links.ts';
import type { Runs } from '../../runs/service.ts';
import { type AudioStore, linkSound } from '../../storage/audio.ts';
import { fileResponse } from '../file-response.ts';
import type { Guard } from '../guard.ts';
import type { Authorized } from '../identity/authorize.ts';
import { answer, detail } from '../openapi/detail.ts';
import { failing, headerRef, response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { MP3_BODY, UPLOAD_REFUSALS } from '../uploads/audio.ts';
import type { Uploads } from '../uploads/mp3-upload.ts';
import { wire } from '../wire.ts';
import { exampleLink, linkShown, NO_LINK, unknownLink } from './review-links.ts';
import { findSummary } from './run-representation.ts';
import { titleOf } from './caption-files.ts';

/** The number of guests of one link that receive its sound from a process at the same time. */
const HEARD_AT_ONCE = 8;
const RETRY_AFTER_SECONDS = 10;
const NO_SOUND = 'This link has no sound.';

interface LinkSoundServices {
  guard: Guard;
  audio: AudioStore;
  uploads: Uploads;
  runs: Runs;
  links: ReviewLinks;
  log: Log;
}

/** The routes of sounds. */
export function linkSoundRoutes({ guard, audio, uploads, runs, links, log }: LinkSoundServices) {
  const path = '/workflows/captioner/:runId/links/:linkId/sound';
  const turns = createTurns();
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
        const { size = 0 } = await uploads.store(
          request,
          linkSound.name(link.organizationId, link.id),
        );
        if (!(await links.setSound(link.id, size))) {
          // It was revoked meanwhile, or has expired.
          await deleteSound(audio, link.organizationId, link.id);
          throw unknownLink();
        }
        audit('review_sound_stored', sender, link);
        return Response.json(linkShown({ ...link, soundBytes: size }));
      },
      {
        scope: ['captioner:audio:upload', 'captioner:caption:run'],
        response: { 200: wire.answer(ReviewLink) },
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
        const { organizationId, id, soundBytes } = sender.link ?? (await find(sender, params));
        const run = await findSummary(runs, organizationId, params.runId);
        const { key } = linkSound.name(organizationId, id);
        const found = soundBytes === null ? null : await audio.stat(organizationId, key);
        if (!found) throw unknownSound();
        const sound = {
          size: found.size,
          digest: found.version,
          read: (start: number, end: number) => audio.read(organizationId, key, { start, end }),
          release: turns.take(id),
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
            'For the link itself as the bearer, or a key of its workspace. Takes `Range`.',
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

/** Counts the guests of each link that are receiving its sound. */
function createTurns() {
  const taken = new Map<string, number>();
  return {
    /** @returns a function that ends the turn @throws {Problem} 429 */
    take(id: string): () => void {
      const count = taken.get(id) ?? 0;
      if (count >= HEARD_AT_ONCE) {
        const message = 'Too many people are receiving this recording. Try again soon.';
        throw new Problem(429, 'rate_limited', message, {
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        });
      }
      taken.set(id, count + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = taken.get(id)! - 1;
        if (left > 0) taken.set(id, left);
        else taken.delete(id);
      };
    },
  };
}

const unknownSound = (): Problem => new Problem(404, 'sound_not_found', NO_SOUND);
