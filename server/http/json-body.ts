/** JSON bodies, read by hand: strict about what they are, with faults from the contract. */
import { Problem } from './problems.ts';

/**
 * Reads the JSON body of a request.
 * @param faultCode the error code of what is not JSON
 * @param maxBytes a longer body is refused (413) without being read to its end
 * @throws {Problem} 400 for what is not JSON, 413, 415 for another media type
 */
export async function readJson(
  request: Request,
  maxBytes: number,
  faultCode = 'invalid_payload',
): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type && type !== 'application/json' && !type.endsWith('+json')) {
    throw new Problem(415, 'unsupported_media_type', 'Send the body as application/json.');
  }
  const text = await readText(request, maxBytes, faultCode);
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, faultCode, 'The body is not JSON.');
  }
}

async function readText(request: Request, maxBytes: number, faultCode: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) {
        throw new Problem(413, 'payload_too_large', `The body is over ${maxBytes} bytes.`);
      }
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) {
      throw new Problem(400, faultCode, 'The body is not UTF-8.');
    }
    throw error;
  }
}
