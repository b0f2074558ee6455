/** CaptionerPayload: limits from both sides, unknown fields, defaults, and the issues that name an error. */
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { trimmedTerms } from '../../server/contract/glossary.ts';
import { isTermSized } from '../../server/contract/terms.ts';
import {
  CaptionerPayload,
  payloadIssues,
  resolvePayload,
  unknownPacks,
} from '../../server/contract/payload.ts';
import { closed, enumeration, maybe, Type, validator } from '../../server/contract/schema.ts';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { request } from '../terminology/support.ts';

const payloads = validator(CaptionerPayload);
const audio = { key: 'a.mp3' };

/** `{audio, section: {field: value}}` */
const having = (path: string, value: unknown): unknown => {
  const [section = '', field] = path.split('.');
  if (field === undefined) return { audio, [section]: value };
  if (section === 'audio') return { audio: { ...audio, [field]: value } };
  return { audio, [section]: { [field]: value } };
};

const accepts = (payload: unknown) => expect(payloads.issues(payload)).toEqual([]);

function refuses(payload: unknown, path: string): void {
  expect(payloads.check(payload)).toBe(false);
  expect(payloads.issues(payload).map((fault) => fault.path)).toContain(path);
}

describe('bounds', () => {
  test.each([
    ['transcription.chunkBytes', 262_144, 5_242_880, 1],
    ['terminology.maxKeyterms', 1, 100, 1],
    ['audit.minConfidence', 0, 1, 0.0001],
    ['captions.maxLineChars', 24, 60, 1],
    ['captions.maxLines', 1, 3, 1],
    ['captions.maxDuration', 2, 10, 0.0001],
    ['captions.minDuration', 0.2, 2, 0.0001],
  ])('%s from %p to %p', (path, low, high, step) => {
    for (const value of [low, high, low + step, high - step]) accepts(having(path, value));
    for (const value of [low - step, high + step, String(low), null, [low]]) {
      refuses(having(path, value), path);
    }
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) refuses(having(path, value), path);
  });
});

describe('values', () => {
  test.each([
    ['transcription.provider', ['edge', 'deepgram', 'assemblyai'], ['openai', 'Edge', '', null]],
    ['audit.provider', ['edge', 'openai', 'groq', 'none'], ['deepgram', 'None', '', null]],
    ['audit.mode', ['publishable', 'fast', 'experimental'], ['slow', '', null]],
    ['audio.mediaType', ['audio/mpeg'], ['audio/mp3', 'AUDIO/MPEG', '', null]],
  ])('%s', (path, good, bad) => {
    for (const value of good) accepts(having(path, value));
    for (const value of bad) refuses(having(path, value), path);
  });

  test.each([['a.MP3'], ['a.mp3 '], ['a.wav'], ['mp3'], ['a.mp3x'], [''], [1]])(
    'key %p is refused',
    (key) => {
      refuses({ audio: { key } }, 'audio.key');
    },
  );

  test.each<[packs: string | string[], known: boolean]>([
    ['protocols/mcp', true],
    [['protocols/mcp', 'vendors/own'], true],
    [[], true],
    ['x', false],
    ['', false],
    [['protocols/mcp', 'x'], false],
  ])('packs %j are installed: %p', (packs, known) => {
    const payload = having('terminology.packs', packs);
    accepts(payload);
    const message = 'must be one of protocols/mcp, vendors/own';
    expect(unknownPacks(payload as CaptionerPayload, ['protocols/mcp', 'vendors/own'])).toEqual(
      known ? [] : [{ path: 'terminology.packs', message }],
    );
  });

  test('only audio.key is required', () => {
    accepts({ audio });
    refuses({}, 'audio');
    refuses({ audio: {} }, 'audio.key');
    for (const payload of [null, [], 'x', 1]) expect(payloads.check(payload)).toBe(false);
  });
});

test('unknown fields are refused, whatever their name', () => {
  const levels = ['', 'audio', 'transcription', 'terminology', 'storage', 'audit', 'captions'];
  fc.assert(
    fc.property(fc.constantFrom(...levels), fc.string(), (level, name) => {
      const unknown = JSON.parse(`{${JSON.stringify(`~${name}`)}:1}`) as object;
      const within = { [level]: { ...(level === 'audio' && audio), ...unknown } };
      expect(payloads.check({ audio, ...(level === '' ? unknown : within) })).toBe(false);
    }),
  );
});

