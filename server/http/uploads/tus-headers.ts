/** The headers of the tus protocol 1.0.0 (tus.io): its version, lengths, offsets and metadata. */
import { RESUMABLE, UPLOAD } from '../../contract/limits.ts';
import type { ResumableUpload } from '../../storage/resumable-uploads.ts';
import { Problem } from '../problems.ts';
import { headerText, pathOf } from '../request.ts';

/** The address of resumable uploads. */
export const RESUMABLE_PATH = '/resumable';
/** The media type of bytes that continue an upload. */
export const OFFSET_MEDIA_TYPE = 'application/offset+octet-stream';

const VERSION = '1.0.0';
const SPOKEN: [string, string][] = [['tus-resumable', VERSION]];
const CAPABILITIES: [string, string][] = [
  ...SPOKEN,
  ['tus-version', VERSION],
  ['tus-extension', 'creation,creation-with-upload,expiration,termination'],
  ['tus-max-size', String(UPLOAD.maxBytes)],
];

/** The headers of every response under RESUMABLE_PATH, including errors; OPTIONS adds what the server supports. */
export function tusHeaders(request: Request): readonly [string, string][] {
  const path = pathOf(request.url);
  if (!path.startsWith(RESUMABLE_PATH)) return [];
  const rest = path.charAt(RESUMABLE_PATH.length);
  if (rest !== '' && rest !== '/') return [];
  return request.method === 'OPTIONS' ? CAPABILITIES : SPOKEN;
}

/**
 * Refuses other versions of the protocol.
 * @param mayBeMissing whether the header is optional, as for a plain GET that only asks for the state
 * @throws {Problem} 412
 */
export function requireTus(headers: Headers, mayBeMissing = false): void {
  const asked = headers.get('tus-resumable');
  if (asked === VERSION || (asked === null && mayBeMissing)) return;
  throw new Problem(412, 'tus_version', `Send the header Tus-Resumable: ${VERSION}.`, {
    headers: { 'tus-version': VERSION },
  });
}

/** A number of bytes in a header. @throws {Problem} 400 `invalid_header` if it is missing or not a number */
export function byteCount(headers: Headers, name: 'Upload-Length' | 'Upload-Offset'): number {
  const given = headers.get(name);
  if (given !== null && /^\d{1,15}$/.test(given)) return Number(given);
  throw invalidHeader(`${name} must be a number of bytes.`);
}

/**
 * A value of Upload-Metadata, which holds pairs of a name and a base64 value, separated by commas.
 * @throws {Problem} 400 `invalid_header`
 */
export function metadataValue(headers: Headers, name: string): string | null {
  const header = headerText(headers, 'upload-metadata');
  if (header.length > RESUMABLE.maxMetadataChars) {
    throw invalidHeader(`Upload-Metadata is longer than ${RESUMABLE.maxMetadataChars} characters.`);
  }
  for (const pair of header.split(',')) {
    const [found, value = '', ...more] = pair.trim().split(' ');
    if (found !== name) continue;
    if (more.length > 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) {
      throw invalidHeader(`${name} in Upload-Metadata must be in base64.`);
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
    } catch {
      throw invalidHeader(`${name} in Upload-Metadata must be UTF-8.`);
    }
  }
  return null;
}

/** The problem of a missing or invalid header. */
export const invalidHeader = (message: string): Problem =>
  new Problem(400, 'invalid_header', message);

/** The headers that say how far an upload is, and until when it can continue. */
export const progress = ({ received, expiresAt }: ResumableUpload): Record<string, string> => ({
  'upload-offset': String(received),
  'upload-expires': new Date(expiresAt).toUTCString(),
});
