/** The texts with a term in place of recognised words that are weighed at all. */
import { describe, expect, test } from 'bun:test';
import { isWritten, spansOf, textsToWeigh } from '../../../../server/whisper/terms/term-places.ts';
import { tokensOfTerms, type Reading } from '../../../../server/whisper/terms/weigh-texts.ts';

/** The texts for words, each of one token, and for terms whose first token has this logit, as a word has 0. */
function textsFor(
  heard: string,
  terms: readonly string[],
  options: { logit?: number; chance?: number; says?: Record<string, string> } = {},
): string[] {
  const { logit = -20, chance = 1, says = {} } = options;
  const words = heard
    .split(' ')
    .map((text, first) => ({ first, end: first + 1, text, ends: false }));
  const term = words.length;
  const plain: Reading = {
    prompt: [],
    tokens: words.map((_, token) => token),
    logProbabilities: words.map(() => Math.log(chance)),
    before: () => Float32Array.from([...words.map(() => Math.log(chance)), logit]),
  };
  const known = tokensOfTerms(terms, () => [term], says);
  const spans = spansOf(words, plain, new Set(known.filter(isWritten).map(({ key }) => key)));
  return textsToWeigh(spans, plain, known, { probable: 20, alike: 20 }).map((text) => {
    const replaced = words.slice(text.first, text.end).map((word) => word.text);
    return `${replaced.join(' ')}: ${text.term.text}`;
  });
}

describe('a probable term', () => {
  test('has a first token that is at most a factor of e^9 less likely', () => {
    expect(textsFor('we', ['Drata'], { logit: -9 })).toEqual(['we: Drata']);
    expect(textsFor('we', ['Drata'], { logit: -9.01 })).toEqual([]);
  });

  test('replaces up to two words more than it has', () => {
    const longest = (term: string) =>
      Math.max(
        ...textsFor('we use the plot code', [term], { logit: -1 }).map(
          (text) => text.split(':')[0]!.split(' ').length,
        ),
      );
    expect([longest('Drata'), longest('Drata One')]).toEqual([3, 4]);
  });

  test('is not weighed in its pronunciation against words that are the pronunciation', () => {
    const options = { logit: -1, says: { Claude: 'plat' } };
    expect(textsFor('Plat', ['Claude'], options)).toContain('Plat: Claude');
    expect(textsFor('Plat', ['Claude'], options)).not.toContain('Plat: plat');
    // Nor if the pronunciation is another term.
    expect(textsFor('PLAT', ['Claude', 'Plat'], options)).not.toContain('PLAT: plat');
    expect(textsFor('Plot', ['Claude'], options)).toContain('Plot: plat');
  });
});

describe('a term that sounds like the words', () => {
  test.each([
    // Similarities of 0.58, 0.58, 0.53, 0.88 and 0.63; a term of four letters needs 0.7.
    ['klot', 'Claude', true],
    ['tablet', 'Cable', true],
    ['tabel', 'Cable', false],
    ['clot', 'Clod', true],
    ['lime', 'Time', false],
  ])('%s, for %s: %p', (heard, term, weighed) => {
    expect(textsFor(heard, [term], { chance: 0.5 })).toEqual(weighed ? [`${heard}: ${term}`] : []);
  });

  test('replaces words with a confidence below three quarters', () => {
    expect(textsFor('clot', ['Clod'], { chance: 0.74 })).toEqual(['clot: Clod']);
    expect(textsFor('clot', ['Clod'], { chance: 0.76 })).toEqual([]);
  });

  test('replaces up to four words', () => {
    const found = (heard: string, term: string) =>
      textsFor(heard, [term], { chance: 0.5 }).includes(`${heard}: ${term}`);
    expect(found('mo del con text', 'Model Context')).toBe(true);
    expect(found('mo del con text protocol', 'Model Context Protocol')).toBe(false);
  });

  test('is one of the three most similar ones at its place', () => {
    const found = textsFor('cables', ['Stable', 'Table', 'Gable', 'Cable'], { chance: 0.5 });
    expect(found.toSorted()).toEqual(['cables: Cable', 'cables: Gable', 'cables: Table']);
  });
});
