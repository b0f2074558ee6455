/** Checks our TTML by the rules of IMSC 1.1, and as imscJS shows it. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { fromXML } from 'imsc/src/main/js/doc.js';
import type { Caption } from '../../server/captions/cue.ts';
import { readTtml, toTtml } from '../../server/captions/files/ttml.ts';
import { rounds } from '../support/fuzz.ts';
import { hostileCaptions } from './hostile-captions.ts';
import { shownAt, strict } from './imsc-display.ts';
import { imscFaults } from './imsc-rules.ts';

setDefaultTimeout(300_000);

describe('TTML', () => {
  test('follows the rules of IMSC 1.1, whatever the text', () => {
    fc.assert(
      fc.property(
        hostileCaptions,
        fc.constantFrom(undefined, 23.976, 25, 29.97, 60),
        fc.constantFrom('', 'en', 'zh-Hans', 'pt-BR', 'ar', 'he-IL'),
        (cues, frameRate, language) => {
          const options = { language, ...(frameRate === undefined ? {} : { frameRate }) };
          const document = toTtml(cues, options);
          expect(imscFaults(document)).toEqual([]);
          expect(readTtml(document)).toHaveLength(cues.length);
        },
      ),
      { numRuns: rounds(100) },
    );
  });
  test('is shown by imscJS as we read it, without warnings', () => {
    fc.assert(
      fc.property(hostileCaptions, (cues) => {
        const document = toTtml(cues);
        for (const { start, end, lines } of readTtml(document)) {
          const middle = (start + end) / 2;
          const plain = lines.join('\n');
          const { text } = shownAt(document, middle);
          if (!/<\/?i>/i.test(plain)) expect(text).toBe(plain);
          else expect(text.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: rounds(25) },
    );
  });
  test('italics, speakers and positions agree with imscJS', () => {
    const cue: Caption = {
      start: 1,
      end: 2,
      lines: ['one <i>two', 'three</i> four'],
      speakers: ['Ada', 'Bo'],
      placement: { vertical: 'top', align: 'end' },
    };
    const document = toTtml([cue], { language: 'en', frameRate: 23.976 });
    expect(shownAt(document, 1.5)).toMatchObject({
      text: 'one two\nthree four',
      italic: 'twothree',
      vertical: 'before',
      align: 'end',
    });
    expect(shownAt(document, 2.5).text).toBe('');
    expect(document).toContain('ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"');
    expect(fromXML(document, strict).getMediaTimeEvents()).toEqual([0, 1, 2]);
  });
  test('a document without captions is valid', () => {
    expect(imscFaults(toTtml([]))).toEqual([]);
    expect(readTtml(toTtml([]))).toEqual([]);
    // Some players ask for a region even if nothing is shown in it.
    expect(toTtml([]).match(/<region /g)).toHaveLength(1);
  });
  test('a language that is none cannot end the attribute', () => {
    expect(toTtml([], { language: 'e"n<' })).toContain('xml:lang="e&quot;n&lt;"');
  });
  test('the rules detect violations', () => {
    const document = toTtml([{ start: 1, end: 2, lines: ['a'] }]);
    const broken = [
      document.replace('region="bottom"', 'region="nowhere"'),
      document.replace('xml:lang=""', ''),
      document.replace('tts:extent="80% 80%"', 'tts:extent="95% 80%"'),
      document.replace('<br/>', '').replace('<div>', '<div>text'),
      document.replace('imsc1.1/text', 'imsc1.1/image'),
      document.replace('end="00:00:02.000"', 'end="00:00:01.000"'),
    ];
    for (const each of broken) expect(imscFaults(each)).not.toEqual([]);
  });
});
