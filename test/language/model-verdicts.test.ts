/** Verdicts of language models: their use, reporting and cost, and the model and timer used. */
import { createHash } from 'node:crypto';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { AuditAnswer, INSTRUCTIONS, QUESTION_VERSION } from '../../server/language/question.ts';
import { createAuditorRegistry, edgeAuditModel } from '../../server/language/registry.ts';
import { completion, everyCandidate, verdict } from '../support/doubles/chat-double.ts';
import { OPENAI_KEY } from '../support/doubles/provider-keys.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { everyTerm, wordsOf } from '../terminology/support.ts';
import { decisions, modelAuditor, talk, terms } from './support.ts';

setDefaultTimeout(300_000);

const { double, openai, audit, cache } = await modelAuditor();
const signal = new AbortController().signal;
const ask = (text: string, given: object = {}) =>
  openai.audit(
    { words: wordsOf(text), language: 'en', terms, minConfidence: 0.85, ...given },
    { signal, progress: () => {} },
  );
describe('overlapping verdicts', () => {
  const one = { id: 'c1', startIndex: 1, endIndex: 1, original: 'anthropik', term: 'Anthropic' };
  const two = { ...one, startIndex: 0, original: 'at anthropik' };
  const review = { decision: 'review' };
  test.each([
    ['one that changes something wins', [two, {}], [one, { ...review, confidence: 0.99 }], 'at'],
    ['one for review wins over a rejected one', [one, { confidence: 0.2 }], [two, review], 'at'],
    ['the surer one wins', [two, { confidence: 0.9 }], [one, { confidence: 0.91 }], 'anthropik'],
    ['the earlier of two that are as sure wins', [one, {}], [two, {}], 'at'],
  ] as const)('%s', async (_, first, second, before) => {
    double.behave(() =>
      JSON.stringify({ edits: [verdict(first[0], first[1]), verdict(second[0], second[1])] }),
    );
    const { corrections } = await ask('at anthropik labs');
    expect(corrections).toHaveLength(1);
    expect(corrections[0]!.before).toStartWith(before);
  });
});

test('words that a model leaves unchanged stay, even if it quotes them wrongly, and nothing is learned', async () => {
  double.behave(({ asked }) => {
    const [candidate] = asked.windows[0]!.candidates;
    const wrong = { decision: 'ignore', original: 'quite another' };
    return JSON.stringify({
      edits: [verdict(candidate!, wrong), verdict({ ...candidate!, id: 'new' }, wrong)],
    });
  });
  const { corrections } = await ask('so at anthropik');
  expect(corrections.map(({ decision, reason }) => [decision, reason.split('. ').at(-1)])).toEqual([
    ['rejected', 'The language model left the words unchanged.'],
  ]);
});

test('failed calls and invalid answers are reported together', async () => {
  const parts = (count: number) =>
    Array.from({ length: count }, () => `${'word '.repeat(30)}anthropik`).join(' ');
  double.behave((request) => {
    if (request.asked.windows.length < 20) return new Response(null, { status: 400 });
    return request.at === 0 ? everyCandidate()(request) : 'no JSON';
  });
  const { note, usage } = await ask(parts(45));
  expect(note).toBe(
    '1 of 3 calls to the language model failed, 1 of 3 answers were invalid; the candidates in question are left for review.',
  );
  expect(usage.cached).toBe(0);
});

test('a German transcript is searched with the rules for German', async () => {
  const heard = 'die rader und octa mit off kit';
  double.behave(() => '{"edits":[]}');
  const made = async (language: string) =>
    decisions(await ask(heard, { language })).flatMap(([before, , decision]) =>
      decision === 'accepted' ? before : [],
    );
  expect(await made('de-AT')).toEqual(['off kit']);
  expect(await made('en')).toEqual(['rader', 'octa', 'off kit']);
});

test('a run that is cancelled during the last answer has no outcome', async () => {
  const controller = new AbortController();
  double.behave(() => {
    controller.abort(new Error('cancelled by its owner'));
    return new Response(null, { status: 400 });
  });
  await expect(audit(talk, { signal: controller.signal })).rejects.toThrow(
    'cancelled by its owner',
  );
});

