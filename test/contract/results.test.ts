/** The three results: required fields, optional fields, and closed objects. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  confidenceFigures,
  confidenceSummary,
  scoreAndConfidence,
  UNSURE_BELOW,
} from '../../server/contract/confidence.ts';
import { type FailureCode, StageFailure } from '../../server/contract/failure.ts';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import {
  defaultProvider,
  describeProviders,
  payloadFor,
  providerNames,
  type ProviderSummary,
} from '../../server/contract/providers.ts';
import {
  CaptionerBlockedResult,
  CaptionerCompletedResult,
  CaptionerFailedResult,
  WorkflowResultEnvelope,
} from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import {
  type ProviderChoice,
  providerNotConfigured,
  withOtherProviders,
} from '../../server/contract/suggestions.ts';
import * as examples from '../../server/http/openapi/examples.ts';

const SAMPLES = {
  completed: { schema: validator(CaptionerCompletedResult), value: examples.completedResult },
  blocked: { schema: validator(CaptionerBlockedResult), value: examples.blockedResult },
  failed: { schema: validator(CaptionerFailedResult), value: examples.failedResult },
};
describe('envelopes', () => {
  const envelopes = validator(WorkflowResultEnvelope);
  const _meta = { runId: 'run_1' };

  test.each(['completed', 'blocked', 'failed'] as const)('%s fits', (kind) => {
    expect(envelopes.issues({ result: SAMPLES[kind].value, _meta })).toEqual([]);
    expect(envelopes.check({ result: SAMPLES[kind].value, _meta: { ..._meta, more: 1 } })).toBe(
      true,
    );
  });
});

describe('the figures on the reliability of captions, and the sentence about them', () => {
  test('without confidences there are no figures', () => {
    expect(confidenceFigures([])).toBeNull();
    expect(confidenceFigures([{}, {}])).toBeNull();
  });

  test('the mean is within the confidences, and no more words are unsure than exist', () => {
    const list = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(list, (confidences) => {
        const { meanConfidence, unsureWords } = confidenceFigures(
          confidences.map((confidence) => ({ confidence })),
        )!;
        expect(meanConfidence).toBeGreaterThanOrEqual(Math.min(...confidences) - 0.001);
        expect(meanConfidence).toBeLessThanOrEqual(Math.max(...confidences) + 0.001);
        expect(unsureWords).toBe(confidences.filter((value) => value < UNSURE_BELOW).length);
      }),
    );
  });

  test('the sentence contains both figures, and names a fallback', () => {
    expect(scoreAndConfidence(0.987, { unsureWords: 46, rough: true }, 1200)).toBe(
      'Captions 0.99 · 46 of 1,200 words unsure (rough fallback engine)',
    );
    const one = scoreAndConfidence(1, { unsureWords: 0 }, 1);
    expect(one).toBe('Captions 1.00 · 0 of 1 word unsure');
    expect(confidenceSummary({ unsureWords: 1, rough: 'no' }, 12)).toBe('1 of 12 words unsure');
    expect(confidenceSummary({ unsureWords: 1046 }, 1200)).toBe('1,046 of 1,200 words unsure');
  });
});

describe('the providers of a server', () => {
  const choice = (more: Partial<ProviderChoice> = {}): ProviderChoice => ({
    section: 'transcription',
    provider: 'deepgram',
    configured: ['deepgram', 'edge'],
    ...more,
  });
  const failed = (code: FailureCode, suggestions: { label: string }[] = []) =>
    new StageFailure({ code, message: 'no', retryable: false, suggestions });
  const suggested = (error: unknown, of: ProviderChoice) => {
    const explained = withOtherProviders(error, of);
    if (!(explained instanceof StageFailure)) throw new Error('no failure');
    return explained.failure.suggestions;
  };

  const withEdge = {
    label: 'Transcribe with edge',
    description: 'edge is configured on this server.',
    payloadPatch: { transcription: { provider: 'edge' } },
  };

  test('a provider that is not configured fails the run, and suggests those that are', () => {
    const { failure } = providerNotConfigured(choice({ configured: ['edge'], model: 'nova' }));
    expect(failure).toEqual({
      code: 'provider_not_configured',
      message: 'The transcription provider deepgram is not configured on this server.',
      retryable: false,
      provider: 'deepgram',
      model: 'nova',
      suggestions: [
        { ...withEdge, payloadPatch: { transcription: { provider: 'edge', model: 'auto' } } },
      ],
    });
    expect(providerNotConfigured(choice()).failure).not.toHaveProperty('model');
  });

  test('after a failure the other providers are suggested, and to skip the audit', () => {
    expect(suggested(failed('provider_timeout'), choice())).toEqual([withEdge]);
    const audit = choice({
      section: 'audit',
      provider: 'groq',
      configured: ['edge', 'groq', 'none'],
    });
    expect(suggested(failed('provider_timeout'), audit)).toEqual([
      {
        label: 'Audit with edge',
        description: 'edge is configured on this server.',
        payloadPatch: { audit: { provider: 'edge' } },
      },
      {
        label: 'Skip the audit',
        description: 'The transcript stays as it was recognised.',
        payloadPatch: { audit: { provider: 'none' } },
      },
    ]);
  });

  describe('the providers of a server', () => {
    const summary = (name: string, more: Partial<ProviderSummary> = {}): ProviderSummary => ({
      stage: 'audit',
      name,
      configured: true,
      isDefault: false,
      model: `${name}-1`,
      limits: '',
      ...more,
    });
    const providers = [
      summary('deepgram', { stage: 'transcription', isDefault: true }),
      summary('edge', { stage: 'transcription' }),
      summary('openai', { configured: false }),
      summary('edge', { isDefault: true, engine: 'host' }),
      summary('none'),
    ];

    test('are described one by one', () => {
      expect(describeProviders(providers, 'audit')).toBe(
        'openai: not configured on this server. edge, the default here: edge-1 (host). none: none-1.',
      );
      expect(describeProviders(providers, 'transcription')).toBe(
        'deepgram, the default here: deepgram-1. edge: edge-1.',
      );
    });

    test('have a name and a default in each section of the payload', () => {
      expect(providerNames(providers, 'audit')).toEqual(['openai', 'edge', 'none']);
      expect(defaultProvider(providers, 'transcription')).toBe('deepgram');
      expect(defaultProvider(providers.slice(0, 3), 'audit')).toBeUndefined();
      const { transcription, audit } = payloadFor(providers).properties;
      expect(transcription.properties.provider).toMatchObject({
        enum: ['deepgram', 'edge'],
        default: 'deepgram',
      });
      expect(audit.properties.provider).toMatchObject({
        enum: ['openai', 'edge', 'none'],
        default: 'edge',
        description: describeProviders(providers, 'audit'),
      });
      expect(payloadFor(providers.slice(0, 3)).properties.audit.properties.provider).toHaveProperty(
        'default',
        'edge',
      );
      expect(payloadFor([])).toBe(CaptionerPayload);
    });

    test('are the only ones that a payload may name; its other fields stay', () => {
      const schema = validator(payloadFor(providers));
      const paths = (payload: object) =>
        schema.issues({ audio: { key: 'a.mp3' }, ...payload }).map(({ path }) => path);
      expect(paths({ transcription: { provider: 'deepgram', model: 'x' }, topic: 'x' })).toEqual(
        [],
      );
      expect(paths({ audit: {}, transcription: {} })).toEqual([]);
      expect(paths({ transcription: { provider: 'assemblyai' } })).toEqual([
        'transcription.provider',
      ]);
      expect(paths({ audit: { provider: 'groq', more: 1 } })).toEqual([
        'audit.more',
        'audit.provider',
      ]);
    });
  });
});
