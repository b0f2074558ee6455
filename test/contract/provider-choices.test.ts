/** The providers of a server: their description in documents, and the suggestions after one fails. */
import { describe, expect, test } from 'bun:test';
import { FAILURE_CODES, StageFailure, type FailureCode } from '../../server/contract/failure.ts';
import {
  defaultProvider,
  describeProviders,
  payloadFor,
  providerNames,
  type ProviderSummary,
} from '../../server/contract/providers.ts';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { validator } from '../../server/contract/schema.ts';
import {
  providerNotConfigured,
  REPEAT,
  withOtherProviders,
  type ProviderChoice,
} from '../../server/contract/suggestions.ts';

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

  test('earlier suggestions come first', () => {
    const error = failed('provider_timeout', [{ label: 'Wait' }]);
    expect(suggested(error, choice())).toEqual([{ label: 'Wait' }, withEdge]);
  });

  test('the failure keeps its name, its message, its cause and whether it is final', () => {
    const cause = new Error('refused');
    const { failure } = failed('provider_timeout');
    const error = new StageFailure(failure, { cause, isFinal: true });
    expect(withOtherProviders(error, choice())).toMatchObject({ cause, isFinal: true });
    expect(`${withOtherProviders(error, choice()) as Error}`).toBe('StageFailure: no');
  });

  test('of an unavailable model that the payload named, any model is suggested first', () => {
    const any = {
      label: 'Let the server choose the model',
      payloadPatch: { transcription: { model: 'auto' } },
    };
    const named = choice({ model: 'nova' });
    expect(suggested(failed('model_unavailable'), named)[0]).toEqual(any);
    expect(suggested(failed('model_unavailable'), choice())).toEqual([withEdge]);
    expect(suggested(failed('provider_timeout'), named)).not.toContainEqual(any);
  });

  test('without another provider, the run may be started again', () => {
    const alone = choice({ configured: ['deepgram'] });
    expect(suggested(failed('provider_timeout', [{ label: 'Wait' }]), alone)).toEqual([
      { label: 'Wait' },
      REPEAT,
    ]);
    expect(
      validator(CaptionerPayload).issues({ audio: { key: 'a.mp3' }, ...REPEAT.payloadPatch }),
    ).toEqual([]);
    expect(REPEAT.payloadPatch).toEqual({ storage: { retainSourceAudio: true } });
  });

  test('of the recording or the service itself, no other provider is suggested', () => {
    const own = FAILURE_CODES.filter((code) => {
      const error = failed(code);
      return withOtherProviders(error, choice()) === error;
    });
    expect(own).toEqual(['audio_not_found', 'audio_unreadable', 'cancelled', 'internal']);
    expect(withOtherProviders('other', choice())).toBe('other');
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
    expect(paths({ transcription: { provider: 'deepgram', model: 'x' }, topic: 'x' })).toEqual([]);
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
