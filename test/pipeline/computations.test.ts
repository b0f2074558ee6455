/** The computations of a run by stage, runs that nobody watches, and reports of runs that end early. */
import { describe, expect, test } from 'bun:test';
import { type CaptionerStage, StageFailure } from '../../server/contract/failure.ts';
import { createLog } from '../../server/log.ts';
import { applyAudit } from '../../server/pipeline/audit.ts';
import type { Computing } from '../../server/pipeline/computing.ts';
import { noteRuleChanges } from '../../server/pipeline/own-terms-step.ts';
import { beforeStage, perform, RunTakenOver } from '../../server/pipeline/perform.ts';
import { storable } from '../../server/pipeline/storable.ts';
import { buildTranscript } from '../../server/speech/transcript.ts';
import type { SpeechProvider } from '../../server/speech/provider.ts';
import type { RuleChange } from '../../server/terminology/packs/own-terms.ts';
import { spoken } from '../support/doubles/scripted-speech.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import type { Any } from '../support/servers/client.ts';
import { patchesOf, speechWith, stagedRun, storedSteps } from './staged-run.ts';

/** Records the stage of each computation and of each wait, in order. */
function recorded() {
  const computed: CaptionerStage[] = [];
  const attended: CaptionerStage[] = [];
  const computing: Computing = {
    async compute(stage, work) {
      computed.push(stage);
      return work();
    },
    attend(stage, work) {
      attended.push(stage);
      return work();
    },
  };
  return { computed, attended, computing };
}

const words = spoken('hello there. thank you all.');

/** A provider that plans two pieces one after the other, and computes in each of its methods. */
const twoPieces: Partial<SpeechProvider> = {
  plan: async (_audio, _request, { compute }) => {
    await compute?.(() => null);
    return {
      duration: 2,
      pieces: [{ index: 0, start: 0, end: 1 }],
      engine: { provider: 'edge', model: 'planned' },
      next: 1,
    };
  },
  planMore: async (_audio, _plan, _request, { compute }) => {
    await compute?.(() => null);
    return { pieces: [{ index: 1, start: 1, end: 2 }] };
  },
  transcribe: async (_audio, { index }, _request, { compute }) => {
    await compute?.(() => null);
    return { words: index === 0 ? words : [] };
  },
};

describe('the computations of a run', () => {
  test('count for the stage they are part of', async () => {
    const { computed, attended, computing } = recorded();
    const { result } = await stagedRun({
      speech: speechWith(twoPieces),
      services: { maxDuration: 60 },
      context: { computing },
    });
    expect(result.status).toBe('completed');
    const counts = Object.entries(Object.groupBy(computed, (stage) => stage)).map(
      ([stage, all]) => [stage, all.length],
    );
    expect(counts).toEqual([
      // The length of the recording, and the terms.
      ['payload', 2],
      // Both plans, both pieces with their checks, and the merge.
      ['transcription', 7],
      ['moderation', 1],
      ['terminology_audit', expect.any(Number)],
      ['correction', 1],
      ['captioning', 1],
    ]);
    expect(attended).toEqual([
      'transcription',
      'transcription',
      'transcription',
      'transcription',
      'moderation',
      'terminology_audit',
    ]);
  });

  test('are not counted, and no preview is made, if nobody watches', async () => {
    const speech = speechWith({
      async transcribe(_audio, _piece, _request, { heard }) {
        heard?.(words.slice(0, 2));
        return { words };
      },
    });
    const { result, heard } = await stagedRun({ speech, context: { heard: undefined } });
    expect(result.status).toBe('completed');
    expect(heard).toEqual([]);
  });
});

describe('a plan', () => {
  test('is complete without planMore, whatever its provider notes', async () => {
    const speech = speechWith({ plan: twoPieces.plan!, transcribe: twoPieces.transcribe! });
    const { result } = await stagedRun({ speech });
    expect(result.status).toBe('completed');
    expect(result.transcript.words).toHaveLength(words.length);
  });

  test('gives a failed run its length and its model', async () => {
    const speech = speechWith({
      ...twoPieces,
      transcribe: () => {
        throw new StageFailure({
          code: 'audio_unreadable',
          message: 'No.',
          retryable: false,
          suggestions: [],
        });
      },
    });
    const { result } = await stagedRun({ speech });
    expect(result.metadata).toMatchObject({
      duration: 2,
      models: { transcription: { provider: 'edge', model: 'planned' } },
      lastSuccessfulStage: 'storage',
    });
    expect(result.metadata).not.toHaveProperty('counts');
    expect(result.metadata).not.toHaveProperty('moderation');
    expect(result.metadata).not.toHaveProperty('terminology.observations');
  });

  test('counts into the time of transcription', async () => {
    const steps = storedSteps((output, name) =>
      name === 'plan' ? { ...output, startedAt: output.startedAt - 60_000 } : output,
    );
    const { result } = await stagedRun({ speech: speechWith(twoPieces), steps });
    expect(result.metadata.timingsMs.transcription).toBeGreaterThanOrEqual(60_000);
    expect(result.transcript.metadata).toMatchObject({ provider: 'edge', model: 'planned' });
  });
});

