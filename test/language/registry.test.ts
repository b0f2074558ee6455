import { expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { validator } from '../../server/contract/schema.ts';
import {
  chooseAuditor,
  createAuditorRegistry,
  type AuditChoiceRequest,
} from '../../server/language/registry.ts';

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
