/** The id of a request: in the header X-Request-Id of its answer, and in every log line about it. */
import { randomBytes } from 'node:crypto';

/** Ids of a process begin alike, so that counting on is enough. */
const PROCESS = randomBytes(9).toString('base64url');
let count = 0;

/**
 * The caller's own id where it is one that a log can show, otherwise a new one.
 * @example
 * requestId(new Request('http://a.example', { headers: { 'x-request-id': 'abc-1' } })); // => 'abc-1'
 */
export function requestId({ headers }: Request): string {
  const own = headers.get('x-request-id');
  if (own !== null && /^[\w.:+/=@-]{1,128}$/.test(own)) return own;
  count += 1;
  return `${PROCESS}-${count.toString(36)}`;
}
