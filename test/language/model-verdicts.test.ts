/** Verdicts of language models: their use, reporting and cost, and the model and timer used. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { completion, everyCandidate, verdict } from '../support/doubles/chat-double.ts';
import { wordsOf } from '../terminology/support.ts';
import { modelAuditor, talk, terms } from './support.ts';
import { StageFailure } from '../../server/contract/failure.ts';
import { askAbout, type windowsAround } from '../../server/language/model-auditor.ts';
import type { ChatService } from '../../server/remote/chat.ts';

type Window = ReturnType<typeof windowsAround>[number][number];

setDefaultTimeout(300_000);

const { double, openai } = await modelAuditor();
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

const words = wordsOf(Array.from({ length: 60 }, (_, at) => `word${at}`).join(' '));

/** Ten calls, each about different words. */
const groups = Array.from({ length: 10 }, (_, at): Window[] => [
  { first: at * 6, last: at * 6 + 5, candidates: [] },
]);

const failure = new StageFailure({
  code: 'provider_unavailable',
  message: 'The model is away.',
  retryable: true,
  suggestions: [],
});

/** Asks a model whose answer depends on the number of the call. */
async function asked(answer: (call: number) => boolean, inOrder = false) {
  const shown: number[] = [];
  let calls = 0;
  let open = 0;
  let most = 0;
  const service = {
    provider: 'openai',
    async chat() {
      const call = (calls += 1);
      most = Math.max(most, (open += 1));
      // In order: a call is answered before the next one of its turn starts.
      if (inOrder && call > 1) await Bun.sleep(2);
      else await Promise.resolve();
      open -= 1;
      if (!answer(call)) throw failure;
      return { text: '{"edits":[]}', tokens: 7, cut: false };
    },
  } as unknown as ChatService;
  const keptFor: string[] = [];
  const cache = {
    get: async (_key: string, runId: string) => {
      keptFor.push(`asked for ${runId}`);
      return null;
    },
    set: async (_key: string, _answer: string, runId: string) => void keptFor.push(runId),
  };
  const { verdicts, usage } = await askAbout(
    groups,
    words,
    { service, model: 'any', cache, timeoutMs: 1000 },
    {
      runId: 'run_1',
      signal: new AbortController().signal,
      progress: (fraction) => void shown.push(fraction),
    },
  );
  const failed = verdicts.filter((verdict) => 'failure' in verdict).length;
  return { shown, calls, most, failed, verdicts, usage, keptFor };
}

test('the calls of an audit stop if the first ones all fail', async () => {
  const { calls, failed, verdicts } = await asked(() => false);
  expect(failed).toBe(10);
  expect(calls).toBeLessThanOrEqual(4);
  for (const verdict of verdicts) expect(verdict).toMatchObject({ failure });
});
