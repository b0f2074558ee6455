import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isEmail, maskEmail, normalizeEmail } from '../../server/identity/email.ts';

test.each([
  'ann@example.com',
  'ann@example.1.com',
  'ann@EXAMPLE.COM',
  'ann.smith+tag@mail.example.co.uk',
  "o'neil@example.com",
  'jürgen@münchen.example',
  '用户@例子.example',
  'a@xn--mnchen-3ya.example',
  `${'a'.repeat(64)}@example.com`,
  // 254 octets.
  `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(2)}${'c'.repeat(59)}.com`,
])('%s is valid', (email) => expect(isEmail(email)).toBe(true));

test.each([
  '',
  'ann',
  'ann@',
  '@example.com',
  'ann@@example.com',
  'ann@example@com',
  'ann@localhost',
  'ann@example..com',
  'ann@-example.com',
  'ann@example-.com',
  'example.com',
  'ann@192.0.2.1',
  'ann@example.123',
  'ann @example.com',
  'ann@exam ple.com',
  ' ann@example.com',
  '.ann@example.com',
  'an..n@example.com',
  'ann@example.com\r\nBcc: all@example.com',
  'ann\n@example.com',
  'ann@example.com,bob@example.com',
  '"ann"@example.com',
  'ann@[192.0.2.1]',
  'Ann <ann@example.com>',
  `${'a'.repeat(65)}@example.com`,
  `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(2)}${'c'.repeat(60)}.com`,
  'ann@example。com',
  'ann@ex%61mple.com',
  `a@${`${'b'.repeat(60)}.`.repeat(5)}com`,
])('%j is not valid', (email) => expect(isEmail(email)).toBe(false));

test('no text with a line end or a second @ is valid', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.constantFrom('\r', '\n', '@', ' ', '<', ','),
      (a, b, mark) => {
        expect(isEmail(`${a}${mark}${b}@example.com`)).toBe(false);
      },
    ),
  );
});

test.each([
  ['Ann@Example.COM', 'ann@example.com'],
  ['ann@MÜNCHEN.example', 'ann@xn--mnchen-3ya.example'],
  ['Ann@LocalHost', 'ann@localhost'],
  ['A\u030Ann@example.com', '\u00E5nn@example.com'],
])('%s is normalised to %s', (email, normalised) => {
  expect(normalizeEmail(email)).toBe(normalised);
});

test('a masked address shows its first letter and its domain', () => {
  expect(maskEmail('ann@example.com')).toBe('a***@example.com');
});