describe('defaults', () => {
  test('of an empty payload', () => {
    expect(resolvePayload({ audio })).toEqual({
      audio: { key: 'a.mp3' },
      topic: '',
      glossary: [],
      language: 'en',
      transcription: {
        provider: 'edge',
        keyterms: [],
        includeRawResponse: false,
        chunkBytes: 1_048_576,
      },
      terminology: { packs: [], include: [], exclude: [], maxKeyterms: 100 },
      storage: { retainSourceAudio: false },
      audit: { mode: 'publishable', enabled: true, minConfidence: 0.85 },
      captions: { maxLineChars: 42, maxLines: 2, maxDuration: 6, minDuration: 0.8 },
    });
  });

  test('explicit values are kept, including 0 and false', () => {
    const transcription = {
      provider: 'deepgram',
      model: 'm',
      includeRawResponse: true,
      chunkBytes: 262_144,
    };
    const storage = { retainSourceAudio: true };
    const audit = {
      mode: 'fast',
      provider: 'none',
      enabled: false,
      model: 'n',
      minConfidence: 0,
    } as const;
    const said: CaptionerPayload = {
      audio: { key: 'a.mp3', filename: 'talk.mp3', mediaType: 'audio/mpeg' },
      topic: ' MCP Night ',
      language: 'de',
      transcription,
      terminology: { packs: 'protocols/mcp', include: 'x', exclude: ['y', ' '], maxKeyterms: 1 },
      storage,
      audit,
      captions: { maxLines: 1, minDuration: 0.2 },
    };
    expect(resolvePayload(said)).toEqual({
      audio: { key: 'a.mp3', filename: 'talk.mp3' },
      topic: 'MCP Night',
      glossary: [],
      language: 'de',
      transcription: { ...transcription, keyterms: [] },
      terminology: { packs: ['protocols/mcp'], include: ['x'], exclude: ['y'], maxKeyterms: 1 },
      storage,
      audit,
      captions: { maxLineChars: 42, maxLines: 1, maxDuration: 6, minDuration: 0.2 },
    });
  });

  test('blank texts count as absent', () => {
    const blank = resolvePayload({
      audio: { ...audio, filename: '' },
      topic: ' ',
      language: ' ',
      transcription: { model: '' },
      audit: { model: '' },
    });
    expect(blank).toEqual(resolvePayload({ audio }));
    expect(resolvePayload({ audio, language: ' de ' }).language).toBe('de');
  });

  test('a glossary in one string is split; packs named twice count once', () => {
    const request = resolvePayload({
      audio,
      glossary: 'AuthKit, auth.md;\n MCP ,,',
      terminology: { packs: ['vendors/workos', 'protocols/mcp', 'vendors/workos'] },
    });
    expect(request.glossary).toEqual(['AuthKit', 'auth.md', 'MCP']);
    expect(request.terminology.packs).toEqual(['vendors/workos', 'protocols/mcp']);
  });
});

