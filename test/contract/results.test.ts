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
import type { Any } from '../support/servers/client.ts';
import { examples } from '../../server/http/openapi/examples.ts';

const SAMPLES = {
  completed: { schema: validator(CaptionerCompletedResult), value: examples.completedResult },
  blocked: { schema: validator(CaptionerBlockedResult), value: examples.blockedResult },
  failed: { schema: validator(CaptionerFailedResult), value: examples.failedResult },
};
type Kind = keyof typeof SAMPLES;

/** A copy with one value changed; `undefined` removes it. Array items are addressed by index. */
function changed(kind: Kind, path: string, value: unknown): Any {
  const copy: Any = structuredClone(SAMPLES[kind].value);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce((node: Any, key) => node[key], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const fits = (kind: Kind, value: unknown): boolean => SAMPLES[kind].schema.check(value);

describe('required fields', () => {
  const HEAD = ['openapi', 'version', 'id', 'status', 'input'];
  const CUE = ['index', 'start', 'end', 'startTime', 'endTime', 'text', 'lines'];
  const COUNTED = ['duration', 'charsPerSecond', 'wordsPerSecond', 'chars', 'words', 'lineCount'];
  const PACKS = ['requestedPacks', 'selectedPacks', 'injectedKeyterms', 'auditTerms'];
  const RETENTION = ['key', 'policy', 'status', 'cleanupPhase'];
  const MODERATION = ['source', 'model', 'decision', 'severity', 'reason', 'chunksChecked'];
  const SCORED = [
    'cueCount',
    'warningCount',
    'maxLineLength',
    'maxCharsPerSecond',
    'maxWordsPerSecond',
  ];
  const under = (path: string, names: string[]) => names.map((name) => `${path}.${name}`);
  const REQUIRED: Record<Kind, string[]> = {
    completed: [
      ...HEAD,
      'metadata',
      'transcript',
      'audit',
      'captions',
      'quality',
      'quality.captions',
      ...under('metadata', ['storage', 'moderation', 'terminology', 'storage.sourceAudio']),
      ...under('metadata.terminology', ['packs', 'observations']),
      ...under('metadata.terminology.packs', [
        ...PACKS,
        'omittedKeyterms',
        'explicitTerms',
        'availablePacks',
      ]),
      ...under('metadata.terminology.observations.0', ['surface', 'category', 'source', 'action']),
      ...under('metadata.storage.sourceAudio', RETENTION),
      ...under('metadata.moderation', MODERATION),
      ...under('transcript', ['text', 'metadata', 'words', 'utterances', 'paragraphs']),
      ...under('captions', ['format', 'srt', 'cues', 'settings']),
      ...under('captions.cues.0', CUE),
      ...under('quality.captions', ['score', 'summary', 'warnings', 'cues']),
      ...under('quality.captions.summary', SCORED),
      ...under('quality.captions.cues.0', ['cue', ...COUNTED, 'lineLengths', 'flags']),
    ],
    blocked: [
      ...HEAD,
      'metadata',
      'metadata.generatedAt',
      'metadata.duration',
      'metadata.counts',
      ...under('metadata', ['models', 'timingsMs', 'storage', 'moderation']),
      ...under('metadata.counts', ['words', 'utterances', 'paragraphs']),
      ...under('metadata.models', [
        'transcription',
        'moderation',
        'moderation.provider',
        'moderation.name',
      ]),
      ...under('metadata.timingsMs', ['transcription', 'moderation', 'total']),
      ...under('metadata.moderation.flaggedChunk', ['index']),
      ...under('metadata.moderation.eventLog', ['status']),
    ],
    failed: [
      ...HEAD,
      'error',
      'metadata',
      'metadata.generatedAt',
      'metadata.timingsMs',
      ...under('input', ['topic', 'glossary', 'language']),
      ...under('error', ['code', 'stage', 'message', 'retryable', 'suggestions']),
      'error.suggestions.0.label',
    ],
  };
  const cases = (Object.keys(REQUIRED) as Kind[]).flatMap((kind) =>
    REQUIRED[kind].map((path): [Kind, string] => [kind, path]),
  );
  test.each(cases)('%s.%s', (kind, path) => {
    expect(fits(kind, changed(kind, path, undefined))).toBe(false);
  });
});

describe('other fields', () => {
  test.each([
    ['completed', 'more'],
    ['completed', 'metadata.terminology.packs.more'],
    ['completed', 'captions.cues.0.more'],
    ['blocked', 'more'],
    ['blocked', 'raw'],
    ['blocked', 'error'],
    ['failed', 'more'],
    ['failed', 'error.more'],
  ] as const)('%s.%s', (kind, path) => {
    expect(fits(kind, changed(kind, path, {}))).toBe(false);
  });

  test.each([
    ['completed', 'raw'],
    ['completed', 'metadata.more'],
    ['completed', 'input.more'],
    ['completed', 'audit.more'],
    ['completed', 'transcript.metadata.more'],
    ['failed', 'raw'],
    ['failed', 'input.more'],
    ['failed', 'metadata.more'],
    ['failed', 'error.debug'],
    ['failed', 'error.suggestions.0.payloadPatch'],
  ] as const)('%s.%s is optional', (kind, path) => {
    expect(fits(kind, changed(kind, path, { any: 'thing' }))).toBe(true);
  });
});

describe('values', () => {
  test.each([
    ['completed', 'openapi', '3.1.0'],
    ['completed', 'version', '1.1'],
    ['completed', 'captions.format', 'vtt'],
    ['completed', 'captions.cues.0.index', 0],
    ['completed', 'captions.cues.0.start', -0.1],
    ['completed', 'captions.cues.0.startTime', '00:00:01.800'],
    ['completed', 'captions.cues.0.endTime', '0:00:01,800'],
    ['completed', 'quality.captions.score', 1.01],
    ['completed', 'quality.captions.cues.0.flags', ['too_fast']],
    ['completed', 'quality.captions.warnings', [{ cue: 1, flag: 'reading_speed_high' }]],
    ['completed', 'metadata.terminology.observations.0.confidence', 1.1],
    ['completed', 'metadata.terminology.observations.0.category', 'name'],
    ['completed', 'metadata.terminology.packs.selectedPacks', ['x']],
    ['completed', 'metadata.storage.sourceAudio.status', 'gone'],
    ['completed', 'metadata.moderation.decision', 'maybe'],
    ['completed', 'raw', 'text'],
    ['blocked', 'metadata.generatedAt', 'yesterday'],
    ['blocked', 'metadata.duration', -1],
    ['blocked', 'metadata.counts.words', 1.5],
    ['blocked', 'metadata.models.moderation.provider', 'openai'],
    ['blocked', 'metadata.timingsMs.total', -1],
    ['blocked', 'metadata.moderation.chunksChecked', -1],
    ['failed', 'error.stage', 'upload'],
    ['failed', 'error.retryable', 'no'],
    ['failed', 'input.glossary', 'AuthKit'],
    ['failed', 'metadata.lastSuccessfulStage', 'upload'],
    ['failed', 'metadata.timingsMs', { total: -1 }],
  ] as const)('%s.%s may not be %j', (kind, path, value) => {
    expect(fits(kind, changed(kind, path, value))).toBe(false);
  });
});

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
  describe('figures', () => {
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
  });

  describe('as a sentence', () => {
    test('contains both figures, and names a fallback', () => {
      expect(scoreAndConfidence(0.987, { unsureWords: 46, rough: true }, 1200)).toBe(
        'Captions 0.99 · 46 of 1,200 words unsure (rough fallback engine)',
      );
      expect(scoreAndConfidence(1, { unsureWords: 0 }, 1)).toBe(
        'Captions 1.00 · 0 of 1 word unsure',
      );
      expect(confidenceSummary({ unsureWords: 1, rough: 'no' }, 12)).toBe('1 of 12 words unsure');
      expect(confidenceSummary({ unsureWords: 1046 }, 1200)).toBe('1,046 of 1,200 words unsure');
    });
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

  describe('a provider that is not configured', () => {
    test('fails the run, and suggests those that are', () => {
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
  });

  describe('after a failure', () => {
    test('the other providers are suggested, and to skip the audit', () => {
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