test('raw payloads are those that the provider gave', async () => {
  const speech = speechWith({
    ...twoPieces,
    transcribe: async (_audio, { index }) =>
      index === 0 ? { words, raw: { first: true } } : { words: [] },
  });
  const payload = { transcription: { includeRawResponse: true } } as Any;
  const { result } = await stagedRun({ speech, payload });
  expect(result.raw.transcription.payloads).toEqual([{ first: true }]);
});

test('the alternatives to a failed provider reset the requested model', async () => {
  const failing = new StageFailure({
    code: 'provider_unavailable',
    message: 'No.',
    retryable: false,
    suggestions: [],
  });
  const speech = speechWith({ plan: () => Promise.reject(failing) }, undefined, { deepgram: {} });
  const suggested = async (model?: string) => {
    const transcription = { provider: 'edge', ...(model && { model }) };
    const { result } = await stagedRun({ speech, payload: { transcription } });
    return patchesOf(result.error);
  };
  expect(await suggested()).toEqual([{ transcription: { provider: 'deepgram' } }]);
  expect(await suggested('large')).toEqual([
    { transcription: { provider: 'deepgram', model: 'auto' } },
  ]);
});

test('of the corrections by rules, a thousand are recorded', async () => {
  const rules = [{ id: 'rule_1', surface: 'octave ya', canonical: 'Oktavia' }];
  const corrections = Array.from({ length: 1001 }, (_, at) => ({
    id: `c${at}`,
    decision: 'accepted',
    start: at,
    before: 'octave ya',
    after: 'Oktavia',
  }));
  const observations = corrections.map(({ id }) => ({
    surface: 'Octave-Ya',
    canonical: 'oktavia',
    correctionId: id,
  }));
  const noted: RuleChange[] = [];
  const run = { noteRuleChanges: async (changes: RuleChange[]) => void noted.push(...changes) };
  const context = {
    steps: storedSteps(),
    signal: new AbortController().signal,
    log: createLog('silent'),
  };
  await noteRuleChanges(run as Any, context as Any, { terms: [], never: [], rules }, {
    corrections,
    observations,
  } as Any);
  expect(noted).toHaveLength(1000);
  expect(noted[999]).toEqual({
    ruleId: 'rule_1',
    correctionId: 'c999',
    start: 999,
    before: 'octave ya',
    after: 'Oktavia',
  });
});

test('an utterance that begins after the last word stays at the end', () => {
  const said = ['one', 'two', 'three'].map((text, at) => ({ text, start: at, end: at + 0.5 }));
  const transcript = buildTranscript(said, { language: 'en', duration: 3, utterances: [0, 2] });
  const far = { ...transcript, utterances: [...transcript.utterances, { firstWord: 9 }] } as Any;
  const { utterances } = applyAudit(far, { corrections: [] } as Any);
  expect(utterances.map(({ firstWord }) => firstWord)).toEqual([0, 2]);
});

describe('a step', () => {
  test('may have no output', () => {
    expect(storable(undefined)).toBeUndefined();
    expect(storable(null)).toBeNull();
  });

  test('that fails with something that only looks final is tried again', async () => {
    let calls = 0;
    const work = async () => {
      calls += 1;
      if (calls === 1) throw Object.assign(new Error('odd'), { isFinal: true });
      return calls;
    };
    const context = {
      steps: storedSteps(),
      signal: new AbortController().signal,
      log: createLog('silent'),
      waiting: noWaiting(),
    };
    const done = await perform(context, 'odd', { attempts: 2, baseMs: 1, maxMs: 1 }, work);
    expect(done.value).toBe(2);
  });

  test('before which another worker took the run names that as the cause', async () => {
    const reason = new RunTakenOver('elsewhere');
    await expect(beforeStage(AbortSignal.abort(reason))).rejects.toMatchObject({ cause: reason });
  });
});
