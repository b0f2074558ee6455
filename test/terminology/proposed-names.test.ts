/** Names and terms in a text: the extent of a name, words that are not names, and the order and number of proposals. */
import { describe, expect, test } from 'bun:test';
import { proposeTerms } from '../../server/terminology/packs/propose-terms.ts';

/** Each proposal as "term, kind, reason, count" without the usual parts. */
const said = (text: string): string[] =>
  proposeTerms(text).map(({ term, kind, why, count }) =>
    [term, kind, why, ...(count > 1 ? [count] : [])].join(', '),
  );
const names = (text: string): string[] => proposeTerms(text).map(({ term }) => term);

describe('a name', () => {
  test.each([
    // At most four words, with one small word inside.
    ['we saw Bank of America Merrill Lynch', ['Bank of America Merrill', 'Lynch']],
    [
      'we met Ada Lovelace Grace Hopper Barbara Liskov',
      ['Ada Lovelace Grace Hopper', 'Barbara Liskov'],
    ],
    ['we met Ada Lovelace Grace van Hopper', ['Ada Lovelace Grace', 'Hopper']],
    ['we met Ada Lovelace van Hopper', ['Ada Lovelace van Hopper']],
    ['we met Ada van', ['Ada']],
    ['we met Ada van, Hopper', ['Ada', 'Hopper']],
    ['we met Ada van Halen, Zorbex', ['Ada van Halen', 'Zorbex']],
    // Punctuation ends it.
    ['we met Zorbex (Kubex) Lumex', ['Kubex', 'Lumex', 'Zorbex']],
    ['we met Zorbex – Kubex', ['Kubex', 'Zorbex']],
    ['we met Zorbex/Kubex', ['Zorbex Kubex']],
    // A day is none.
    ['Monday Zorbex', ['Zorbex']],
    // Ordinary words with capitals are one within a sentence, and only there.
    ['and then Will Young left', ['Will Young']],
    ['Will Young left', []],
    ['Window Zorbex opened', ['Window Zorbex']],
    ['We left. Will Young stayed', []],
    ['We say: Will Young stayed', []],
    ['the Meeting, the meeting', []],
    ['One Two Three Four Zorbex', ['Zorbex']],
    ['Zorbex Kubex One Two Three', ['Zorbex Kubex']],
  ])('in %j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });
});

describe('a list of people', () => {
  test.each([
    ['Guests\nLudwig van Beethoven\nVan Rose Stone', ['Ludwig van Beethoven', 'Van Rose Stone']],
    ['Guests\nWill Young, Acme\nGrace Page', ['Acme', 'Grace Page', 'Will Young']],
    ['our team\nWill Young', ['Will Young']],
    // It has names of two or three words, and ends with a line that has none.
    ['Speakers\nWill May Young Stone\nGrace Page', []],
    ['Speakers\nWill Young and friends\nGrace Page', []],
    ['Speakers\nWill\nGrace Page', []],
    ['Speakers\n\nGrace Page', ['Grace Page']],
    ['Guests today\nGrace Page', []],
  ])('in %j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });
});

describe('a single word', () => {
  test.each([
    ['iOS', ['iOS, product_name, camel_case']],
    ['McDonald', ['McDonald, product_name, camel_case']],
    ['OpenAIs', ['OpenAIs, product_name, camel_case']],
    ['IPv6', ['IPv6, acronym, acronym']],
    ['and LLMs, VMs', ['LLMs, acronym, acronym', 'VMs, acronym, acronym']],
    ['R&D', ['R&D, acronym, acronym']],
    ['ABCDEFGH', ['ABCDEFGH, acronym, acronym']],
    ['zorb3', ['zorb3, acronym, acronym']],
    ['Alice went', ['Alice, technical_term, capitalised']],
    ['we met in Paris', ['Paris, technical_term, capitalised']],
    ['quxx', ['quxx, technical_term, rare_word']],
    ['zorb-ex', ['zorb-ex, technical_term, rare_word']],
    ['qux x X 1st 3D 4chan PDF HTML', []],
    ['me@Zorbex.com a.Zorbex.b', []],
  ])('in %j', (text, expected) => {
    expect(said(text)).toEqual(expected);
  });
});

describe('proposals', () => {
  test('have the most common spelling, the best reason, and count in any case', () => {
    expect(said('Zorbex zorbex zorbex')).toEqual(['zorbex, technical_term, capitalised, 3']);
    expect(said('zorbex, then zorBex')).toEqual(['zorbex, product_name, camel_case, 2']);
    expect(said('zorBex, then zorbex')).toEqual(['zorBex, product_name, camel_case, 2']);
    expect(said("we like Zorbex's and Zorbex’s")).toEqual([
      'Zorbex, technical_term, capitalised, 2',
    ]);
  });

  test('come by reason, then by count, then by the alphabet', () => {
    const text = 'quxx; Zorbex, Zorbex; Kubex; Alumex; R&D; iOS';
    expect(names(text)).toEqual(['iOS', 'R&D', 'Zorbex', 'Alumex', 'Kubex', 'quxx']);
  });

  test('are two hundred at most, and none is longer than a term may be', () => {
    const word = (at: number) =>
      `Zq${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}x`;
    const of = (count: number) =>
      names(Array.from({ length: count }, (_, at) => word(at)).join(', '));
    expect([199, 200, 201].map((count) => of(count).length)).toEqual([199, 200, 200]);
    expect([200, 201].map((size) => names(`q${'x'.repeat(size - 1)}`).length)).toEqual([1, 0]);
  });

  test('from four words on, a line of mostly capitals is a heading, of which only strange words count', () => {
    expect(names('Building Modern Things Fast')).toEqual([]);
    expect(names('Why We Love Zorbex')).toEqual(['Zorbex']);
    expect(names('Why We Love Zorbex Things')).toEqual(['Zorbex']);
  });
});

describe('a page', () => {
  test.each([
    ['<p>AT&amp;T&nbsp;and R&D</p><style>.FooBar{}</style>', ['AT&T', 'R&D']],
    ['<SCRIPT type="x">FooBar</SCRIPT><P>Zorbex</P>', ['Zorbex']],
    ['<p>Zorbex</p><p>Kubex</p>', ['Kubex', 'Zorbex']],
    // Other text may have these signs.
    ['x <FooBar> and R&amp;D', ['FooBar']],
  ])('%j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });
});

test('a name of four words is hardly a person', () => {
  expect(said('we met Ada Lovelace Hopper')).toEqual([
    'Ada Lovelace Hopper, person_name, capitalised',
  ]);
  expect(said('we met Ada Lovelace Grace Hopper')).toEqual([
    'Ada Lovelace Grace Hopper, technical_term, capitalised',
  ]);
});
