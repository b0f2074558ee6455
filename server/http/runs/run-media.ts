/** The routes for what stays with a run until its review is finished: list, add, play and delete its sound and video. */
import { Elysia } from 'elysia';
import { RUN_MEDIA } from '../../contract/limits.ts';
import { RunMedia, type VideoType } from '../../contract/run-media.ts';
import { createCounts } from '../../base/concurrency.ts';
import type { IdentityProvider, KeyOwner } from '../../identity/provider.ts';
import { type Hasher, sameHash } from '../../identity/secrets.ts';
import type { Log } from '../../base/log.ts';
import type { ReviewLinks, StoredLink } from '../../reviews/review-links.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { type AudioStore, linkSoundName, runVideoName } from '../../storage/audio.ts';
import { QuotaExceeded } from '../../storage/audio-usage.ts';
import type { Database } from '../../storage/database.ts';
import {
  deleteFile,
  deleteMedia,
  expectVideo,
  mediaOf,
  openMedia,
  videoArrived,
  videoFailed,
  type StoredMedia,
} from '../../storage/run-media.ts';
import type { MediaKind } from '../../storage/tables.ts';
import { incomplete } from '../bodies/incoming-body.ts';
import { asProblem, type Authorized, type Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { failing, headerRef, response } from '../openapi/responses.ts';
import { Problem, quotaExceeded } from '../problems.ts';
import { mediaTypeOf, isEncoded } from '../request.ts';
import { MP3_BODY } from '../uploads/audio.ts';
import type { Uploads } from '../uploads/mp3-upload.ts';
import { wireAnswer } from '../wire.ts';
import { titleOf } from './caption-files.ts';
import { fileResponse } from './file-response.ts';
import { captionsNotReady, findSummary, unknownRun } from './run-representation.ts';

/** How many receive the sound or the video of one run from a process at the same time. */
export const PLAYED_AT_ONCE = 16;
const RETRY_AFTER_SECONDS = 10;
/** The bytes that tell what a video is. */
const HEAD_BYTES = 8;
const MAKE_ROOM =
  'Finish reviews, which deletes their recordings, or delete them, or wait until they expire.';
const NOT_THERE = {
  sound: 'No sound stays with this run.',
  video: 'No video stays with this run.',
};

interface RunMediaServices {
  guard: Guard;
  database: Database;
  runs: Runs;
  links: ReviewLinks;
  audio: AudioStore;
  uploads: Uploads;
  identity: Pick<IdentityProvider, 'isLive'>;
  hasher: Hasher;
  log: Log;
}

/** What an address plays, and for whom. */
interface PlayGrant {
  runId: string;
  organizationId: string;
  kind: MediaKind;
  /** The link of the guest, or the owner of the key, for which the address was made. */
  by: string | KeyOwner;
  expiresAt: number;
}

/** The sound and the video that somebody may have. */
export type SharedMedia = Partial<Record<MediaKind, StoredMedia>>;

/** What the sender of a request may have of a run's media: guests as far as their link says. */
export async function mediaFor(
  database: Database,
  run: RunSummary,
  link: StoredLink | null,
): Promise<SharedMedia> {
  if (run.state !== 'completed') return {};
  const stays = await mediaOf(database, run);
  const sound = stays.find(({ kind }) => kind === 'sound');
  const video = stays.find(({ kind }) => kind === 'video');
  if (link === null) return { ...(sound && { sound }), ...(video && { video }) };
  const heard = ownSoundOf(link) ?? (link.hears ? sound : undefined);
  return { ...(heard && { sound: heard }), ...(video && link.sees && { video }) };
}

/** The sound that was stored for the guests of a link alone. */
const ownSoundOf = ({ id, organizationId, soundBytes }: StoredLink): StoredMedia | undefined =>
  soundBytes === null
    ? undefined
    : {
        kind: 'sound',
        type: 'audio/mpeg',
        bytes: soundBytes,
        name: linkSoundName(organizationId, id),
        version: null,
      };

/** The routes. */
export function runMediaRoutes(services: RunMediaServices) {
  const { guard, database, runs, audio, hasher, log } = services;
  const path = '/workflows/captioner/:runId';
  const players = createCounts();
  const sign = (text: string) => hasher.hash('play', text);
  const addressFor = (run: RunSummary, kind: MediaKind, sender: Authorized, until: number) => {
    const { organizationId, keyId, userId } = sender;
    const by = sender.link
      ? sender.link.id
      : { organizationId, keyId, ...(userId !== undefined && { userId }) };
    const grant: PlayGrant = { runId: run.id, organizationId, kind, by, expiresAt: until };
    const text = Buffer.from(JSON.stringify(grant)).toString('base64url');
    return `/play/${text}.${sign(text)}`;
  };
  const send = async (
    request: Request,
    run: RunSummary,
    media: StoredMedia,
    stillAllowed: () => Promise<boolean>,
  ): Promise<Response> => {
    const found = await openMedia(audio, media);
    if (!found) throw notThere(media.kind);
    if (players.of(run.id) >= PLAYED_AT_ONCE) throw tooManyPlayers();
    const { organizationId, key } = media.name;
    const file = {
      size: found.size,
      digest: found.version,
      read: (start: number, end: number) => audio.read(organizationId, key, { start, end }),
      release: players.hold(run.id),
    };
    const ending = media.kind === 'sound' ? 'mp3' : media.type.slice('video/'.length);
    return fileResponse(request, file, {
      type: media.type,
      name: `${titleOf(run)}.${ending}`,
      isPacked: true,
      stillAllowed,
    });
  };
  const get = async (request: Request, runId: string, kind: MediaKind, sender: Authorized) => {
    const run = await findSummary(runs, sender.organizationId, runId);
    const media = (await mediaFor(database, run, sender.link))[kind];
    if (!media) throw notThere(kind);
    return send(request, run, media, sender.stillAllowed);
  };
  const remove = async (runId: string, kind: MediaKind, sender: Authorized) => {
    const run = await findSummary(runs, sender.organizationId, runId);
    const isThere =
      run.state === 'completed' && (await deleteMedia({ database, audio }, run, kind));
    if (!isThere) throw notThere(kind);
    log.audit('run_media_deleted', { ...audited(run, sender), kind });
    return new Response(null, { status: 204 });
  };
  const scope = { key: 'captioner:caption:run', link: 'view' } as const;
  const parts = {
    404: failing(
      'There is no such run, or nothing stays with it.',
      'sound_not_found',
      NOT_THERE.sound,
    ),
    416: response('NoSuchRange'),
    429: response('TooManyRequests'),
  };
  return new Elysia()
    .use(guard)
    .get(
      `${path}/media`,
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const { sound, video } = await mediaFor(database, run, sender.link);
        const until = Date.now() + RUN_MEDIA.playHours * 3_600_000;
        const play = (kind: MediaKind) => addressFor(run, kind, sender, until);
        return Response.json({
          runId: run.id,
          sound: sound ? { bytes: sound.bytes, play: play('sound') } : null,
          video: video
            ? { bytes: video.bytes, type: video.type as VideoType, play: play('video') }
            : null,
          playUntil: new Date(until).toISOString(),
        } satisfies RunMedia);
      },
      {
        scope,
        response: { 200: wireAnswer(RunMedia) },
        detail: detail({
          operationId: 'getRunMedia',
          summary: 'Get what stays with a run: its sound, and a small video',
          description: `The sound stays if the run was started with \`sound=keep\`; the video, if somebody added one. Both are deleted when the review is finished, when the run is erased, and with its result. The addresses in \`play\` need no key, for players that cannot send one; they are valid for ${RUN_MEDIA.playHours} hours, and end with the key or the link that asked for them.`,
          tags: ['Captioning'],
          responses: { 200: answer('What there is.', example), 404: response('RunNotFound') },
        }),
      },
    )
    .get(
      `${path}/sound`,
      ({ request, params, sender }) => get(request, params.runId, 'sound', sender),
      {
        scope,
        detail: detail({
          operationId: 'getRunSound',
          summary: 'Hear the recording that stays with a run',
          description: 'Takes `Range`.',
          tags: ['Captioning'],
          responses: { ...sendsParts(MP3_BODY.content), ...parts },
        }),
      },
    )
    .delete(`${path}/sound`, ({ params, sender }) => remove(params.runId, 'sound', sender), {
      scope: 'captioner:caption:run',
      detail: detail({
        operationId: 'deleteRunSound',
        summary: 'Delete the recording that stays with a run',
        description: 'The run, its captions and its review stay.',
        tags: ['Captioning'],
        responses: { 204: { description: 'It is deleted.' }, 404: parts[404] },
      }),
    })
    .put(
      `${path}/video`,
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        if (run.state !== 'completed') throw captionsNotReady(run);
        await storeVideo(services, request, run);
        log.audit('run_video_stored', audited(run, sender));
        return new Response(null, { status: 204 });
      },
      {
        scope: ['captioner:audio:upload', 'captioner:caption:run'],
        detail: detail({
          operationId: 'putRunVideo',
          summary: 'Let a small video stay with a run',
          description: `An MP4 or WebM of at most ${RUN_MEDIA.maxVideoSize}, such as 360p at 150 kbit/s; for those who review, and for guests whose link says so. It counts as a recording of the workspace. A second one replaces the first.`,
          tags: ['Captioning'],
          // WebM stands in the description: clients that are generated take one type of body.
          requestBody: { required: true, content: { 'video/mp4': BINARY } },
          responses: {
            204: { description: 'It is stored.' },
            400: response('BadUpload'),
            404: response('RunNotFound'),
            408: response('UploadTooSlow'),
            409: response('CaptionsNotReady'),
            413: failing('The video is too large.', 'upload_too_large', TOO_LARGE),
            415: failing('It is not an MP4 or WebM.', 'video_required', NO_VIDEO),
            429: response('TooManyUploads'),
            503: response('Unavailable'),
          },
        }),
      },
    )
    .get(
      `${path}/video`,
      ({ request, params, sender }) => get(request, params.runId, 'video', sender),
      {
        scope,
        detail: detail({
          operationId: 'getRunVideo',
          summary: 'See the small video that stays with a run',
          description: 'Takes `Range`.',
          tags: ['Captioning'],
          responses: { ...sendsParts(VIDEO_CONTENT), ...parts },
        }),
      },
    )
    .delete(`${path}/video`, ({ params, sender }) => remove(params.runId, 'video', sender), {
      scope: 'captioner:caption:run',
      detail: detail({
        operationId: 'deleteRunVideo',
        summary: 'Delete the video that stays with a run',
        description: 'The run, its captions, its review and its sound stay.',
        tags: ['Captioning'],
        responses: { 204: { description: 'It is deleted.' }, 404: parts[404] },
      }),
    })
    .get(
      '/play/:token',
      async ({ request, params }) => {
        const grant = readGrant(params.token, sign);
        const { runId, organizationId, kind } = grant;
        const link = await linkOf(services, grant);
        const run = await findSummary(runs, organizationId, runId);
        const media = (await mediaFor(database, run, link))[kind];
        if (!media) throw notThere(kind);
        return send(request, run, media, () =>
          linkOf(services, grant).then(
            () => true,
            () => false,
          ),
        );
      },
      {
        detail: detail({
          operationId: 'playRunMedia',
          summary: 'Play the sound or the video of a run, without a key',
          description:
            'At an address from `GET /workflows/captioner/{runId}/media`. Takes `Range`.',
          tags: ['Captioning'],
          parameters: [
            {
              name: 'token',
              in: 'path',
              required: true,
              description: 'What the address allows, signed.',
              schema: { type: 'string' },
            },
          ],
          responses: {
            ...sendsParts({ ...MP3_BODY.content, ...VIDEO_CONTENT }),
            ...parts,
            403: failing('The address is no longer valid.', 'invalid_play_address', NOT_VALID),
            502: response('IdentityProviderFailed'),
            503: response('Unavailable'),
          },
        }),
      },
    );
}

