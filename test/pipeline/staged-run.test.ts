/** The reports, storage and deletions of a run at each stage, and its end. */
import { describe, expect, test } from 'bun:test';
import { buildCues } from '../../server/captions/build.ts';
import { StageFailure, type FailureCode } from '../../server/contract/failure.ts';
import type { Auditor } from '../../server/language/auditor.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { assertResult } from '../../server/pipeline/result.ts';
import { RunInterrupted } from '../../server/pipeline/steps.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import type { RuleChange } from '../../server/terminology/packs/own-terms.ts';
import type { Any } from '../support/servers/client.ts';
import { OWN_TERMS, speechWith, stagedRun, storedSteps } from './staged-run.ts';

const failure = (code: FailureCode, retryable = false) =>
  new StageFailure({ code, message: 'It failed.', retryable, suggestions: [] });

/** The auditor `edge`, with its requests recorded and a changed outcome. */
function auditing(change: (asked: Any, context: Any) => object | Promise<object> = () => ({})) {
  const auditors = createAuditorRegistry();
  const audit: Auditor['audit'] = async (request, context) => {
    const outcome = await auditors.auditor('edge')!.audit(request, context);
    return { ...outcome, ...(await change(request, context)) };
  };
  return { ...auditors, auditor: (name: string) => ({ name, audit }) };
}

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

describe('the result', () => {
  test('has captions from the corrected words, and records the rules that changed them', async () => {
    const changes: RuleChange[] = [];
    const { result } = await stagedRun({
      text: 'we met octave ya there.',
      run: {
        ownTerms: async () => OWN_TERMS,
        noteRuleChanges: async (made) => void changes.push(...made),
      },
    });
    expect(result.captions.srt).toContain('Oktavia');
    expect(result.captions.srt).not.toContain('octave');
    expect(changes).toEqual([
      {
        ruleId: 'rule_1',
        correctionId: result.audit.corrections[0]!.id,
        start: result.audit.corrections[0]!.start,
        before: 'octave ya',
        after: 'Oktavia',
      },
    ]);
  });

  test('records no rule that changed nothing', async () => {
    let told = 0;
    const noteRuleChanges = async () => void (told += 1);
    await stagedRun({ run: { ownTerms: async () => OWN_TERMS, noteRuleChanges } });
    await stagedRun({
      text: 'we met octave ya there.',
      payload: { audit: { minConfidence: 1 } },
      run: { ownTerms: async () => OWN_TERMS, noteRuleChanges },
    });
    expect(told).toBe(0);
  });

  test('uses the rules of the language for captions', async () => {
    const text =
      'La casa que mi hermano compró el año pasado en las afueras de la ciudad tiene un jardín con los árboles más viejos de todo el barrio.';
    const { result } = await stagedRun({ text, payload: { language: 'es' } });
    const { words } = result.transcript;
    const cues = (language: string) => buildCues(words, result.captions.settings, language);
    expect(cues('en')).not.toEqual(cues('es'));
    expect(result.captions.cues).toEqual(cues('es'));
  });

  test('has the time of each step and of the whole, even after a failure', async () => {
    const steps = () => storedSteps((output) => ({ ...output, startedAt: 1000, endedAt: 4000 }));
    const createdAt = Date.now() - 60_000;
    const { result } = await stagedRun({ steps: steps(), run: { createdAt } });
    const { timingsMs } = result.metadata;
    expect(timingsMs).toMatchObject({ moderation: 3000, audit: 3000, transcription: 3000 });
    expect(timingsMs.total).toBeGreaterThanOrEqual(60_000);
    expect(timingsMs.total).toBeLessThan(3_600_000);
    const auditors = auditing(() => Promise.reject(failure('provider_unauthorized')));
    const failed = await stagedRun({ steps: steps(), run: { createdAt }, auditors });
    expect(failed.result.metadata.timingsMs).toMatchObject({ moderation: 3000 });
    expect(failed.result.metadata.timingsMs.total).toBeGreaterThanOrEqual(60_000);
    // The clock of the machine that took the request may be ahead.
    const ahead = await stagedRun({ run: { createdAt: Date.now() + 60_000 } });
    expect(ahead.result.metadata.timingsMs.total).toBe(0);
  });

  test('of a failure has the previous results: terms, raw payload, stage', async () => {
    const payload = {
      glossary: ['AuthKit'],
      transcription: { includeRawResponse: true },
    };
    const auditors = auditing(() => Promise.reject(failure('provider_unauthorized')));
    const { result } = await stagedRun({ payload, auditors });
    expect(result.error).toMatchObject({ stage: 'terminology_audit' });
    expect(result.metadata.lastSuccessfulStage).toBe('moderation');
    expect(result.metadata.terminology.packs.explicitTerms).toEqual(['AuthKit']);
    expect(result.raw.transcription.payloads).toHaveLength(1);
  });

  test('of silence reports no doubt; otherwise the number of doubtful words', async () => {
    const words = [
      { text: 'hello', start: 0, end: 0.3, confidence: 0.9 },
      { text: 'kubernetes', start: 0.3, end: 0.9, confidence: 0.2 },
    ];
    const { result } = await stagedRun({
      speech: speechWith({ transcribe: async () => ({ words }) }),
    });
    expect(result.transcript.metadata).toMatchObject({ unsureWords: 1, meanConfidence: 0.55 });
  });

  test('that violates the contract is refused', async () => {
    const { result } = await stagedRun();
    expect(() => assertResult({ ...result, surprise: 1 })).toThrow('violates the contract');
  });

  test('that violates the contract in many places names the first five', async () => {
    const { result } = await stagedRun();
    const surprises = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`extra${at}`, at]));
    let message = '';
    try {
      assertResult({ ...result, ...surprises });
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message.split('; ')).toHaveLength(5);
  });

  test("says why another auditor was used, with the auditor's notes", async () => {
    const auditors = auditing(() => ({ note: 'Two windows were not judged.' }));
    const chosen = {
      ...auditors,
      auditor: (name: string) => (name === 'edge' ? auditors.auditor(name) : null),
    };
    const { result } = await stagedRun({ auditors: chosen });
    expect(result.audit.note).toBe(
      'The audit ran on edge: openai, the provider of the preset publishable, is not configured on this server. Two windows were not judged.',
    );
  });

  test('passes the requested minimum confidence to the auditor', async () => {
    const asked: number[] = [];
    const auditors = auditing(({ minConfidence }) => {
      asked.push(minConfidence);
      return {};
    });
    await stagedRun({ auditors, payload: { audit: { minConfidence: 0.7 } } });
    expect(asked).toEqual([0.7]);
  });

  test('has increasing progress that never exceeds 1', async () => {
    const auditors = auditing((_asked, { progress }) => {
      progress(1);
      return {};
    });
    const { reports } = await stagedRun({ auditors });
    const shares = reports.map(([, progress]) => progress);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    const audited = reports.flatMap(([stage, share]) =>
      stage === 'terminology_audit' ? share : [],
    );
    expect(audited[0]).toBe(0.93);
    expect(audited.at(-1)).toBeCloseTo(0.97);
    expect(reports.at(-1)).toEqual(['captioning', 0.98]);
  });

  test('repeats the request, with the recording only as the source', async () => {
    const { result } = await stagedRun({ payload: { topic: 'MCP Night' } });
    expect(result.input.source).toEqual({ key: 'talk.mp3', mediaType: 'audio/mpeg' });
    expect(result.input.topic).toBe('MCP Night');
    expect(result.input.audio).toBeUndefined();
  });
});
