/** The answers of transcription services: real ones, incomplete ones, damaged ones, and their punctuation. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { readCompletion } from '../../../server/remote/chat.ts';
import type { PieceTranscript } from '../../../server/speech/provider.ts';
import { punctuate } from '../../../server/speech/remote/punctuate.ts';
import {
  assemblyAiAnswer,
  deepgramAnswer,
  TALK,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import {
  ASSEMBLYAI_KEY,
  CLOUDFLARE_TOKEN,
  DEEPGRAM_KEY,
} from '../../support/doubles/provider-keys.ts';
import { needs, shared } from '../../support/requirements.ts';
import type { Any } from '../../support/servers/client.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { registry, remoteSpeech } from '../support.ts';
import { source } from '../../mp3/support.ts';

setDefaultTimeout(300_000);

const { double } = await remoteSpeech();
const providers = registry({
  DEEPGRAM_API_KEY: DEEPGRAM_KEY,
  DEEPGRAM_BASE_URL: double.origin,
  ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY,
  ASSEMBLYAI_BASE_URL: double.origin,
});
const SERVICES = {
  deepgram: providers.provider('deepgram')!,
  assemblyai: providers.provider('assemblyai')!,
  whisper: registry({ EDGE_SPEECH_URL: double.origin }).provider('edge')!,
  cloudflare: registry({
    CLOUDFLARE_ACCOUNT_ID: 'acc',
    CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
    CLOUDFLARE_BASE_URL: double.origin,
  }).provider('edge')!,
};
type Service = keyof typeof SERVICES;

/** What a provider reads in an answer of its service about a piece that starts at a second; null if it is refused. */
async function heard(service: Service, answer: object, start = 0): Promise<PieceTranscript | null> {
  const turbo = '@cf/openai/whisper-large-v3-turbo';
  double.behave(
    service === 'cloudflare'
      ? workersAiWire({ [turbo]: () => answer })
      : () => Response.json(service === 'assemblyai' ? { ...answer, status: 'completed' } : answer),
  );
  const piece = { index: 0, start, end: start + 4, byteStart: 0, byteEnd: 99, transcriptId: 't' };
  const request = { language: 'en', keyterms: [], chunkBytes: 1, includeRawResponse: false };
  const context = { signal: new AbortController().signal, progress: () => {} };
  const made = SERVICES[service].transcribe(source(chirp), piece, request, context);
  return made.catch((error: unknown) => {
    expect(error).toMatchObject({ failure: { code: 'provider_bad_response' } });
    return null;
  });
}

describe('real answers', () => {
  const present = existsSync(shared('fixtures'));
  const files = (folder: string): string[] =>
    present
      ? readdirSync(shared(`fixtures/${folder}`)).map((name) => `${folder}/${name}`)
      : ['none'];
  const eachOf = (folder: string) =>
    needs(present, `fixtures/${folder} of the shared test material is not here`).each(
      files(folder).map((path) => [path] as const),
    );
  const read = (path: string): Any => JSON.parse(readFileSync(shared(`fixtures/${path}`), 'utf8'));

  function expectWords(found: PieceTranscript | null, count: number, text: string): void {
    expect(found?.words).toHaveLength(count);
    expect(found!.words.map((word) => word.text).join(' ')).toBe(text.trim());
    for (const { start, end, confidence } of found!.words) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(start).toBe(Math.round(start * 1000) / 1000);
      expect(confidence ?? 0).toBeLessThanOrEqual(1);
    }
  }

  eachOf('deepgram')('%s', async (path) => {
    const payload = read(path);
    const [alternative] = payload.results.channels[0].alternatives;
    const found = await heard('deepgram', payload);
    expectWords(found, alternative.words.length, alternative.transcript);
    expect(found!.duration).toBe(payload.metadata.duration);
    expect(found!.metadata).toMatchObject({ requestId: payload.metadata.request_id });
    expect(found!.utterances?.length).toBe(payload.results.utterances?.length);
    expect(found!.paragraphs?.length).toBe(alternative.paragraphs?.paragraphs.length);
    for (const [at, first] of (found!.utterances ?? []).entries()) {
      expect(found!.words[first]!.start).toBeCloseTo(payload.results.utterances[at].start, 2);
    }
    expect(new Set(found!.words.map((word) => word.speaker)).size).toBe(
      new Set(alternative.words.map((word: Any) => word.speaker)).size,
    );
  });

  eachOf('assemblyai')('%s', async (path) => {
    const payload = read(path);
    const found = await heard('assemblyai', payload);
    expectWords(found, payload.words.length, payload.text);
    expect(found!.words[0]).toMatchObject({ start: payload.words[0].start / 1000, speaker: 'A' });
    expect(found!.utterances?.length).toBe(payload.utterances?.length);
    expect(found!.metadata).toMatchObject({ transcriptId: payload.id, detectedLanguage: 'en' });
  });

  eachOf('whisper')('%s', async (path) => {
    const payload = read(path);
    const words = payload.words ?? payload.segments.flatMap((segment: Any) => segment.words);
    // One payload has times only for its first words.
    const text = payload.text.trim().split(' ').slice(0, words.length).join(' ');
    expectWords(await heard('whisper', payload), words.length, text);
  });

  eachOf('cloudflare')('%s', async (path) => {
    const payload = read(path);
    const answer = payload.result ?? payload;
    const found = await heard('cloudflare', answer, 100);
    const words = answer.results
      ? answer.results.channels[0].alternatives[0].words
      : answer.segments.flatMap((segment: Any) => segment.words);
    expect(found!.words).toHaveLength(words.length);
    expect(found!.words[0]!.start).toBeCloseTo(100 + words[0].start, 2);
  });
});

