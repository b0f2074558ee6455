/** Uploads MP3s, each in the way that suits its size. */
import { uploadResumably, type ResumableOptions } from './resumable-upload.ts';
import { uploadMp3 } from './upload.ts';

/** From this size on a broken connection goes on where it stopped; less is sent again more quickly: 1 MiB. */
const RESUMABLE_FROM = 2 ** 20;

/**
 * Uploads an MP3.
 * @returns its key: of an upload that was begun earlier, the key of then
 * @throws {ApiProblem} what the service refused
 * @throws {NoAnswer} it broke off; calling again goes on
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
