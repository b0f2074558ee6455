/** The estimated tokens of a character, by ranges of code points as the Unicode standard names them. */
import { expect, test } from 'bun:test';
import { tokensOf } from '../../server/terminology/packs/keyterm-tokens.ts';

/** The first and the last code point, and the tokens of a hundred characters: Whisper's, and at worst. */
const RANGES: [string, number, number, number, number][] = [
  ['white space', 0x09, 0x20, 1, 1],
  ['punctuation', 0x21, 0x2f, 80, 80],
  ['digits', 0x30, 0x39, 75, 80],
  ['signs', 0x3a, 0x40, 80, 80],
  ['capitals', 0x41, 0x5a, 70, 70],
  ['brackets', 0x5b, 0x60, 80, 80],
  ['small letters', 0x61, 0x7a, 36, 36],
  ['braces', 0x7b, 0x7f, 80, 80],
  ['accented Latin', 0x80, 0x2af, 120, 220],
  ['combining marks', 0x2b0, 0x36f, 120, 200],
  ['Greek', 0x370, 0x3ff, 85, 160],
  ['Cyrillic', 0x400, 0x52f, 55, 145],
  ['Armenian', 0x530, 0x58f, 140, 230],
  ['Hebrew', 0x590, 0x5ff, 75, 155],
  ['Arabic', 0x600, 0x6ff, 70, 125],
  ['Syriac to Arabic Extended-A', 0x700, 0x8ff, 200, 200],
  ['Devanagari', 0x900, 0x97f, 150, 210],
  ['Bengali to Odia', 0x980, 0xb7f, 320, 320],
  ['Tamil', 0xb80, 0xbff, 120, 320],
  ['Telugu to Sinhala', 0xc00, 0xdff, 320, 320],
  ['Thai', 0xe00, 0xe7f, 110, 230],
  ['Lao to Georgian and Khmer', 0xe80, 0x1dff, 320, 320],
  ['Vietnamese', 0x1e00, 0x1eff, 160, 340],
  ['Greek Extended', 0x1f00, 0x1fff, 300, 300],
  ['general punctuation', 0x2000, 0x206f, 160, 160],
  ['symbols', 0x2070, 0x2fff, 200, 300],
  ['kana', 0x3000, 0x30ff, 120, 160],
  ['Bopomofo to CJK Compatibility', 0x3100, 0x33ff, 300, 300],
  ['Han', 0x3400, 0x9fff, 175, 280],
  ['Yi to Ethiopic Extended-A', 0xa000, 0xabff, 320, 320],
  ['Hangul', 0xac00, 0xd7ff, 125, 320],
  ['compatibility ideographs', 0xf900, 0xfaff, 300, 300],
  ['presentation forms', 0xfb00, 0xffff, 300, 300],
  ['emoji and rare Han', 0x10000, 0x10ffff, 400, 400],
];

test.each(RANGES)('%s', (_name, first, last, whisper, unknown) => {
  for (const code of [first, Math.floor((first + last) / 2), last]) {
    const term = String.fromCodePoint(code).repeat(100);
    // A sum of decimal fractions may be rounded up by one.
    expect(tokensOf(term, 'whisper') - whisper).toBeOneOf([0, 1]);
    expect(tokensOf(term) - unknown).toBeOneOf([0, 1]);
  }
});
