/**
 * Neither a payload nor a provider's response can make the service call an address: only the
 * configuration decides where it sends requests.
 */
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { runModel } from '../../../server/remote/workers-ai.ts';
import { completeClaim, register, signUp, until, type Any } from '../../support/servers/client.ts';
import { startHttpDouble, type Wire } from '../../support/doubles/http-double.ts';
import { sample } from '../../support/sample.ts';
import {
  assemblyAiAnswer,
  assemblyAiWire,
  deepgramAnswer,
  deepgramWire,
  TALK,
} from '../../support/doubles/speech-doubles.ts';
import { testServer } from '../../support/servers/test-server.ts';
import {
  ASSEMBLYAI_KEY,
  CLOUDFLARE_TOKEN,
  DEEPGRAM_KEY,
  OPENAI_KEY,
} from '../../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

/** It must never receive a request. */
const canary = await startHttpDouble(() => Response.json({ secret: 'of the inner network' }));
const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const assemblyai = await startHttpDouble(assemblyAiWire(assemblyAiAnswer(TALK), 0));
const doubles = { DEEPGRAM: deepgram, ASSEMBLYAI: assemblyai };
/** Answers every request with a redirect of a given status. */
const elsewhere = (status: number): Wire => {
  const headers = { location: `${canary.origin}/stolen` };
  return () => new Response(null, { status, headers });
};
/** All models; the moderation model works, because otherwise no run would reach the others. */
const model = await startHttpDouble((request) =>
  request.url.pathname.includes('llama-guard')
    ? Response.json({ success: true, result: { response: 'safe' } })
    : elsewhere(307)(request),
);
/** The requests to models after the first `since`. */
const modelsAsked = (since: number): string[] =>
  model.requests
    .slice(since)
    .map(({ url }) => url.pathname)
    .filter((path) => !path.includes('llama-guard'));
