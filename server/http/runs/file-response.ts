/** Sends a file made for one request: with entity tag, name, ranges and compression. RFC 9110, 13 and 14. */
import { createHash } from 'node:crypto';
import { compressed, isCompressed, streamed } from '../streamed.ts';
import { matchesEntityTag } from '../negotiate.ts';
import { Problem } from '../problems.ts';
import type { SharedText } from './run-texts.ts';
import { headerText } from '../request.ts';

interface AnsweredFile {
  /** The complete Content-Type. */
  type: string;
  /** The name under which clients save it. */
  name: string;
  /** More headers of its own. */
  headers?: Readonly<Record<string, string>>;
  /** Whether it is compressed already, like an MP3. */
  isPacked?: boolean;
  /** Checks while it is sent whether it may still be read. */
  stillAllowed?(): Promise<boolean>;
}

/**
 * Responds to GET for a file: 304 to clients that have it, 206 with the single range of a Range header. The bytes are
 * released once they are sent.
 * @throws {Problem} 416 for a range beyond its end
 */
export function fileResponse(
  request: Request,
  { size, digest, read, release }: SharedText,
  { type, name, headers: own = {}, isPacked = false, ...more }: AnsweredFile,
): Response {
  const tag = createHash('sha256').update(type).update('\0').update(digest).digest('base64url');
  const plain = `"${tag.slice(0, 22)}"`;
  let range: Part | null;
  try {
    range = rangeOf(request, plain, size);
  } catch (error) {
    release();
    throw error;
  }
  const isCoded = !isPacked && range === null && isCompressed(request, size);
  const etag = isCoded ? plain.replace(/"$/, '-gzip"') : plain;
  const headers = {
    'content-disposition': disposition(name),
    ...(!isPacked && { vary: 'Accept-Encoding' }),
    etag,
    'accept-ranges': 'bytes',
    ...own,
  };
  if (matchesEntityTag(request.headers.get('if-none-match'), etag)) {
    release();
    return new Response(null, { status: 304, headers });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const status = range === null ? 200 : 206;
  const options = { type, status, size: end + 1 - start, ...more };
  const answer = streamed(options, async ({ write }) => {
    try {
      await write(read(start, end + 1));
    } finally {
      release();
    }
  });
  for (const [header, value] of Object.entries(headers)) answer.headers.set(header, value);
  if (range) answer.headers.set('content-range', `bytes ${start}-${end}/${size}`);
  return isCoded ? compressed(answer) : answer;
}

/** A range of a file, both ends included. */
interface Part {
  start: number;
  end: number;
}

/**
 * The requested range; null for the whole file, which is sent if there is no Range header, if it is invalid or names
 * several ranges, or if If-Range names another version of the file.
 */
function rangeOf({ headers }: Request, etag: string, size: number): Part | null {
  const [, first = '', last = ''] =
    /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headerText(headers, 'range')) ?? [];
  if (first === '' && last === '') return null;
  const known = headers.get('if-range');
  if (known !== null && known !== etag) return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < Number(first)) return null;
  if (start < size) return { start, end };
  throw new Problem(416, 'range_not_satisfiable', `The file has ${size} bytes.`, {
    headers: { 'content-range': `bytes */${size}` },
  });
}

/** The Content-Disposition of a file to be saved, with its name in ASCII for old programs and in full (RFC 6266). */
function disposition(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`;
}
