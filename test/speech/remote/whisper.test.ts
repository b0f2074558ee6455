/**
 * Requests of `edge` to remote Whisper services and the handling of their responses, over real
 * HTTP.
 */
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { indexMp3, type Mp3Index } from '../../../server/mp3/frames.ts';
import { planFramePieces } from '../../../server/speech/remote/frame-pieces.ts';
import { sample } from '../../support/sample.ts';
import type { Wire } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import {
  TALK,
  deepgramAnswer,
  transcriptionServerWire,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import { registry, remoteSpeech } from '../support.ts';
import { source } from '../../mp3/support.ts';
import { noWaiting } from '../../support/doubles/waiting.ts';
import { CLOUDFLARE_TOKEN } from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const { double, transcribe } = await remoteSpeech();

const cloudflare = { CLOUDFLARE_ACCOUNT_ID: 'acc', CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN };

/** Words spread over a recording, and the ones that a service would recognise in a piece. */
const LONG = Buffer.concat(Array.from({ length: 60 }, () => chirp));
const longIndex = await indexMp3(source(LONG));
// Every frame contains a number, so that a piece can be identified by its bytes.
for (let frame = 1; frame <= longIndex.frameCount; frame += 1) {
  LONG.writeUInt32BE(frame, longIndex.byteOffset(frame) - 4);
}
const longTalk = Array.from({ length: Math.floor(longIndex.duration / 0.5) }, (_, at) => ({
  text: `word${at},`,
  start: at * 0.5,
  end: at * 0.5 + 0.4,
}));

/** The position of a piece in the recording, found by its bytes. */
function heardIn(piece: Uint8Array) {
  const byteStart = LONG.indexOf(piece);
  expect(byteStart).toBeGreaterThanOrEqual(0);
  const { samplesPerFrame, sampleRate, delaySamples, frameCount } = longIndex;
  let frame = 0;
  while (frame < frameCount && longIndex.byteOffset(frame) < byteStart) frame += 1;
  const start = (frame * samplesPerFrame - delaySamples) / sampleRate;
  const end = start + (piece.length / LONG.length) * longIndex.duration;
  return longTalk
    .filter((word) => word.start >= start && word.end <= end)
    .map((word) => ({ ...word, start: word.start - start, end: word.end - start }));
}

function expectWholeTalk(words: { text: string; start: number }[]): void {
  expect(words.map((word) => word.text)).toEqual(longTalk.map((word) => word.text));
  for (const [at, word] of words.entries()) expect(word.start).toBeCloseTo(longTalk[at]!.start, 1);
}

describe('edge through Workers AI', () => {
  const env = { ...cloudflare, CLOUDFLARE_BASE_URL: double.origin };
  const turbo = '@cf/openai/whisper-large-v3-turbo';
  const audioOf = (body: Buffer) => Buffer.from(JSON.parse(body.toString()).audio, 'base64');

  const answering = workersAiWire({ [turbo]: () => workersAiAnswer(TALK) });

  test('sends the language in lower case, without region, and no prompt without key terms', async () => {
    const waiting = noWaiting();
    const request = { language: 'PT-BR' };
    const { plan } = await transcribe('edge', { wire: answering, env, waiting, request });
    await transcribe('edge', { wire: answering, env: { ...env, EDGE_VAD: 'off' }, request });
    const bodies = double.requests.map(({ body }) => JSON.parse(body.toString()));
    expect(bodies.map((body) => ({ ...body, audio: '' }))).toEqual(
      // Audio without speech is sent too, if the operator turned its detection off.
      [true, false].map((vad_filter) => ({
        audio: '',
        task: 'transcribe',
        language: 'pt',
        vad_filter,
      })),
    );
    expect(plan.engine).toEqual({
      provider: 'edge',
      model: turbo,
      engine: 'workers-ai',
      keytermsInjected: true,
    });
    expect(waiting.limits).toEqual([30_000 + plan.duration * 250]);
    expect(registry(env).provider('edge')!.piecesAtOnce).toBe(4);
  });

  test('sends a long recording in pieces within chunkBytes, and joins them', async () => {
    const wire = workersAiWire({
      [turbo]: ({ body }) => workersAiAnswer(heardIn(audioOf(body))),
    });
    const { transcript, plan } = await transcribe('edge', {
      wire,
      env,
      audio: LONG,
      request: { chunkBytes: 262_144 },
    });
    expect(plan.pieces.length).toBeGreaterThan(5);
    for (const { body } of double.requests) {
      expect(audioOf(body).length).toBeLessThanOrEqual(262_144);
    }
    expectWholeTalk(transcript.words);
  });

  test.each(['@cf/meta/none', '../../../user/tokens', '@cf/../x', 'a b', 'x?y'])(
    'refuses the model %s, and calls no other address',
    async (model) => {
      const made = transcribe('edge', { wire: workersAiWire({}), env, request: { model } });
      await expect(made).rejects.toMatchObject({ failure: { code: 'model_unavailable', model } });
      for (const { url } of double.requests) {
        expect(url.pathname).toStartWith('/accounts/acc/ai/run/@cf/meta/');
      }
    },
  );

  test("drops Whisper's output for silence, and its loops", async () => {
    const answer = workersAiAnswer(TALK);
    const [segment] = answer.segments;
    const silent = { ...segment, no_speech_prob: 0.9, avg_logprob: -1.4 };
    const loop = {
      ...segment,
      compression_ratio: 9,
      words: Array.from({ length: 40 }, (_, at) => ({ word: ' go', start: 5 + at, end: 5.5 + at })),
    };
    const wire = workersAiWire({
      [turbo]: () => ({ ...answer, segments: [silent, segment, loop] }),
    });
    const { transcript } = await transcribe('edge', { wire, env });
    expect(transcript.text).toBe('Welcome to off kit. Thank you. go go go');
  });

  test("has Deepgram's words of a later piece at their place in the recording", async () => {
    const wire = workersAiWire({ '@cf/deepgram/nova-3': () => deepgramAnswer(TALK.slice(0, 1)) });
    const { plan, pieces } = await transcribe('edge', {
      wire,
      env,
      audio: Buffer.concat(Array.from({ length: 8 }, () => chirp)),
      request: { model: '@cf/deepgram/nova-3', chunkBytes: 65_536 },
    });
    expect(pieces.length).toBeGreaterThan(1);
    for (const [at, { words }] of pieces.entries()) {
      expect(words[0]?.start).toBeCloseTo(Math.max(0, plan.pieces[at]!.start + 0.4), 2);
    }
  });

  test('Deepgram on Workers AI gets the best key term, and punctuates', async () => {
    await transcribe('edge', {
      wire: workersAiWire({ '@cf/deepgram/nova-3': () => deepgramAnswer(TALK) }),
      env,
      request: { model: '@cf/deepgram/nova-3', keyterms: ['AuthKit', 'PKCE'], language: 'de' },
    });
    expect(Object.fromEntries(double.requests[0]!.url.searchParams)).toEqual({
      language: 'de',
      smart_format: 'true',
      punctuate: 'true',
      paragraphs: 'true',
      utterances: 'true',
      diarize: 'true',
      keyterm: 'AuthKit',
    });
  });
});

describe('edge through an OpenAI-compatible server', () => {
  const forms: FormData[] = [];
  beforeEach(() => void (forms.length = 0));
  const wireOf = (hear: (audio: Uint8Array) => unknown): Wire =>
    transcriptionServerWire(async (form) => {
      forms.push(form);
      return hear(new Uint8Array(await (form.get('file') as File).arrayBuffer()));
    });

  test('requests the time of every word, and adds punctuation', async () => {
    const { transcript, plan } = await transcribe('edge', {
      wire: wireOf(() => verboseJson(TALK)),
      env: { EDGE_SPEECH_URL: `${double.origin}/v1/` },
      request: { keyterms: ['AuthKit'], model: 'large-v3' },
    });
    const [form] = forms;
    expect(form!.get('response_format')).toBe('verbose_json');
    expect(form!.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
    expect(form!.get('model')).toBe('large-v3');
    expect(form!.get('prompt')).toBe('AuthKit');
    expect(form!.get('language')).toBe('en');
    expect(form!.get('file')).toMatchObject({ name: 'audio.mp3', type: 'audio/mpeg' });
    expect(transcript.text).toBe('Welcome to off kit. Thank you.');
    expect(plan.engine).toMatchObject({ model: 'large-v3', engine: 'openai-compatible' });
  });

  test('sends a long recording in pieces, and joins them', async () => {
    const waiting = noWaiting();
    const { transcript, plan } = await transcribe('edge', {
      wire: wireOf((audio) => verboseJson(heardIn(audio))),
      env: { EDGE_SPEECH_URL: double.origin },
      waiting,
      audio: LONG,
      request: { chunkBytes: 300_000 },
    });
    expect(forms.length).toBeGreaterThan(4);
    expectWholeTalk(transcript.words);
    // Each call has time for its own piece only.
    expect(waiting.limits).toEqual(
      plan.pieces.map(({ start, end }) => 30_000 + (end - start) * 250),
    );
  });

  test('divides the time of segments without word times', async () => {
    const env = { EDGE_SPEECH_URL: double.origin };
    const segments = [{ id: 0, start: 1, end: 3, text: ' Hello there.' }];
    const shared = await transcribe('edge', {
      env,
      wire: wireOf(() => ({ text: 'Hello there.', segments })),
    });
    expect(shared.transcript.words).toEqual([
      { text: 'Hello', start: 1, end: 1.909 },
      { text: 'there.', start: 1.909, end: 3 },
    ]);
  });
});

describe('the pieces of a recording', async () => {
  /** The sample repeated several times. */
  const long = Buffer.concat(Array.from({ length: 8 }, () => readFileSync(sample)));
  const index = await indexMp3(source(long));

  test('a recording that fits is sent unchanged, and one that hardly does not in two equal parts', () => {
    expect(planFramePieces(index, long.length, long.length)).toEqual([
      { index: 0, start: 0, end: index.duration, byteStart: 0, byteEnd: long.length },
    ]);
    const sizes = planFramePieces(index, long.length, long.length - 1).map(
      ({ byteStart, byteEnd }) => byteEnd - byteStart,
    );
    expect(sizes).toHaveLength(2);
    expect(Math.min(...sizes)).toBeGreaterThan(Math.max(...sizes) * 0.9);
  });

  /** An index of an imaginary recording with frames of different sizes. */
  function imagined(frameBytes: readonly number[], delaySamples: number): Mp3Index {
    const offsets = [128];
    for (const bytes of frameBytes) offsets.push((offsets.at(-1) ?? 0) + bytes);
    const frameCount = frameBytes.length;
    return {
      sampleRate: 44_100,
      channels: 2,
      samplesPerFrame: 1152,
      frameCount,
      duration: (frameCount * 1152 - delaySamples) / 44_100,
      delaySamples,
      paddingSamples: 0,
      freeFormatLength: null,
      audioStart: 128,
      audioEnd: offsets.at(-1) ?? 128,
      byteOffset: (frame) => offsets[frame] ?? 0,
      frameAt: () => 0,
    };
  }

  test('pieces are as long as possible if equal ones would be one more', () => {
    // Twelve frames of 1,000 bytes in pieces of five with an overlap of one: the last has four.
    const made = imagined(
      Array.from({ length: 12 }, () => 1000),
      0,
    );
    const frames = planFramePieces(made, 12_128, 5000).map(({ byteStart, byteEnd }) => [
      (byteStart - 128) / 1000,
      (byteEnd - 128) / 1000,
    ]);
    expect(frames).toEqual([
      [0, 5],
      [4, 9],
      [8, 12],
    ]);
  });

  test('a damaged stretch longer than a piece is skipped, and nothing is sent twice for it', () => {
    for (let before = 8; before < 20; before += 1) {
      const frames = [...Array.from({ length: before }, () => 1000), 90_000, 1000, 1000, 1000];
      const made = imagined(frames, 0);
      const pieces = planFramePieces(made, made.audioEnd, 5000);
      for (const [at, { byteStart, byteEnd, end }] of pieces.entries()) {
        expect(byteEnd - byteStart).toBeLessThanOrEqual(5000);
        expect(end).toBeGreaterThan(pieces[at - 1]?.end ?? 0);
      }
      expect(pieces.length).toBeLessThanOrEqual(before / 2 + 1);
    }
  });

  test('property: whatever the bitrates of its frames, pieces overlap', () => {
    const frames = fc
      .tuple(fc.integer({ min: 2000, max: 12_000 }), fc.integer({ min: 200, max: 1400 }), fc.nat())
      .map(([count, most, seed]) =>
        Array.from({ length: count }, (_, at) => 96 + ((at * 7919 + seed) % most)),
      );
    const limit = fc.integer({ min: 262_144, max: 1_048_576 });
    fc.assert(
      fc.property(frames, limit, (frameBytes, chunkBytes) => {
        const made = imagined(frameBytes, 1105);
        const pieces = planFramePieces(made, made.audioEnd, chunkBytes);
        expect(pieces[0]!.start).toBeLessThanOrEqual(0);
        expect(pieces.at(-1)!.end).toBe(made.duration);
        for (const [at, { start, byteStart, byteEnd }] of pieces.entries()) {
          expect(byteEnd - byteStart).toBeLessThanOrEqual(chunkBytes);
          const before = pieces[at - 1];
          if (!before) continue;
          // Short pieces overlap by a quarter of them.
          const least = Math.min(4.8, 0.2 * (before.end - before.start));
          expect(before.end - start).toBeWithin(least, 5.2);
        }
      }),
      { numRuns: 60 },
    );
  });
});
