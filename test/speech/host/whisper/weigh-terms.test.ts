/** Weighing key terms against recognised words: the compared texts, and those abandoned early. */
import { describe, expect, test } from 'bun:test';
import type { RewindingDecoder } from '../../../../server/whisper/model/decoder.ts';
import type { SearchRules } from '../../../../server/whisper/search/found-text.ts';
import { weighTerms } from '../../../../server/whisper/terms/weigh-terms.ts';
import { tokensOfTerms } from '../../../../server/whisper/terms/weigh-texts.ts';

const WORDS = [
  ' we', ' use', ' the', ' plot', ' code', '.', ' Cla', 'ude', ' Dra', 'ta', ' Plat', ' Code', ' now', ' plat', '<end>', '<named>', '<prompt>',
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
  neverFirst: [],
  special: bytes.length,
  most: 224,
  frameSeconds: 0.02,
  bytes,
  frames: 1,
};

/** The probability of a token after the text before it, and whether a prompt named terms. */
type Chance = (text: string, token: string, named: boolean) => number;

/** A decoder with given probabilities, and the texts that it was asked to continue. */
function decoderOf(chance: Chance, texts = 5) {
  const asked: string[][] = [];
  const textOf = (tokens: readonly number[]) =>
    tokens
      .slice(tokens.indexOf(idOf('<prompt>')) + 1)
      .map((id) => WORDS[id])
      .join('');
  /** All chances add up to one: what the words leave is that of the prompt's token. */
  const logitsAfter = (tokens: readonly number[]) => {
    const named = tokens[0] === idOf('<named>');
    const each = WORDS.map((word) => chance(textOf(tokens), word, named));
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

/** Everything has a chance of 1 in a million, except for what is listed: text before, token, chance, and if named. */
const chances =
  (...listed: [text: string, token: string, chance: number, named?: number][]): Chance =>
  (text, token, isNamed) => {
    const [, , plain = 1e-6, named = plain] =
      listed.find(([before, next]) => before === text && next === token) ?? [];
    return isNamed ? named : plain;
  };

const heard = { tokens: idsOf(' we use the plot now.') };
/** Weighs terms against a text, and notes which terms the prompt of the second weighing names. */
const weigh = (
  decoder: RewindingDecoder,
  said: { tokens: number[] },
  names: readonly string[],
  named: string[][] = [],
  says: Record<string, string> = {},
) =>
  weighTerms(decoder, said, {
    rules,
    terms: tokensOfTerms(names, idsOf, says),
    promptOf(list) {
      named.push([...list]);
      return [idOf('<named>'), ...rules.prompt];
    },
  });
const SURE: [string, string, number][] = [
  ['', ' we', 0.9],
  [' we', ' use', 0.9],
  [' we use the plot', ' now', 0.8],
  [' we use the plot now', '.', 0.9],
  [' we use the plot now.', '<end>', 0.9],
];

describe('weighing', () => {
  test('a term is compared with the words it would replace, including the following tokens, with and without a prompt', async () => {
    const { decoder } = decoderOf(
      chances(
        ...SURE,
        [' we use', ' the', 0.3, 0.2],
        [' we use the', ' plot', 0.2],
        [' we use', ' Cla', 0.1, 0.6],
        [' we use Cla', 'ude', 0.5, 0.9],
        [' we use Claude', ' now', 0.4],
        [' we use Claude now', '.', 0.9],
      ),
    );
    const named: string[][] = [];
    const found = await weigh(decoder, heard, ['Claude', 'Drata'], named);
    expect(named).toEqual([['Claude']]);
    const [best] = found.toSorted((a, b) => b.named! - a.named!);
    expect(best).toMatchObject({ term: 'Claude', first: 2, end: 4, heard: 'the plot' });
    const after = 0.8 * 0.9;
    expect(best!.margin).toBeCloseTo(Math.log((0.1 * 0.5 * 0.4 * 0.9) / (0.3 * 0.2 * after)), 4);
    expect(best!.named).toBeCloseTo(Math.log((0.6 * 0.9 * 0.4 * 0.9) / (0.2 * 0.2 * after)), 4);
    expect(best!.confidence).toBeCloseTo(Math.sqrt(0.3 * 0.2), 4);
  });

  test('a term is also compared in its pronunciation, and the prompt contains both', async () => {
    const { decoder } = decoderOf(
      chances(
        ...SURE,
        [' we use', ' the', 0.3, 0.2],
        [' we use the', ' plot', 0.2],
        [' we use the', ' plat', 0.1, 0.5],
        [' we use the plat', ' now', 0.6],
        [' we use the plat now', '.', 0.9],
      ),
    );
    const named: string[][] = [];
    const found = await weigh(decoder, heard, ['Claude'], named, { Claude: 'plat' });
    expect(named).toEqual([['plat']]);
    const best = found.find(({ heard: words }) => words === 'plot')!;
    expect(best).toMatchObject({ term: 'Claude', saying: 'plat', tokens: idsOf(' Claude') });
    expect(best.margin).toBeCloseTo(Math.log((0.1 * 0.6) / (0.2 * 0.8)), 4);
    expect(best.named).toBeCloseTo(Math.log((0.5 * 0.6) / (0.2 * 0.8)), 4);
  });

  test('words that equal the pronunciation of a term are left to the correction', async () => {
    const { decoder } = decoderOf(() => 0.06);
    const found = await weigh(decoder, { tokens: idsOf(' we plat.') }, ['Claude'], [], {
      Claude: 'plat',
    });
    const weighed = found.map(({ heard: words, saying }) => [words, saying ?? 'as written']);
    expect(weighed).toContainEqual(['we', 'plat']);
    expect(weighed).toContainEqual(['plat', 'as written']);
    expect(weighed).not.toContainEqual(['plat', 'plat']);
  });

  test('a term whose beginning is too improbable costs no step of the decoder', async () => {
    const sure = chances(...SURE, [' we use', ' the', 0.9], [' we use the', ' plot', 0.9]);
    const { decoder, asked } = decoderOf(sure);
    expect(await weigh(decoder, heard, ['Claude', 'Drata'])).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('a term that becomes too improbable is given up, and the texts share their beginning', async () => {
    const { decoder, asked } = decoderOf(
      chances(
        ...SURE,
        [' we use', ' the', 0.3],
        [' we use the', ' plot', 0.2],
        [' we use', ' Cla', 0.1],
        [' we use Cla', 'ude', 1e-8],
      ),
    );
    expect(await weigh(decoder, heard, ['Claude'])).toEqual([]);
    expect(asked.flat().filter((text) => text === ' we use Cla')).toHaveLength(1);
    expect(asked.flat().some((text) => text.startsWith(' we use Claude'))).toBe(false);
  });

  test('doubtful words that sound like a term are weighed against it, however improbable its beginning', async () => {
    const clear = (confidence: number) =>
      chances(
        [' we use', ' plot', confidence],
        [' we use plot', ' now', 0.8],
        [' we use plot now', '<end>', 0.8],
        [' we use', ' Plat', 2e-5, 0.3],
        [' we use Plat', ' now', 0.9],
        [' we use Plat now', '<end>', 0.8],
      );
    const spoken = { tokens: idsOf(' we use plot now') };
    const found = async (confidence: number) =>
      (await weigh(decoderOf(clear(confidence)).decoder, spoken, ['Plat'])).map(
        ({ term, heard: words }) => [words, term],
      );
    expect(await found(0.5)).toEqual([['plot', 'Plat']]);
    expect(await found(0.9)).toEqual([]);
  });

  test('no more texts are followed at once than the decoder can take', async () => {
    const { decoder, asked } = decoderOf(() => 0.06, 2);
    await weigh(decoder, heard, ['Claude', 'Drata', 'code']);
    expect(asked.length).toBeGreaterThan(0);
    for (const texts of asked) expect(texts.length).toBeLessThanOrEqual(2);
  });

  test('words that are the term already, and words across the end of a phrase, are left alone', async () => {
    const { decoder } = decoderOf(() => 0.06);
    const tokens = idsOf(' we code. Claude now. the plot');
    const said = await weigh(decoder, { tokens }, ['Claude']);
    const places = said.map(({ heard: words }) => words);
    expect(places).toEqual(expect.arrayContaining(['code', 'now', 'the plot']));
    for (const words of places) expect(words).not.toMatch(/Claude|\.|code |now /);
  });

  test('a term that was recognised, in upper or lower case, takes no word before or after it', async () => {
    const { decoder } = decoderOf(() => 0.06);
    const spoken = { tokens: idsOf(' we code now') };
    const places = (await weigh(decoder, spoken, ['Code'])).map(({ heard: words }) => words);
    expect(places).toContain('code');
    expect(places.filter((words) => words !== 'code' && words.includes('code'))).toEqual([]);
  });

  test('words that are another term are left alone', async () => {
    const { decoder } = decoderOf(() => 0.06);
    const spoken = { tokens: idsOf(' we code now') };
    const placesOf = async (...names: string[]) =>
      (await weigh(decoder, spoken, names)).flatMap(({ term, heard: words }) =>
        term === 'Claude' ? [words] : [],
      );
    expect(await placesOf('Claude')).toContain('code');
    expect(await placesOf('Claude', 'Code')).not.toContain('code');
  });

  test('nothing is weighed without words or terms, nor for terms that do not fit in a prompt', async () => {
    const { decoder } = decoderOf(() => 0.06);
    expect(await weigh(decoder, heard, [])).toEqual([]);
    expect(await weigh(decoder, { tokens: [] }, ['Claude'])).toEqual([]);
    const weighing = { rules, terms: tokensOfTerms(['Claude'], idsOf), promptOf: () => [] };
    expect(await weighTerms(decoder, heard, weighing)).toEqual([]);
  });
});
