/** The form of a key, at both ends of the text. */
import { expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { createKey, keyIdOf } from '../../server/identity/keys.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A text with the checksum that a key of these characters would have. */
function summed(body: string): string {
  let rest = crc32(body);
  let sum = '';
  for (; rest > 0; rest = Math.floor(rest / 62)) sum = (DIGITS[rest % 62] ?? '') + sum;
  return `${body}_${sum.padStart(6, '0')}`;
}

const SECRET = 'a'.repeat(43);

test('a key has an id of 8 to 32 characters, a secret of 43 and a checksum', () => {
  expect(keyIdOf(summed(`cap_live_${'b'.repeat(8)}_${SECRET}`))).toBe('b'.repeat(8));
  expect(keyIdOf(summed(`cap_live_${'b'.repeat(32)}_${SECRET}`))).toBe('b'.repeat(32));
  for (const body of [
    `cap_live_${'b'.repeat(7)}_${SECRET}`,
    `cap_live_${'b'.repeat(33)}_${SECRET}`,
    `cap_live_bbbbbbbb_${SECRET}a`,
    `cap_live_bbbbbbbb_${SECRET.slice(1)}`,
    `cap_test_bbbbbbbb_${SECRET}`,
  ]) {
    expect(keyIdOf(summed(body))).toBeNull();
  }
});

test('a text that only contains a key is none', () => {
  const key = createKey().value;
  expect(keyIdOf(key)).not.toBeNull();
  for (const text of [`x${key}`, ` ${key}`, `${key}x`, `${key}\n`, `${key} `]) {
    expect(keyIdOf(text)).toBeNull();
  }
  expect(keyIdOf(summed(`xcap_live_bbbbbbbb_${SECRET}`))).toBeNull();
});

test('two keys share neither id nor secret, and of the secret only four characters are shown', () => {
  const [one, two] = [createKey(), createKey()];
  expect(one.id).not.toBe(two.id);
  expect(one.value.split('_')[3]).not.toBe(two.value.split('_')[3]!);
  expect(one.id).toMatch(/^[0-9A-Za-z]{13}$/);
  expect(one.obfuscated).toBe(`cap_live_${one.id}_…${one.value.slice(-4)}`);
});

test('every key has its full length, whatever its bytes', () => {
  const keys = Array.from({ length: 2000 }, () => createKey());
  expect(keys.filter(({ id, value }) => keyIdOf(value) !== id)).toEqual([]);
});
