/** If-Match and If-None-Match of requests that write. */
import { expect, test } from 'bun:test';
import { expectedOf } from '../../server/http/preconditions.ts';

test.each([
  [{}, null],
  [{ 'if-none-match': '*' }, 'none'],
  [{ 'if-match': '*' }, 'any'],
  [{ 'if-match': '"a"' }, ['a']],
  [{ 'if-match': '"a", "b"' }, ['a', 'b']],
  [{ 'if-match': '""' }, ['']],
  // A weak tag never matches for a write (RFC 9110, 13.1.1).
  [{ 'if-match': 'W/"a"' }, []],
  [{ 'if-match': 'W/"a", "b"' }, ['b']],
] as const)('%p: %p', (headers, expected) => {
  expect(expectedOf(new Headers(headers))).toEqual(
    typeof expected === 'object' && expected !== null ? [...expected] : expected,
  );
});

test.each([
  ['both at once', { 'if-match': '"a"', 'if-none-match': '*' }, 'If-None-Match'],
  ['If-None-Match with a tag', { 'if-none-match': '"a"' }, 'If-None-Match'],
  ['a tag without quotes', { 'if-match': 'a' }, 'If-Match'],
  ['an empty header', { 'if-match': '' }, 'If-Match'],
  ['more than 1,024 characters', { 'if-match': `"${'a'.repeat(1023)}"` }, 'If-Match'],
])('%s is refused', (_name, headers, named) => {
  const refused = () => expectedOf(new Headers(headers));
  expect(refused).toThrow(named);
  expect(refused).toThrow(expect.objectContaining({ status: 422, code: 'invalid_payload' }));
});
