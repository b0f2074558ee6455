import { expect, test, describe } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { validator } from '../../server/contract/schema.ts';
import {
  chooseAuditor,
  createAuditorRegistry,
  auditDefaultModel,
} from '../../server/language/registry.ts';

type AuditChoiceRequest = Parameters<typeof chooseAuditor>[1];

const registry = createAuditorRegistry();
const choose = (given: Partial<AuditChoiceRequest> = {}) =>
  chooseAuditor(registry, { mode: 'publishable', enabled: true, ...given });

test('a named provider that is unavailable fails, with patches that work', () => {
  let failure: unknown;
  try {
    choose({ provider: 'groq', model: 'x' });
  } catch (error) {
    failure = error;
  }
  if (!(failure instanceof StageFailure)) throw new Error('no StageFailure');
  expect(failure.failure).toMatchObject({
    code: 'provider_not_configured',
    provider: 'groq',
    model: 'x',
    retryable: false,
  });
  expect(failure.failure.suggestions).toHaveLength(2);
  for (const { payloadPatch } of failure.failure.suggestions) {
    const payload = { audio: { key: 'a.mp3' }, ...payloadPatch };
    expect(validator(CaptionerPayload).issues(payload)).toEqual([]);
    expect(() => choose(payloadPatch?.['audit'] as Partial<AuditChoiceRequest>)).not.toThrow();
  }
});

describe('the choice of an auditor', () => {
  const services = {
    openai: { baseUrl: 'http://127.0.0.1:1', apiKey: 'k' },
    groq: null,
  };
  const registry = createAuditorRegistry({ services });
  const chosen = (given: object) => {
    const { auditor, ...rest } = chooseAuditor(registry, {
      mode: 'publishable',
      enabled: true,
      ...given,
    });
    return { auditor: auditor.name, ...rest };
  };
  const configured = ['edge', 'openai', 'none'];
  const choice = { section: 'audit', provider: 'openai', model: undefined, configured };

  test.each([
    [{}, { auditor: 'openai', model: 'gpt-6.1-sol', choice }],
    [{ mode: 'fast' }, { auditor: 'openai', model: 'gpt-6.1-terra', choice }],
    [{ model: 'x' }, { auditor: 'openai', model: 'x', choice: { ...choice, model: 'x' } }],
    [
      { provider: 'edge', model: 'auto' },
      {
        auditor: 'edge',
        model: 'edge-matcher-3',
        choice: { ...choice, provider: 'edge', model: 'auto' },
      },
    ],
    [
      { mode: 'experimental', model: 'x' },
      {
        auditor: 'edge',
        model: 'edge-matcher-3',
        fallbackFrom: 'groq',
        choice: { ...choice, provider: 'edge', model: 'x' },
        reason:
          'The audit ran on edge: groq, the provider of the preset experimental, is not configured on this server.',
      },
    ],
    [
      { provider: 'none', model: 'x' },
      { auditor: 'none', model: 'none', choice: { ...choice, provider: 'none', model: 'x' } },
    ],
    [
      { enabled: false, provider: 'openai' },
      { auditor: 'none', model: 'none', choice: { ...choice, provider: 'none' } },
    ],
  ] as const)('for %j', (given, expected) => {
    expect(chosen(given)).toEqual(expected as never);
  });

  test.each([
    ['edge', 'edge-matcher-3'],
    ['openai', 'gpt-6.1-sol'],
    ['groq', 'openai/gpt-oss-120b'],
    ['none', 'none'],
  ])('the model of %s is %s', (provider, model) => {
    expect(auditDefaultModel(provider)).toBe(model);
  });
});