test('a model is called as configured: its name, a time-out of a minute, caching', async () => {
  const waiting = noWaiting();
  const services = { openai: { baseUrl: double.url, apiKey: OPENAI_KEY } };
  const made = (options: object) =>
    createAuditorRegistry({ ...options, waiting, cache }).auditor('edge')!;
  const words = wordsOf(talk);
  const request = { words, language: 'en', terms: everyTerm(), minConfidence: 0.85 };
  const edge = { baseUrl: double.url, model: 'local' };
  const context = { signal, progress: () => {} };
  const first = await made({ edge, timeoutMs: 60_000, services }).audit(request, context);
  expect(first.usage).toEqual({ calls: 1, tokens: 100, cached: 0 });
  expect(waiting.limits).toEqual([60_000]);
  const again = await made({ edge }).audit(request, context);
  expect(again.usage).toEqual({ calls: 0, tokens: 0, cached: 1 });
  // Another model may judge differently, so it is called too, with thirty seconds if nothing else is configured.
  await made({ edge: { ...edge, model: 'other' } }).audit(request, context);
  expect(double.requests.map(({ body }) => body.model)).toEqual(['local', 'other']);
  expect(waiting.limits).toEqual([60_000, 30_000]);
});

test("edge prefers the operator's own server to Workers AI, and uses the given timer", async () => {
  const waiting = noWaiting();
  const workersAi = { baseUrl: new URL(double.url).origin, accountId: 'acc', apiToken: 'token' };
  const edge = { baseUrl: double.url, model: 'local' };
  expect(edgeAuditModel({ edge, workersAi })).toEqual({
    model: 'local',
    engine: 'openai-compatible',
  });
  expect(edgeAuditModel({ workersAi })).toEqual({
    model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
    engine: 'workers-ai',
  });
  expect(edgeAuditModel({})).toEqual({ model: 'edge-matcher-3', engine: 'host' });
  for (const options of [
    { edge: { ...edge, baseUrl: `${new URL(double.url).origin}/no` } },
    { workersAi },
  ]) {
    waiting.limits.length = 0;
    const auditor = createAuditorRegistry({ ...options, waiting, timeoutMs: 4000 }).auditor(
      'edge',
    )!;
    const { note } = await auditor.audit(
      { words: wordsOf(talk), language: 'en', terms, minConfidence: 0.85 },
      { signal, progress: () => {} },
    );
    expect(note).toContain('only the matcher audited the transcript');
    expect(new Set(waiting.limits)).toEqual(new Set([4000]));
  }
});

test('the text of a question changes only with its version, which is part of the cache key', () => {
  const asked = JSON.stringify([INSTRUCTIONS, AuditAnswer]);
  const hash = createHash('sha256').update(asked).digest('hex').slice(0, 16);
  expect([QUESTION_VERSION, hash]).toEqual([2, '9fef987c877bafc3']);
});

test('a retry tells the model what was wrong with its answer', async () => {
  const said = async (first: string) => {
    double.behave((request) => (request.at === 0 ? first : everyCandidate()(request)));
    double.requests.length = 0;
    await ask(`${talk} ${first.length}`);
    return double.requests[1]!.body.messages.at(-1).content;
  };
  const again = 'Answer the question again, following the schema.';
  expect(await said('Sure!')).toBe(
    `That answer violates the schema: The answer is not JSON.. ${again}`,
  );
  expect(await said('[]')).toStartWith('That answer violates the schema: the answer ');
  double.requests.length = 0;
  double.behave(() => Response.json(completion('{"edits":[]}', 'length')));
  await ask(`${talk} cut`);
  expect(double.requests[1]!.body.messages.at(-1).content).toContain('cut off: be brief');
});

test.each(['auto', 'edge-matcher-3'])(
  'edge with the model %s calls the model it has',
  async (model) => {
    const edge = createAuditorRegistry({ edge: { baseUrl: double.url, model: 'local' } });
    const request = { words: wordsOf(talk), language: 'en', terms, minConfidence: 0.85, model };
    const outcome = await edge.auditor('edge')!.audit(request, { signal, progress: () => {} });
    expect(double.requests.map(({ body }) => body.model)).toEqual(['local']);
    expect(outcome.model).toBe('local');
    expect(outcome.note).toBeUndefined();
  },
);
