/** The recognition benchmark: its comparison of texts, and the wrong terms that it counts. */
import { expect, test } from 'bun:test';
import { comparable } from '../../../bench/hearing/score/comparable.ts';
import { normalised } from '../../../bench/hearing/score/normalise.ts';
import { strayTerms } from '../../../bench/hearing/term-figures.ts';
import { errorRate, wordErrors } from '../../../bench/hearing/score/word-errors.ts';

const english = (text: string): string => normalised(text, 'en').join(' ');

test.each([
  ["Mr. Quilter, he's glad!", 'mister quilter he is glad'],
  ["We can't, won't and don't", 'we can not will not and do not'],
  ['Um, twenty-five of [laughter] them (all)', '25 of them'],
  ['three hundred and two thousand, 1,500', '302000 1500'],
  ['one hundred twenty and nineteen ninety', '120 and 19 90'],
  ['The colour of the centre was organised', 'the color of the center was organized'],
  ['Café at 3.5 %.', 'cafe at 3.5'],
])('texts are compared by their spoken words: %s', (text, plain) => {
  expect(english(text)).toBe(plain);
});
test('languages without spaces are compared by character, others keep their words', () => {
  expect(normalised('漢字、です。', 'ja')).toEqual(['漢', '字', 'で', 'す']);
  expect(normalised('Größe: sehr GROẞ!', 'de')).toEqual(['größe', 'sehr', 'groß']);
});

test.each([
  ['es', 'Marque el número 3 o una contraseña.', 'marque el numero tres o uno contrasena'],
  ['fr', 'Appuyez sur 4 ou 12, été une', 'appuyez sur quatre ou 12 ete un'],
  ['it', '0 è già dieci', 'zero e gia dieci'],
  ['ru', 'Нажмите 9, 3 или одну', 'нажмите девять три или один'],
  ['en', "It's 3 or twenty", 'it is 3 or 20'],
  ['de', 'Größe 3', 'größe 3'],
])(
  'prompts are compared without accents, and with numbers up to ten as words (%s): %s',
  (language, text, plain) => {
    expect(comparable(text, language).join(' ')).toBe(plain.normalize('NFC'));
  },
);

test.each([
  ['a b c', 'a b c', [0, 0, 0]],
  ['a b c', 'a x c', [1, 0, 0]],
  ['a b c', 'a c', [0, 1, 0]],
  ['a b c', 'a b b c', [0, 0, 1]],
  ['a b c', '', [0, 3, 0]],
  ['', 'a', [0, 0, 1]],
] as const)('%s, recognised as %s', (said, heard, [substitutions, deletions, insertions]) => {
  const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
  const found = wordErrors(words(said), words(heard));
  expect(found).toMatchObject({ substitutions, deletions, insertions });
  expect(found.agreed.every(([i, j]) => words(said)[i] === words(heard)[j])).toBe(true);
});
test('the rate is computed over all words together', () => {
  const rate = errorRate([wordErrors(['a', 'b', 'c'], ['a']), wordErrors(['d'], ['d', 'e'])]);
  expect(rate).toBe(3 / 4);
});

const TERMS = ['Claude', 'Claude Code', 'evals', 'SOC 2'];
const said = 'People often ask me about Claude Code after a talk.';
const strayIn = (heard: string, ...texts: string[]) =>
  strayTerms(
    heard.split(' ').map((text) => ({ text })),
    texts,
    TERMS,
  );

test.each([
  ['People often ask me about evals after a talk.', ['evals']],
  ['People often ask me about “SOC 2”, after a talk.', ['SOC 2']],
  ['evals evals, Claude Code', ['evals', 'evals']],
  ['People often ask me about Claude Code after a talk.', []],
  ['People often ask me about Claude after a talk.', []],
  ['People often ask me about claude codes after a talk.', []],
  ['A retrieval of SOC 20', []],
])('terms that were not said in “%s”', (heard, stray) => {
  expect(strayIn(heard, said)).toEqual(stray);
});

test('a longer term is not counted as the shorter one that it begins with', () => {
  expect(strayIn('Claude Code works, Claude waits', 'the clothes work')).toEqual([
    'Claude Code',
    'Claude',
  ]);
});

test('a term that is pronounced differently from its spelling counts as spoken', () => {
  expect(strayIn('we need SOC 2', 'we need sock two', 'SOC 2')).toEqual([]);
});