const server = await testServer({
  env: {
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY,
    ASSEMBLYAI_BASE_URL: assemblyai.origin,
    OPENAI_API_KEY: OPENAI_KEY,
    OPENAI_BASE_URL: model.origin,
    CLOUDFLARE_ACCOUNT_ID: '../../acc',
    CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
    CLOUDFLARE_BASE_URL: model.origin,
    EDGE_SPEECH_URL: model.origin,
    EDGE_SPEECH: 'openai-compatible',
  },
});
const ann = await signUp(server, 'ann@example.com');
afterEach(() => {
  for (const double of Object.values(doubles)) double.behave(null);
  expect(canary.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([]);
});
afterAll(async () => {
  for (const double of [canary, model, ...Object.values(doubles)]) await double.close();
});

/** Captions the sample with the test's own payload. */
async function captions(payload: object): Promise<Any> {
  await ann.put('talk.mp3', Bun.file(sample));
  const { result } = await ann.caption({
    audio: { key: 'talk.mp3' },
    // The talk must contain something to ask a model about.
    terminology: { packs: 'vendors/workos' },
    audit: { provider: 'none' },
    ...payload,
  });
  return result;
}

const inside = `${canary.origin}/inside.mp3`;

describe('a payload', () => {
  test('with addresses in its text fields causes no request to them', async () => {
    const before = deepgram.requests.length;
    deepgram.behave(() => Response.json(deepgramAnswer(TALK))); // whatever the model
    const result = await captions({
      audio: { key: 'talk.mp3', filename: inside },
      topic: inside,
      glossary: [inside, 'file:///etc/passwd'],
      transcription: { provider: 'deepgram', model: `nova-3&callback=${inside}`, keyterms: inside },
      terminology: { include: inside, exclude: 'file:///etc/hosts' },
    });
    // Deepgram fetches a `callback` or `url` in its query: neither may come from a text.
    const [asked] = deepgram.requests.slice(before);
    expect(asked?.url.pathname).toBe('/v1/listen');
    expect(asked?.url.searchParams.has('callback')).toBe(false);
    expect(asked?.url.searchParams.get('model')).toBe(`nova-3&callback=${inside}`);
    expect([result.status, result.input.topic]).toEqual(['completed', inside]);
  });

  test.each(['../../../accounts', `@cf/../../${inside}`, '..', '@cf/x?y', '//127.0.0.1/x', 'x#y'])(
    'with the model %j makes no call: it would become part of an address',
    async (name) => {
      const account = { accountId: '../../acc', apiToken: 'token', baseUrl: canary.origin };
      const { signal } = new AbortController();
      const call = { provider: 'edge', model: name, input: { json: {} }, timeoutMs: 1000, signal };
      await expect(runModel(account, call)).rejects.toMatchObject({
        failure: { code: 'model_unavailable' },
      });
    },
  );
});

describe('a provider', () => {
  test('that names another address for the recording is called only with the name', async () => {
    const wire = assemblyAiWire(assemblyAiAnswer(TALK), 0);
    assemblyai.behave((request) =>
      request.url.pathname === '/v2/upload' ? Response.json({ upload_url: inside }) : wire(request),
    );
    const before = assemblyai.requests.length;
    const { status } = await captions({ transcription: { provider: 'assemblyai' } });
    expect(status).toBe('completed');
    const asked = assemblyai.requests.slice(before);
    const [, made] = asked;
    expect(JSON.parse(made?.body.toString() ?? '').audio_url).toBe(inside);
    for (const { url } of asked) expect(url.pathname).toStartWith('/v2/');
  });

  test('that uses an address as a transcript id is called with the id only', async () => {
    const wire = assemblyAiWire(assemblyAiAnswer(TALK, `../../..${canary.origin}/x?y=#`), 0);
    assemblyai.behave(wire);
    const before = assemblyai.requests.length;
    await captions({ transcription: { provider: 'assemblyai' } });
    for (const { url } of assemblyai.requests.slice(before)) {
      expect(url.pathname).toMatch(/^\/v2\/(upload|transcript)(\/[^/]+)?$/);
    }
  });

  test.each([301, 302, 303, 307, 308])('that redirects with %d is not followed', async (status) => {
    for (const [provider, double] of [
      ['deepgram', deepgram],
      ['assemblyai', assemblyai],
    ] as const) {
      double.behave(elsewhere(status));
      const before = double.requests.length;
      const result = await captions({ transcription: { provider, includeRawResponse: true } });
      expect([result.status, result.error.code]).toEqual(['failed', 'provider_bad_response']);
      expect(result.error.debug.status).toBe(status);
      // A retry would give the same result.
      expect(double.requests).toHaveLength(before + 1);
    }
  });

  test('of a model that redirects never gets the transcript', async () => {
    const before = model.requests.length;
    const { error } = await captions({
      transcription: { provider: 'deepgram' },
      audit: { provider: 'openai', minConfidence: 0.99 },
    });
    expect([error.code, error.debug.status]).toEqual(['provider_bad_response', 307]);
    expect(modelsAsked(before)).toContain('/chat/completions');
    expect((await captions({ transcription: { provider: 'edge' } })).status).toBe('failed');
    expect(modelsAsked(before)).toContain('/v1/audio/transcriptions');
  });

  test('of identity that redirects gets no key, and no key is accepted', async () => {
    const workos = await startHttpDouble(elsewhere(307));
    const { url } = await testServer({
      env: { WORKOS_API_KEY: 'sk', WORKOS_CLIENT_ID: 'client', WORKOS_API_URL: workos.origin },
    });
    const headers = { authorization: 'Bearer somebodys-key' };
    const asked = await fetch(`${url}/workflows/captioner`, { headers });
    expect(asked.status).toBeGreaterThanOrEqual(500);
    expect((await register(url, 'ann@example.com')).status).toBeGreaterThanOrEqual(500);
    expect((await completeClaim(url, 'clm_x', '123456')).status).toBeGreaterThanOrEqual(400);
    await until(async () => workos.requests.length >= 2);
    await workos.close();
  });
});
