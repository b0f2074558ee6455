/** A whole run, stage by stage, with a provider that hears what the test says. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { resolvePayload, type CaptionerPayload } from '../../server/contract/payload.ts';
import { createAuditorRegistry, type AuditorRegistry } from '../../server/language/registry.ts';
import { createLog } from '../../server/log.ts';
import { createRulesModerator } from '../../server/moderation/rules.ts';
import { assertResult } from '../../server/pipeline/result.ts';
import type { RunAudio } from '../../server/pipeline/services.ts';
import { captionRecording } from '../../server/runs/captioner-run.ts';
import { packsFolder } from '../../server/terminology/installed.ts';
import type { SpeechRegistry } from '../../server/speech/registry.ts';
import { loadPacks } from '../../server/terminology/packs.ts';
import { everyCandidate, startChatDouble } from '../support/chat-double.ts';
import type { Any } from '../support/client.ts';
import { scriptedSpeech } from '../support/scripted-speech.ts';

setDefaultTimeout(60_000);

const packs = await loadPacks(packsFolder);

interface Script {
  speech: SpeechRegistry;
  payload?: Partial<CaptionerPayload>;
  /** Deletions that fail before one works. */
  failingDeletions?: number;
  missing?: boolean;
  auditors?: AuditorRegistry;
}

async function run({
  speech,
  payload = {},
  failingDeletions = 0,
  missing = false,
  auditors = createAuditorRegistry(),
}: Script) {
  let there = !missing;
  let failures = failingDeletions;
  const audio: RunAudio = {
    key: 'talk.mp3',
    open: async () =>
      there ? { version: '1', source: { size: 1, read: async function* () {} } } : null,
    delete: async () => {
      if (failures-- > 0) throw new Error('the store is read-only');
      there = false;
      return true;
    },
  };
  const stages: string[] = [];
  const events: unknown[] = [];
  const result = await captionRecording(
    {
      packs,
      speech,
      auditors,
      moderator: createRulesModerator(),
      logModeration: async (_runId, summary) => {
        events.push(summary);
        return { status: 'stored', id: 'mod_1' };
      },
    },
    {
      runId: 'run_1',
      createdAt: Date.now(),
      audio,
      request: resolvePayload({ audio: { key: 'talk.mp3' }, ...payload }),
    },
    {
      steps: { run: (_name, work) => work() },
      signal: new AbortController().signal,
      log: createLog('silent'),
      report: (stage) => {
        if (stages.at(-1) !== stage) stages.push(stage);
      },
    },
  );
  assertResult(result);
  return { result: result as Any, there: () => there, stages, events };
}

const talk =
  'welcome to mcp knight tonight we show how off kit protects the model contacts protocol server. thank you all.';

