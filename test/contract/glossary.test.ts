/** Splitting a glossary into terms, which the service and the app do with the same function. */
import { expect, test } from 'bun:test';
import { trimmedTerms } from '../../server/contract/glossary.ts';
import { resolvePayload } from '../../server/contract/payload.ts';

const audio = { key: 'a.mp3' };

test.each([
  ['WorkOS, AuthKit;Radar\n  MCP ', ['WorkOS', 'AuthKit', 'Radar', 'MCP']],
  [',;\n ,', []],
  ['one two', ['one two']],
  ['one\ttwo\r\nthree', ['one\ttwo', 'three']],
])('%j', (typed, terms) => {
  expect(trimmedTerms(typed)).toEqual(terms);
  expect(resolvePayload({ audio, glossary: typed }).glossary).toEqual(terms);
  expect(resolvePayload({ audio, glossary: trimmedTerms(typed) }).glossary).toEqual(terms);
});
