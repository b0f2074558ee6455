/** PUT /audio/{key}, and PUT /uploads/{token} for those who were handed a link. Contract 4 and 7.2. */
import { Elysia } from 'elysia';
import type { AudioStore } from '../storage/audio.ts';
import { audioKey } from './audio-key.ts';
import type { Authorize } from './guard.ts';
import { storeUpload } from './mp3-upload.ts';
import type { UploadLinks } from './upload-links.ts';

export interface AudioRouteServices {
  authorize: Authorize;
  audio: AudioStore;
  uploadLinks: UploadLinks;
}

/** The routes of uploads. No body is read before it is known to be allowed. */
export function audioRoutes({ authorize, audio, uploadLinks }: AudioRouteServices) {
  return new Elysia()
    .put(
      '/audio/*',
      async ({ request, route }) => {
        const { organizationId } = await authorize({ request, route }, 'captioner:audio:upload');
        const key = audioKey(request.url);
        return Response.json(await storeUpload(request, audio, { organizationId, key }));
      },
      { parse: 'none' },
    )
    .put(
      '/uploads/:token',
      async ({ request, params }) =>
        Response.json(await storeUpload(request, audio, uploadLinks.open(params.token))),
      { parse: 'none' },
    );
}