describe('a completed run', () => {
  test('has right terms, with what was heard and why it changed', async () => {
    const { result, there, stages, events } = await run({
      speech: scriptedSpeech(talk),
      payload: { topic: 'MCP Night: AuthKit' },
    });
    expect(result.status).toBe('completed');
    expect(result.transcript.text).toContain('MCP Night tonight');
    expect(result.transcript.text).toContain('AuthKit protects the Model Context Protocol');
    const changed = result.transcript.words.find((word: Any) => word.text === 'AuthKit');
    expect(changed.original).toEqual(['off', 'kit']);
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

  test('with the audit left out keeps what was heard', async () => {
    for (const audit of [{ provider: 'none' as const }, { enabled: false }]) {
      const { result } = await run({
        speech: scriptedSpeech(talk),
        payload: { topic: 'MCP Night: AuthKit', audit },
      });
      expect(result.transcript.text).toBe(talk);
      expect(result.audit.corrections).toEqual([]);
    }
  });

  test('carries the raw payload only where it was asked for', async () => {
    const plain = await run({ speech: scriptedSpeech(talk) });
    expect(plain.result.raw).toBeUndefined();
    const raw = await run({
      speech: scriptedSpeech(talk),
      payload: { transcription: { includeRawResponse: true } },
    });
    expect(raw.result.raw.transcription.payloads).toHaveLength(1);
  });

  test('of silence has no cues, and moderation says it was empty', async () => {
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
  test('says that and where, and no word of the transcript leaves', async () => {
    const { result, there } = await run({ speech: scriptedSpeech(threat) });
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

  test('tries a failed deletion again, and says in which phase it worked', async () => {
    const { result } = await run({ speech: scriptedSpeech(threat), failingDeletions: 1 });
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      status: 'deleted',
      cleanupPhase: 'moderation_blocked',
    });
  });

  test('keeps audio that is to be retained', async () => {
    const { result, there } = await run({
      speech: scriptedSpeech(threat),
      payload: { storage: { retainSourceAudio: true } },
    });
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      status: 'retained',
      cleanupPhase: 'moderation_blocked',
    });
    expect(there()).toBe(true);
  });
});

describe('source audio', () => {
  test('that cannot be deleted at all is told, and does not fail the run', async () => {
    const { result } = await run({ speech: scriptedSpeech(talk), failingDeletions: 99 });
    expect(result.status).toBe('completed');
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      status: 'failed',
      cleanupPhase: 'success',
      error: 'the store is read-only',
    });
  });

  test('that is not there is audio_not_found at storage', async () => {
    const { result } = await run({ speech: scriptedSpeech(talk), missing: true });
    expect(result.error).toMatchObject({ code: 'audio_not_found', stage: 'storage' });
    expect(result.metadata).toMatchObject({
      lastSuccessfulStage: 'payload',
      storage: { sourceAudio: { status: 'skipped', cleanupPhase: 'failure' } },
    });
  });
});

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

  test('tries again what can be, then tells stage, provider and suggestions; the audio stays', async () => {
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

  test('does not keep a recording that nobody can read', async () => {
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

const double = await startChatDouble();
afterAll(() => double.close());

describe('a run with a language model', () => {
  const auditors = createAuditorRegistry({ openai: { apiKey: 'key', baseUrl: double.url } });
  const heard = 'the pixie flow has a verifier and off kit checks it. thank you all.';
  const withModel = () =>
    run({
      speech: scriptedSpeech(heard),
      payload: { terminology: { packs: ['identity-auth', 'vendors/workos'] } },
      auditors,
    });

  test('says what it cost and which model judged', async () => {
    const { result } = await withModel();
    expect(result.status).toBe('completed');
    expect(result.transcript.text).toContain('PKCE flow');
    expect(result.audit).toMatchObject({
      provider: 'openai',
      model: 'gpt-5.1',
      calls: 1,
      tokens: 100,
      cached: 0,
    });
    expect(result.audit.fallbackFrom).toBeUndefined();
    expect(result.metadata.models.audit).toEqual({ provider: 'openai', model: 'gpt-5.1' });
  });

  test.each([
    [401, 'provider_unauthorized'],
    [500, 'provider_unavailable'],
  ])(
    'fails at the audit where the service answers %d, with ways out that work here',
    async (status, code) => {
      double.behave(() => new Response(null, { status }));
      const { result } = await withModel();
      double.behave(everyCandidate());
      expect(result.status).toBe('failed');
      expect(result.error).toMatchObject({
        code,
        stage: 'terminology_audit',
        provider: 'openai',
        model: 'gpt-5.1',
      });
      expect(result.error.suggestions.map((made: Any) => made.payloadPatch)).toEqual([
        { audit: { provider: 'edge' } },
        { audit: { provider: 'none' } },
      ]);
      expect(result.metadata.lastSuccessfulStage).toBe('moderation');
      expect(result.metadata.counts.words).toBe(14);
    },
  );

  test('completes though every answer breaks the schema: the matcher’s edits are made', async () => {
    double.behave(() => 'ignore all that');
    const { result } = await withModel();
    double.behave(everyCandidate());
    expect(result.status).toBe('completed');
    expect(result.transcript.text).toContain('pixie flow');
    expect(result.transcript.text).toContain('AuthKit');
    expect(result.audit.summary).toEqual({ accepted: 1, needsReview: 1, rejected: 0 });
  });
});
