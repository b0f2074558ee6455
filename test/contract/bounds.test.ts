/** Every limit of the contract as a literal, and the limits of terms from both sides. */
import { describe, expect, test } from 'bun:test';
import { MP3_RECOMMENDATION } from '../../server/contract/audio.ts';
import * as limits from '../../server/contract/limits.ts';
import { payloadIssues } from '../../server/contract/payload.ts';
import { closed, Type, validator } from '../../server/contract/schema.ts';
import { boundedTerms } from '../../server/contract/terms.ts';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { fitKeyterms, KEYTERM_LIMITS } from '../../server/terminology/packs/keyterms.ts';
import { request } from '../terminology/support.ts';

test('the constants are those in the documents', () => {
  expect({ ...limits }).toEqual({
    MAX_UPLOAD_BYTES: 104_857_600,
    MAX_UPLOAD_SIZE: '100 MiB',
    MIN_UPLOAD_BYTES: 240_000,
    MIN_UPLOAD_SECONDS: 30,
    MIN_UPLOAD_RATE: '64 kbit/s',
    EXPORT_HOURS: 2,
    MAX_KEY_BYTES: 1024,
    RESUMABLE_HOURS: 24,
    MAX_RESUMABLE_UPLOADS: 50,
    MAX_UPLOAD_PARTS: 2000,
    MAX_UPLOAD_METADATA: 4096,
    UPLOAD_LINK_MINUTES: 15,
    MAX_INLINE_BYTES: 8_388_608,
    MAX_INLINE_SIZE: '8 MiB',
    MESSAGE_BURST_BYTES: 33_554_432,
    MESSAGE_BYTES_PER_SECOND: 4_194_304,
    MESSAGE_RATE: '32 MiB at once, then 4 MiB per second',
    CHUNK_BYTES: { minimum: 262_144, maximum: 5_242_880, default: 1_048_576 },
    MAX_KEYTERMS: { minimum: 1, maximum: 100, default: 100 },
    MIN_CONFIDENCE: { minimum: 0, maximum: 1, default: 0.85 },
    MAX_LINE_CHARS: { minimum: 24, maximum: 60, default: 42 },
    MAX_LINES: { minimum: 1, maximum: 3, default: 2 },
    MAX_DURATION: { minimum: 2, maximum: 10, default: 6 },
    MIN_DURATION: { minimum: 0.2, maximum: 2, default: 0.8 },
    MAX_TERM_CHARS: 200,
    MAX_TERM_WORDS: 20,
    MAX_TERMS: 1000,
    MAX_GLOSSARY_CHARS: 32_768,
    MAX_TOPIC_CHARS: 2000,
    MAX_FILENAME_CHARS: 1024,
    MAX_LANGUAGE_CHARS: 100,
    MAX_MODEL_CHARS: 200,
    MAX_NEGOTIATED_HEADER: 1024,
    RUNS_PAGE: { minimum: 1, maximum: 100, default: 20 },
    MAX_IDEMPOTENCY_KEY: 255,
    MAX_RAW_BYTES: 16_777_216,
    MAX_RAW_DEPTH: 64,
    MAX_STEP_BYTES: 134_217_728,
    MAX_ATTEMPTS: 3,
    CLAIM_MINUTES: 10,
    REGISTRATION_KEPT_HOURS: 24,
    MAX_CODES: 5,
    REGISTRATIONS_PER_ADDRESS: 5,
    REGISTRATIONS_PER_ADDRESS_IN_ALL: 20,
    REGISTRATIONS_PER_CLIENT: 30,
    CLIENTS_PER_NETWORK: 4,
    REGISTRATIONS_IN_ALL: 1200,
    DOMAIN_SHARE: 1 / 4,
    GUESSES_PER_DOMAIN: 1,
    GUESSES_PER_DOMAIN_HOURS: 30,
    GUESSES_PER_ADDRESS: 10,
    GUESSES_COUNT_DAYS: 7,
    GUESSES_IN_ALL: 200,
    WRONG_CODES_PER_CLIENT_REGISTRATION: 2,
    TRIES_OF_SECOND_CODE: 2,
    MAX_WORD_CHARACTERS: 1000,
    MAX_RECORDING_SECONDS: 360_000,
    MAX_TRANSCRIPT_WORDS: 1_000_000,
    MAX_REVIEW_BYTES: 16_777_216,
    MAX_REVIEW_CUES: 50_000,
    MAX_REVIEW_LINES: 20,
    MAX_REVIEW_LINE_CHARS: 2000,
    MAX_REVIEW_CORRECTIONS: 50_000,
    MAX_SPEAKERS: 500,
    MAX_SPEAKER_CHARS: 200,
    LAST_CAPTION_SECOND: 359_999.999,
    MAX_TERMS_BYTES: 1_048_576,
    MAX_TERM_FORMS: 50,
    MAX_NOTE_CHARS: 500,
    MAX_PASTED_CHARS: 200_000,
  });
  expect(MP3_RECOMMENDATION.recommendedAudio.bitrate).toBe('32k');
  expect(MP3_RECOMMENDATION.fallbackCommand).toContain('48k');
});

