/** Captions in scripts that run from right to left. */
import { describe, expect, test } from 'bun:test';
import { toAss } from '../../server/captions/files/ass.ts';
import { isRightToLeft } from '../../server/captions/files/direction.ts';
import { toSrt } from '../../server/captions/files/srt.ts';
import { toTtml } from '../../server/captions/files/ttml.ts';
import { toVtt } from '../../server/captions/files/vtt.ts';

const cues = [{ start: 0, end: 2, lines: ['API هو واجهة.', 'عام 2026 في Captioner'] }];

describe('the direction of a language', () => {
  test.each(['ar', 'ar-EG', 'he', 'iw', 'fa', 'ur', 'yi', 'ps', 'dv', 'pa-Arab', 'ckb'])(
    '%s runs from right to left',
    (language) => expect(isRightToLeft(language)).toBe(true),
  );
  test.each('Adlm Arab Hebr Mand Nkoo Rohg Samr Syrc Thaa'.split(' '))(
    'a language in the script %s runs from right to left',
    (script) => expect(isRightToLeft(`en-${script}`)).toBe(true),
  );
  test.each(['en', 'pa', 'az', 'hi', 'th', 'ja', 'ar-Latn', 'auto', '', 'not a language', '-'])(
    '%p runs from left to right',
    (language) => expect(isRightToLeft(language)).toBe(false),
  );
});

describe('a file of captions', () => {
  test('in TTML declares the direction of its lines', () => {
    expect(toTtml(cues, { language: 'ar' })).toContain('<body tts:direction="rtl">');
    expect(toTtml(cues, { language: 'en' })).toContain('<body>');
    expect(toTtml(cues)).toContain('<body>');
  });
  test('in ASS lets players detect the direction from the letters', () => {
    const encodingOf = (document: string) => /^Style: .*,(-?\d+)$/m.exec(document)?.[1];
    expect(encodingOf(toAss(cues, { language: 'he' }))).toBe('-1');
    expect(encodingOf(toAss(cues, { language: 'en' }))).toBe('1');
    expect(encodingOf(toAss(cues))).toBe('1');
  });
  test('has letters in spoken order, and no direction controls', () => {
    for (const document of [
      toSrt(cues),
      toVtt(cues),
      toAss(cues, { language: 'ar' }),
      toTtml(cues, { language: 'ar' }),
    ]) {
      expect(document).toContain('API هو واجهة.');
      expect(document).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    }
  });
});
