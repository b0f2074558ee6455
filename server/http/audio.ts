/** PUT /audio/{key}, and PUT /uploads/{token} for those who were handed a link. Contract 4 and 7.2. */
import { Elysia } from 'elysia';
import { audioKey } from './audio-key.ts';
import type { Authorize } from './guard.ts';
import { createUploads, type UploadServices } from './mp3-upload.ts';
import type { UploadLinks } from './upload-links.ts';

export interface AudioRouteServices extends UploadServices {
  authorize: Authorize;
  uploadLinks: UploadLinks;
}

/** The routes of uploads. No body is read before it is known to be allowed. */
export function audioRoutes({ authorize, uploadLinks, ...services }: AudioRouteServices) {
  const store = createUploads(services);
  return new Elysia()
    .put(
      '/audio/*',
      async ({ request, route }) => {
        const { organizationId } = await authorize({ request, route }, 'captioner:audio:upload');
        const key = audioKey(request.url);
        return Response.json(await store(request, { organizationId, key }));
      },
      { parse: 'none' },
    )
    .put(
      '/uploads/:token',
      async ({ request, params }) =>
        Response.json(await uploadLinks.use(params.token, (grant) => store(request, grant))),
      { parse: 'none' },
    );
}