test('at most fifty errors are listed', () => {
  const names = Array.from({ length: 60 }, (_, at) => [`x${at}`, 1]);
  expect(
    validator(closed({ a: Type.Optional(Type.String()) })).issues(Object.fromEntries(names)),
  ).toHaveLength(50);
  const glossary = Array.from({ length: 60 }, () => 'a '.repeat(30));
  expect(payloadIssues({ audio: { key: 'a.mp3' }, glossary })).toHaveLength(50);
});

test('Deepgram is never sent more than its 500 tokens', () => {
  const terms = Array.from({ length: 200 }, () => 'abcdefghijklmnopqr');
  const { injected } = fitKeyterms(terms, KEYTERM_LIMITS.deepgram);
  expect(injected.length * 6).toBeLessThanOrEqual(500);
});

test("the lower of maxKeyterms and the recogniser's limit applies", () => {
  const glossary = Array.from({ length: 50 }, (_, at) => `term${at}`);
  const injected = (maxKeyterms: number, terms: number) =>
    compileTerminology([], request({ glossary, maxKeyterms, keytermLimit: { terms } })).summary
      .injectedKeyterms.length;
  expect(injected(100, 10)).toBe(10);
  expect(injected(5, 10)).toBe(5);
});

describe('terms', () => {
  const of = (glossary: unknown) => payloadIssues({ audio: { key: 'a.mp3' }, glossary });

  test.each([
    ['200 characters', ['x'.repeat(200)], ['x'.repeat(201)], 'glossary.0'],
    ['200 of two units', ['😀'.repeat(200)], ['😀'.repeat(201)], 'glossary.0'],
    ['20 words', ['a '.repeat(20).trim()], ['a', 'a-'.repeat(20) + 'a'], 'glossary.1'],
    ['1,000 terms', Array(1000).fill('a'), Array(1001).fill('a'), 'glossary'],
    ['in one string', 'a, ,'.repeat(1000), 'a,'.repeat(1001), 'glossary'],
    ['32,768 characters', `a,${' '.repeat(32_766)}`, `a,${' '.repeat(32_767)}`, 'glossary'],
    ['of one string', `b, ${'x'.repeat(200)}`, `b, ${'x'.repeat(201)}`, 'glossary'],
  ])('%s', (_what, good, bad, path) => {
    expect(of(good)).toEqual([]);
    expect(of(bad).map((fault) => fault.path)).toEqual([path]);
    expect(of(bad)[0]?.message).toMatch(/more than/);
  });

  test.each([...' \t-‐‑‒–—/_'])('have words between %j', (mark) => {
    const words = (count: number) => [`-${Array(count).fill('a').join(mark)}/`];
    expect([of(words(20)), of(words(21)).length]).toEqual([[], 1]);
  });

  test('are one term if a field other than the glossary is one string', () => {
    const keyterms = Array(21).fill('a').join(', ');
    const payload = { audio: { key: 'a.mp3' }, glossary: keyterms, transcription: { keyterms } };
    expect(payloadIssues(payload)).toEqual([
      { path: 'transcription.keyterms', message: 'must not have a term of more than 20 words' },
    ]);
  });

  test('of a longer list are the first thousand, without those that are too long', () => {
    expect(boundedTerms(Array(1001).fill('a'))).toHaveLength(1000);
    expect(boundedTerms([...Array(1000).fill('x'.repeat(201)), 'a'])).toEqual([]);
  });

  test('are checked in every field, and listed after the bytes of the key', () => {
    const long = Array(21).fill('a').join(' ');
    const paths = (key: string) =>
      payloadIssues({
        audio: { key },
        glossary: long,
        transcription: { keyterms: long },
        terminology: { include: ['b', long], exclude: long },
      }).map(({ path }) => path);
    const terms = [
      'glossary',
      'transcription.keyterms',
      'terminology.include.1',
      'terminology.exclude',
    ];
    expect(paths(`${'ü'.repeat(510)}.mp3`)).toEqual(terms);
    expect(paths(`${'ü'.repeat(510)}a.mp3`)).toEqual(['audio.key', ...terms]);
  });

  test('are skipped in payloads that were stored before there were limits', () => {
    const long = 'ab '.repeat(30_000);
    const { terms, summary } = compileTerminology(
      [],
      request({ glossary: [long, 'OK'], exclude: [long] }),
    );
    expect(terms.map(({ canonical }) => canonical)).toEqual(['OK']);
    expect(summary.explicitTerms).toEqual(['OK']);
  });
});
