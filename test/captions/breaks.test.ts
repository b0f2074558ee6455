import { describe, expect, test } from 'bun:test';
import { breaksOf } from '../../server/captions/divide/breaks.ts';
import { languageOf } from '../../server/captions/language.ts';
import { endsSentence } from '../../server/captions/sentence-end.ts';
import { buildCues } from '../../server/captions/build.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';
import { tokensOf } from '../../server/captions/divide/tokens.ts';
import { linesOf, speak } from './support.ts';

describe('ends of sentences', () => {
  const en = languageOf('en');
  test.each([
    ['said.', 'Then', true],
    ['said.”', 'Then', true],
    ['really?!', undefined, true],
    ['wait…', 'what', true],
    ['Dr.', 'Smith', false],
    ['J.', 'Smith', false],
    ['e.g.', 'this', false],
    ['U.S.', 'Army', false],
    ['U.S.', 'We', true],
    ['U.S.', undefined, true],
    ['No.', '5', false],
    ['No.', 'I', true],
    ['3.', '14', false],
    ['3.5', 'million', false],
    ['well,', 'then', false],
  ] as const)('%s %s', (word, next, ends) => {
    expect(endsSentence(word, next, en)).toBe(ends);
  });
  test('in other languages', () => {
    expect(endsSentence('z.B.', 'heute', languageOf('de'))).toBe(false);
    expect(endsSentence('Sr.', 'García', languageOf('es'))).toBe(false);
    expect(endsSentence('です。', '次', languageOf('ja'))).toBe(true);
    expect(endsSentence('est.', 'Elle', languageOf('fr'))).toBe(true);
  });
});

/** The lines of a text at many widths; the rules for breaks hold at each of them. */
const manyLines = (text: string, language = 'en'): string[] =>
  Array.from({ length: 17 }, (_, step) => 28 + step * 2).flatMap((maxLineChars) =>
    linesOf(text, language, { maxLineChars }).flat(),
  );

describe('words that stay together', () => {
  test('titles, initials and names', () => {
    for (const line of manyLines(
      'We spoke with Dr. Smith and with Prof. Ada Lovelace at the start.',
    )) {
      expect(line).not.toMatch(/(?:Dr\.|Prof\.|Ada)$/);
    }
  });
  test('numbers with their units', () => {
    for (const line of manyLines(
      'It takes 25 minutes to walk the 12 kilometers with 40 kg of salt.',
    )) {
      expect(line).not.toMatch(/(?:25|12|40)$/);
    }
  });
  test('short quotations and brackets', () => {
    const [first] = linesOf('He told all of us “I do not know” and left.', 'en', {
      maxLineChars: 34,
    });
    expect(first?.join(' / ')).toBe('He told all of us / “I do not know” and left.');
  });
  test('addresses and code are never divided', () => {
    const address = 'https://example.com/a/very/long/path?with=query#and-fragment';
    for (const line of manyLines(
      `Please open ${address} and run Array.prototype.toSorted() there.`,
    )) {
      if (line.includes('https')) expect(line).toContain(address);
      expect(line).not.toMatch(/Array\.prototype\.$|^toSorted/);
    }
  });
  test('marks that are separate words', () => {
    const cues = buildCues(
      speak(
        'It is , as far as we can say today , “ a matter of trust ” and of nothing else .'.split(
          ' ',
        ),
      ),
      { ...DEFAULTS, maxLineChars: 24 },
    );
    for (const line of cues.flatMap((cue) => cue.lines)) {
      expect(line).not.toMatch(/^[,.”]/);
      expect(line).not.toMatch(/“$/);
    }
  });
});

test.each([
  [
    'en',
    'the agent asks for a list of all of the tools that are in the service of the team',
    'the a of that in',
  ],
  [
    'es',
    'el agente pide una lista de todas las herramientas que hay en el servicio de la casa',
    'el una de las que en la',
  ],
  [
    'fr',
    "l'agent demande une liste de tous les outils qui sont dans le service de la maison",
    'une de les qui dans le la',
  ],
  [
    'de',
    'der Agent bittet um eine Liste von allen Werkzeugen die es in dem Dienst des Hauses gibt',
    'der um eine von die in dem des',
  ],
  [
    'pt',
    'o agente pede uma lista de todas as ferramentas que existem no serviço da casa',
    'o uma de as que no da',
  ],
  [
    'it',
    'il programma chiede una lista di tutti gli strumenti che sono nel servizio della casa',
    'il una di gli che nel della',
  ],
  [
    'nl',
    'de agent vraagt om een lijst van alle werktuigen die er in de dienst van het huis zijn',
    'de om een van die in het',
  ],
])('in %s no line ends in a small word', (language, text, words) => {
  const small = new Set(words.split(' '));
  for (const maxLineChars of [24, 28, 32, 36, 42, 60]) {
    const lines = linesOf(text, language, { maxLineChars }).flat();
    for (const line of lines.slice(0, -1))
      expect(small.has(line.split(' ').at(-1) ?? '')).toBe(false);
  }
});

test('a language without a word list is divided by punctuation, pauses and balance', () => {
  expect(
    linesOf('Dziś chcę wam pokazać, jak agent może sam się zarejestrować w tej usłudze.', 'pl'),
  ).toEqual([
    ['Dziś chcę wam pokazać,'],
    ['jak agent może sam się', 'zarejestrować w tej usłudze.'],
  ]);
});

test('a pause reduces the cost of a break, up to 0.4 seconds beyond a breath', () => {
  const costAfter = (pause: number) => {
    const words = [
      { text: 'the', start: 0, end: 0.2 },
      { text: 'server', start: 0.2 + pause, end: 1 + pause },
    ];
    return breaksOf(tokensOf(words), languageOf('en')).cue[1] ?? 0;
  };
  expect(costAfter(0.1)).toBe(costAfter(0));
  expect(costAfter(0) - costAfter(0.32)).toBeCloseTo(16);
  expect(costAfter(0) - costAfter(0.5)).toBeCloseTo(30);
  expect(costAfter(1.4)).toBeCloseTo(costAfter(0.5));
});
