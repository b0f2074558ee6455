/** Weighing key terms against heard words: what is compared, and what is given up early. */
import { describe, expect, test } from 'bun:test';
import type { RewindingDecoder } from '../../../../server/speech/host/whisper/decoder.ts';
import type { SearchRules } from '../../../../server/speech/host/whisper/found-text.ts';
import { tokensOfTerms, weighTerms } from '../../../../server/speech/host/whisper/weigh-terms.ts';

const WORDS = [
  ' we', ' use', ' the', ' plot', ' code', '.', ' Cla', 'ude', ' Dra', 'ta', ' now', '<end>', '<prompt>',
]; // prettier-ignore
const idOf = (word: string): number => WORDS.indexOf(word);
const bytes = WORDS.map((word) => new TextEncoder().encode(word));
const idsOf = (text: string): number[] => {
  const ids: number[] = [];
  for (let rest = text; rest !== '';) {
    const id = WORDS.findIndex((word) => rest.startsWith(word));
    if (id < 0) throw new Error(`no token for "${rest}"`);
    ids.push(id);
    rest = rest.slice(WORDS[id]!.length);
  }
  return ids;
};
const rules: SearchRules = {
  prompt: [idOf('<prompt>')],
  end: idOf('<end>'),
  noSpeech: -1,
  unspoken: [],
  space: -1,
  bytes,
  frames: 1,
};

/** The probability of a token after the tokens before it. */
type Chance = (text: string, token: string) => number;

/** A decoder with given probabilities, and the texts that it was asked to continue. */
function decoderOf(chance: Chance, texts = 5) {
  const asked: string[][] = [];
  const textOf = (tokens: readonly number[]) =>
    tokens
      .slice(1)
      .map((id) => WORDS[id])
      .join('');
  /** All chances add up to one: what the words leave is that of the prompt's token. */
  const logitsAfter = (tokens: readonly number[]) => {
    const each = WORDS.map((word) => chance(textOf(tokens), word));
    const others = each.slice(0, -1).reduce((sum, one) => sum + one, 0);
    return Float32Array.from([...each.slice(0, -1), 1 - others], Math.log);
  };
  let kept: number[] = [];
  let current: number[][] = [[]];
  const decoder: RewindingDecoder = {
    texts,
    begin: () => (current = [[]]),
    take: () => Promise.reject(new Error('not needed')),
    async takeAll(tokens) {
      current = [[...tokens]];
      return tokens.map((_, at) => logitsAfter(tokens.slice(0, at + 1)));
    },
    keep: () => (kept = current[0]!),
    goBack: (length) => (current = [kept.slice(0, length)]),
    async takeEach(tokens, after) {
      current = tokens.map((token, at) => [...current[after[at]!]!, token]);
      asked.push(current.map(textOf));
      return current.map((text) => {
        const logits = logitsAfter(text);
        return { logits, firstLogits: logits, attention: [] };
      });
    },
  };
  return { decoder, asked };
}

/** Everything has a chance of 1 in 10,000, except for what is listed: text before, token, chance. */
const chances =
  (...listed: [text: string, token: string, chance: number][]): Chance =>
  (text, token) =>
    listed.find(([before, next]) => before === text && next === token)?.[2] ?? 0.0001;

const heard = { tokens: idsOf(' we use the plot now.') };
const terms = (...names: string[]) => tokensOfTerms(names, idsOf);
const SURE: [string, string, number][] = [
  ['', ' we', 0.9],
  [' we', ' use', 0.9],
  [' we use the plot', ' now', 0.8],
  [' we use the plot now', '.', 0.9],
  [' we use the plot now.', '<end>', 0.9],
];

