/** The texts that a beam search follows, and its end. */
import { describe, expect, test } from 'bun:test';
import type { Decoder, DecoderStep } from '../../../../server/whisper/model/decoder.ts';
import { beamSearch } from '../../../../server/whisper/search/beam-search.ts';
import type { SearchRules } from '../../../../server/whisper/search/found-text.ts';

/** The tokens 0 to 9 are words. */
const [WORDS, SPACE, END, NO_SPEECH, PROMPT] = [10, 10, 11, 12, 13];
const rules = (words = WORDS): SearchRules => ({
  prompt: [PROMPT],
  end: END,
  noSpeech: NO_SPEECH,
  unspoken: [],
  neverFirst: [SPACE, END],
  special: END + 1,
  most: 224,
  frameSeconds: 0.02,
  bytes: Array.from({ length: words }, (_, at) => Uint8Array.of(0x61 + at)),
  frames: 1,
});

/** The log probabilities of what may follow a text; anything else is nearly impossible. */
type Language = (said: readonly number[]) => Partial<Record<number, number>>;

/** Searches, and returns the text with the tokens that each call of the decoder took. */
async function searched(language: Language, width = 5, of = rules()) {
  const calls: number[][] = [];
  const parents: number[][] = [];
  let texts: number[][] = [[]];
  const stepOf = (said: readonly number[]): DecoderStep => {
    const next = language(said);
    const logits = Float32Array.from({ length: PROMPT + 1 }, (_, token) => next[token] ?? -25);
    return { logits, firstLogits: logits.slice(), attention: [Float32Array.of(said.length)] };
  };
  const decoder: Decoder = {
    texts: width,
    begin() {
      texts = [[]];
    },
    take: async () => stepOf([]),
    async takeEach(tokens, after) {
      calls.push([...tokens]);
      parents.push([...after]);
      texts = tokens.map((token, at) => [...texts[after[at]!]!, token]);
      return texts.map(stepOf);
    },
  };
  return { found: await beamSearch(decoder, of, width), calls, parents };
}

describe('the texts that are followed', () => {
  test('are those whose chance is at least 5 % of that of the best', async () => {
    const { calls } = await searched((said) =>
      said.length === 0 ? { 0: 0, 1: -2.99, 2: -3.01, 3: -2 } : { [END]: 0 },
    );
    expect(calls[0]).toEqual([0, 3, 1]);
  });

  test.each([1, 2, 5])('are at most %d, the most likely first', async (width) => {
    const { calls } = await searched(
      (said) =>
        said.length === 0
          ? Object.fromEntries(Array.from({ length: 9 }, (_, at) => [8 - at, -at / 10]))
          : { [END]: 0 },
      width,
    );
    expect(calls[0]).toEqual([8, 7, 6, 5, 4].slice(0, width));
  });

  test('may all continue the same text', async () => {
    const { calls, parents } = await searched(
      (said) =>
        said.length === 0
          ? { 0: 0, 1: -1 }
          : said.length === 1
            ? said[0] === 1
              ? { 2: 0, 3: -0.1, 4: -0.2 }
              : { 5: -2.2, 6: -2.2, 7: -2.2, 8: -2.2, 9: -2.2 }
            : { [END]: 0 },
      3,
    );
    expect([calls[1], parents[1]]).toEqual([
      [5, 6, 7],
      [0, 0, 0],
    ]);
  });

  test('are compared by the sum of all their tokens', async () => {
    // Both second words are certain, so what came before them decides.
    const { calls } = await searched((said) =>
      said.length === 0 ? { 0: -1, 1: 0 } : said.length === 1 ? { 2: 0 } : { [END]: 0 },
    );
    expect(calls[0]).toEqual([1, 0]);
    expect(calls[1]).toEqual([2, 2]);
  });
});

describe('a search', () => {
  test.each([1, 2, 4])('along %d texts ends when so many have ended', async (width) => {
    const { calls } = await searched(
      (said) => (said.length === 0 ? { 0: 0 } : { [END]: 0, 1: -0.1 }),
      width,
    );
    // A text ends after each word; the words after the last of them are not needed any more.
    expect(calls).toHaveLength(width + 1);
  });

  test('ends when nothing can follow that is better than what has ended', async () => {
    const { calls, found } = await searched((said) =>
      said.length === 0 ? { 0: 0 } : said.length === 1 ? { [END]: 0, 1: -2.5 } : { 2: -1, 3: -1 },
    );
    expect(found.tokens).toEqual([0]);
    // The other text was followed for one word more.
    expect(calls).toEqual([[0], [1]]);
  });

  test('ends with the text that is most likely per token, not the first that ended', async () => {
    const { found } = await searched((said) =>
      said.length === 0
        ? { 0: 0, 1: -0.4 }
        : said.length > 2
          ? { [END]: 0 }
          : said[0] === 0
            ? { [END]: -0.7, 2: -0.7, 3: -5 }
            : { 4: 0 },
    );
    expect(found.tokens).toEqual([1, 4, 4]);
  });

  test('leaves a loop after 48 tokens', async () => {
    const { found } = await searched(() => ({ 3: 0 }));
    expect(found.tokens).toEqual(Array.from({ length: 48 }, () => 3));
    expect(found.logProbabilities).toHaveLength(48);
  });

  test('leaves punctuation without words after 12 tokens', async () => {
    const marks = { ...rules(), bytes: rules().bytes.map(() => Uint8Array.of(0x2e)) };
    const language: Language = (said) => ({ [(said.length * said.length) % 7]: 0 });
    expect((await searched(language, 5, marks)).found.tokens).toHaveLength(12);
  });

  test('has at most 224 tokens', async () => {
    const language: Language = (said) => ({
      [(said.length * said.length * 3 + (said.length >> 3)) % 10]: 0,
    });
    const { found, calls } = await searched(language);
    expect([found.tokens.length, calls.length]).toEqual([224, 224]);
  });
});

test('the result has the probability of each token, of the end and of silence', async () => {
  const { found } = await searched((said) =>
    said.length === 0
      ? { 2: Math.log(0.6), 3: Math.log(0.1), [NO_SPEECH]: Math.log(0.3) }
      : { [END]: Math.log(0.75), 4: Math.log(0.25) },
  );
  expect(found.tokens).toEqual([2]);
  // Silence is no token of a text.
  expect(found.logProbabilities.map(Math.exp)[0]).toBeCloseTo(6 / 7, 2);
  expect(found.logProbabilities.map(Math.exp)[1]).toBeCloseTo(0.75, 2);
  expect(found.logProbabilities).toHaveLength(2);
  expect(found.noSpeech).toBeCloseTo(0.3, 2);
  // The attention of the prompt, and that of the token.
  expect(found.attention.map((row) => [...row])).toEqual([[0], [1]]);
});
