/** A whole run, stage by stage: completed or blocked, and the deletion of its audio. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Any } from '../support/servers/client.ts';
import { scriptedSpeech } from '../support/doubles/scripted-speech.ts';
import type { Auditor } from '../../server/language/auditor.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { openAudio } from '../../server/pipeline/transcribe.ts';
import type { OwnTerm } from '../../server/terminology/packs/own-terms.ts';
import { run, talk } from '../runs/support.ts';

setDefaultTimeout(300_000);

describe('a completed run', () => {
  test('corrects with the terms of its own workspace only', async () => {
    const speech = () => scriptedSpeech('we met octave ya there.');
    const oktavia: OwnTerm = {
      canonical: 'Oktavia',
      kind: 'product_name',
      weight: 10,
      mishears: ['octave ya'],
    };
    const own = { terms: [oktavia], never: [], rules: [] };
    const text = async (more: object) =>
      (await run({ speech: speech(), ...more })).result.transcript.text;
    expect(await text({ own })).toContain('met Oktavia there');
    expect(await text({})).toContain('met octave ya there');
  });

  test('has correct terms, with the recognised words and the reason', async () => {
    const { result, there, stages, events } = await run({
      speech: scriptedSpeech(talk),
      payload: { topic: 'MCP Night: AuthKit' },
    });
    expect(result.status).toBe('completed');
    expect(result.transcript.text).toContain('MCP Night tonight');
    expect(result.transcript.text).toContain('AuthKit protects the Model Context Protocol');
    const changed = result.transcript.words.find((word: Any) => word.text === 'AuthKit');
    expect(changed.original).toEqual(['off', 'kit']);
    const { words, utterances, paragraphs } = result.transcript;
    expect(result.metadata.counts).toMatchObject({
      words: words.length,
      utterances: utterances.length,
      paragraphs: paragraphs.length,
    });
    const observed = result.metadata.terminology.observations.find(
      (seen: Any) => seen.canonical === 'AuthKit',
    );
    expect(observed).toMatchObject({ surface: 'off kit', source: 'audit_accepted' });
    expect(result.audit.corrections.find((c: Any) => c.id === observed.correctionId)).toMatchObject(
      { before: 'off kit', after: 'AuthKit', decision: 'accepted' },
    );
    expect(result.audit).toMatchObject({ provider: 'edge', fallbackFrom: 'openai' });
    expect(there()).toBe(false);
    expect(events).toHaveLength(1);
    expect(stages).toEqual([
      'payload',
      'transcription',
      'moderation',
      'terminology_audit',
      'correction',
      'captioning',
    ]);
  });

  test('calls its auditor with its own run id', async () => {
    const auditors = createAuditorRegistry();
    const asked: unknown[] = [];
    const audit: Auditor['audit'] = (request, context) => {
      asked.push(context.runId);
      return auditors.auditor('edge')!.audit(request, context);
    };
    const speech = scriptedSpeech(talk);
    await run({
      speech,
      auditors: { ...auditors, auditor: (name) => ({ name, audit }) },
    });
    expect(asked).toEqual(['run_1']);
  });

  test('without an audit keeps the recognised words', async () => {
    for (const audit of [{ provider: 'none' as const }, { enabled: false }]) {
      const { result } = await run({
        speech: scriptedSpeech(talk),
        payload: { topic: 'MCP Night: AuthKit', audit },
      });
      expect(result.transcript.text).toBe(talk);
      expect(result.audit.corrections).toEqual([]);
    }
  });

  test('contains the raw payload only if requested', async () => {
    const plain = await run({ speech: scriptedSpeech(talk) });
    expect(plain.result.raw).toBeUndefined();
    const raw = await run({
      speech: scriptedSpeech(talk),
      payload: { transcription: { includeRawResponse: true } },
    });
    expect(raw.result.raw.transcription.payloads).toHaveLength(1);
  });

  test('of silence has no cues, and moderation reports it as empty', async () => {
    const { result } = await run({ speech: scriptedSpeech('') });
    expect(result.captions).toMatchObject({ srt: '', cues: [] });
    expect(result.metadata.moderation).toMatchObject({
      decision: 'allow',
      reason: 'empty_transcript',
      chunksChecked: 0,
    });
  });
});

describe('a blocked run', () => {
  const threat = 'hello everybody. i am going to kill you and your whole family tonight.';
  test('reports that and where, but no word of the transcript', async () => {
    const { result, there, undeleted } = await run({ speech: scriptedSpeech(threat) });
    expect(undeleted).toEqual([]);
    expect(result.metadata.timingsMs.moderation).toBeGreaterThanOrEqual(0);
    expect(result.metadata.duration).toBeGreaterThan(0);
    expect(result.status).toBe('blocked');
    expect(result.metadata.moderation).toMatchObject({
      decision: 'block',
      reason: 'content_policy_violation',
      flaggedChunk: { index: 0 },
      eventLog: { status: 'stored' },
    });
    expect(JSON.stringify(result)).not.toContain('family');
    expect(result.metadata.storage.sourceAudio.status).toBe('deleted');
    expect(there()).toBe(false);
  });

  test('retries a failed deletion, and reports the phase in which it succeeded', async () => {
    const { result } = await run({ speech: scriptedSpeech(threat), failingDeletions: 1 });
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      status: 'deleted',
      cleanupPhase: 'moderation_blocked',
    });
  });

  test('keeps audio that the client retains', async () => {
    const { undeleted, result, there } = await run({
      speech: scriptedSpeech(threat),
      payload: { storage: { retainSourceAudio: true } },
    });
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      status: 'retained',
      cleanupPhase: 'moderation_blocked',
    });
    expect(undeleted).toEqual([]);
    expect(there()).toBe(true);
  });
});

describe('source audio', () => {
  test('that was replaced during transcription is audio_not_found', async () => {
    const source = { size: 1, read: async function* () {} };
    const audio = { key: 'a.mp3', open: async () => ({ version: '10-1@2', source }) } as never;
    expect(await openAudio(audio)).toMatchObject({ version: '10-1@2' });
    expect(await openAudio(audio, '10-1@2')).toMatchObject({ version: '10-1@2' });
    await expect(openAudio(audio, '11-1@2')).rejects.toMatchObject({
      failure: { code: 'audio_not_found', message: expect.stringContaining('replaced') },
    });
  });

  test('that cannot be deleted is reported, and does not fail the run', async () => {
    const { result, undeleted } = await run({
      speech: scriptedSpeech(talk),
      failingDeletions: 99,
    });
    expect(result.status).toBe('completed');
    // So that the deletion is tried until it succeeds.
    expect(new Set(undeleted)).toEqual(new Set(['1']));
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      status: 'failed',
      cleanupPhase: 'success',
      error: 'the store is read-only',
    });
  });

  test('that does not exist is audio_not_found at stage storage', async () => {
    const { result } = await run({ speech: scriptedSpeech(talk), missing: true });
    expect(result.error).toMatchObject({ code: 'audio_not_found', stage: 'storage' });
    expect(result.metadata).toMatchObject({
      lastSuccessfulStage: 'payload',
      storage: { sourceAudio: { status: 'skipped', cleanupPhase: 'failure' } },
    });
  });
});
