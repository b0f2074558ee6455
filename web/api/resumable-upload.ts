/**
 * Uploads that go on where a broken connection stopped them, by the tus protocol 1.0.0. The address of an upload is
 * kept in the browser under a fingerprint of the MP3, so that it goes on after the page was loaded again, too.
 */
import { keepText, keptText, UPLOADS_KEPT } from '../storage/kept-text.ts';
import { ApiProblem } from './problem.ts';
import { ask } from './request.ts';
import { sendBytes, type UploadOptions } from './upload.ts';

export interface ResumableOptions extends UploadOptions {
  /** The service has answered: what breaks off after this is tried again soon. */
  reached(): void;
}

/** An upload that was begun. */
interface Begun {
  /** The fingerprint of the MP3; null where the browser computes none. */
  print: string | null;
  path: string;
  /** The key that the recording gets. */
  audioKey: string;
}

/** Uploads whose addresses are kept. */
const MOST_KEPT = 8;
/** How often in a row the service may say that an upload is elsewhere, or gone. */
const MOST_SURPRISES = 5;
/** Bytes that are hashed at a time. */
const HASHED_BYTES = 4 * 2 ** 20;
const TUS = { 'tus-resumable': '1.0.0' };

const underWay = new WeakMap<Blob, Begun>();

/**
 * Uploads an MP3, from where an earlier attempt stopped.
 * @returns its key: of an upload that was begun earlier, the key of then
 * @throws {ApiProblem} what the service refused
 * @throws {NoAnswer} it broke off; calling again goes on
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
        const told = await sendBytes(
          { method: 'PATCH', path: upload.path, headers, body: mp3.slice(offset) },
          { key, signal, onProgress: (more) => onProgress(offset + more) },
        );
        sent = Number(told('upload-offset'));
      }
      if (sent >= mp3.size) {
        forget(mp3, upload);
        return upload.audioKey;
      }
      // What breaks off is not always an error to the service.
      if (sent > offset) surprises = 0;
    } catch (error) {
      const { status = 0 } = error instanceof ApiProblem ? error : {};
      const isGone = status === 404 || status === 410 || status === 415;
      if (isGone) forget(mp3, upload);
      const isSurprise = (isGone && status !== 415) || status === 409;
      if (!isSurprise || surprises >= MOST_SURPRISES) throw error;
    }
  }
}

/** The upload of this MP3 that was begun earlier, or a new one. */
async function begin(
  audioKey: string,
  mp3: Blob,
  { key, signal }: ResumableOptions,
): Promise<Begun> {
  const print = await fingerprint(audioKey, mp3);
  const known = print === null ? undefined : kept().find((each) => each.print === print);
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
 * Identifies an MP3 by its bytes and its name; null on pages that are not secure, where browsers hash nothing.
 * It is hashed piece by piece, so it is never in memory as a whole.
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
    const found: unknown = JSON.parse(keptText('localStorage', UPLOADS_KEPT) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

const keep = (uploads: readonly Begun[]): void =>
  keepText(
    'localStorage',
    UPLOADS_KEPT,
    uploads.length === 0 ? null : JSON.stringify(uploads.slice(0, MOST_KEPT)),
  );

function forget(mp3: Blob, { path }: Begun): void {
  underWay.delete(mp3);
  if (kept().some((each) => each.path === path)) keep(kept().filter((each) => each.path !== path));
}
