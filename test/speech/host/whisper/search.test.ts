/** Texts of Whisper that count as inventions, and the end of the search for a better one. */
import { expect, test } from 'bun:test';
import type { Decoder } from '../../../../server/whisper/model/decoder.ts';
import type { FoundText, SearchRules } from '../../../../server/whisper/search/found-text.ts';
import {
  findText,
  isHallucination,
  mayBeRealRepetition,
  repeatsItself,
} from '../../../../server/whisper/search/search.ts';

/** A text by the log probabilities of its tokens and of its end. */
const found = (tokens: number[], end: number, noSpeech = 0.1): FoundText => ({
  tokens: tokens.map((_, at) => at),
  logProbabilities: [...tokens, end],
  attention: [],
  noSpeech,
});

/** Rules in which the first tokens are words, and the one after them is a full stop. */
const rules = (words = 20): SearchRules => ({
  prompt: [words + 2],
  end: words + 1,
  noSpeech: words + 2,
  unspoken: [],
  neverFirst: [words, words + 1],
  special: words + 2,
  most: 224,
  frameSeconds: 0.02,
  bytes: Array.from({ length: words + 1 }, (_, at) =>
    new TextEncoder().encode(at < words ? ` ${String.fromCodePoint(97 + at)}` : '.'),
  ),
  frames: 1,
});

test.each<[string, FoundText, boolean]>([
  ['a sentence that the model is sure of', found([-0.1, -0.3, -0.2, -0.1], -0.1), false],
  ['an unsure sentence', found([-1, -1.1, -0.9], -0.1), false],
  ['a guess', found([-1.3, -1.4, -1.2], -0.1), true],
  [
    'an unsure sentence where the model doubts that anyone speaks',
    found([-1, -0.9], -0.1, 0.7),
    true,
  ],
  // Measured with tiny.en: windows of 1, 4.6 and 3 s.
  ['“you” in hum', found([-1.38], -0.02, 0.91), true],
  ['“you” in hum, longer', found([-1.45], -0.05, 0.82), true],
  ['“you” in breath', found([-1.15], -0.05, 0.68), true],
  ['a likely sentence, although the model doubts it', found([-0.5, -0.6], -0.1, 0.9), false],
  ['one word that was said, unclearly', found([-0.8], -0.05, 0.22), false],
])('%s', (_, text, invented) => {
  expect(isHallucination(text, rules())).toBe(invented);
});

test('a probable full stop does not make an improbable word probable', () => {
  const text = { ...found([-1.47, -0.2], -0.05), tokens: [3, 20] };
  expect(isHallucination(text, rules())).toBe(true);
});

/** A decoder that says one of `texts` in each search, each token with the probability given for the text. */
function scripted(texts: readonly { tokens: number[]; probability: number }[], to: SearchRules) {
  const size = to.end + 2;
  let searches = 0;
  let at = 0;
  const decoder: Decoder = {
    texts: 1,
    takeEach: () => Promise.reject(new Error('one text at a time')),
    begin() {
      searches += 1;
      at = 0;
    },
    async take() {
      const text = texts[Math.min(searches, texts.length) - 1]!;
      const token = text.tokens[at] ?? to.end;
      at += 1;
      const probability = token === to.end ? 0.999 : text.probability;
      const others = (1 - probability) / (size - 2);
      const logits = Float32Array.from({ length: size }, (_, id) =>
        Math.log(id === token ? probability : others),
      );
      return {
        logits,
        firstLogits: logits.with(to.noSpeech!, -9),
        attention: [new Float32Array(1)],
      };
    },
  };
  return { decoder, searches: () => searches };
}

test.each<[string, { tokens: number[]; probability: number }[], number]>([
  ['a good text', [{ tokens: [1, 2, 3], probability: 0.9 }], 1],
  ['two guesses', [{ tokens: [1, 2, 3, 4], probability: 0.2 }], 2],
  ['a hopeless guess', [{ tokens: [1, 2, 3, 4], probability: 0.09 }], 1],
  [
    'loops and a good text',
    [
      { tokens: Array.from({ length: 200 }, (_, at) => at % 3), probability: 0.9 },
      { tokens: [1, 2, 3], probability: 0.99 },
    ],
    2,
  ],
  ['only loops', [{ tokens: Array.from({ length: 200 }, () => 4), probability: 0.99 }], 6],
])('the search ends with %s', async (_, texts, searches) => {
  const here = rules(100);
  const script = scripted(texts, here);
  const text = await findText(script.decoder, here);
  expect(script.searches()).toBe(searches);
  // A loop is left long before the most tokens that a text may have.
  expect(text.tokens.length).toBeLessThan(60);
});

test('a window that can be divided is searched further for a better text than a guess', async () => {
  const here = rules(100);
  const script = scripted(
    [
      { tokens: [1, 2, 3, 4], probability: 0.2 },
      { tokens: [1, 2, 3], probability: 0.9 },
    ],
    here,
  );
  expect((await findText(script.decoder, here, true)).tokens).toEqual([1, 2, 3]);
  expect(script.searches()).toBe(2);
});

test('a text of nothing but punctuation ends after a few tokens', async () => {
  const here = rules(100);
  const silent = { ...here, bytes: here.bytes.map(() => new TextEncoder().encode(' .')) };
  const dots = { tokens: Array.from({ length: 200 }, () => 4), probability: 0.9 };
  expect((await findText(scripted([dots], silent).decoder, silent)).tokens).toHaveLength(12);
  expect((await findText(scripted([dots], here).decoder, here)).tokens).toHaveLength(48);
});

test('repeated tokens are a repetition, and so is compressible text', () => {
  const bytes = ['you ', 'and ', 'then '].map((text) => new TextEncoder().encode(text));
  const few = { ...rules(), bytes };
  const text = (tokens: number[]) => ({ ...found([], 0), tokens });
  expect(repeatsItself(text(Array.from({ length: 12 }, () => 0)), few)).toBe(true);
  expect(repeatsItself(text([0, 1, 2]), few)).toBe(false);
});

test('a probable text that repeats a phrase ends the search in a divisible window', async () => {
  const here = rules(100);
  const twice = Array.from({ length: 60 }, (_, at) => at % 12);
  const script = (probability: number) => scripted([{ tokens: twice, probability }], here);
  const [likely, unlikely, whole] = [script(0.9), script(0.1), script(0.9)];
  expect(mayBeRealRepetition(await findText(likely.decoder, here, true), here)).toBe(true);
  expect(likely.searches()).toBe(1);
  expect(mayBeRealRepetition(await findText(unlikely.decoder, here, true), here)).toBe(false);
  await findText(whole.decoder, here);
  expect(whole.searches()).toBe(6);
});

test('an improbable phrase is a hallucination, however probable its repetition', () => {
  const phrase = [1, 2, 3];
  const said = (first: number) => ({
    ...found([], 0),
    tokens: [...phrase, ...phrase],
    logProbabilities: [first, first, first, first, -0.01, -0.01, -0.1],
  });
  expect(isHallucination(said(-1.5), rules())).toBe(true);
  expect(isHallucination(said(-0.5), rules())).toBe(false);
});
