/** /resumable: uploads by the tus protocol, which continue where they stopped after a broken connection. */
import { Elysia } from 'elysia';
import { ResumableUploadState } from '../../contract/audio.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import type { ResumableUpload } from '../../storage/resumable-rows.ts';
import { createResumableUploads } from '../../storage/resumable-uploads.ts';
import type { Guard } from '../guard.ts';
import { mediaTypeOf } from '../request.ts';
import type { Uploads } from './mp3-upload.ts';
import { HIDDEN } from '../openapi/detail.ts';
import { methodNotAllowed } from '../problems.ts';
import type { PublicAddress } from '../public-address.ts';
import { createDetail, findDetail, sendDetail, terminateDetail } from './resumable-details.ts';
import { createResumableUploading } from './resumable-uploading.ts';
import { byteCount, OFFSET_MEDIA_TYPE, requireTus, RESUMABLE_PATH } from './tus-headers.ts';
import { wireAnswer } from '../wire.ts';

export interface ResumableRouteServices {
  guard: Guard;
  address: PublicAddress;
  database: Database;
  audio: AudioStore;
  uploads: Uploads;
  /** The time for which recordings are kept. */
  audioTtlMs: number;
}

/** The routes. They store the same recordings as PUT /audio/{key}. */
export function resumableRoutes({
  guard,
  address,
  uploads,
  audioTtlMs,
  ...stores
}: ResumableRouteServices) {
  const resumable = createResumableUploads(stores);
  const uploading = createResumableUploading({ resumable, uploads, audioTtlMs });
  const scope = 'captioner:audio:upload';

  const send = async (request: Request, organizationId: string, id: string): Promise<Response> => {
    requireTus(request.headers);
    const offset = byteCount(request.headers, 'Upload-Offset');
    const upload = await uploading.find(organizationId, id);
    const after = await uploading.take(request, upload, offset);
    return new Response(null, { status: 204, headers: progress(after) });
  };
  const terminate = async (request: Request, organizationId: string, id: string) => {
    requireTus(request.headers);
    await resumable.discard(await uploading.find(organizationId, id));
    return new Response(null, { status: 204 });
  };

  return new Elysia()
    .use(guard)
    .post(
      RESUMABLE_PATH,
      async ({ request, sender }) => {
        requireTus(request.headers);
        const upload = await uploading.begin(request, sender.organizationId);
        const location = `${address.of(request)}${RESUMABLE_PATH}/${upload.id}`;
        const isWithBytes = mediaTypeOf(request.headers) === OFFSET_MEDIA_TYPE;
        const after = isWithBytes ? await uploading.take(request, upload, 0) : upload;
        return new Response(null, { status: 201, headers: { location, ...progress(after) } });
      },
      { scope, detail: createDetail() },
    )
    .get(
      `${RESUMABLE_PATH}/:uploadId`,
      async ({ request, params, sender }) => {
        requireTus(request.headers, true);
        const upload = await uploading.find(sender.organizationId, params.uploadId);
        const { key, metadata, length, received: offset, expiresAt } = upload;
        const state: ResumableUploadState = {
          key,
          offset,
          length,
          complete: offset === length,
          expiresAt: new Date(expiresAt).toISOString(),
        };
        const headers = { 'upload-length': String(length), 'upload-metadata': metadata };
        return Response.json(state, { headers: { ...progress(upload), ...headers } });
      },
      { scope, response: { 200: wireAnswer(ResumableUploadState) }, detail: findDetail() },
    )
    .patch(
      `${RESUMABLE_PATH}/:uploadId`,
      ({ request, params, sender }) => send(request, sender.organizationId, params.uploadId),
      { scope, detail: sendDetail() },
    )
    .delete(
      `${RESUMABLE_PATH}/:uploadId`,
      ({ request, params, sender }) => terminate(request, sender.organizationId, params.uploadId),
      { scope, detail: terminateDetail() },
    )
    .post(
      `${RESUMABLE_PATH}/:uploadId`,
      ({ request, params, sender }) => {
        // Clients behind proxies that do not support PATCH name the method in a header.
        const method = request.headers.get('x-http-method-override')?.toUpperCase();
        const act = method === 'PATCH' ? send : method === 'DELETE' ? terminate : null;
        if (!act) throw methodNotAllowed(['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']);
        return act(request, sender.organizationId, params.uploadId);
      },
      { scope, detail: { ...HIDDEN } },
    );
}

/** The headers that say how far an upload is, and until when it can continue. */
const progress = ({ received, expiresAt }: ResumableUpload): Record<string, string> => ({
  'upload-offset': String(received),
  'upload-expires': new Date(expiresAt).toUTCString(),
});
