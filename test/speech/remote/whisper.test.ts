/**
 * Requests of `edge` to remote Whisper services and the handling of their responses, over real
 * HTTP.
 */
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import type { Wire } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import {
  TALK,
  transcriptionServerWire,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import { remoteSpeech, source } from '../support.ts';
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

  test('sends audio without speech too, if the operator turned its detection off', async () => {
    const wire = workersAiWire({ [turbo]: () => workersAiAnswer(TALK) });
    await transcribe('edge', { wire, env: { ...env, EDGE_VAD: 'off' } });
    expect(JSON.parse(double.requests[0]!.body.toString())).toMatchObject({ vad_filter: false });
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

  test('divides the time of segments without word times; text without any time is invalid', async () => {
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
    const timeless = transcribe('edge', { env, wire: wireOf(() => ({ text: 'Hello there.' })) });
    await expect(timeless).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  });
});