describe('weighing', () => {
  test('a term is compared with the words in its place, with what comes after both', async () => {
    const { decoder } = decoderOf(
      chances(
        ...SURE,
        [' we use', ' the', 0.3],
        [' we use the', ' plot', 0.2],
        [' we use', ' Cla', 0.1],
        [' we use Cla', 'ude', 0.5],
        [' we use Claude', ' now', 0.4],
        [' we use Claude now', '.', 0.9],
      ),
    );
    const found = await weighTerms(decoder, rules, heard, terms('Claude', 'Drata'));
    const [best] = found.toSorted((a, b) => b.margin - a.margin);
    expect(best).toMatchObject({ term: 'Claude', first: 2, end: 4, heard: ' the plot' });
    const said = 0.1 * 0.5 * 0.4 * 0.9;
    const plain = 0.3 * 0.2 * 0.8 * 0.9;
    expect(best!.margin).toBeCloseTo(Math.log(said / plain), 5);
    expect(best!.confidence).toBeCloseTo(Math.sqrt(0.3 * 0.2), 5);
    expect(found.some(({ term }) => term === 'Drata')).toBe(false);
  });

  test('a term whose beginning is too improbable costs no step of the decoder', async () => {
    const sure = chances(...SURE, [' we use', ' the', 0.9], [' we use the', ' plot', 0.9]);
    const { decoder, asked } = decoderOf(sure);
    expect(await weighTerms(decoder, rules, heard, terms('Claude', 'Drata'))).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('a term that becomes too improbable is given up, and the texts share their beginning', async () => {
    const { decoder, asked } = decoderOf(
      chances(
        ...SURE,
        [' we use', ' the', 0.3],
        [' we use the', ' plot', 0.2],
        [' we use', ' Cla', 0.1],
        [' we use Cla', 'ude', 0.000_001],
      ),
    );
    expect(await weighTerms(decoder, rules, heard, terms('Claude'))).toEqual([]);
    expect(asked.flat().filter((text) => text === ' we use Cla')).toHaveLength(1);
    expect(asked.flat().some((text) => text.startsWith(' we use Claude'))).toBe(false);
  });

  test('a longer term that the words sound like takes the place of its beginning', async () => {
    const { decoder } = decoderOf(
      chances(
        [' we use', ' plot', 0.3],
        [' we use plot', ' code', 0.6],
        [' we use plot code', ' now', 0.8],
        [' we use plot code now', '<end>', 0.8],
        [' we use', ' Cla', 0.3],
        [' we use Cla', 'ude', 0.9],
        [' we use Claude', ' now', 0.9],
        [' we use Claude now', '<end>', 0.8],
      ),
    );
    const spoken = { tokens: idsOf(' we use plot code now') };
    const termsOf = async (...names: string[]) =>
      (await weighTerms(decoder, rules, spoken, terms(...names))).map(({ term }) => term);
    expect(await termsOf('Claude')).toContain('Claude');
    const both = await termsOf('Claude', 'Claude code');
    expect(both).toContain('Claude code');
    expect(both).not.toContain('Claude');
  });

  test('no more texts are followed at once than the decoder can take', async () => {
    const { decoder, asked } = decoderOf(() => 0.08, 2);
    await weighTerms(decoder, rules, heard, terms('Claude', 'Drata', 'code'));
    expect(asked.length).toBeGreaterThan(0);
    for (const texts of asked) expect(texts.length).toBeLessThanOrEqual(2);
  });

  test('words that are the term already, and words across the end of a phrase, are left alone', async () => {
    const { decoder } = decoderOf(() => 0.08);
    const said = await weighTerms(
      decoder,
      rules,
      { tokens: idsOf(' we code. Claude now') },
      terms('Claude'),
    );
    const places = said.map(({ heard: words }) => words.trim());
    expect(places).toContain('code');
    for (const words of places) expect(words).not.toMatch(/Claude|\./);
  });

  test('nothing is weighed without words or terms', async () => {
    const { decoder } = decoderOf(() => 0.08);
    expect(await weighTerms(decoder, rules, heard, [])).toEqual([]);
    expect(await weighTerms(decoder, rules, { tokens: [] }, terms('Claude'))).toEqual([]);
  });
});
