// An upload, written against nothing but the client that hey-api generated from /openapi.json.
import { createClient } from './generated/hey-api/client';
import { uploadAudio } from './generated/hey-api';

/** Uploads an MP3 and answers its receipt. */
export async function heyApiUpload(
  baseUrl: string,
  apiKey: string,
  key: string,
  mp3: Blob,
): Promise<unknown> {
  const client = createClient({ baseUrl, auth: apiKey });
  const { data, error } = await uploadAudio({ client, path: { key }, body: mp3 });
  if (!data) throw new Error(JSON.stringify(error));
  return data;
}
