/** The small words of languages: which of them dangle at the end of a line, and what an elision changes. */
import { describe, expect, test } from 'bun:test';
import { breakLines, firstWordOf, lastWordOf } from '../../server/captions/divide/break-lines.ts';
import type { LanguageWords } from '../../server/captions/language-words.ts';
import { languageOf } from '../../server/captions/language.ts';
import { de } from '../../server/captions/languages/de.ts';
import { es } from '../../server/captions/languages/es.ts';
import { fr } from '../../server/captions/languages/fr.ts';
import { it } from '../../server/captions/languages/it.ts';
import { nl } from '../../server/captions/languages/nl.ts';
import { pt } from '../../server/captions/languages/pt.ts';
import { danglesBefore, readBefore, readWord } from '../../server/captions/divide/reading.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/captions.ts';

describe('a small word dangles before the word that it belongs to', () => {
  test.each([
    ['pt', 'nesse', 'material'],
    ['pt', 'daqueles', 'livros'],
    ['pt', 'estivessem', 'abertas'],
    ['es', 'hubiera', 'sabido'],
    ['es', 'pudieran', 'venir'],
    ['fr', 'seraient', 'venus'],
    ['fr', 'ceux', 'qui'],
    ['fr', 'pourrions', 'dire'],
    ['it', 'sugli', 'alberi'],
    ['it', 'vorrei', 'sapere'],
    ['de', 'könnten', 'kommen'],
    ['de', 'aufgrund', 'dessen'],
    ['nl', 'aangezien', 'hij'],
    ['nl', 'mocht', 'komen'],
    ['hi', 'कि', 'हम'],
  ])('%s: %s %s', (language, word, next) => {
    expect(danglesBefore(word, next, languageOf(language))).toBe(true);
    expect(danglesBefore(`${word},`, next, languageOf(language))).toBe(false);
  });
});

describe('a genitive', () => {
  test.each([
    ['pt', 'Que esta é a máquina de café', 'mais vendida daqueles tempos.'],
    ['es', 'Que esta es la máquina de café', 'más vendida de aquellos tiempos.'],
  ])('stays with its noun in %s: %s', (tag, first, second) => {
    const lines = breakLines(`${first} ${second}`, DEFAULT_CAPTION_SETTINGS, tag);
    expect(lines).toEqual([first, second]);
  });
  test.each([
    ['pt', 'da', 'casa'],
    ['es', 'del', 'mar'],
    ['it', 'degli', 'altri'],
  ])('dangles at the end of a line in %s: %s %s', (tag, word, next) => {
    expect(danglesBefore(word, next, languageOf(tag))).toBe(true);
  });
  test('is the second word of a preposition, too', () => {
    expect(danglesBefore('através', 'de', languageOf('pt'))).toBe(true);
    expect(danglesBefore('prima', 'del', languageOf('it'))).toBe(true);
  });
});

describe('the first word of a preposition or conjunction of two words dangles before the second', () => {
  test.each([
    ['pt', 'através', 'das', 'preposition'],
    ['pt', 'assim', 'que', 'conjunction'],
    ['es', 'antes', 'del', 'preposition'],
    ['es', 'así', 'que', 'conjunction'],
    ['it', 'vicino', 'alla', 'preposition'],
    ['it', 'anche', 'se', 'conjunction'],
    ['fr', 'grâce', 'aux', 'preposition'],
    ['fr', 'afin', 'qu’il', 'conjunction'],
    ['en', 'because', 'of', 'preposition'],
    ['en', 'even', 'though', 'conjunction'],
    ['de', 'selbst', 'wenn', 'conjunction'],
    ['nl', 'ook', 'al', 'conjunction'],
  ] as const)('%s: %s %s', (tag, word, next, opens) => {
    const language = languageOf(tag);
    expect(danglesBefore(word, next, language)).toBe(true);
    expect(danglesBefore(`${word},`, next, language)).toBe(false);
    expect(readBefore(readWord(word, language), readWord(next, language)).opens).toBe(opens);
  });

  test.each([
    ['pt', 'depois', 'que', 'ela'],
    ['en', 'thanks', 'to', 'you'],
    ['es', 'cerca', 'de', 'aquí'],
  ] as const)('%s: %s %s, but not %s', (tag, word, next, other) => {
    expect(danglesBefore(word, next, languageOf(tag))).toBe(true);
    expect(danglesBefore(word, other, languageOf(tag))).toBe(false);
  });

  test('a line breaks before both', () => {
    const settings = { ...DEFAULT_CAPTION_SETTINGS, maxLineChars: 30 };
    expect(breakLines('Olhámos para a rua pequena através da janela.', settings, 'pt')).toEqual([
      'Olhámos para a rua pequena',
      'através da janela.',
    ]);
  });
});

