/** CaptionerPayload: limits from both sides, unknown fields and defaults. */
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import {
  AUDIT_MODES,
  AUDIT_PROVIDERS,
  CaptionerPayload,
  resolvePayload,
  SPEECH_PROVIDERS,
} from '../../server/contract/payload.ts';
import { validator } from '../../server/contract/schema.ts';
import { TERM_PACK_IDS } from '../../server/contract/terminology.ts';

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

  test.each([
    ['transcription.chunkBytes', 300_000.5],
    ['terminology.maxKeyterms', 1.5],
    ['captions.maxLineChars', 42.5],
    ['captions.maxLines', 1.5],
  ])('%s is an integer', (path, value) => refuses(having(path, value), path));

  test('minConfidence accepts numbers from 0 to 1 only', () => {
    fc.assert(
      fc.property(fc.double({ min: -2, max: 2, noNaN: true }), (value) => {
        const fits = value >= 0 && value <= 1;
        expect(payloads.check(having('audit.minConfidence', value))).toBe(fits);
      }),
    );
  });
});

describe('values', () => {
  test.each([
    ['transcription.provider', SPEECH_PROVIDERS, ['openai', 'Edge', '', null]],
    ['audit.provider', AUDIT_PROVIDERS, ['deepgram', 'None', '', null]],
    ['audit.mode', AUDIT_MODES, ['slow', '', null]],
    ['terminology.packs', TERM_PACK_IDS, ['vendors/none', '', null]],
    ['audio.mediaType', ['audio/mpeg'], ['audio/mp3', 'AUDIO/MPEG', '', null]],
  ])('%s', (path, good, bad) => {
    for (const value of good) accepts(having(path, value));
    for (const value of bad) refuses(having(path, value), path);
  });

  test.each([['a.mp3'], ['a/b c/ü.mp3'], ['.mp3'], ['a.wav.mp3']])('key %s', (key) => {
    accepts({ audio: { key } });
  });
  test.each([['a.MP3'], ['a.mp3 '], ['a.wav'], ['mp3'], ['a.mp3x'], [''], [1]])(
    'key %p is refused',
    (key) => {
      refuses({ audio: { key } }, 'audio.key');
    },
  );

  test.each([
    ['glossary'],
    ['transcription.keyterms'],
    ['terminology.include'],
    ['terminology.exclude'],
  ])('%s is a string or a list of strings', (path) => {
    for (const value of ['a', '', [], ['a', 'b']]) accepts(having(path, value));
    for (const value of [1, null, {}, [['a']], [1], true]) {
      expect(payloads.check(having(path, value))).toBe(false);
    }
  });

  test('a list of packs may only contain known ones', () => {
    accepts(having('terminology.packs', [...TERM_PACK_IDS]));
    accepts(having('terminology.packs', []));
    expect(payloads.check(having('terminology.packs', ['protocols/mcp', 'x']))).toBe(false);
  });

  test.each([
    ['transcription.includeRawResponse'],
    ['storage.retainSourceAudio'],
    ['audit.enabled'],
  ])('%s is a boolean', (path) => {
    for (const value of [true, false]) accepts(having(path, value));
    for (const value of ['true', 1, 0, null]) refuses(having(path, value), path);
  });

  test.each([
    ['audio.filename'],
    ['topic'],
    ['language'],
    ['transcription.model'],
    ['audit.model'],
  ])('%s is text', (path) => {
    accepts(having(path, 'x'));
    for (const value of [1, null, ['x'], {}]) refuses(having(path, value), path);
  });

  test('only audio.key is required', () => {
    accepts({ audio });
    refuses({}, 'audio');
    refuses({ audio: {} }, 'audio.key');
    for (const payload of [null, [], 'x', 1]) expect(payloads.check(payload)).toBe(false);
  });
});

describe('unknown fields', () => {
  const levels = ['', 'audio', 'transcription', 'terminology', 'storage', 'audit', 'captions'];

  test.each(levels.map((level) => [level || 'top']))('are refused in %s', (level) => {
    const path = level === 'top' ? 'more' : `${level}.more`;
    refuses(having(path, 1), path);
    refuses(having(path, undefined), path);
  });

  test('are refused, whatever their name', () => {
    const known = new Set(['key', 'filename', 'mediaType']);
    fc.assert(
      fc.property(
        fc.constantFrom(...levels),
        fc.string().filter((name) => !known.has(name)),
        (level, name) => {
          const unknown = JSON.parse(`{${JSON.stringify(`~${name}`)}:1}`) as object;
          const payload =
            level === ''
              ? { audio, ...unknown }
              : { audio, [level]: { ...(level === 'audio' ? audio : {}), ...unknown } };
          expect(payloads.check(payload)).toBe(false);
        },
      ),
    );
  });
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
    const said: CaptionerPayload = {
      audio: { key: 'a.mp3', filename: 'talk.mp3', mediaType: 'audio/mpeg' },
      topic: ' MCP Night ',
      language: 'de',
      transcription: {
        provider: 'deepgram',
        model: 'm',
        includeRawResponse: true,
        chunkBytes: 262_144,
      },
      terminology: { packs: 'protocols/mcp', include: 'x', exclude: ['y', ' '], maxKeyterms: 1 },
      storage: { retainSourceAudio: true },
      audit: { mode: 'fast', provider: 'none', enabled: false, model: 'n', minConfidence: 0 },
      captions: { maxLines: 1, minDuration: 0.2 },
    };
    expect(resolvePayload(said)).toEqual({
      audio: { key: 'a.mp3', filename: 'talk.mp3' },
      topic: 'MCP Night',
      glossary: [],
      language: 'de',
      transcription: {
        provider: 'deepgram',
        model: 'm',
        keyterms: [],
        includeRawResponse: true,
        chunkBytes: 262_144,
      },
      terminology: { packs: ['protocols/mcp'], include: ['x'], exclude: ['y'], maxKeyterms: 1 },
      storage: { retainSourceAudio: true },
      audit: { mode: 'fast', provider: 'none', enabled: false, model: 'n', minConfidence: 0 },
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
