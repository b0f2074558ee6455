/** A whole run, stage by stage: completed or blocked, and the deletion of its audio. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { type FailureCode, StageFailure } from '../../server/contract/failure.ts';
import { type CaptionerPayload, resolvePayload } from '../../server/contract/payload.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { RunInterrupted } from '../../server/pipeline/perform.ts';
import { loadTermPacks } from '../../server/terminology/packs/packs.ts';
import {
  compileForRun,
  withCorrections,
  withEvidentPacks,
} from '../../server/pipeline/terminology.ts';
import type { PieceTranscript } from '../../server/speech/provider.ts';
import { buildTranscript } from '../../server/speech/seams.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { fixture, source } from '../mp3/support.ts';
import { run, talk } from '../runs/support.ts';
import { everyCandidate, startChatDouble } from '../support/doubles/chat-double.ts';
import { OPENAI_KEY } from '../support/doubles/provider-keys.ts';
import { scriptedSpeech, spoken } from '../support/doubles/scripted-speech.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { sample } from '../support/sample.ts';
import type { Any } from '../support/servers/client.ts';
import type { TermObservation } from '../../server/contract/terminology.ts';
import { correction } from '../web/review/support.ts';
import { speechWith, stagedRun, storedSteps } from './staged-run.ts';

setDefaultTimeout(300000);

test('a completed run without an audit keeps the recognised words', async () => {
  for (const audit of [{ provider: 'none' as const }, { enabled: false }]) {
    const { result } = await run({
      speech: scriptedSpeech(talk),
      payload: { topic: 'MCP Night: AuthKit', audit },
    });
    expect(result.transcript.text).toBe(talk);
    expect(result.audit.corrections).toEqual([]);
  }
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
});

describe('source audio', () => {
  /** A run whose first step saw this version; one that began with version 1.0 has only the tag. */
  test.each([
    ['tag@1', undefined],
    ['tag', undefined],
    ['tag@2', 'audio_not_found'],
    ['ta', 'audio_not_found'],
  ])('is the one seen by an earlier step: %s', async (version, code) => {
    const steps = storedSteps((output, name) =>
      name === 'audio' ? { ...output, value: { ...output.value, version } } : output,
    );
    const { result } = await stagedRun({ steps, version: () => 'tag@1' });
    expect(result.error?.code).toBe(code);
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

describe('a run whose provider or language model fails, and its error message', async () => {
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
        error: {
          code: 'provider_timeout',
          stage: 'transcription',
          retryable: true,
          runId: 'run_1',
        },
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
});

describe('the reports, storage and deletions of a run at each stage, and its end', () => {
  const failure = (code: FailureCode, retryable = false) =>
    new StageFailure({ code, message: 'It failed.', retryable, suggestions: [] });

  describe('a run that is interrupted', () => {
    test.each([
      ['by another execution', new RunInterrupted('taken over')],
      ['by a database that is away', new StorageUnavailable('it is away', { cause: null })],
    ])('%s does not end, and its recording stays', async (_, error) => {
      let deletions = 0;
      const steps = {
        run: async (name: string, work: () => Promise<Any>) => {
          if (name.startsWith('clean up')) deletions += 1;
          if (name === 'moderation') throw error;
          return work();
        },
      };
      await expect(stagedRun({ steps })).rejects.toBe(error);
      expect(deletions).toBe(1);
    });

    test('by an unexpected error fails, and the log has the cause', async () => {
      const run = { ownTerms: () => Promise.reject(new Error('a broken row')) };
      const { result, log } = await stagedRun({ run });
      expect(result.error).toMatchObject({ code: 'internal', retryable: true });
      expect(JSON.stringify(result)).not.toContain('broken row');
      expect(log).toContain('a broken row');
      const later = await stagedRun({
        steps: {
          run: (name, work) =>
            name === 'audit' ? Promise.reject(new Error('a broken engine')) : work(),
        },
      });
      expect(later.result.error).toMatchObject({ code: 'internal', stage: 'terminology_audit' });
      expect(later.log).toContain('a broken engine');
    });

    test('by a cancel still deletes the recording it has used', async () => {
      const controller = new AbortController();
      const speech = speechWith({
        transcribe: async () => {
          controller.abort(failure('cancelled'));
          return { words: [] };
        },
      });
      const { result, deleted } = await stagedRun({ controller, speech });
      expect(result.error.code).toBe('cancelled');
      expect(result.metadata.storage.sourceAudio.status).toBe('deleted');
      expect(deleted).toEqual(['v7']);
    });
  });
});

describe('details of a run', () => {
  test("a provider gets the payload's settings, and the terms of packs, with how they are said and what is near", async () => {
    const asked: unknown[] = [];
    const edge = speechWith({}).provider('edge')!;
    const speech = speechWith({
      plan: async (audio, request, context) => {
        asked.push(request);
        return edge.plan(audio, request, context);
      },
      transcribe: async (audio, piece, request, context) => {
        asked.push(request);
        return edge.transcribe(audio, piece, request, context);
      },
    });
    const term = { kind: 'acronym', weight: 5 } as const;
    const pack = {
      id: 'own',
      version: 1,
      title: 'Own',
      triggers: [],
      relatedPackIds: [],
      terms: [
        { ...term, canonical: 'PKCE', say: 'pixie', near: ['verifier'] },
        { ...term, canonical: 'SSO' },
      ],
    };
    await stagedRun({
      speech,
      services: { packs: [pack] },
      payload: {
        language: 'de-AT',
        glossary: ['Oktavia'],
        terminology: { packs: ['own'] },
        transcription: { model: 'large', chunkBytes: 300_000, includeRawResponse: true },
      },
    });
    const request = {
      language: 'de-AT',
      model: 'large',
      keyterms: ['Oktavia', 'PKCE', 'SSO'],
      pronunciations: { PKCE: 'pixie' },
      near: { PKCE: ['verifier'] },
      chunkBytes: 300_000,
      includeRawResponse: true,
    };
    expect(asked).toEqual([request, request]);
  });

  test('a transcript is audited in the language of the speech; its spans keep their starts', async () => {
    const words = ['a', 'b', 'off', 'kit', 'rules', 'here'].map((text, at) => ({
      text,
      start: at,
      end: at + 0.5,
    }));
    /** The starts of utterances and paragraphs after the edit of two words. */
    const starts = async (decision: 'accepted' | 'rejected', utterances: number[]) => {
      const merge = () =>
        buildTranscript(words, { language: 'de', duration: 6, paragraphs: [0, 5], utterances });
      const edit = { firstWord: 2, lastWord: 3, before: 'off kit', after: 'AuthKit' };
      const corrections = [{ ...correction, ...edit, decision }];
      const audit = async ({ language }: { language: string }) => {
        expect(language).toBe('de');
        return { provider: 'edge', model: 'm', corrections, observations: [], usage };
      };
      const { result } = await stagedRun({
        speech: speechWith({ merge }),
        auditors: { configured: ['edge'], auditor: () => ({ name: 'edge', audit }) },
      });
      const { transcript } = result;
      return [transcript.utterances, transcript.paragraphs].map((spans) =>
        spans.map(({ firstWord }: { firstWord: number }) => firstWord).join(),
      );
    };
    const usage = { calls: 0, tokens: 0, cached: 0 };
    const correction = {
      id: 'c1',
      start: 2,
      end: 3.5,
      category: 'product_name' as const,
      confidence: 0.9,
      reason: 'It is known.',
      packHints: [],
    };
    expect(await starts('rejected', [0, 2, 4])).toEqual(['0,2,4', '0,5']);
    expect(await starts('accepted', [0, 2, 4])).toEqual(['0,2,3', '0,4']);
    // One that began with the second word of a term begins with the term.
    expect(await starts('accepted', [0, 3])).toEqual(['0,2', '0,4']);
  });
});

describe('reports of a run that ends late', () => {
  const text = 'we met octave ya there. thank you all.';

  test('the recording is deleted before the transcript is moderated', async () => {
    const order: string[] = [];
    const steps = storedSteps();
    await stagedRun({
      text,
      steps: {
        run: async (name, work) => {
          order.push(name);
          // A slow deletion.
          const turns = name.startsWith('clean up') ? 20 : 0;
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          const output = await steps.run(name, work);
          order.push(`${name} done`);
          return output;
        },
      },
    });
    const at = order.indexOf('clean up: after_transcription done');
    expect(at).toBeGreaterThan(0);
    expect(order[at + 1]).toBe('moderation');
  });

  test('a cancel ends the look at the length of a recording, and is no failure to log', async () => {
    const controller = new AbortController();
    const cancelled = { code: 'cancelled', message: 'Cancelled.', retryable: false } as const;
    const source = {
      size: 1e9,
      async *read() {
        setImmediate(() => controller.abort(new StageFailure({ ...cancelled, suggestions: [] })));
        await new Promise(() => {});
        yield new Uint8Array();
      },
    };
    const { result, log } = await stagedRun({
      services: { maxDuration: 1 },
      controller,
      run: {
        audio: {
          key: 'talk.mp3',
          open: async () => ({ version: 'v1', source }),
          delete: async () => true,
        },
      },
    });
    expect(result.error).toMatchObject({ code: 'cancelled', stage: 'payload' });
    expect(log).not.toContain('run_failed');
  });
});

describe('the terms of a run', () => {
  const request = (payload: Partial<CaptionerPayload>) =>
    resolvePayload({ audio: { key: 'a.mp3' }, ...payload });
  const ownTerms = (canonical: string) => ({
    terms: [{ canonical, kind: 'person_name' as const, weight: 10 }],
    never: [],
    rules: [],
  });

  test('two workspaces with the same request get their own terms', () => {
    const same = request({ topic: 'MCP Night' });
    const terms = (canonical: string) =>
      compileForRun([], same, undefined, ownTerms(canonical)).summary.auditTerms;
    expect(terms('Oktavia')).toContain('Oktavia');
    expect(terms('Zanzibar')).not.toContain('Oktavia');
    expect(compileForRun([], same).summary.auditTerms).not.toContain('Oktavia');
    expect(terms('Oktavia')).toContain('Oktavia');
  });

  test('those of packs that the transcript gives evidence for, with a sentence', async () => {
    const words = 'we add authkit and then rectory sync'
      .split(' ')
      .map((text) => ({ text, start: 0, end: 1 }));
    const packs = await loadTermPacks();
    const withPacks = (terminology?: CaptionerPayload['terminology']) => {
      const asked = resolvePayload({
        audio: { key: 'a.mp3' },
        ...(terminology && { terminology }),
      });
      return withEvidentPacks(packs, asked, compileForRun(packs, asked), words);
    };
    const { terminology, evident } = withPacks();
    expect(terminology.summary).toMatchObject({
      requestedPacks: [],
      selectedPacks: ['vendors/workos'],
      injectedKeyterms: [],
    });
    expect(terminology.terms.map(({ canonical }) => canonical)).toContain('Directory Sync');
    expect(evident).toEqual([
      { id: 'vendors/workos', title: 'WorkOS', heard: ['AuthKit', 'Directory Sync'] },
    ]);
    // Who names packs gets those, and no others.
    const named = withPacks({ packs: ['protocols/mcp'] });
    expect(named.evident).toEqual([]);
    expect(named.terminology.summary.selectedPacks).not.toContain('vendors/workos');
  });
});

test('a correction rests on packs of the talk unless something else gives its term', () => {
  const [mcp, workos] = ['protocols/mcp', 'vendors/workos'].map((id) => ({
    id,
    title: id,
    heard: [],
  }));
  const asked = resolvePayload({ audio: { key: 'a.mp3' }, glossary: ['Auth Kit'] });
  const { summary } = compileForRun([], asked);
  const corrections = Object.entries({
    a: ['vendors/workos'],
    b: ['vendors/workos', 'protocols/mcp'],
    c: ['vendors/workos', 'workspace'],
    d: ['vendors/workos'],
    e: [],
  }).map(([id, packHints]) => ({ ...correction(id, 0), packHints }));
  const observed = { surface: '', category: 'other', source: 'audit_accepted', action: 'ignore' };
  const observations = [
    { ...observed, correctionId: 'd', canonical: 'AuthKit' } as TermObservation,
  ];
  const packs = withCorrections([mcp!, workos!], { corrections, observations }, summary);
  expect(packs.map((pack) => pack.corrections)).toEqual([['b'], ['a', 'b']]);
});

describe('speech that a provider lost is told in the result', () => {
  const recording = source(readFileSync(sample));
  const DURATION = 35.172;
  const words = spoken('word '.repeat(100));

  /** The transcript's metadata in a run whose provider returns this for the sample. */
  async function metadataOf(heard: PieceTranscript, audio = recording) {
    const speech = speechWith({
      plan: async () => ({
        duration: DURATION,
        pieces: [{ index: 0, start: 0, end: DURATION }],
        engine: { provider: 'edge', model: 'scripted' },
      }),
      transcribe: async () => heard,
    });
    const { result } = await run({ speech, recording: audio });
    expect(result.status).toBe('completed');
    return { ...result.transcript.metadata, score: result.quality.captions.score };
  }

  const without = (from: number, to: number) =>
    words.filter(({ start, end }) => end < from || start > to);

  test('a part that a provider lost is found in the sound of the recording', async () => {
    const { unheard } = await metadataOf({ words: without(10, 20) });
    expect(unheard).toHaveLength(1);
    expect(unheard[0].start).toBeWithin(9.5, 11);
    expect(unheard[0].end).toBeWithin(19, 20.5);
  });

  test('a transcript without words has no score, and says why', async () => {
    const lost = await metadataOf({ words: [] });
    expect(lost).toMatchObject({ score: 0, noWords: expect.stringContaining('no words') });
    expect(lost.unheard[0].end - lost.unheard[0].start).toBeGreaterThan(30);
    expect(await metadataOf({ words: [], speech: [] })).toMatchObject({
      score: 0,
      unheard: [],
      noWords: expect.stringContaining('silent'),
    });
  });

  test('a recording that cannot be decoded here has its captions all the same', async () => {
    const metadata = await metadataOf(
      { words: without(10, 20) },
      source(fixture('free-format.mp3')),
    );
    expect(metadata).not.toHaveProperty('unheard');
  });
});

describe('speech in another language than the one that was asked for', () => {
  const NONSENSE =
    'they are hinted in a pottery league in the realm border at schlesing holleguenot';
  const doubtful = spoken(NONSENSE).map((word) => ({ ...word, confidence: 0.5 }));
  const clear = spoken('word '.repeat(40)).map((word) => ({ ...word, confidence: 0.98 }));

  const heardAs = (
    words: typeof clear,
    payload: Partial<CaptionerPayload> = {},
    about: Partial<ReturnType<typeof buildTranscript>> = {},
  ) =>
    stagedRun({
      payload,
      speech: speechWith({
        merge: () => ({ ...buildTranscript(words, { language: 'en', duration: 60 }), ...about }),
      }),
    });

  test('fails by name before anything is captioned, and keeps the recording for another try', async () => {
    const { result, deleted } = await heardAs(doubtful);
    expect(result).toMatchObject({
      status: 'failed',
      error: {
        code: 'language_unsupported',
        stage: 'transcription',
        message: expect.stringContaining('This does not sound like English'),
      },
    });
    expect(result.error.suggestions[0].payloadPatch).toEqual({ language: 'auto' });
    expect(deleted).toEqual([]);
  });

  test('is captioned if the payload insists by naming a model, and named, without a score', async () => {
    const { result } = await heardAs(doubtful, { transcription: { model: 'large' } });
    expect(result.status).toBe('completed');
    expect(result.transcript.metadata.languageDoubt).toMatchObject({ language: 'en', whole: true });
    expect(result.quality.captions.score).toBe(0);
  });

  test('is named where it was recognised as what it is; clear English is not', async () => {
    const metadata = { languages: [{ language: 'de', start: 0, end: 9 }] };
    const { result } = await heardAs(clear, {}, { metadata });
    expect(result.transcript.metadata).not.toHaveProperty('languageDoubt');
    expect(result.transcript.metadata.otherLanguages).toEqual(metadata.languages);
    const plain = await heardAs(clear);
    expect(plain.result.transcript.metadata).not.toHaveProperty('otherLanguages');
  });

  test('is not looked for if the language was to be detected', async () => {
    expect((await heardAs(doubtful, { language: 'auto' })).result.status).toBe('completed');
  });
});

describe('how well the speech was heard', () => {
  const heardWith = async (engine: string, confidence: number) => {
    const words = spoken('word '.repeat(60)).map((word) => ({ ...word, confidence }));
    const metadata = { engine };
    const { result } = await stagedRun({
      speech: speechWith({
        merge: () => buildTranscript(words, { language: 'en', duration: 30, metadata }),
      }),
    });
    return result;
  };

  test('is told as a whole and by stretch, and lowers the score where much is probably wrong', async () => {
    const clear = await heardWith('moonshine', 0.99);
    const bad = await heardWith('moonshine', 0.8);
    const worse = await heardWith('moonshine', 0.75);
    const wrong = (result: Any): number => result.transcript.metadata.hearing.wrong;
    expect(wrong(clear)).toBeLessThan(0.05);
    expect(wrong(bad)).toBeGreaterThan(wrong(clear));
    expect(wrong(worse)).toBeGreaterThan(wrong(bad));
    expect(worse.quality.captions.score).toBeLessThan(clear.quality.captions.score);
    expect(worse.transcript.metadata.hearing.stretches.length).toBeGreaterThan(0);
    expect(worse.transcript.words[0].certainty).toBeCloseTo(1 - wrong(worse) / 1.2, 1);
  });

  test('is not told of a recogniser whose confidences have not been measured', async () => {
    const { transcript } = await heardWith('nova', 0.8);
    expect(transcript.metadata).not.toHaveProperty('hearing');
    expect(transcript.words[0]).not.toHaveProperty('certainty');
  });
});

describe('speech that a service left out', () => {
  const deepgram = (words: ReturnType<typeof spoken>) => ({
    plan: async () => ({
      duration: 30,
      pieces: [{ index: 0, start: 0, end: 30 }],
      engine: { provider: 'deepgram', model: 'nova' },
    }),
    transcribe: async () => ({ words }),
    merge: () => buildTranscript(words, { language: 'en', duration: 30 }),
  });
  const first = spoken('word '.repeat(14));

  test('is found by the voice activity of this host, told, and lowers the score', async () => {
    const heard = await stagedRun({
      speech: speechWith({
        ...deepgram(first),
        findSpeech: async () => [{ start: 0, end: 30 }],
      }),
    });
    const { metadata } = heard.result.transcript;
    expect(metadata.unheard).toEqual([{ start: expect.closeTo(5, 0), end: 30 }]);
    expect(metadata.missing).toBeCloseTo(25 / 30, 1);
    expect(heard.result.quality.captions.score).toBeLessThan(0.3);
  });

  test('is none where nobody speaks', async () => {
    const { result } = await stagedRun({
      speech: speechWith({ ...deepgram(first), findSpeech: async () => [{ start: 0, end: 5 }] }),
    });
    expect(result.transcript.metadata.unheard).toEqual([]);
    expect(result.transcript.metadata).not.toHaveProperty('missing');
  });
});

test('known speakers have their names in the words, and the voices of a run that passed moderation are kept', async () => {
  const voices = {
    model: 'one',
    voices: [
      { speaker: '0', print: [1, 0], seconds: 5 },
      { speaker: '1', print: [0, 1], seconds: 5 },
    ],
  };
  const { merge } = speechWith({}).provider('edge')!;
  const changes: Parameters<typeof speechWith>[0] = {
    merge: (...given) => {
      const merged = merge(...given);
      const words = merged.words.map((word, at) => ({ ...word, speaker: at < 2 ? '0' : '1' }));
      return { ...merged, words };
    },
    voices: () => voices,
    nameSpeakers: async (_plan, _pieces, { known }) => ({ 1: known[0]!.name }),
  };
  for (const [remembers, text, count] of [
    [true, 'hello there. thank you all.', 1],
    [false, 'hello there. thank you all.', 0],
    [true, 'i will kill you tomorrow. i know where you live.', 0],
  ] as const) {
    const noted: unknown[] = [];
    const { result } = await stagedRun({
      text,
      speech: speechWith(changes, text),
      run: {
        knownSpeakers: async () => [{ name: 'Ada', mp3: new Uint8Array() }],
        remembersVoices: async () => remembers,
        noteVoices: async (found) => void noted.push(found),
      },
    });
    expect(noted).toHaveLength(count);
    if (count > 0)
      expect(noted[0]).toMatchObject({ voices: [{ speaker: '0' }, { speaker: 'Ada' }] });
    if (result.status !== 'completed') continue;
    const speakers = result.transcript.words.map(({ speaker }: Any) => speaker);
    expect([...new Set(speakers)]).toEqual(['0', 'Ada']);
  }
});
