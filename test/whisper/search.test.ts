/** The text that is found for a window, and the texts that count as inventions. */
import { expect, test, describe } from 'bun:test';
import type { Decoder, DecoderStep } from '../../server/whisper/model/decoder.ts';
import { findText, isHallucination, likeliestText } from '../../server/whisper/search/search.ts';
import { type FoundText, type SearchRules } from '../../server/whisper/search/found-text.ts';

describe('texts of Whisper that count as inventions, and the end of the search for a better one', () => {
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
});

describe('following several texts at once: later tokens decide, and the model may refuse several', () => {
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
      return {
        logits,
        firstLogits: logits.slice(),
        attention: [Float32Array.of(text.at(-1) ?? -1)],
      };
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

  test('a model that refuses several texts is called with one', async () => {
    const { decoder } = speaker(5, true);
    expect((await likeliestText(decoder, rules)).tokens[0]).toBe(0);
    expect(decoder.texts).toBe(1);
  });
});
