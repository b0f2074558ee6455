/** What every auditor has to pass, the one on this host, and the choice of one. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { validator } from '../../server/contract/schema.ts';
import { TermCorrection, TermObservation } from '../../server/contract/terminology.ts';
import type { Auditor } from '../../server/language/auditor.ts';
import { chooseAuditor, createAuditorRegistry } from '../../server/language/registry.ts';
import { spanText } from '../../server/terminology/match/replace.ts';
import { failureOf } from '../support/failure-of.ts';
import { completion, everyCandidate, startChatDouble } from '../support/doubles/chat-double.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { CLOUDFLARE_TOKEN, GROQ_KEY, OPENAI_KEY } from '../support/doubles/provider-keys.ts';
import { workersAiWire } from '../support/doubles/speech-doubles.ts';
import type { Any } from '../support/servers/client.ts';
import { applyCorrections, audit, everyTerm, wordsOf } from '../terminology/support.ts';

setDefaultTimeout(300000);

const talk = wordsOf(
  'off kit checks the pixie flow of directorysync for audit logs at anthropik, "work os\'s" verifier ' +
    '— … and an mcp-based sever | mcp sever of cloud flare, so to say.',
);

/** Runs the suite on one auditor. */
function auditorSuite(auditor: Auditor): void {
  const terms = everyTerm({ glossary: ['Grace Hopper'] });
  const audit = (words = talk, minConfidence = 0.85, progress: (at: number) => void = () => {}) =>
    auditor.audit(
      { words, language: 'en', terms, minConfidence },
      { signal: new AbortController().signal, progress },
    );

  describe(`auditor ${auditor.name}`, () => {
    test('decides by the contract, on existing words, in order, without overlaps, and in plain JSON', async () => {
      const given = structuredClone(talk);
      const told: number[] = [];
      const outcome = await audit(talk, 0.85, (at) => void told.push(at));
      expect(talk).toEqual(given);
      expect(outcome.provider).toBe(auditor.name);
      expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
      expect(told.at(-1)).toBe(1);
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      const { corrections, observations } = outcome;
      let next = 0;
      for (const [at, correction] of corrections.entries()) {
        expect(validator(TermCorrection).issues(correction)).toEqual([]);
        const { firstWord, lastWord, before, after } = correction;
        expect(correction.id).toBe(`c${at + 1}`);
        expect(firstWord).toBeGreaterThanOrEqual(next);
        expect(before).toBe(spanText(talk, firstWord, lastWord));
        expect(after).not.toBe(before);
        next = lastWord + 1;
      }
      expect(observations.map(({ correctionId }) => correctionId)).toEqual(
        corrections.map(({ id }) => id),
      );
      for (const observation of observations) {
        expect(validator(TermObservation).issues(observation)).toEqual([]);
      }
    });

    test('finds nothing to change in corrected words', async () => {
      const once = applyCorrections(talk, (await audit()).corrections);
      expect(applyCorrections(once, (await audit(once)).corrections)).toEqual(once);
    });

    test('stops when the run is cancelled', () => {
      const signal = AbortSignal.abort(new Error('cancelled'));
      const outcome = auditor.audit(
        { words: talk, language: 'en', terms, minConfidence: 0.85 },
        { signal, progress: () => {} },
      );
      expect(outcome).rejects.toThrow('cancelled');
    });
  });
}

describe('runs the common suite on every auditor', async () => {
  const double = await startChatDouble();
  afterAll(() => double.close());

  const { url: baseUrl } = double;
  const registry = createAuditorRegistry({
    services: {
      openai: { baseUrl, apiKey: OPENAI_KEY },
      groq: { baseUrl, apiKey: GROQ_KEY },
    },
    edge: { baseUrl, model: 'local' },
  });
  // JSON mode returns a value instead of its text; newer models answer in the chat-completions format.
  for (const answer of [
    (text: string) => ({ response: JSON.parse(text) }),
    (text: string) => completion(text),
  ]) {
    const workersAi = await startHttpDouble(
      workersAiWire({
        '@cf/meta/llama-3.3-70b-instruct-fp8-fast': ({ body }) => {
          const { messages, response_format } = JSON.parse(body.toString());
          expect(response_format.json_schema.required).toEqual(['edits']);
          const asked = JSON.parse(messages[1].content);
          return answer(everyCandidate()({ asked } as Any));
        },
      }),
    );
    afterAll(() => workersAi.close());
    const account = { accountId: 'acc', apiToken: CLOUDFLARE_TOKEN, baseUrl: workersAi.origin };
    auditorSuite(createAuditorRegistry({ workersAi: account }).auditor('edge')!);
  }
  for (const name of registry.configured) auditorSuite(registry.auditor(name)!);
  auditorSuite(createAuditorRegistry().auditor('edge')!);
});