describe('incomplete answers', () => {
  const listened = (transcript: string, words: object[]) => ({
    metadata: { duration: 2 },
    results: { channels: [{ alternatives: [{ transcript, words }] }] },
  });
  const segment = { text: 'hi', start: 0, end: 9, words: [{ word: 'hi', start: 0, end: 0.5 }] };
  const hello = { word: 'hello', start: 0.1, end: 0.4, confidence: 0.9 };

  test.each<[string, Service, object, number | null]>([
    ['text without words', 'deepgram', listened('Hello there.', []), null],
    ['silence', 'deepgram', listened('', []), 0],
    ['spaces', 'deepgram', listened(' \n', []), 0],
    ['a word', 'deepgram', listened('hello', [hello]), 1],
    ['text without words', 'assemblyai', { id: 't', words: [], text: 'one two' }, null],
    ['text and no list of words', 'assemblyai', { id: 't', words: null, text: 'one two' }, null],
    ['spaces', 'assemblyai', { id: 't', words: [], text: ' ' }, 0],
    ['no text', 'assemblyai', { id: 't', words: [], text: null }, 0],
    ['spaces', 'whisper', { text: ' ' }, 0],
    ['text without any time', 'whisper', { text: 'hi' }, null],
    ['text without segments', 'whisper', { text: 'hi', segments: [] }, null],
    [
      'a segment of silence',
      'whisper',
      { text: 'hi', segments: [{ ...segment, no_speech_prob: 0.9, avg_logprob: -2 }] },
      0,
    ],
  ])('%s of %s', async (_, service, answer, count) => {
    expect((await heard(service, answer))?.words.length ?? null).toBe(count);
  });

  test.each([
    [{ word: 'hi', probability: 0.5 }, { confidence: 0.5 }],
    [{ text: 'hi', confidence: 0.6 }, { confidence: 0.6 }],
    [{ text: 'hi', score: 0.7 }, { confidence: 0.7 }],
    [{ text: 'hi' }, {}],
  ])("a Whisper server's names for text and confidence: %j", async (word, confidence) => {
    const words = [{ start: 0, end: 1, ...word }];
    const found = await heard('whisper', { text: 'hi', segments: [{ ...segment, words }] });
    expect(found?.words).toEqual([{ text: 'hi', start: 0, end: 1, ...confidence }]);
  });
});

describe('answers with one value damaged at a time', () => {
  const TWO = TALK.slice(3, 5);
  const { segments, ...answer } = workersAiAnswer(TWO);
  const wordless = { text: 'Bye now.', start: 4, end: 5.4, words: null };
  const ANSWERS: [service: Service, payload: object][] = [
    ['deepgram', deepgramAnswer(TWO)],
    ['assemblyai', assemblyAiAnswer(TWO)],
    ['whisper', verboseJson(TWO)],
    ['cloudflare', { ...answer, segments: [...segments, wordless] }],
  ];

  const DAMAGES: [name: string, value: unknown][] = [
    ['left out', undefined],
    ['null', null],
    ['text', 'length'],
    ['empty', ''],
    ['-1', -1],
    ['0.7', 0.7],
    ['3', 3],
    ['a list', []],
    ['an object', {}],
  ];

  type Json = Record<string, unknown>;

  /** The paths of all values in a value, outermost first. */
  function* paths(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
    if (path.length > 0) yield path;
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) yield* paths(inner, [...path, name]);
  }

  /** A copy with another value at a path. */
  function damaged(payload: object, path: readonly string[], value: unknown): unknown {
    const copy = structuredClone(payload) as Json;
    const parent = path.slice(0, -1).reduce((at, name) => at[name] as Json, copy);
    if (value === undefined && !Array.isArray(parent)) delete parent[path.at(-1)!];
    else parent[path.at(-1)!] = value;
    return copy;
  }

  const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

  /** Reads a payload with each of its values damaged in each way, and returns how many of these were refused. */
  async function refusals(
    payload: object,
    read: (answer: unknown) => PieceTranscript | null | Promise<PieceTranscript | null>,
  ): Promise<number> {
    expect(await read(payload)).not.toBeNull();
    let refused = 0;
    for (const path of paths(payload)) {
      for (const [damage, value] of DAMAGES) {
        const found = await read(damaged(payload, path, value));
        const what = `${path.join('.')} ${damage}`;
        if (found === null) refused += 1;
        const count = found?.words?.length ?? 0;
        for (const { text, start, end, confidence = 0, speaker = '' } of found?.words ?? []) {
          const fine = [isTime(start), isTime(end), typeof text, typeof speaker, confidence <= 1];
          expect([what, ...fine]).toEqual([what, true, true, 'string', 'string', true]);
        }
        for (const first of [...(found?.utterances ?? []), ...(found?.paragraphs ?? [])]) {
          expect([what, first, first < Math.max(1, count)]).toEqual([what, first, true]);
        }
      }
    }
    return refused;
  }

  test.each(ANSWERS)('%s', async (service, payload) => {
    expect(await refusals(payload, (answer) => heard(service, answer as object))).toBeGreaterThan(
      5,
    );
  });

  test('a chat completion', async () => {
    const payload = {
      choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }],
      usage: { total_tokens: 12.4 },
    };
    expect(await refusals(payload, (answer) => readCompletion(answer) as never)).toBeGreaterThan(5);
  });
});

