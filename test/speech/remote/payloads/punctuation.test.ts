import { expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { punctuate } from '../../../../server/speech/remote/whisper.ts';

setDefaultTimeout(300_000);

const spoken = (...texts: string[]) =>
  texts.map((text, at) => ({ text, start: at, end: at + 0.9 }));
const shown = (words: string[], text: string) =>
  punctuate(spoken(...words), text).map((word) => word.text);

test.each([
  [['Yeah', 'as', 'much'], 'Yeah, as much…', ['Yeah,', 'as', 'much…']],
  [['he', 'said', 'go', 'now'], 'He said, “Go (now).”', ['He', 'said,', '“Go', '(now).”']],
  [['it', 'costs', '5', 'dollars'], 'It costs $5 dollars.', ['It', 'costs', '$5', 'dollars.']],
  [['well', 'known', 'names'], 'Well-known names', ['Well-known', 'names']],
  [['New York', 'is'], 'New York, is', ['New York,', 'is']],
  [["it's", 'it', 's'], "It's it's", ["It's", "it's"]],
  [['a', 'b', 'c'], 'A – b c!', ['A', 'b', 'c!']],
  [['¿Cómo', 'estás'], '¿Cómo estás?', ['¿Cómo', 'estás?']],
  [['state', 'of', 'the', 'art', 'talk'], 'State-of-the-art talk.', ['State-of-the-art', 'talk.']],
  [['the', 'U.S.', 'team'], 'The US team.', ['The', 'US', 'team.']],
  [['so', '–', 'yes'], 'So, yes.', ['So,', '–', 'yes.']],
  [['AI', '今'], 'AI今', ['AI', '今']],
  [['今', 'AI'], '今AI', ['今', 'AI']],
  [['今', '日', 'は', '晴', 'れ'], '今日は、晴れ。', ['今', '日', 'は、', '晴', 'れ。']],
])('%j in %j', (words, text, expected) => {
  expect(shown(words, text)).toEqual(expected);
});

test('a word is searched for only in the next 120 characters', () => {
  const far = (gap: number) => shown(['first', 'last'], `First ${'.'.repeat(gap)} last!`);
  expect(far(100)).toEqual(['First', 'last!']);
  expect(far(130)).toEqual(['First', 'last']);
});

test('several words in one keep the time of all', () => {
  expect(punctuate(spoken('well', 'known'), 'Well-known.')).toEqual([
    { text: 'Well-known.', start: 0, end: 1.9 },
  ]);
});

test('property: punctuation around words is restored, for any words', () => {
  // Letters of three scripts whose upper and lower case have the same length.
  const letter = fc.constantFrom(...'abcdefgxyzABCXYZäçéñøõžÄÇÉαβγδωΑΩабвгдяБЖЯ');
  const word = fc.string({ unit: letter, minLength: 1, maxLength: 8 });
  const mark = fc.constantFrom('', '', '', ',', '.', '?', '…', '!”', ');');
  const opening = fc.constantFrom('', '', '', '“', '(', '¿');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(opening, word, mark), { minLength: 1, maxLength: 60 }),
      (parts) => {
        const text = parts.map((part) => part.join('')).join(' ');
        expect(
          shown(
            parts.map(([, bare]) => bare),
            text,
          ),
        ).toEqual(parts.map((part) => part.join('')));
      },
    ),
  );
});

test('property: no word is lost, and time never runs backwards', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zA-Z0-9' -]{0,6}$/), { maxLength: 30 }),
      fc.string({ maxLength: 120 }),
      (words, text) => {
        const out = punctuate(spoken(...words), text);
        expect(out.length).toBeLessThanOrEqual(words.length);
        expect(out.at(-1)?.end ?? 0).toBe(words.length === 0 ? 0 : words.length - 0.1);
        for (const [at, { start }] of out.entries()) {
          expect(start).toBeGreaterThanOrEqual(out[at - 1]?.end ?? 0);
        }
      },
    ),
  );
});