describe('a pronoun that stands alone ends its phrase', () => {
  test.each([
    ['pt', 'isso', 'e'],
    ['pt', 'dele', 'para'],
    ['es', 'esto', 'en'],
    ['fr', 'cela', 'dans'],
    ['fr', 'l’un', 'de'],
    ['it', 'ciò', 'che'],
    ['de', 'mich', 'und'],
    ['nl', 'hem', 'in'],
  ])('%s: %s %s', (language, word, next) => {
    expect(danglesBefore(word, next, languageOf(language))).toBe(false);
  });
});

describe('after an elision, a word opens as the elision and closes as its rest', () => {
  test.each([
    ['fr', 'qu’il', 'conjunction', 'pronoun', true],
    ['fr', "s'est", 'pronoun', 'auxiliary', true],
    ['fr', "jusqu'à", 'preposition', 'preposition', true],
    ['fr', 'l’autre', 'article', 'determiner', false],
    ['fr', "d'accord", 'preposition', 'other', false],
    ['fr', "aujourd'hui", 'other', 'other', false],
    ['it', 'dell’altro', 'genitive', 'determiner', false],
    ['it', "com'era", 'conjunction', 'auxiliary', true],
  ] as const)('%s: %s', (language, word, opens, closes, dangles) => {
    expect(readWord(word, languageOf(language))).toMatchObject({ opens, closes });
    expect(danglesBefore(word, 'parti', languageOf(language))).toBe(dangles);
  });
});

describe('an auxiliary before a conjunction ends its clause where verbs come last', () => {
  test.each([
    ['de', 'waren', 'und', false],
    ['de', 'waren', 'die', true],
    ['nl', 'hebben', 'en', false],
    ['nl', 'hebben', 'een', true],
    ['es', 'está', 'que', true],
    ['en', 'was', 'that', true],
  ] as const)('%s: %s %s', (language, word, next, dangles) => {
    expect(danglesBefore(word, next, languageOf(language))).toBe(dangles);
  });
});

test('no list of a language names a word twice', () => {
  const classes = [
    'articles',
    'possessives',
    'determiners',
    'prepositions',
    'conjunctions',
    'auxiliaries',
    'pronouns',
    'objectPronouns',
  ] as const satisfies readonly (keyof LanguageWords)[];
  for (const words of [de, es, fr, it, nl, pt]) {
    for (const list of classes) {
      const all = (words[list] ?? '').split(' ');
      expect(all.filter((word, at) => all.indexOf(word) !== at)).toEqual([]);
    }
  }
});

test('a text begins and ends with a word, a blank one with none', () => {
  const ends = (text: string) => [firstWordOf(text), lastWordOf(text)];
  expect(ends(' “Good\nevening,” he said. ')).toEqual(['“Good', 'said.']);
  expect([ends(''), ends(' \n ')]).toEqual([
    ['', ''],
    ['', ''],
  ]);
});

test.each([
  ['zh', '的', 'enclitic', 'modifier'],
  ['en', '10th', 'determiner', 'determiner'],
] as const)(
  '%s: %s belongs to the word before it as %s, and to the next as %s',
  (tag, word, opens, closes) => {
    expect(readWord(word, languageOf(tag))).toMatchObject({ opens, closes });
  },
);
