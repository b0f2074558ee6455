/** Uploads MP3s by the method that suits their size. */
import { uploadResumably, type ResumableOptions } from './resumable-upload.ts';
import { uploadMp3 } from './upload.ts';

/** From this size on, uploads are resumable; smaller files are sent again faster. 1 MiB. */
const RESUMABLE_FROM = 2 ** 20;

/**
 * Uploads an MP3.
 * @returns its key; for a resumed upload, the key it was started with
 * @throws {ApiProblem} the service refused
 * @throws {NoAnswer} the connection broke; calling again resumes
 */
export async function uploadRecording(
  audioKey: string,
  mp3: Blob,
  options: ResumableOptions,
): Promise<string> {
  if (mp3.size >= RESUMABLE_FROM) return uploadResumably(audioKey, mp3, options);
  await uploadMp3(audioKey, mp3, options);
  return audioKey;
}
