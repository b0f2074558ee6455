/** Audits when the language model fails, or is not configured. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AuditContext } from '../../server/language/ask.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { everyCandidate } from '../support/doubles/chat-double.ts';
import { wordsOf } from '../terminology/support.ts';
import { decisions, modelAuditor, read, talk, terms } from './support.ts';
import { OPENAI_KEY } from '../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const { double, cache, waiting, audit } = await modelAuditor();

describe('a service that fails', () => {
  test.each([
    [401, 'provider_unauthorized', 1, false],
    [403, 'provider_unauthorized', 1, false],
    [400, 'provider_bad_response', 1, false],
    [500, 'provider_unavailable', 4, true],
    [503, 'provider_unavailable', 4, true],
  ])('%d is %s after %d calls', async (status, code, calls, retryable) => {
    double.behave(() =>
      Response.json(
        { error: { message: `key ${OPENAI_KEY} and your words`, code: 'bad_thing' } },
        { status },
      ),
    );
    const failure = await audit(talk).catch((error: { failure: unknown }) => error.failure);
    expect(failure).toMatchObject({
      code,
      retryable,
      provider: 'openai',
      model: 'gpt-6.1-sol',
      debug: { status, detail: 'bad_thing' },
    });
    expect(JSON.stringify(failure)).not.toContain('secret');
    expect(double.requests).toHaveLength(calls);
  });

  test('rate-limits: the call waits for Retry-After, then continues', async () => {
    double.behave((request) =>
      request.at === 0
        ? new Response(null, { status: 429, headers: { 'retry-after': '1' } })
        : everyCandidate()(request),
    );
    expect(read(talk, await audit(talk))).toContain('PKCE');
    expect(waiting.pauses).toEqual([1000]);
  });

  test.each(['reset', 'cut'] as const)('%s in the middle once is called again', async (fault) => {
    double.behave((request) => (request.at === 0 ? { fault } : everyCandidate()(request)));
    expect(read(talk, await audit(talk))).toContain('PKCE');
  });

  test('fails in one call of several: the rest is audited, its words go to review', async () => {
    const gap = 'word '.repeat(30);
    const long = Array.from({ length: 25 }, () => `${gap}anthropik`).join(' ');
    double.behave((request) =>
      request.asked.windows.length < 20
        ? new Response(null, { status: 400 })
        : everyCandidate()(request),
    );
    const outcome = await audit(long);
    const count = (wanted: string) =>
      outcome.corrections.filter(({ decision }) => decision === wanted).length;
    expect([count('accepted'), count('needs_review')]).toEqual([20, 5]);
    expect(outcome.note).toContain('1 of 2 calls');
  });

  test('cancelling ends the request under way', async () => {
    double.behave(() => ({ fault: 'hang' }));
    const cancel = new AbortController();
    const outcome = audit(talk, { signal: cancel.signal });
    while (double.requests.length === 0) await Bun.sleep(5);
    cancel.abort(new Error('cancelled by its owner'));
    expect(outcome).rejects.toThrow('cancelled by its owner');
  });
});

describe('edge with a local model', () => {
  const edge = createAuditorRegistry({
    edge: { baseUrl: double.url, model: 'local' },
    cache,
    waiting,
  }).auditor('edge')!;
  const ask = (model?: string, text = talk, context: Partial<AuditContext> = {}) =>
    edge.audit(
      {
        words: wordsOf(text),
        language: 'en',
        terms,
        minConfidence: 0.85,
        ...(model ? { model } : {}),
      },
      { signal: new AbortController().signal, progress: () => {}, ...context },
    );

  test('uses its verdicts', async () => {
    const outcome = await ask();
    expect(outcome).toMatchObject({ provider: 'edge', model: 'local' });
    expect(read(talk, outcome)).toContain('PKCE');
    expect(double.requests[0]!.authorization).toBeNull();
    await ask('another');
    expect(double.requests[1]!.body.model).toBe('another');
  });

  test('continues without it if it fails, and reports that', async () => {
    double.behave(() => new Response(null, { status: 500 }));
    const outcome = await ask();
    expect(decisions(outcome)).toEqual([
      ['off kit', 'AuthKit', 'accepted'],
      ['pixie', 'PKCE', 'needs_review'],
      ['anthropik', 'Anthropic', 'accepted'],
    ]);
    expect(outcome.note).toContain('provider_unavailable');
  });
});
