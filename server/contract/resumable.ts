/** The state of an upload that can continue after a broken connection. */
import { closed, dateTime, Type, type Static } from './schema.ts';

/** The progress of an upload, as in the headers of the protocol. */
export const ResumableUploadState = closed({
  key: Type.String({ description: 'the key of the recording once it is complete' }),
  offset: Type.Integer({ minimum: 0, description: 'the number of bytes received' }),
  length: Type.Integer({ minimum: 1, description: 'the size of the whole recording in bytes' }),
  complete: Type.Boolean({ description: 'whether the recording is stored under its key' }),
  expiresAt: dateTime(),
});
export type ResumableUploadState = Static<typeof ResumableUploadState>;
