import { describe, expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { validator } from '../../server/contract/schema.ts';
import {
  AUDIT_PRESETS,
  chooseAuditor,
  createAuditorRegistry,
  type AuditChoiceRequest,
} from '../../server/language/registry.ts';
import { EDGE_AUDIT_MODEL } from '../../server/language/registry.ts';

const registry = createAuditorRegistry();
const choose = (given: Partial<AuditChoiceRequest> = {}) =>
  chooseAuditor(registry, { mode: 'publishable', enabled: true, ...given });

test('has edge and none', () => {
  expect(registry.configured).toEqual(['edge', 'none']);
  expect(registry.auditor('edge')?.name).toBe('edge');
  expect(registry.auditor('openai')).toBeNull();
});

describe('choosing', () => {
  test.each(['publishable', 'fast', 'experimental'] as const)(
    'the preset %s falls back to edge and says so',
    (mode) => {
      const chosen = choose({ mode, model: 'some-model' });
      expect(chosen).toMatchObject({
        model: EDGE_AUDIT_MODEL,
        fallbackFrom: AUDIT_PRESETS[mode].provider,
      });
      expect(chosen.auditor.name).toBe('edge');
      expect(chosen.reason).toContain(AUDIT_PRESETS[mode].provider);
    },
  );

  test('a preset with an available provider determines its model, unless one is named', () => {
    const edge = registry.auditor('edge');
    const complete = { configured: ['openai' as const], auditor: () => edge };
    const model = (given: Partial<AuditChoiceRequest>) =>
      chooseAuditor(complete, { mode: 'fast', enabled: true, ...given }).model;
    expect(model({})).toBe(AUDIT_PRESETS.fast.model);
    expect(model({ model: 'other' })).toBe('other');
    expect(model({ model: 'auto' })).toBe(AUDIT_PRESETS.fast.model);
    expect(model({ provider: 'groq' })).toBe(AUDIT_PRESETS.experimental.model);
  });
});

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