describe('bounds', () => {
  describe('terms', () => {
    const of = (glossary: unknown) => payloadIssues({ audio: { key: 'a.mp3' }, glossary });

    test.each([
      ['200 characters', ['x'.repeat(200)], ['x'.repeat(201)], 'glossary.0'],
      ['200 of two units', ['😀'.repeat(200)], ['😀'.repeat(201)], 'glossary.0'],
      ['1,000 terms', Array(1000).fill('a'), Array(1001).fill('a'), 'glossary'],
      ['32,768 characters', `a,${' '.repeat(32_766)}`, `a,${' '.repeat(32_767)}`, 'glossary'],
    ])('of more than %s are refused by the schema', (_what, good, bad, path) => {
      expect(of(good)).toEqual([]);
      expect(of(bad).map((fault) => fault.path)).toEqual([path]);
      expect(of(bad)[0]?.message).toMatch(/more than/);
    });

    const key = 'a.mp3';
    const NAMES = Array.from({ length: 21 }, (_, at) => `Name${at}`);
    test.each<[what: string, given: string | string[], terms: string[], note: RegExp | null]>([
      ['in order', 'AuthKit, SCIM', ['AuthKit', 'SCIM'], null],
      [
        'of too many words are left out',
        ['a', 'a-'.repeat(20) + 'a'],
        ['a'],
        /1 term was left out/,
      ],
      ['of one string too', `b, ${'x'.repeat(201)}`, ['b'], /at most 200 characters/],
      ['beyond 1,000 too', 'a,'.repeat(1001), Array(1000).fill('a'), /at most 1000 terms/],
      ['of a list of names without commas', NAMES.join(' '), NAMES, /each of its names is a term/],
      ['of a sentence are none', 'the quick brown fox '.repeat(6), [], /1 term was left out/],
    ])('%s', (_what, glossary, terms, note) => {
      expect(of(glossary)).toEqual([]);
      const request = resolvePayload({ audio: { key }, glossary });
      expect(request.glossary).toEqual(terms);
      expect(request.notes).toEqual(note ? [expect.stringMatching(note)] : undefined);
    });

    test.each([...' \t-‐‑‒–—/_'])('have words between %j', (mark) => {
      const words = (count: number) => `-${Array(count).fill('a').join(mark)}/`;
      expect([isTermSized(words(20)), isTermSized(words(21))]).toEqual([true, false]);
    });

    test('are one term if a field other than the glossary is one string', () => {
      const given = { keyterms: 'a, b' };
      const request = resolvePayload({ audio: { key }, glossary: 'a, b', transcription: given });
      expect([request.glossary, request.transcription.keyterms]).toEqual([['a', 'b'], ['a, b']]);
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
});

describe('glossary', () => {
  const audio = { key: 'a.mp3' };

  test.each([
    ['WorkOS, AuthKit;Radar\n  MCP ', ['WorkOS', 'AuthKit', 'Radar', 'MCP']],
    [',;\n ,', []],
    ['one two', ['one two']],
    ['one\ttwo\r\nthree', ['one\ttwo', 'three']],
  ])('%j', (typed, terms) => {
    expect(trimmedTerms(typed)).toEqual(terms);
    expect(resolvePayload({ audio, glossary: typed }).glossary).toEqual(terms);
    expect(resolvePayload({ audio, glossary: trimmedTerms(typed) }).glossary).toEqual(terms);
  });
});

describe('the validator’s issues for an invalid value', () => {
  const Short = Type.String({ minLength: 2, maxLength: 3 });
  const Few = Type.Array(Type.String(), { minItems: 1, maxItems: 2 });
  const Schema = closed({
    place: closed({ x: Type.Number(), y: Type.Optional(Type.Number()) }),
    format: Type.Optional(enumeration(['srt', 'vtt'])),
    texts: Type.Optional(Type.Union([Short, Few])),
    texts2: Type.Optional(Type.Number()),
    textLists: Type.Optional(Type.Union([Type.Number(), Type.Array(Short)])),
    either: Type.Optional(Type.Union([Type.Number(), Type.Boolean()])),
    key: Type.Optional(Type.String({ maxLength: 3, pattern: 'x$' })),
    note: maybe(Type.String()),
    others: Type.Optional(Type.Record(Type.String(), Type.Number())),
  });
  const place = { x: 1 };
  const NONE = 'matches none of the allowed forms';

  test.each<[string, unknown, ...string[]]>([
    ['a whole value', { place, format: 'srt', texts: 'abc', either: true, note: null }],
    [
      'no object',
      'text',
      ' must be an object with place, format, texts, texts2, textLists, either, key, note, others',
    ],
    ['no object within', { place: 'x' }, 'place must be an object with x, y'],
    ['a missing field', {}, 'place is required'],
    ['a missing field within', { place: { y: 1 } }, 'place.x is required'],
    ['an unknown field', { place, z: 1 }, 'z is not a known field'],
    [
      'two of them within',
      { place: { x: 1, 'a/b': 1, c: 1 } },
      'place.a/b is not a known field',
      'place.c is not a known field',
    ],
    ['another type', { place: { x: '1' } }, 'place.x must be number'],
    ['another word', { place, format: 'doc' }, 'format must be one of srt, vtt'],
    ['marks in a name', { place, others: { 'a/b~c~1/d': '' } }, 'others.a/b~c~1/d must be number'],
    [
      'two errors in one field',
      { place, key: 'abcd' },
      'key must not have more than 3 characters',
      'key must match pattern "x$"',
    ],
    ['none of the forms', { place, either: 'x' }, `either ${NONE}`],
    ['none of those that may be null', { place, note: 7 }, `note ${NONE}`],
    ['two fields', { place, texts: 7, texts2: '' }, `texts ${NONE}`, 'texts2 must be number'],
    [
      'a form that is too long',
      { place, texts: 'abcd' },
      'texts must not have more than 3 characters',
    ],
    [
      'a form that is too short',
      { place, texts: 'a' },
      'texts must not have fewer than 2 characters',
    ],
    ['a long list', { place, texts: ['a', 'b', 'c'] }, 'texts must not have more than 2 items'],
    [
      'a text that is too long in a list',
      { place, textLists: ['abc', 'abcd'] },
      'textLists.1 must not have more than 3 characters',
    ],
    ['a number in a list of texts', { place, textLists: [7] }, `textLists ${NONE}`],
    ['an empty list', { place, texts: [] }, 'texts must not have fewer than 1 items'],
  ])('%s', (_, value, ...expected) => {
    const issues = validator(Schema).issues(value);
    expect(issues.map(({ path, message }) => `${path} ${message}`)).toEqual(expected);
    expect(validator(Schema).check(value)).toBe(expected.length === 0);
  });

  test('of many errors the first fifty are listed, and a value with too many to name one is invalid', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`z${at}`, at]));
    const some = validator(Schema).issues({ place, ...unknown(150) });
    expect(some).toHaveLength(50);
    expect(some[49]).toEqual({ path: 'z49', message: 'is not a known field' });
    expect(validator(Schema).issues({ place, ...unknown(300) })).toEqual([
      { path: '', message: 'has too many errors to list' },
    ]);
  });
});
