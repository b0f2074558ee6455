/** Correction of words that sound like a term without asking: each kind of support, and both sides of each limit. */
import { describe, expect, test } from 'bun:test';
import { isTrusted, type SoundClaim } from '../../server/terminology/match/sound-trust.ts';
import { wordsOf } from './support.ts';

describe('a sound-alike is trusted', () => {
  const claim = (more: Partial<SoundClaim> & { heard?: string; sure?: number }): boolean => {
    const { heard = 'varsal', sure, ...rest } = more;
    const words = wordsOf(heard).map((word) =>
      sure === undefined ? word : { ...word, confidence: sure },
    );
    return isTrusted({
      words,
      term: 'vercel',
      similarity: 0.9,
      rival: 0,
      sound: 'FRSL',
      near: false,
      clear: false,
      ...rest,
    });
  };

  test.each<[string, Parameters<typeof claim>[0], boolean]>([
    ['without support', {}, false],
    ['near a word, from .76 on', { near: true, similarity: 0.76 }, true],
    ['near a word, below', { near: true, similarity: 0.759 }, false],
    ['said clearly elsewhere', { clear: true, similarity: 0.76 }, true],
    ['with both, from .68 on', { near: true, clear: true, similarity: 0.68 }, true],
    ['with both, below', { near: true, clear: true, similarity: 0.679 }, false],
    [
      'with both and in doubt, from .68 on',
      { near: true, clear: true, sure: 0.4, similarity: 0.68 },
      true,
    ],
    ['in doubt, from .76 on', { sure: 0.49, similarity: 0.76 }, true],
    ['in some doubt, from .88 on', { sure: 0.64, similarity: 0.88 }, true],
    ['in some doubt, below', { sure: 0.64, similarity: 0.879 }, false],
    ['in hardly any doubt', { sure: 0.65 }, false],
    [
      'in some doubt and near a word, from .72 on',
      { sure: 0.5, near: true, similarity: 0.72 },
      true,
    ],
    ['in some doubt and near a word, below', { sure: 0.5, near: true, similarity: 0.719 }, false],
    ['recognised with confidence near a word', { sure: 0.85, near: true }, false],
    ['recognised with less confidence near a word', { sure: 0.84, near: true }, true],
    [
      'recognised with confidence, with both',
      { sure: 0.85, near: true, clear: true, similarity: 0.76 },
      true,
    ],
    ['beside a rival', { near: true, rival: 0.871 }, false],
    ['before a rival', { near: true, rival: 0.86 }, true],
    ['with a short sound, from .82 on', { near: true, sound: 'FRS', similarity: 0.821 }, true],
    ['with a short sound, below', { near: true, sound: 'FRS', similarity: 0.819 }, false],
    [
      'with grammar, from .88 on',
      { heard: 'the varsal', near: true, clear: true, similarity: 0.88 },
      true,
    ],
    [
      'with grammar, below',
      { heard: 'the varsal', near: true, clear: true, similarity: 0.879 },
      false,
    ],
    ['as another acronym', { heard: 'VRSLs', near: true, clear: true }, false],
    ['as a word with capitals', { heard: 'VarsAl', near: true }, true],
    ['as a word that has the term', { heard: "WebVercel's", near: true, clear: true }, false],
    [
      'as ordinary words near one, few letters',
      { heard: 'her sell', near: true, similarity: 0.99 },
      false,
    ],
    [
      'said clearly too, from .97 on',
      { heard: 'her sell', near: true, clear: true, similarity: 0.97 },
      true,
    ],
    [
      'said clearly too, below',
      { heard: 'her sell', near: true, clear: true, similarity: 0.969 },
      false,
    ],
    [
      'as many ordinary letters near one, from .88 on',
      { heard: 'copper nets', near: true, similarity: 0.88 },
      true,
    ],
    [
      'as many ordinary letters near one, below',
      { heard: 'copper nets', near: true, similarity: 0.879 },
      false,
    ],
    ['as nine ordinary letters', { heard: 'copper net', near: true, similarity: 0.88 }, true],
    ['as eight ordinary letters', { heard: 'her sells', near: true, similarity: 0.96 }, false],
    ['as many ordinary letters', { heard: 'copper nets', clear: true, similarity: 0.99 }, false],
    [
      'as one ordinary word',
      { heard: 'copperplate', near: true, clear: true, similarity: 0.99 },
      false,
    ],
  ])('%s: %j', (_, given, expected) => {
    expect(claim(given)).toBe(expected);
  });
});
