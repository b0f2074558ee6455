/** Responses that no service should send: the failure, and whether it contains them. */
import { describe, expect, test } from 'bun:test';
import type { Wire } from '../../support/doubles/http-double.ts';
import { CLOUDFLARE_TOKEN } from '../../support/doubles/provider-keys.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  TALK,
  verboseJson,
  workersAiAnswer,
  workersAiWire,
} from '../../support/doubles/speech-doubles.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { registry, remoteSpeech } from '../support.ts';

const { double, transcribe } = await remoteSpeech();
const cloudflare = {
  CLOUDFLARE_ACCOUNT_ID: 'acc',
  CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
  CLOUDFLARE_BASE_URL: double.origin,
};
const openai = { EDGE_SPEECH_URL: double.origin };

/** AssemblyAI, with another response to one of its calls. */
const instead = (ends: string, answer: object): Wire => {
  const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);
  return (seen) => (seen.url.pathname.endsWith(ends) ? Response.json(answer) : wire(seen));
};
const always =
  (answer: object): Wire =>
  () =>
    Response.json(answer);

const strange = { surprise: 'something else' };
const late = TALK.map((word) => ({ ...word, end: 400_000 }));

describe.each<[string, string, Wire, object, object?]>([
  ['Deepgram', 'deepgram', always(strange), strange],
  ['Deepgram with impossible times', 'deepgram', always(deepgramAnswer(late)), {}],
  ['the upload of AssemblyAI', 'assemblyai', instead('/upload', strange), strange],
  ['the order of AssemblyAI', 'assemblyai', instead('/transcript', strange), strange],
  ['a poll of AssemblyAI', 'assemblyai', instead('/tr-1', strange), strange],
  [
    'a transcript of AssemblyAI without words',
    'assemblyai',
    instead('/tr-1', { id: 'tr-1', status: 'completed', text: 'one' }),
    { id: 'tr-1', status: 'completed', text: 'one' },
  ],
  ['a server of Whisper', 'edge', always(strange), strange, openai],
])('%s', (_, provider, wire, answer, env = {}) => {
  const made = (includeRawResponse: boolean) =>
    transcribe(provider, {
      wire,
      env: env as Record<string, string>,
      request: { includeRawResponse },
    });

  test('is a bad response, which is shown if raw responses are requested', async () => {
    await expect(made(true)).rejects.toMatchObject({
      failure: { code: 'provider_bad_response', provider, debug: { raw: answer } },
    });
  });

  test('is otherwise not shown', async () => {
    const error = (await made(false).catch((failure: unknown) => failure)) as {
      failure: { code: string; debug?: { raw?: unknown } };
    };
    expect(error.failure.code).toBe('provider_bad_response');
    expect(error.failure.debug?.raw).toBeUndefined();
  });
});

test('a transcript that AssemblyAI gave up without a reason shows the response', async () => {
  const failed = { id: 'tr-1', status: 'error', error: null };
  const made = transcribe('assemblyai', {
    wire: instead('/tr-1', failed),
    request: { includeRawResponse: true },
  });
  await expect(made).rejects.toMatchObject({
    failure: { code: 'provider_unavailable', debug: { raw: failed } },
  });
});

test('AssemblyAI: an error that is not a refusal does not drop the speakers', async () => {
  const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);
  const text = 'not available in this language: speaker_labels';
  const made = transcribe('assemblyai', {
    wire: (seen) =>
      seen.url.pathname.endsWith('/transcript') && seen.method === 'POST'
        ? Response.json({ error: text }, { status: 500 })
        : wire(seen),
  });
  await expect(made).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
  for (const { body, method } of double.requests.slice(1)) {
    if (method === 'POST') expect(JSON.parse(body.toString()).speaker_labels).toBe(true);
  }
});

describe('edge', () => {
  test('sends the language in lower case, without region, and no prompt without key terms', async () => {
    const turbo = '@cf/openai/whisper-large-v3-turbo';
    const wire = workersAiWire({ [turbo]: () => workersAiAnswer(TALK) });
    await transcribe('edge', { wire, env: cloudflare, request: { language: 'PT-BR' } });
    const { audio: _, ...rest } = JSON.parse(double.requests[0]!.body.toString());
    expect(rest).toEqual({ task: 'transcribe', language: 'pt', vad_filter: true });
  });

  test('sends bytes as MP3 to models that take them', async () => {
    const wire = workersAiWire({ '@cf/openai/whisper': () => workersAiAnswer(TALK) });
    await transcribe('edge', { wire, env: cloudflare, request: { model: '@cf/openai/whisper' } });
    expect(double.requests[0]!.header('content-type')).toBe('audio/mpeg');
  });

  test("has Deepgram's words of a later piece at their place in the recording", async () => {
    const wire = workersAiWire({ '@cf/deepgram/nova-3': () => deepgramAnswer(TALK.slice(0, 1)) });
    const { plan, pieces } = await transcribe('edge', {
      wire,
      env: cloudflare,
      audio: Buffer.concat(Array.from({ length: 8 }, () => chirp)),
      request: { model: '@cf/deepgram/nova-3', chunkBytes: 65_536 },
    });
    expect(pieces.length).toBeGreaterThan(1);
    for (const [at, { words }] of pieces.entries()) {
      expect(words[0]?.start).toBeCloseTo(Math.max(0, plan.pieces[at]!.start + 0.4), 2);
    }
  });

  test.each([
    [openai, undefined, { tokens: 223, vocabulary: 'whisper', separator: 1 }],
    [cloudflare, undefined, { tokens: 223, vocabulary: 'whisper', separator: 1 }],
    [cloudflare, '@cf/deepgram/nova-3', { terms: 1, tokens: 450 }],
  ])('with %o and the model %s has the limits of the model', (env, model, limit) => {
    const found: unknown = registry(env).provider('edge')?.keytermLimit?.(model);
    expect(found).toEqual(limit);
  });

  test('reads text of which every word has a time, and nothing else', async () => {
    const wire = always({ ...verboseJson(TALK), segments: null });
    const { transcript } = await transcribe('edge', { wire, env: openai });
    expect(transcript.text).toBe('Welcome to off kit. Thank you.');
  });
});
