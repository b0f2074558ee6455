/** The TTML of captions in every language, with speakers, italics and positions, as imscJS shows it. */
import { expect, test } from 'bun:test';
import { buildProfiled } from '../../server/captions/build.ts';
import type { Caption, Placement } from '../../server/captions/cue.ts';
import { profileOf, PROFILE_NAMES } from '../../server/captions/rules/profiles/profiles.ts';
import { toTtml } from '../../server/captions/files/ttml.ts';
import { shownAt } from './imsc-display.ts';
import { imscFaults } from './imsc-rules.ts';
import { SPEECH } from './page-speech.ts';
import { speak } from './support.ts';

const PLACEMENTS: (Placement | undefined)[] = [
  undefined,
  { vertical: 'top' },
  { vertical: 'middle', align: 'end' },
  { align: 'start' },
];
const DISPLAY_ALIGN = { top: 'before', middle: 'center', bottom: 'after' };
const RATES = [undefined, 23.976, 25, 29.97, 60];
const RIGHT_TO_LEFT = new Set(['ar', 'ar-EG', 'he']);

/** A dialogue of one or two words each, some of them in italics. */
function dialogueIn(language: string, name: (typeof PROFILE_NAMES)[number]): Caption[] {
  const words = speak(SPEECH.get(language)!).map((word, at) => ({
    ...word,
    text: at % 9 === 4 ? `<i>${word.text}</i>` : word.text,
    speaker: ['Ada & <Bo>', 'محمد'][Math.floor(at / 8) % 2]!,
  }));
  return buildProfiled(words, profileOf(name, language)).map((caption, at) => {
    const placement = PLACEMENTS[at % PLACEMENTS.length];
    return placement ? { ...caption, placement } : caption;
  });
}

test.each([...SPEECH.keys()])('captions in %s', (language) => {
  for (const [at, name] of PROFILE_NAMES.entries()) {
    const captions = dialogueIn(language, name);
    const frameRate = RATES[at % RATES.length];
    const document = toTtml(captions, { language, ...(frameRate ? { frameRate } : {}) });
    expect(imscFaults(document)).toEqual([]);
    for (const { start, end, lines, placement } of captions.slice(0, 5)) {
      const shown = shownAt(document, (start + end) / 2);
      expect(shown.text).toBe(lines.join('\n').replaceAll(/<\/?i>/g, ''));
      expect(shown.italic).toBe(
        Array.from(lines.join('').matchAll(/<i>(.*?)<\/i>/g), ([, text]) => text).join(''),
      );
      expect([shown.vertical, shown.align, shown.direction]).toEqual([
        DISPLAY_ALIGN[placement?.vertical ?? 'bottom'],
        placement?.align ?? 'center',
        RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr',
      ]);
    }
  }
});
