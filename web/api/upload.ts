/** Uploads with progress: XMLHttpRequest reports it, fetch does not. */
import { storedText, storeText, UPLOADS_KEY } from '../storage/web-storage.ts';
import { ApiProblem, ask, NoAnswer, readProblem } from './request.ts';
import { runPath } from './runs.ts';
import { soundPath } from './sharing.ts';

interface UploadOptions {
  key: string;
  signal: AbortSignal;
  /** @param sent bytes so far */
  onProgress(sent: number): void;
}

/** A request with a binary body. */
interface Sending {
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
async function uploadMp3(audioKey: string, mp3: Blob, options: UploadOptions) {
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
function sendBytes(
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

interface ResumableOptions extends UploadOptions {
  /**
   * Called once the service has answered: if the upload breaks off after that, it is retried soon.
   */
  reached(): void;
}

/** An upload that was started. */
interface Begun {
  /** The fingerprint of the MP3; null if the browser cannot compute one. */
  print: string | null;
  path: string;
  /** The key of the recording. */
  audioKey: string;
}

/** The most upload addresses to store. */
const MAX_KEPT = 8;
/**
 * The most times in a row that the service may take nothing, report another offset, or that the
 * upload is gone.
 */
const MAX_SURPRISES = 5;
/** The bytes hashed at a time. */
const HASHED_BYTES = 4 * 2 ** 20;
const TUS = { 'tus-resumable': '1.0.0' };

const underWay = new WeakMap<Blob, Begun>();

/**
 * Uploads an MP3, resuming an earlier attempt if there is one.
 * @returns its key; for a resumed upload, the key it was started with
 * @throws {ApiProblem} the service refused
 * @throws {NoAnswer} the connection broke; calling again resumes
 */
export async function uploadResumably(
  audioKey: string,
  mp3: Blob,
  options: ResumableOptions,
): Promise<string> {
  const { key, signal, onProgress, reached } = options;
  for (let surprises = 0; ; surprises += 1) {
    const upload = underWay.get(mp3) ?? (await begin(audioKey, mp3, options));
    underWay.set(mp3, upload);
    try {
      const at = await ask(upload.path, { method: 'HEAD', key, headers: TUS, signal });
      const offset = Number(at.headers.get('upload-offset'));
      reached();
      onProgress(offset);
      let sent = offset;
      if (offset < mp3.size) {
        const headers = {
          ...TUS,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        };
        const headerOf = await sendBytes(
          { method: 'PATCH', path: upload.path, headers, body: mp3.slice(offset) },
          { key, signal, onProgress: (more) => onProgress(offset + more) },
        );
        sent = Number(headerOf('upload-offset'));
      }
      if (sent >= mp3.size) {
        forget(mp3, upload);
        return upload.audioKey;
      }
      // The service does not always report a broken upload as an error.
      if (sent > offset) surprises = 0;
      else if (surprises >= MAX_SURPRISES) throw new NoAnswer();
    } catch (error) {
      const { status = 0 } = error instanceof ApiProblem ? error : {};
      const isGone = status === 404 || status === 410 || status === 415;
      if (isGone) forget(mp3, upload);
      const isSurprise = (isGone && status !== 415) || status === 409;
      if (!isSurprise || surprises >= MAX_SURPRISES) throw error;
    }
  }
}

/** The upload of this MP3 that was started earlier, or a new one. */
async function begin(
  audioKey: string,
  mp3: Blob,
  { key, signal }: ResumableOptions,
): Promise<Begun> {
  const print = await fingerprint(audioKey, mp3);
  const known = kept().find((each) => each.print === print);
  if (known) return known;
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(audioKey)));
  const created = await ask('/resumable', {
    method: 'POST',
    key,
    headers: { ...TUS, 'upload-length': String(mp3.size), 'upload-metadata': `key ${encoded}` },
    signal,
  });
  const id = (created.headers.get('location') ?? '').split('/').pop();
  const upload = { print, path: `/resumable/${id}`, audioKey };
  if (print !== null) keep([upload, ...kept()]);
  return upload;
}

/**
 * Identifies an MP3 by its bytes and its name; null on insecure pages, where browsers offer no
 * hashing. The file is hashed in pieces, so it is never in memory as a whole.
 */
async function fingerprint(audioKey: string, mp3: Blob): Promise<string | null> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!subtle) return null;
  const hashes: ArrayBuffer[] = [];
  for (let at = 0; at < mp3.size; at += HASHED_BYTES) {
    const piece = await mp3.slice(at, at + HASHED_BYTES).arrayBuffer();
    hashes.push(await subtle.digest('SHA-256', piece));
  }
  const name = audioKey.slice(audioKey.lastIndexOf('/') + 1);
  const all = await new Blob([...hashes, String(mp3.size), name]).arrayBuffer();
  const digest = new Uint8Array(await subtle.digest('SHA-256', all));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function kept(): Begun[] {
  try {
    const found: unknown = JSON.parse(storedText('localStorage', UPLOADS_KEY) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

const keep = (uploads: readonly Begun[]): void =>
  storeText(
    'localStorage',
    UPLOADS_KEY,
    uploads.length === 0 ? null : JSON.stringify(uploads.slice(0, MAX_KEPT)),
  );

function forget(mp3: Blob, { path }: Begun): void {
  underWay.delete(mp3);
  if (kept().some((each) => each.path === path)) keep(kept().filter((each) => each.path !== path));
}

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

/** Lets a small video stay with a run. @throws as sendBytes */
export async function putVideo(runId: string, video: Blob, options: UploadOptions): Promise<void> {
  const headers = { 'content-type': video.type };
  await sendBytes({ method: 'PUT', path: runPath(runId, '/video'), headers, body: video }, options);
}

/** Stores the MP3 that the guests of a link hear. @throws as sendBytes */
export async function putSound(
  { runId, id }: { runId: string; id: string },
  mp3: Blob,
  options: UploadOptions,
): Promise<void> {
  const headers = { 'content-type': 'audio/mpeg' };
  await sendBytes({ method: 'PUT', path: soundPath(runId, id), headers, body: mp3 }, options);
}
