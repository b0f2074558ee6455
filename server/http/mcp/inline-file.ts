/** The bytes of a file that the arguments of a tool contain as base64. */
import { UPLOAD } from '../../contract/limits.ts';
import { Problem } from '../problems.ts';

/**
 * Decodes a file.
 * @param path the argument, for a refusal
 * @param larger what to do with a larger file
 * @throws {Problem} 422 if it is not base64 or too large
 */
export function inlineFile(base64: string, path: string, larger: string): Uint8Array<ArrayBuffer> {
  const refused = (why: string): Problem =>
    Problem.invalidPayload(`${path} ${why}.`, [{ path, message: why }]);
  const text = base64.replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw refused('is not base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.byteLength <= UPLOAD.maxInlineBytes) return new Uint8Array(bytes);
  throw refused(`is larger than ${UPLOAD.maxInlineSize}: ${larger}`);
}
