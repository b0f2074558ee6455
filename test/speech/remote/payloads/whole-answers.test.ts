/**
 * The responses of Whisper servers and Deepgram: words, confidence, silence, loops, language and
 * groups.
 */
import { describe, expect, test } from 'bun:test';
import { readDeepgram } from '../../../../server/speech/remote/payloads/deepgram.ts';
import { readWhisper } from '../../../../server/speech/remote/payloads/whisper.ts';
import {
  groupStarts,
  isSpeech,
  serviceMetadata,
} from '../../../../server/speech/remote/payloads/words.ts';
import { deepgramAnswer, TALK } from '../../../support/doubles/speech-doubles.ts';

describe('the response of a Whisper server', () => {
  const go = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ word: 'go', start: at, end: at + 0.5 }));
  const segment = { text: ' go', start: 0, end: 9, words: go(9) };
  const words = (given: object) =>
    readWhisper({ text: 'go', segments: [{ ...segment, ...given }] })?.words.length;

  test('keeps repeated speech; only more compressible text is a loop', () => {
    expect(words({})).toBe(9);
    expect(words({ compression_ratio: 2.4 })).toBe(9);
    expect(words({ compression_ratio: 2.5 })).toBe(3);
  });

  test('keeps speech unless it is both unlikely to be speech and unsure', () => {
    expect(words({ no_speech_prob: 0.9 })).toBe(9);
    expect(words({ avg_logprob: -1.5 })).toBe(9);
    expect(words({ no_speech_prob: 0.6, avg_logprob: -1.5 })).toBe(9);
    expect(words({ no_speech_prob: 0.7, avg_logprob: -1 })).toBe(9);
    expect(words({ no_speech_prob: 0.7, avg_logprob: -1.1 })).toBe(0);
  });

  test("is read whatever the server's names for text and confidence", () => {
    const heard = (word: object) =>
      readWhisper({
        text: 'hi',
        segments: [{ ...segment, words: [{ start: 0, end: 1, ...word }] }],
      })?.words[0];
    expect(heard({ word: 'hi', probability: 0.5 })).toMatchObject({ text: 'hi', confidence: 0.5 });
    expect(heard({ text: 'hi', confidence: 0.6 })).toMatchObject({ text: 'hi', confidence: 0.6 });
    expect(heard({ text: 'hi', score: 0.7 })).toMatchObject({ text: 'hi', confidence: 0.7 });
    expect(heard({ text: 'hi' })).toEqual({ text: 'hi', start: 0, end: 1 });
  });

  test('without words is silence; text without any time is invalid', () => {
    expect(readWhisper({ text: ' ' })?.words).toEqual([]);
    expect(readWhisper({ text: 'hi' })).toBeNull();
    expect(readWhisper({ text: 'hi', segments: [] })).toBeNull();
    const silent = { ...segment, no_speech_prob: 0.9, avg_logprob: -2 };
    expect(readWhisper({ text: 'hi', segments: [silent] })?.words).toEqual([]);
  });

  test('has the language wherever a server puts it', () => {
    const info = { transcription_info: { language: 'de' } };
    expect(readWhisper({ text: '', ...info })?.metadata).toEqual({ detectedLanguage: 'de' });
    expect(readWhisper({ text: '', language: 'fr', ...info })?.metadata).toEqual({
      detectedLanguage: 'fr',
    });
    expect(readWhisper({ text: '' })?.metadata).toEqual({});
  });
});

describe('the response of Deepgram', () => {
  test('has its length, request and model', () => {
    expect(readDeepgram(deepgramAnswer(TALK))).toMatchObject({
      duration: 4,
      utterances: [0, 4],
      paragraphs: [0, 4],
      metadata: {
        requestId: 'req-1',
        modelName: 'general-nova-3',
        modelVersion: '2026-01-01.0',
      },
    });
  });

  test('without punctuation has the plain words, at the position of the piece', () => {
    const answer = deepgramAnswer(TALK.slice(0, 1));
    delete answer.results.channels[0].alternatives[0].words[0].punctuated_word;
    expect(readDeepgram(answer, 100)?.words).toMatchObject([{ text: 'welcome', start: 100.4 }]);
    expect(readDeepgram({ results: { channels: [] } })).toBeNull();
    expect(readDeepgram({ results: { channels: [{ alternatives: [] }] } })?.words).toEqual([]);
  });
});

test('groups of words count only if they cover all words', () => {
  const words = TALK;
  expect(groupStarts([2, 4], words, words)).toEqual([0, 2]);
  expect(groupStarts([2, 3], words, words)).toBeUndefined();
  expect(groupStarts([2, 4], [...words, 1], words)).toBeUndefined();
  expect(groupStarts([], [], [])).toBeUndefined();
});

test('a response with the most words, longest speakers and latest times is accepted', () => {
  const word = { text: 'a'.repeat(1000), speaker: 's'.repeat(200), start: 0, end: 360_000 };
  expect(isSpeech({ words: [word], duration: 360_000 })).toBe(true);
  expect(isSpeech({ words: [{ ...word, speaker: 's'.repeat(201) }] })).toBe(false);
  expect(isSpeech({ words: [{ ...word, text: 'a'.repeat(1001) }] })).toBe(false);
  expect(isSpeech({ words: [{ ...word, end: 360_001 }] })).toBe(false);
  expect(isSpeech({ words: [], duration: 360_001 })).toBe(false);
  const many = Array.from({ length: 1_000_001 }, () => word);
  expect(isSpeech({ words: many })).toBe(false);
  expect(isSpeech({ words: many.slice(1) })).toBe(true);
  expect(serviceMetadata({ id: 'x'.repeat(200), long: 'x'.repeat(201), none: null })).toEqual({
    id: 'x'.repeat(200),
  });
});
