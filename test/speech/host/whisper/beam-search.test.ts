/** Following several texts at once: later tokens decide, and the model may refuse several. */
import { expect, test } from 'bun:test';
import type { Decoder, DecoderStep } from '../../../../server/whisper/model/decoder.ts';
import type { SearchRules } from '../../../../server/whisper/search/found-text.ts';
import { likeliestText } from '../../../../server/whisper/search/search.ts';

const END = 5;
const rules: SearchRules = {
  prompt: [END + 1],
  end: END,
  noSpeech: END + 1,
  unspoken: [],
  neverFirst: [4, END],
  special: END + 1,
  most: 224,
  frameSeconds: 0.02,
  bytes: ['asked', 'ask', ',', ' not', ' '].map((text) => new TextEncoder().encode(text)),
  frames: 1,
};

/** The probabilities of the tokens after a text, whose tokens are joined; the rest is shared by all tokens. */
const LANGUAGE: Record<string, Partial<Record<number, number>>> = {
  '': { 0: 0.45, 2: 0.4 },
  // “asked” is likelier than the comma, but nothing follows it well.
  '0': { 3: 0.3, 1: 0.3 },
  '2': { 1: 0.95 },
  '2,1': { 3: 0.95 },
};

/** A decoder for so many texts, which ends every text that the language does not know. */
function speaker(texts: number, refuses = false, language = LANGUAGE) {
  let said: number[][] = [];
  let most = texts;
  const widths: number[] = [];
  const stepOf = (text: number[]): DecoderStep => {
    const next = language[text.join()] ?? { [END]: 0.95 };
    const logits = Float32Array.from({ length: END + 2 }, (_, id) => Math.log(next[id] ?? 0.001));
    return { logits, firstLogits: logits.slice(), attention: [Float32Array.of(text.at(-1) ?? -1)] };
  };
  const decoder: Decoder = {
    get texts() {
      return most;
    },
    begin() {
      said = [];
    },
    async take([token = 0]) {
      said = token === END + 1 ? [[]] : [[...(said[0] ?? []), token]];
      return stepOf(said[0]!);
    },
    async takeEach(tokens, after) {
      if (refuses && tokens.length > 1) {
        most = 1;
        throw new Error('Got invalid dimensions');
      }
      widths.push(tokens.length);
      said = tokens.map((token, at) => [...said[after[at]!]!, token]);
      return said.map(stepOf);
    },
  };
  return { decoder, widths };
}

test('a token that is less likely at first wins because of later ones', async () => {
  const { decoder, widths } = speaker(5);
  const found = await likeliestText(decoder, rules);
  expect(found.tokens).toEqual([2, 1, 3]);
  expect(found.logProbabilities).toHaveLength(4);
  // The attention of the prompt, then that of each token of this text.
  expect(found.attention.map(([first]) => first)).toEqual([-1, 2, 1, 3]);
  expect(Math.max(...widths)).toBeGreaterThan(1);
});

test('a long text is not dropped for a short one that ends first', async () => {
  // “ not” and the end are likely at once; “ask” is less likely at first, and its many tokens are nearly certain.
  const long = Array.from({ length: 40 }, (_, at) => at % 2);
  const language: typeof LANGUAGE = { '': { 3: 0.5, 0: 0.15 }, '3': { [END]: 0.5 } };
  for (let at = 1; at < long.length; at += 1) {
    language[long.slice(0, at).join()] = { [long[at]!]: 0.92 };
  }
  const found = await likeliestText(speaker(5, false, language).decoder, rules);
  expect(found.tokens).toEqual(long);
});

test('a text that is less likely so far, but hardly, is followed after another has ended', async () => {
  const language: typeof LANGUAGE = { '': { 0: 0.6, 1: 0.4 } };
  const long = [1, 2, 3, 2, 0];
  for (let at = 1; at < long.length; at += 1) {
    language[long.slice(0, at).join()] = { [long[at]!]: 0.99 };
  }
  const found = await likeliestText(speaker(5, false, language).decoder, rules);
  expect(found.tokens).toEqual(long);
});

test('a text that never ends is only taken if no other has ended', async () => {
  const language: typeof LANGUAGE = { '': { 0: 0.6, 1: 0.4 } };
  for (let count = 1; count < 60; count += 1) {
    language[Array.from({ length: count }, () => 1).join()] = { 1: 0.99 };
  }
  const found = await likeliestText(speaker(5, false, language).decoder, rules);
  expect(found.tokens).toEqual([0]);
  language['0'] = { 0: 0.99 };
  for (let count = 2; count < 60; count += 1) {
    language[Array.from({ length: count }, () => 0).join()] = { 0: 0.99 };
  }
  const endless = await likeliestText(speaker(5, false, language).decoder, rules);
  expect(new Set(endless.tokens)).toEqual(new Set([0]));
});

test('with one text, the most likely token is chosen', async () => {
  expect((await likeliestText(speaker(1).decoder, rules)).tokens[0]).toBe(0);
});

test('a model that refuses several texts is called with one', async () => {
  const { decoder } = speaker(5, true);
  expect((await likeliestText(decoder, rules)).tokens[0]).toBe(0);
  expect(decoder.texts).toBe(1);
});

test('a failure of another kind is not hidden', async () => {
  const { decoder } = speaker(5);
  const broken: Decoder = { ...decoder, texts: 5, takeEach: () => Promise.reject(new Error('no')) };
  expect(likeliestText(broken, rules)).rejects.toThrow('no');
});