/** Stores the body of a request as the video of a run. */
async function storeVideo(
  { database, audio, uploads }: RunMediaServices,
  request: Request,
  run: RunSummary,
): Promise<void> {
  const type = mediaTypeOf(request.headers);
  if (!(type in VIDEO_CONTENT) || isEncoded(request.headers)) throw noVideo();
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > RUN_MEDIA.maxVideoBytes) throw tooLarge();
  if (!(await expectVideo(database, run))) throw unknownRun();
  const { organizationId, key } = runVideoName(run.organizationId, run.id);
  try {
    const { size } = await uploads.receive(request, organizationId, (body) =>
      audio.put(
        organizationId,
        key,
        checkedVideo(body, declared),
        Number.isSafeInteger(declared) ? declared : undefined,
      ),
    );
    if (await videoArrived(database, run.id, { type, bytes: size })) return;
  } catch (error) {
    await videoFailed(database, run.id);
    throw error instanceof QuotaExceeded ? quotaExceeded(error, MAKE_ROOM) : error;
  }
  // It was erased meanwhile.
  await deleteFile(audio, { name: { organizationId, key }, version: null });
  throw unknownRun();
}

/** Passes a video on, within its bound, and if its first bytes are those of one. */
async function* checkedVideo(
  body: AsyncIterable<Uint8Array>,
  declared: number,
): AsyncIterable<Uint8Array> {
  let head = new Uint8Array(0);
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > RUN_MEDIA.maxVideoBytes) throw tooLarge();
    if (head.length < HEAD_BYTES) {
      const more = chunk.subarray(0, HEAD_BYTES - head.length);
      head = Uint8Array.from([...head, ...more]);
      if (head.length === HEAD_BYTES && !isVideo(head)) throw noVideo();
    }
    yield chunk;
  }
  if (head.length < HEAD_BYTES) throw noVideo();
  if (!Number.isNaN(declared) && declared !== size) {
    throw incomplete('The body is shorter than its Content-Length.');
  }
}

