/** Which texts of Whisper are taken for inventions. */
import { expect, test } from 'bun:test';
import {
  isHallucination,
  repeatsItself,
  type FoundText,
  type SearchRules,
} from '../../../../server/speech/host/whisper/search.ts';

/** A text by the log probabilities of its tokens and of its end. */
const found = (tokens: number[], end: number, noSpeech = 0.1): FoundText => ({
  tokens: tokens.map((_, at) => at),
  logProbabilities: [...tokens, end],
  attention: [],
  noSpeech,
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
  ['one word that was said, unclearly', found([-0.8], -0.05, 0.22), false],
])('%s', (_, text, invented) => {
  expect(isHallucination(text)).toBe(invented);
});

test('the same few tokens again and again repeat themselves, and so does compressible text', () => {
  const bytes = ['you ', 'and ', 'then '].map((text) => new TextEncoder().encode(text));
  const rules = { bytes } as unknown as SearchRules;
  const text = (tokens: number[]) => ({ ...found([], 0), tokens });
  expect(repeatsItself(text(Array.from({ length: 12 }, () => 0)), rules)).toBe(true);
  expect(repeatsItself(text([0, 1, 2]), rules)).toBe(false);
});
