/** Reads, creates and validates keys of audio objects. */
import { randomUUID } from 'node:crypto';
import { MAX_KEY_BYTES } from '../../contract/limits.ts';
import { notMp3 } from './mp3-upload.ts';
import { Problem } from '../problems.ts';
import { pathOf } from '../request.ts';

/**
 * The key in an address under /audio/. It may contain slashes and any Unicode, and ends in .mp3.
 * @throws {Problem} 400 `invalid_key` for escapes that are not UTF-8, control characters, empty
 *   segments, `.` and `..`, and for more than 1,024 bytes; 415 for one that does not end in .mp3
 */
export function audioKey(url: string): string {
  return checkAudioKey(decode(pathOf(url).slice('/audio/'.length)));
}

/** A key for a recording without a name. */
export const newAudioKey = (): string => `mcp/${randomUUID()}.mp3`;

/**
 * Validates a key, whatever its source.
 * @throws {Problem} as above
 */
export function checkAudioKey(key: string): string {
  if (key === '') throw invalid('The key is empty.');
  if (new TextEncoder().encode(key).byteLength > MAX_KEY_BYTES) {
    throw invalid(`The key is longer than ${MAX_KEY_BYTES} bytes.`);
  }
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(key)) throw invalid('The key contains a control character.');
  for (const segment of key.split('/')) {
    if (segment === '') throw invalid('The key has an empty segment.');
    if (segment === '.' || segment === '..')
      throw invalid('The key must not have a segment "." or "..".');
  }
  if (!key.endsWith('.mp3')) throw notMp3('The key must end in .mp3.');
  return key;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid('The key is not valid percent-encoded UTF-8.');
  }
}

const invalid = (message: string): Problem => new Problem(400, 'invalid_key', message);