/** Whether a file begins like MP4 (a box `ftyp`) or WebM (EBML). */
const isVideo = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(4)).toString('latin1') === 'ftyp' ||
  Buffer.from(head.subarray(0, 4)).toString('hex') === '1a45dfa3';

/** Reads what an address allows. @param token despite its type, null for escapes that are not UTF-8 */
function readGrant(token: string | null, sign: (text: string) => string): PlayGrant {
  const [text = '', signature = ''] = token?.split('.') ?? [];
  if (!sameHash(signature, sign(text))) throw notValid();
  const grant: PlayGrant = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  if (grant.expiresAt <= Date.now()) throw notValid();
  return grant;
}

/** The link of an address, null for one of a key. @throws {Problem} 403 if it was revoked */
async function linkOf(
  { links, identity }: RunMediaServices,
  { by, runId }: PlayGrant,
): Promise<StoredLink | null> {
  if (typeof by === 'string') {
    const link = (await links.list(runId)).find(({ id }) => id === by);
    if (!link) throw notValid();
    return link;
  }
  if (!(await asProblem(() => identity.isLive(by)))) throw notValid();
  return null;
}

const audited = (run: RunSummary, { keyId, organizationId }: Authorized) => ({
  runId: run.id,
  keyId,
  organizationId,
});

