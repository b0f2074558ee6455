/**
 * Values that break programs, as JSON text where JavaScript cannot represent them: 1e400, escaped
 * lone surrogates.
 */

const LONG = 'x'.repeat(70_000);

/** Texts for names of talks, files or programs. */
export const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b.mp3',
  '\uD800',
  'tail \uDC00.mp3',
  '\u202E3pm.\u2066x\u2069',
  '\u200F\u200E\uFEFF',
  'e\u0301\u0302'.repeat(40),
  '👩‍👩‍👧‍👦',
  '\r\nSet-Cookie: injected=1',
  'NaN',
  'Infinity',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  "'; DROP TABLE runs; --",
  '${7*7}{{7*7}}<script>alert(1)</script>',
  '%00%s%n%ff',
  'true',
  '123456',
  LONG,
];

/** JSON texts of one value each. */
export const TOKENS: readonly string[] = [
  ...TEXTS.map((text) => JSON.stringify(text)),
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1e400',
  '-1e400',
  '0.1e-999999',
  '9007199254740993',
  '-9223372036854775809',
  '9'.repeat(400),
  `0.${'3'.repeat(400)}`,
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"":{}}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":null,"then":{},"length":-1}',
  nested('[', ']', 2000),
  nested('{"a":', '}', 2000),
];

/** Bodies that are not JSON. */
export const BROKEN: readonly string[] = [
  '',
  ' ',
  '{',
  '}',
  '[1,]',
  '{"a":1,}',
  "{'a':1}",
  'NaN',
  '01',
  '1.',
  '+1',
  '"\u0000"',
  '"\\x"',
  '"\\ud8"',
  '{"a":1}{"b":2}',
  '\uFEFF\uFEFF{}',
  '\u0000\u0000',
  '{"a":undefined}',
  '/**/{}',
  '['.repeat(50_000),
];

/** Names that are not fields of ours. */
export const STRANGE_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'then',
  '',
  '\u0000',
  '\uD800',
  'a.b/~1~0',
  '$ref',
];

/** Parts of a path as they are sent: invalid escapes, invalid UTF-8, and ways up and out. */
export const PATH_PARTS: readonly string[] = [
  '%',
  '%zz',
  '%ff%fe.mp3',
  '%c0%ae%c0%ae%c0%af.mp3',
  '%00.mp3',
  'a%0d%0aSet-Cookie:%20injected=1.mp3',
  '..%2f..%2fetc%2fpasswd.mp3',
  '..%5c..%5cwindows.mp3',
  '%252e%252e%252fsecret.mp3',
  '.%2e%2fa.mp3',
  '%2f%2fa.mp3',
  'a%2f%2fb.mp3',
  '.mp3',
  `${'a'.repeat(1025)}.mp3`,
  `${'%e2%80%ae'.repeat(200)}.mp3`,
  '*',
  ':runId',
  'run_00000000-0000-0000-0000-000000000000',
  '~root;a=b',
];

/** A value nested in itself to a depth. */
export function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}${open.includes(':') ? '0' : ''}${close.repeat(depth)}`;
}
