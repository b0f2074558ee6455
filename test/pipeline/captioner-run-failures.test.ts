/** A run whose provider or language model fails, and its error message. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { everyCandidate, startChatDouble } from '../support/doubles/chat-double.ts';
import type { Any } from '../support/servers/client.ts';
import { scriptedSpeech } from '../support/doubles/scripted-speech.ts';
import { fixture, source } from '../mp3/support.ts';
import { run, talk } from '../runs/support.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { OPENAI_KEY } from '../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const double = await startChatDouble();
afterAll(() => double.close());

describe('a failed run', () => {
  const failing = (code: 'provider_timeout' | 'audio_unreadable', retryable: boolean) => {
    let calls = 0;
    const speech = scriptedSpeech(talk, async () => {
      calls += 1;
      throw new StageFailure({
        code,
        message: 'It failed.',
        retryable,
        provider: 'edge',
        suggestions: [{ label: 'Try again' }],
      });
    });
    return { speech, calls: () => calls };
  };

  test('retries what may succeed, then reports stage, provider and suggestions; the audio stays', async () => {
    const { speech, calls } = failing('provider_timeout', true);
    const { result, there } = await run({ speech });
    expect(calls()).toBe(3);
    expect(result).toMatchObject({
      status: 'failed',
      input: { topic: '', glossary: [], language: 'en' },
      error: { code: 'provider_timeout', stage: 'transcription', retryable: true, runId: 'run_1' },
      metadata: { storage: { sourceAudio: { status: 'skipped', cleanupPhase: 'failure' } } },
    });
    expect(there()).toBe(true);
  });

  test('does not keep an unreadable recording', async () => {
    const { speech, calls } = failing('audio_unreadable', false);
    const { result, there } = await run({ speech });
    expect(calls()).toBe(1);
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      status: 'deleted',
      cleanupPhase: 'failure',
    });
    expect(there()).toBe(false);
  });
});

describe('a recording that is too long', () => {
  const speech = scriptedSpeech(talk);
  const recording = source(fixture('mono-16k.mp3'));
  const maxDuration = 1;

  test('fails at stage payload, with a command that shortens it, and is not kept', async () => {
    const { result, there, stages } = await run({ speech, recording, maxDuration });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'audio_too_long', stage: 'payload', retryable: false },
      metadata: { storage: { sourceAudio: { status: 'deleted', cleanupPhase: 'failure' } } },
    });
    expect(result.error.suggestions[0].description).toContain('-segment_time');
    expect(result.metadata.lastSuccessfulStage).toBeUndefined();
    expect([there(), stages]).toEqual([false, ['payload']]);
  });

  test('is kept if the client requested that', async () => {
    const payload = { storage: { retainSourceAudio: true } };
    const { result, there } = await run({ speech, recording, maxDuration, payload });
    expect(result.error.code).toBe('audio_too_long');
    expect(there()).toBe(true);
  });

  test('one within the limit, or without a length, continues', async () => {
    const within = await run({ speech, recording, maxDuration: 60 });
    expect(within.result.status).toBe('completed');
    const missing = await run({ speech, missing: true, maxDuration });
    expect(missing.result.error).toMatchObject({ code: 'audio_not_found', stage: 'storage' });
  });
});

describe('a run with a language model', () => {
  const services = { openai: { apiKey: OPENAI_KEY, baseUrl: double.url } };
  const auditors = createAuditorRegistry({ services, waiting: noWaiting() });
  const heard = 'the pixie flow has a verifier and off kit checks it. thank you all.';
  const withModel = () =>
    run({
      speech: scriptedSpeech(heard),
      payload: { terminology: { packs: ['identity-auth', 'vendors/workos'] } },
      auditors,
    });

  test('reports its cost and the model that judged', async () => {
    const { result } = await withModel();
    expect(result.status).toBe('completed');
    expect(result.transcript.text).toContain('PKCE flow');
    expect(result.audit).toMatchObject({
      provider: 'openai',
      model: 'gpt-6.1-sol',
      calls: 1,
      tokens: 100,
      cached: 0,
    });
    expect(result.audit.fallbackFrom).toBeUndefined();
    expect(result.metadata.models.audit).toEqual({ provider: 'openai', model: 'gpt-6.1-sol' });
  });

  test.each([
    [401, 'provider_unauthorized'],
    [500, 'provider_unavailable'],
  ])(
    'fails at the audit if the service responds with %d, with suggestions that work here',
    async (status, code) => {
      double.behave(() => new Response(null, { status }));
      const { result } = await withModel();
      double.behave(everyCandidate());
      expect(result.status).toBe('failed');
      expect(result.error).toMatchObject({
        code,
        stage: 'terminology_audit',
        provider: 'openai',
        model: 'gpt-6.1-sol',
      });
      expect(result.error.suggestions.map((made: Any) => made.payloadPatch)).toEqual([
        { audit: { provider: 'edge' } },
        { audit: { provider: 'none' } },
      ]);
      expect(result.metadata.lastSuccessfulStage).toBe('moderation');
      expect(result.metadata.counts.words).toBe(14);
      expect(result.metadata.duration).toBeGreaterThan(0);
    },
  );

  test('completes even if every answer violates the schema: the matcher’s edits are made', async () => {
    double.behave(() => 'ignore all that');
    const { result } = await withModel();
    double.behave(everyCandidate());
    expect(result.status).toBe('completed');
    expect(result.transcript.text).toContain('pixie flow');
    expect(result.transcript.text).toContain('AuthKit');
    expect(result.audit.summary).toEqual({ accepted: 1, needsReview: 1, rejected: 0 });
  });
});