describe('punctuation', () => {
  const spoken = (...texts: string[]) =>
    texts.map((text, at) => ({ text, start: at, end: at + 0.9 }));
  const shown = (words: string[], text: string) =>
    punctuate(spoken(...words), text).map((word) => word.text);

  test.each([
    [['Yeah', 'as', 'much'], 'Yeah, as much…', ['Yeah,', 'as', 'much…']],
    [['he', 'said', 'go', 'now'], 'He said, “Go (now).”', ['He', 'said,', '“Go', '(now).”']],
    [['it', 'costs', '5', 'dollars'], 'It costs $5 dollars.', ['It', 'costs', '$5', 'dollars.']],
    [['well', 'known', 'names'], 'Well-known names', ['Well-known', 'names']],
    [['New York', 'is'], 'New York, is', ['New York,', 'is']],
    [["it's", 'it', 's'], "It's it's", ["It's", "it's"]],
    [['a', 'b', 'c'], 'A – b c!', ['A', 'b', 'c!']],
    [['¿Cómo', 'estás'], '¿Cómo estás?', ['¿Cómo', 'estás?']],
    [
      ['state', 'of', 'the', 'art', 'talk'],
      'State-of-the-art talk.',
      ['State-of-the-art', 'talk.'],
    ],
    [['the', 'U.S.', 'team'], 'The US team.', ['The', 'US', 'team.']],
    [['so', '–', 'yes'], 'So, yes.', ['So,', '–', 'yes.']],
    [['AI', '今'], 'AI今', ['AI', '今']],
    [['今', 'AI'], '今AI', ['今', 'AI']],
    [['今', '日', 'は', '晴', 'れ'], '今日は、晴れ。', ['今', '日', 'は、', '晴', 'れ。']],
  ])('%j in %j', (words, text, expected) => {
    expect(shown(words, text)).toEqual(expected);
  });

  test('a word is searched for only in the next 120 characters', () => {
    const far = (gap: number) => shown(['first', 'last'], `First ${'.'.repeat(gap)} last!`);
    expect(far(100)).toEqual(['First', 'last!']);
    expect(far(130)).toEqual(['First', 'last']);
  });

  test('several words in one keep the time of all', () => {
    expect(punctuate(spoken('well', 'known'), 'Well-known.')).toEqual([
      { text: 'Well-known.', start: 0, end: 1.9 },
    ]);
  });

  test('property: punctuation around words is restored, for any words', () => {
    // Letters of three scripts whose upper and lower case have the same length.
    const letter = fc.constantFrom(...'abcdefgxyzABCXYZäçéñøõžÄÇÉαβγδωΑΩабвгдяБЖЯ');
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 8 });
    const mark = fc.constantFrom('', '', '', ',', '.', '?', '…', '!”', ');');
    const opening = fc.constantFrom('', '', '', '“', '(', '¿');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(opening, word, mark), { minLength: 1, maxLength: 60 }),
        (parts) => {
          const text = parts.map((part) => part.join('')).join(' ');
          expect(
            shown(
              parts.map(([, bare]) => bare),
              text,
            ),
          ).toEqual(parts.map((part) => part.join('')));
        },
      ),
    );
  });

  test('property: no word is lost, and time never runs backwards', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-zA-Z0-9' -]{0,6}$/), { maxLength: 30 }),
        fc.string({ maxLength: 120 }),
        (words, text) => {
          const out = punctuate(spoken(...words), text);
          expect(out.length).toBeLessThanOrEqual(words.length);
          expect(out.at(-1)?.end ?? 0).toBe(words.length === 0 ? 0 : words.length - 0.1);
          for (const [at, { start }] of out.entries()) {
            expect(start).toBeGreaterThanOrEqual(out[at - 1]?.end ?? 0);
          }
        },
      ),
    );
  });
});
