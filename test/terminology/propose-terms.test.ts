/** Finding names and terms in a text. */
import { expect, test } from 'bun:test';
import { proposeTerms } from '../../server/terminology/packs/propose-terms.ts';

const termsOf = (text: string): string[] => proposeTerms(text).map(({ term }) => term);

test('a name after an ordinary word that opens the sentence', () => {
  expect(termsOf('Tonight Ada Lovelace shows AuthKit and SCIM. Later AuthKit again.')).toEqual([
    'AuthKit',
    'SCIM',
    'Ada Lovelace',
  ]);
});

test('a name of three words that opens the sentence', () => {
  expect(termsOf('Ingrid Solveig Halvorsen shows it to us.')).toEqual(['Ingrid Solveig Halvorsen']);
});

test('a list of speakers', () => {
  const found = termsOf('Speakers\nBarbara Liskov, US\nVint Cerf\nMargaret Hamilton');
  expect(found).toEqual(
    expect.arrayContaining(['Barbara Liskov', 'Vint Cerf', 'Margaret Hamilton']),
  );
});

test('a name with a small word inside', () => {
  expect(termsOf('we heard about Ludwig van Beethoven yesterday')).toContain(
    'Ludwig van Beethoven',
  );
  expect(termsOf('we thanked Beatriz de la Cruz and left')).not.toContain('Beatriz de');
});

test('people whose names are ordinary words', () => {
  const list =
    'Speakers:\n\nWill Young, Acme\n• Grace Page (host)\nMay Rose Stone\n\nNext Steps\nOpen Questions';
  expect(termsOf(list)).toEqual(
    expect.arrayContaining(['Will Young', 'Grace Page', 'May Rose Stone']),
  );
  expect(termsOf('and then we thank Will Young for the room')).toContain('Will Young');
  // Outside of such a list, lines of two words are headings.
  expect(termsOf('Next Steps\nOpen Questions\nWhat Now')).toEqual([]);
});

test('a page, without its markup and its scripts', () => {
  const page =
    '<div><script>var fooBar = 1</script><h1>Kubernetes</h1><p>by Linus Torvalds</p></div>';
  const found = termsOf(page);
  expect(found).toEqual(expect.arrayContaining(['Kubernetes', 'Linus Torvalds']));
  expect(found).not.toContain('fooBar');
});

test('ordinary prose contains none', () => {
  expect(
    termsOf('We met on Monday and talked about the weather. It was fine, and then we left.'),
  ).toEqual([]);
});

test('each term has its kind, the reason and its count, the most likely first', () => {
  const text =
    'We use kubectl daily. Zorbex helps. They like Zorbex. We bought an iPhone at B2B, said Ada Lovelace.';
  expect(proposeTerms(text)).toEqual([
    { term: 'iPhone', kind: 'product_name', why: 'camel_case', count: 1 },
    { term: 'B2B', kind: 'acronym', why: 'acronym', count: 1 },
    { term: 'Zorbex', kind: 'technical_term', why: 'capitalised', count: 2 },
    { term: 'Ada Lovelace', kind: 'person_name', why: 'capitalised', count: 1 },
    { term: 'kubectl', kind: 'technical_term', why: 'rare_word', count: 1 },
  ]);
});

test.each([
  ['AT&T and R&D, COVID-19; mTLS', ['mTLS', 'AT&T', 'COVID-19', 'R&D']],
  // A city is no ordinary word here, but what anybody may say is no term.
  ['In Paris we met. I saw Nine people.', ['Paris']],
  ['# Building Agents with Quixotia Framework\nby Tim', ['Quixotia', 'Tim']],
  ['www.example.com https://a.example x@y.example 9am A I', []],
  ["Zorbex's price", ['Zorbex']],
  [
    '<p>Zorbex &amp; Grace&nbsp;Hopper<script>var Hidden1 = 2</script></p>',
    ['Grace Hopper', 'Zorbex'],
  ],
  ['<p>Zorbex</p><STYLE a="b">Hidden2 <p></style> OAuth', ['OAuth', 'Zorbex']],
  // An element without an end runs to the end of the page, as in a browser.
  ['<p>Zorbex</p><script>Hidden3 <p>Hidden4</style>', ['Zorbex']],
])('in %j', (text, terms) => {
  expect(termsOf(text).slice(0, terms.length + 1)).toEqual(terms);
});
