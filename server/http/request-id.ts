/** The id of a request: in the X-Request-Id header of its response and in every log line about it. */
import { randomBytes } from 'node:crypto';

/** The random beginning of all ids of a process; a counter makes them unique. */
const PROCESS = randomBytes(9).toString('base64url');
let count = 0;

/**
 * The caller's own id if it is fit for a log, otherwise a new one.
 * @example
 * requestId(new Request('http://a.example', { headers: { 'x-request-id': 'abc-1' } })); // => 'abc-1'
 */
export function requestId({ headers }: Request): string {
  const own = headers.get('x-request-id');
  if (own !== null && /^[\w.:+/=@-]{1,128}$/.test(own)) return own;
  count += 1;
  return `${PROCESS}-${count.toString(36)}`;
}
