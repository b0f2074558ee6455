/** Uploads with progress: XMLHttpRequest reports it, fetch does not. */
import { NoAnswer, readProblem } from './problem.ts';

export interface UploadOptions {
  key: string;
  signal: AbortSignal;
  /** @param sent bytes so far */
  onProgress(sent: number): void;
}

/** A request with a binary body. */
export interface Sending {
  method: 'PUT' | 'PATCH';
  /** From the root, with its slash. */
  path: string;
  headers: Record<string, string>;
  body: Blob;
}

/**
 * Uploads an MP3 under its audio key.
 * @param audioKey separated by slashes, ends in `.mp3`
 * @throws as sendBytes
 */
export async function uploadMp3(audioKey: string, mp3: Blob, options: UploadOptions) {
  const path = audioKey.split('/').map(encodeURIComponent).join('/');
  const headers = { 'content-type': 'audio/mpeg' };
  await sendBytes({ method: 'PUT', path: `/audio/${path}`, headers, body: mp3 }, options);
}

/**
 * Sends bytes.
 * @returns the headers of the response, by name
 * @throws {ApiProblem} the service refused
 * @throws {NoAnswer} the connection broke
 */
export function sendBytes(
  { method, path, headers, body }: Sending,
  { key, signal, onProgress }: UploadOptions,
): Promise<(name: string) => string | null> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(method, path);
    request.setRequestHeader('authorization', `Bearer ${key}`);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) return resolve((name) => request.getResponseHeader(name));
      const wait = request.getResponseHeader('retry-after');
      const responseHeaders = new Headers(wait === null ? {} : { 'retry-after': wait });
      return reject(readProblem(status, responseText, responseHeaders));
    });
    request.addEventListener('error', () => reject(new NoAnswer()));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    signal.addEventListener('abort', abort);
    signal.throwIfAborted();
    request.send(body);
  });
}
