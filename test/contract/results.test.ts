/** The three results: required fields, optional fields, and closed objects. */
import { describe, expect, test } from 'bun:test';
import {
  blockedResult,
  completedResult,
  failedResult,
} from '../../server/http/openapi/example-results.ts';
import {
  CaptionerBlockedResult,
  CaptionerCompletedResult,
  CaptionerFailedResult,
  WorkflowAccepted,
  WorkflowResultEnvelope,
} from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import type { Any } from '../support/servers/client.ts';

const SAMPLES = {
  completed: { schema: validator(CaptionerCompletedResult), value: completedResult },
  blocked: { schema: validator(CaptionerBlockedResult), value: blockedResult },
  failed: { schema: validator(CaptionerFailedResult), value: failedResult },
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

test.each(['completed', 'blocked', 'failed'] as const)('%s fits its own schema alone', (kind) => {
  expect(SAMPLES[kind].schema.issues(SAMPLES[kind].value)).toEqual([]);
  for (const other of Object.keys(SAMPLES) as Kind[]) {
    expect(fits(other, SAMPLES[kind].value)).toBe(other === kind);
  }
});

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

  test('need both fields and no others', () => {
    const result = completedResult;
    for (const value of [
      { result },
      { _meta },
      { result, _meta: {} },
      { result, _meta, more: 1 },
    ]) {
      expect(envelopes.check(value)).toBe(false);
    }
  });

  test('the accepted response is valid', () => {
    const accepted = validator(WorkflowAccepted);
    expect(accepted.issues({ status: 'accepted', runId: 'run_1' })).toEqual([]);
    for (const value of [
      { status: 'accepted' },
      { status: 'queued', runId: 'x' },
      { runId: 'x' },
    ]) {
      expect(accepted.check(value)).toBe(false);
    }
  });
});
