/** Reports of a run that ends late: to the auditor, in a failure, and after a cancel. */
import { expect, test } from 'bun:test';
import { buildCues } from '../../server/captions/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { StageFailure } from '../../server/contract/failure.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import type { Any } from '../support/servers/client.ts';
import { blockingModerator, OWN_TERMS, speechWith, stagedRun, storedSteps } from './staged-run.ts';

const text = 'we met octave ya there. thank you all.';
const ownTerms = async () => OWN_TERMS;

/** Steps of which one fails with an unexpected error. */
function failingAt(failing: string) {
  const steps = storedSteps();
  return {
    run: <T>(name: string, work: () => Promise<T>): Promise<T> =>
      name === failing ? Promise.reject(new Error('broken')) : steps.run(name, work),
  };
}

test.each([
  ['publishable', undefined, 'gpt-6.1-sol'],
  ['fast', undefined, 'gpt-6.1-terra'],
  ['fast', 'the-named-one', 'the-named-one'],
] as const)('the auditor of %s, model %p, gets %s', async (mode, model, asked) => {
  const requests: Any[] = [];
  const edge = createAuditorRegistry().auditor('edge')!;
  const auditor = {
    name: 'openai',
    audit: async (request: Any, context: Any) => {
      requests.push(request);
      return edge.audit({ ...request, model: 'auto' }, context);
    },
  };
  const { result } = await stagedRun({
    text,
    auditors: { configured: ['openai'], auditor: (name) => (name === 'openai' ? auditor : null) },
    payload: { language: 'en-GB', audit: { mode, ...(model && { model }) } },
    run: { ownTerms },
  });
  expect(result.status).toBe('completed');
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ model: asked, language: 'en-GB', minConfidence: 0.85 });
  expect(requests[0].words).toHaveLength(8);
  expect(requests[0].terms.map(({ canonical }: Any) => canonical)).toContain('Oktavia');
});

test('a run that fails at its end has everything but its captions', async () => {
  const steps = failingAt('clean up: success');
  const { result } = await stagedRun({ text, steps, run: { ownTerms } });
  expect(result.error).toMatchObject({ code: 'internal', stage: 'captioning' });
  expect(result.metadata).toMatchObject({
    lastSuccessfulStage: 'captioning',
    // Two words became one.
    counts: { words: 7 },
    models: {
      moderation: { provider: 'edge', name: expect.any(String) },
      audit: { provider: 'edge', model: 'edge-matcher-3' },
    },
    moderation: { decision: 'allow' },
  });
  expect(result.metadata.terminology.observations).toHaveLength(1);
  expect(result.metadata.duration).toBeGreaterThan(0);
  expect(result.metadata.storage.sourceAudio).toMatchObject({ status: 'deleted' });
});

test('a run that fails before the audit has no observations, and reports its stage', async () => {
  const { result } = await stagedRun({ text, steps: failingAt('audit'), run: { ownTerms } });
  expect(result.error).toMatchObject({ stage: 'terminology_audit' });
  expect(result.metadata).toMatchObject({
    lastSuccessfulStage: 'moderation',
    counts: { words: 8 },
  });
  expect(result.metadata.terminology).not.toHaveProperty('observations');
  expect(result.metadata.models).not.toHaveProperty('audit');
});

test('a cancel between two stages ends the run there', async () => {
  const controller = new AbortController();
  const { result, reports } = await stagedRun({
    text,
    controller,
    run: {
      ownTerms,
      noteRuleChanges: async () => {
        controller.abort(
          new StageFailure({
            code: 'cancelled',
            message: 'Cancelled.',
            retryable: false,
            suggestions: [],
          }),
        );
      },
    },
  });
  expect(result.error).toMatchObject({ code: 'cancelled', stage: 'terminology_audit' });
  expect(reports.map(([stage]) => stage)).not.toContain('correction');
});

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

test('a blocked run reports its whole time, and a clock that was put back no negative one', async () => {
  const steps = storedSteps((output, name) =>
    name === 'moderation' ? { ...output, endedAt: output.startedAt - 1000 } : output,
  );
  const run = { createdAt: Date.now() - 5000 };
  const { result, log } = await stagedRun({
    services: { moderator: blockingModerator },
    steps,
    run,
  });
  expect(result.metadata.timingsMs.total).toBeGreaterThanOrEqual(5000);
  expect(result.metadata.timingsMs.moderation).toBe(0);
  expect(log).not.toContain('run_failed');
});

test('captions are made and assessed in the language of the speech, if that was to be detected', async () => {
  const text = `Wir haben gestern mit der neuen Anwendung die Aufnahme in den Ordner des Projekts gelegt. ${'Donaudampfschiff die Gesellschafterin und das Vorstandsmitglied der. '.repeat(3)}`;
  const edge = speechWith({}, text).provider('edge')!;
  const speech = speechWith({
    ...edge,
    merge: (plan, pieces, request) => ({ ...edge.merge(plan, pieces, request), language: 'de' }),
  });
  const payload = { language: 'auto', captions: { maxLineChars: 28 } };
  const { result } = await stagedRun({ speech, payload });
  const { settings, cues } = result.captions;
  const made = (language: string) => buildCues(result.transcript.words, settings, language);
  expect(cues).toEqual(made('de'));
  expect(cues).not.toEqual(made('auto'));
  expect(result.quality.captions).toEqual(assessCaptions(cues, settings, 'de'));
  expect(result.quality.captions).not.toEqual(assessCaptions(cues, settings, 'auto'));
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

test('a recording that is replaced before it is planned is not planned', async () => {
  let opened = 0;
  const planned: unknown[] = [];
  const edge = speechWith({}).provider('edge')!;
  const { result } = await stagedRun({
    version: () => (opened++ === 0 ? 'v1' : 'v2'),
    speech: speechWith({
      plan: async (audio, request, context) => {
        planned.push(request);
        return edge.plan(audio, request, context);
      },
    }),
  });
  expect(result.error).toMatchObject({ code: 'audio_not_found' });
  expect(planned).toEqual([]);
});

test('a transcript has its counts; a failed run of a recording without length has that length', async () => {
  const { result } = await stagedRun({ text });
  expect(result.transcript.metadata).toMatchObject({
    words: 8,
    utterances: result.transcript.utterances.length,
    paragraphs: result.transcript.paragraphs.length,
  });
  const edge = speechWith({}).provider('edge')!;
  const speech = speechWith({
    plan: async (...given) => ({ ...(await edge.plan(...given)), duration: 0 }),
  });
  const failed = await stagedRun({ speech, steps: failingAt('piece 0') });
  expect(failed.result.metadata.duration).toBe(0);
});