const heard = wordsOf('off kit checks the pixie flow of directorysync for audit logs at anthropik');

test('an outcome contains every decision, numbered, with its observation', async () => {
  const { corrections, observations, ...rest } = await audit(heard);
  expect(rest).toEqual({
    provider: 'edge',
    model: 'edge-matcher-6',
    usage: { calls: 0, tokens: 0, cached: 0 },
  });
  expect(corrections.map(({ id, before, decision }) => [id, before, decision])).toEqual([
    ['c1', 'off kit', 'accepted'],
    ['c2', 'pixie', 'needs_review'],
    ['c3', 'directorysync', 'accepted'],
    ['c4', 'audit logs', 'accepted'],
    ['c5', 'anthropik', 'accepted'],
  ]);
  expect(
    observations.map(({ correctionId, source, action }) => [correctionId, source, action]),
  ).toEqual([
    ['c1', 'audit_accepted', 'ignore'],
    ['c2', 'audit_needs_review', 'review'],
    ['c3', 'audit_accepted', 'add_mishear'],
    ['c4', 'audit_accepted', 'ignore'],
    ['c5', 'audit_accepted', 'add_mishear'],
  ]);
});

test('an unavailable model is reported', async () => {
  const ask = (model: string) =>
    createAuditorRegistry()
      .auditor('edge')!
      .audit(
        { words: heard, language: 'en', terms: everyTerm(), minConfidence: 0.85, model },
        { signal: new AbortController().signal, progress: () => {} },
      );
  expect((await ask('gpt-5.1')).note).toContain('gpt-5.1 was not used');
  expect((await ask('auto')).note).toBeUndefined();
});

describe('registry', () => {
  type AuditChoiceRequest = Parameters<typeof chooseAuditor>[1];

  const registry = createAuditorRegistry();
  const choose = (given: Partial<AuditChoiceRequest> = {}) =>
    chooseAuditor(registry, { mode: 'publishable', enabled: true, ...given });

  test('a named provider that is unavailable fails, with patches that work', async () => {
    const failure = await failureOf(Promise.try(() => choose({ provider: 'groq', model: 'x' })));
    expect(failure).toMatchObject({
      code: 'provider_not_configured',
      provider: 'groq',
      model: 'x',
      retryable: false,
    });
    expect(failure.suggestions).toHaveLength(2);
    for (const { payloadPatch } of failure.suggestions) {
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
    const named = (provider: string, model?: string) => ({
      section: 'audit',
      provider,
      model,
      configured,
    });
    const own = { auditor: 'edge', model: 'edge-matcher-6' };
    const none = { auditor: 'none', model: 'none' };
    const reason =
      'The audit ran on edge: groq, the provider of the preset experimental, is not configured on this server.';

    test.each([
      [{}, { auditor: 'openai', model: 'gpt-6.1-sol', choice: named('openai') }],
      [{ mode: 'fast' }, { auditor: 'openai', model: 'gpt-6.1-terra', choice: named('openai') }],
      [{ model: 'x' }, { auditor: 'openai', model: 'x', choice: named('openai', 'x') }],
      [
        { provider: 'edge', model: 'auto' },
        { ...own, choice: named('edge', 'auto') },
      ],
      [
        { mode: 'experimental', model: 'x' },
        { ...own, fallbackFrom: 'groq', choice: named('edge', 'x'), reason },
      ],
      [
        { provider: 'none', model: 'x' },
        { ...none, choice: named('none', 'x') },
      ],
      [
        { enabled: false, provider: 'openai' },
        { ...none, choice: named('none') },
      ],
    ] as const)('for %j', (given, expected) => {
      expect(chosen(given)).toEqual(expected as never);
    });
  });
});
