/** Uploads with their progress: XMLHttpRequest tells it where fetch does not. */
import { NoAnswer, readProblem } from './problem.ts';

export interface UploadOptions {
  key: string;
  signal: AbortSignal;
  /** Bytes that are sent. */
  onProgress(sent: number): void;
}

/**
 * Puts an MP3 under its audio key.
 * @param audioKey parted by slashes, ends in `.mp3`
 * @throws {ApiProblem} what the service refused
 * @throws {NoAnswer} it broke off
 */
export function uploadMp3(audioKey: string, mp3: Blob, options: UploadOptions): Promise<void> {
  const { key, signal, onProgress } = options;
  const path = audioKey.split('/').map(encodeURIComponent).join('/');
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open('PUT', `/audio/${path}`);
    request.setRequestHeader('authorization', `Bearer ${key}`);
    request.setRequestHeader('content-type', 'audio/mpeg');
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) return resolve();
      const wait = request.getResponseHeader('retry-after');
      const headers = new Headers(wait === null ? {} : { 'retry-after': wait });
      return reject(readProblem(status, responseText, headers));
    });
    request.addEventListener('error', () => reject(new NoAnswer()));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    signal.addEventListener('abort', abort);
    signal.throwIfAborted();
    request.send(mp3);
  });
}
