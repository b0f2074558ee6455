/** Reports of a run that ends late: to the auditor, in a failure, and after a cancel. */
import { expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import type { Any } from '../support/servers/client.ts';
import { OWN_TERMS, stagedRun, storedSteps } from './staged-run.ts';

const text = 'we met octave ya there. thank you all.';
const ownTerms = async () => OWN_TERMS;

/** Steps of which one fails for a reason that nobody foresaw. */
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
        // A deletion that takes its time.
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
