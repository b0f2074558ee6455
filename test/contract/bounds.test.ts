/** The bounds of the contract as they are written in it, and those of terms, from both sides. */
import { describe, expect, test } from 'bun:test';
import { MP3_RECOMMENDATION } from '../../server/contract/audio.ts';
import * as limits from '../../server/contract/limits.ts';
import { payloadFaults } from '../../server/contract/payload.ts';
import { closed, Type, validator } from '../../server/contract/schema.ts';
import { compileTerminology } from '../../server/terminology/compile.ts';
import { fitKeyterms, KEYTERM_LIMITS } from '../../server/terminology/keyterms.ts';
import { request } from '../terminology/support.ts';

test('constants', () => {
  expect(limits.MAX_IDEMPOTENCY_KEY).toBe(255);
  expect(limits.UPLOAD_LINK_MINUTES).toBe(15);
  expect(limits.MAX_UPLOAD_BYTES).toBe(104_857_600);
  expect(limits.MAX_KEY_BYTES).toBe(1024);
  expect(limits.CLAIM_MINUTES).toBe(10);
  expect(MP3_RECOMMENDATION.recommendedAudio.bitrate).toBe('32k');
  expect(MP3_RECOMMENDATION.fallbackCommand).toContain('48k');
});

test('sixty faults are told as fifty', () => {
  const names = Array.from({ length: 60 }, (_, at) => [`x${at}`, 1]);
  expect(
    validator(closed({ a: Type.Optional(Type.String()) })).faults(Object.fromEntries(names)),
  ).toHaveLength(50);
  const glossary = Array.from({ length: 60 }, () => 'a '.repeat(30));
  expect(payloadFaults({ audio: { key: 'a.mp3' }, glossary })).toHaveLength(50);
});

test('Deepgram is never sent more than its 500 tokens', () => {
  const terms = Array.from({ length: 200 }, () => 'abcdefghijklmnopqr');
  const { injected } = fitKeyterms(terms, KEYTERM_LIMITS.deepgram);
  expect(injected.length * 6).toBeLessThanOrEqual(500);
});

test('the lower of maxKeyterms and what the recogniser takes', () => {
  const glossary = Array.from({ length: 50 }, (_, at) => `term${at}`);
  const injected = (maxKeyterms: number, terms: number) =>
    compileTerminology([], request({ glossary, maxKeyterms, keytermLimit: { terms } })).summary
      .injectedKeyterms.length;
  expect(injected(100, 10)).toBe(10);
  expect(injected(5, 10)).toBe(5);
});

describe('terms', () => {
  const of = (glossary: unknown) => payloadFaults({ audio: { key: 'a.mp3' }, glossary });

  test.each([
    ['200 characters', ['x'.repeat(200)], ['x'.repeat(201)], 'glossary.0'],
    ['200 of two units', ['😀'.repeat(200)], ['😀'.repeat(201)], 'glossary.0'],
    ['20 words', ['a '.repeat(20).trim()], ['a', 'a-'.repeat(20) + 'a'], 'glossary.1'],
    ['1,000 terms', Array(1000).fill('a'), Array(1001).fill('a'), 'glossary'],
    ['in one string', 'a,'.repeat(1000), 'a,'.repeat(1001), 'glossary'],
    ['32,768 characters', `a,${' '.repeat(32_766)}`, `a,${' '.repeat(32_767)}`, 'glossary'],
    ['of one string', `b, ${'x'.repeat(200)}`, `b, ${'x'.repeat(201)}`, 'glossary'],
  ])('%s', (_what, good, bad, path) => {
    expect(of(good)).toEqual([]);
    expect(of(bad).map((fault) => fault.path)).toEqual([path]);
    expect(of(bad)[0]?.message).toMatch(/more than/);
  });

  test('are passed over where they come from before there were bounds', () => {
    const long = 'ab '.repeat(30_000);
    const { terms, summary } = compileTerminology(
      [],
      request({ glossary: [long, 'OK'], exclude: [long] }),
    );
    expect(terms.map(({ canonical }) => canonical)).toEqual(['OK']);
    expect(summary.explicitTerms).toEqual(['OK']);
  });
});
