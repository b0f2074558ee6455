/** The end of the search for a text, and the sampling of tokens. */
import { describe, expect, test } from 'bun:test';
import type { Decoder } from '../../../../server/whisper/model/decoder.ts';
import { logProbability } from '../../../../server/whisper/search/found-text.ts';
import { findText, repeatsItself } from '../../../../server/whisper/search/search.ts';
import { END, NO_SPEECH, PROMPT, rules, text } from './letter-words.ts';

/** A decoder that answers each search with the logits for it, by the number of tokens said. */
function answering(logits: (search: number, said: number) => Partial<Record<number, number>>) {
  let search = 0;
  let said = 0;
  const decoder: Decoder = {
    texts: 1,
    takeEach: () => Promise.reject(new Error('one text at a time')),
    begin() {
      search += 1;
      said = -1;
    },
    async take() {
      said += 1;
      const own = logits(search, said);
      const all = Float32Array.from({ length: PROMPT + 1 }, (_, id) => own[id] ?? -40);
      return { logits: all, firstLogits: all.slice(), attention: [new Float32Array(1)] };
    },
  };
  return { decoder, searches: () => search };
}
/** Logits with a probability for a token, the rest of which another token has. */
const likely = (token: number, probability: number, rest: number) => ({
  [token]: Math.log(probability),
  [rest]: Math.log(1 - probability),
});

/** Logits with a log probability for a token, the rest of which thirty others share, so that none of them is likelier. */
const doubtful = (token: number, logarithm: number) => ({
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [60 + at, Math.log((1 - Math.exp(logarithm)) / 30)]),
  ),
  [token]: logarithm,
});

describe('the search for a better text', () => {
  /** The searches for four words of a probability, after which the end is as probable. */
  async function searchesFor(logarithm: number, silence = -40) {
    const { decoder, searches } = answering((_, said) => ({
      ...doubtful(said < 4 ? said : END, logarithm),
      ...(said === 0 ? { [NO_SPEECH]: silence } : {}),
    }));
    await findText(decoder, rules());
    return searches();
  }

  test('ends at once with a mean log probability of -1', async () => {
    expect(await searchesFor(-0.98)).toBe(1);
    expect(await searchesFor(-1.02)).toBeGreaterThan(1);
  });

  test('ends at once below -2, and otherwise after two hallucinations', async () => {
    expect(await searchesFor(-2.03)).toBe(1);
    expect(await searchesFor(-1.97)).toBe(2);
  });

  test('goes on after a repetition and one hallucination', async () => {
    const { decoder, searches } = answering((search, said) => {
      if (search === 1) return doubtful(said < 8 ? 7 : END, -1.6);
      return search === 2 ? doubtful(said < 4 ? said : END, -1.6) : { [said < 4 ? said : END]: 0 };
    });
    expect((await findText(decoder, rules())).tokens).toEqual([0, 1, 2, 3]);
    expect(searches()).toBe(3);
  });

  test('ends with a hallucination where the model detects silence', async () => {
    expect(await searchesFor(-1.4)).toBe(2);
    expect(await searchesFor(-1.4, 3)).toBe(1);
  });

  test('tries six temperatures, and keeps the best text', async () => {
    const loop = { 7: 0 };
    const { decoder, searches } = answering((search, said) =>
      search === 4 && said < 70 ? { [(said * said) % 97]: 0 } : search === 4 ? { [END]: 0 } : loop,
    );
    const found = await findText(decoder, rules());
    expect([searches(), found.tokens.length]).toEqual([4, 70]);
    const only = answering(() => loop);
    await findText(only.decoder, rules());
    expect(only.searches()).toBe(6);
  });

  test('prefers a guess to a repetition, however probable that is', async () => {
    const { decoder } = answering((search, said) =>
      search === 1
        ? { 7: 0 }
        : said < 6
          ? Object.fromEntries(Array.from({ length: 90 }, (_, at) => [at, at === said ? 3 : 0]))
          : { [END]: 0 },
    );
    const { tokens } = await findText(decoder, rules());
    expect(repeatsItself({ ...text(0), tokens }, rules())).toBe(false);
  });
});

describe('sampling', () => {
  /** The first words of the second search, with a temperature of 0.2, in windows of different lengths. */
  async function sampled(logits: Partial<Record<number, number>>, windows: number) {
    const counts = new Map<number, number>();
    for (let frames = 1; frames <= windows; frames += 1) {
      // The first search loops; the second says one word and ends.
      const { decoder } = answering((search, said) =>
        search === 1 ? { 7: 0 } : said === 0 ? logits : { [END]: 0 },
      );
      const [word] = (await findText(decoder, rules(frames))).tokens;
      counts.set(word!, (counts.get(word!) ?? 0) + 1);
    }
    return (token: number) => (counts.get(token) ?? 0) / windows;
  }

  test('chooses words by their chances at the temperature', async () => {
    // At 0.2, differences count five times: e, 1 and 1/e.
    const share = await sampled({ 20: 0.2, 21: 0, 22: -0.2 }, 300);
    const all = Math.E + 1 + 1 / Math.E;
    expect(Math.abs(share(20) - Math.E / all)).toBeLessThan(0.08);
    expect(Math.abs(share(21) - 1 / all)).toBeLessThan(0.08);
    expect(Math.abs(share(22) - 1 / Math.E / all)).toBeLessThan(0.08);
  });

  test('chooses the same in the same window', async () => {
    const first = await sampled({ 20: 0, 21: 0 }, 12);
    const again = await sampled({ 20: 0, 21: 0 }, 12);
    expect(again(20)).toBe(first(20));
  });

  test('notes how probable a word was without the temperature', async () => {
    const { decoder } = answering((search, said) =>
      search === 1 ? { 7: 0 } : said === 0 ? likely(20, 0.75, 21) : { [END]: 0 },
    );
    const { tokens, logProbabilities } = await findText(decoder, rules());
    expect(Math.exp(logProbabilities[0]!)).toBeCloseTo(tokens[0] === 20 ? 0.75 : 0.25, 2);
  });
});

test('improbable tokens count in the sum of all, since there are many', () => {
  for (const below of [3, 5, 9, 12, 15]) {
    const logits = new Float32Array(50_000).fill(-below);
    logits[7] = 0;
    const exact = -Math.log(1 + 49_999 * Math.exp(-below));
    expect(Math.abs(logProbability(logits, 7) - exact)).toBeLessThan(0.009);
    expect(Math.abs(logProbability(logits, 8) - exact + below)).toBeLessThan(0.009);
  }
});
