/** The cache of keys that were validated recently. */
import { expect, test } from 'bun:test';
import { createKnownKeys } from '../../server/identity/known-keys.ts';

test('cached keys do not fill the memory, and expire after half a minute', () => {
  const known = createKnownKeys(3);
  const principal = {
    keyId: 'k',
    ownerType: 'organization' as const,
    organizationId: 'o',
    scopes: [],
  };
  const usual = createKnownKeys();
  for (let count = 1; count <= 10_001; count += 1) usual.set(String(count), principal, 0);
  expect([usual.get('1', 0), usual.get('10001', 0)]).toEqual([null, principal]);
  for (const name of ['a', 'b', 'c', 'd']) known.set(name, principal, 0);
  const held = ['a', 'b', 'c', 'd'].filter((name) => known.get(name, 0));
  expect(held).toEqual(['d']);
  known.set('e', principal, 0);
  expect(known.get('d', 29_999)).toBe(principal);
  expect(known.get('d', 30_000)).toBeNull();
});
