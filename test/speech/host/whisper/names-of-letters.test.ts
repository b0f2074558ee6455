/** Terms that are spoken letter by letter, with the names of letters and digits. */
import { expect, test } from 'bun:test';
import { inLetters } from '../../../../server/whisper/terms/spoken-letters.ts';

test.each([
  ['ABC', 'ay bee see'],
  ['DEF', 'dee ee eff'],
  ['GHI', 'jee aych eye'],
  ['JKL', 'jay kay ell'],
  ['MNO', 'em en oh'],
  ['PQR', 'pee cue ar'],
  ['STU', 'ess tee you'],
  ['VWX', 'vee double you ex'],
  ['YZ', 'why zee'],
  ['01234', 'zero one two three four'],
  ['56789', 'five six seven eight nine'],
])('%s is spoken as “%s”', (term, spoken) => {
  expect(inLetters(term)).toBe(spoken);
});

test.each([
  ['Plan B', null],
  ['Route 2', 'Route two'],
  ['ABCDE', 'ay bee see dee ee'],
  ['ABCDEF', null],
  ['ABCDEF 2', 'ABCDEF two'],
  ['AuthKit', null],
  ['APIs', 'ay pee Is'],
  ['a  MCP', 'a em see pee'],
  ['ÄÖ', 'Ä Ö'],
])(
  '%s is spoken as %j: only short parts of several capitals or with digits are spelled',
  (term, spoken) => {
    expect(inLetters(term)).toBe(spoken);
  },
);
