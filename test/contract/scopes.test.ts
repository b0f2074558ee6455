/** Scopes, which count only if they are spelled exactly. */
import { expect, test } from 'bun:test';
import { isScope, SCOPES } from '../../server/contract/scopes.ts';

test.each(SCOPES)('%s is a scope', (scope) => {
  expect(isScope(scope)).toBe(true);
  expect([scope.toUpperCase(), `${scope} `, scope.slice(0, -1)].some(isScope)).toBe(false);
});

test.each(['', '*', 'captioner', 'captioner:*', 'admin', null, 0, {}])('%p is none', (value) => {
  expect(isScope(value)).toBe(false);
});
