/** The choice of an auditor for a run, and its description in the outcome. */
import { describe, expect, test } from 'bun:test';
import {
  auditDefaultModel,
  chooseAuditor,
  createAuditorRegistry,
} from '../../server/language/registry.ts';

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