const notThere = (kind: MediaKind): Problem =>
  new Problem(404, `${kind}_not_found`, NOT_THERE[kind]);
const TOO_LARGE = `A video that stays with a run may have at most ${RUN_MEDIA.maxVideoSize}.`;
const tooLarge = (): Problem => new Problem(413, 'upload_too_large', TOO_LARGE);
const NO_VIDEO = 'Send an MP4 or WebM, with Content-Type: video/mp4 or video/webm.';
const noVideo = (): Problem => new Problem(415, 'video_required', NO_VIDEO);
const NOT_VALID = 'This address is not valid, or not any more. Ask for another.';
const notValid = (): Problem => new Problem(403, 'invalid_play_address', NOT_VALID);
/** The problem of a recording that too many receive. */
export const tooManyPlayers = (): Problem =>
  new Problem(
    429,
    'rate_limited',
    'Too many people are receiving this recording. Try again soon.',
    {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    },
  );

const BINARY = { schema: { type: 'string', format: 'binary' } } as const;
const VIDEO_CONTENT = { 'video/mp4': BINARY, 'video/webm': BINARY } satisfies Record<
  VideoType,
  object
>;

/** The responses that send a file, or a part of it. */
const sendsParts = (content: Record<string, object>) => ({
  200: {
    description: 'The file.',
    headers: { ETag: headerRef('ETag'), 'Accept-Ranges': headerRef('AcceptRanges') },
    content,
  },
  206: { description: 'The part that `Range` requests.', content },
  304: response('Unchanged'),
});

/** For the OpenAPI document. */
const example: RunMedia = {
  runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11',
  sound: { bytes: 14_400_000, play: '/play/eyJydW5JZCI6InJ1bl82ZjFj.6f2c' },
  video: null,
  playUntil: '2026-11-21T18:00:00.000Z',
};
