/** The calls of an audit: concurrency, failures and progress. */
import { describe, expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { ask } from '../../server/language/question.ts';
import { askAbout } from '../../server/language/verdicts.ts';
import type { Window } from '../../server/language/windows.ts';
import type { ChatService } from '../../server/remote/chat.ts';
import { everyTerm, wordsOf } from '../terminology/support.ts';

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

describe('the calls of an audit', () => {
  test('run four at a time, and each is counted', async () => {
    const { most, calls, usage } = await asked(() => true, true);
    expect([most, calls]).toEqual([4, 10]);
    expect(usage).toEqual({ calls: 10, tokens: 70, cached: 0 });
  });

  test('are cached for their run', async () => {
    const { keptFor } = await asked(() => true, true);
    expect(new Set(keptFor)).toEqual(new Set(['asked for run_1', 'run_1']));
  });

  test('report progress one by one, failed ones too', async () => {
    const { shown } = await asked((call) => call % 2 === 1, true);
    expect(shown).toEqual(Array.from({ length: 10 }, (_, at) => (at + 1) / 10));
  });

  test('stop if the first ones all fail', async () => {
    const { calls, failed, verdicts } = await asked(() => false);
    expect(failed).toBe(10);
    expect(calls).toBeLessThanOrEqual(4);
    for (const verdict of verdicts) expect(verdict).toMatchObject({ failure });
  });

  test('continue after a failure, once one has succeeded', async () => {
    const { calls, failed } = await asked((call) => call === 1, true);
    expect([calls, failed]).toEqual([10, 9]);
  });
});

describe('a question', () => {
  const terms = everyTerm({
    glossary: ['Zorbex'],
  });
  const questionAbout = (term: (typeof terms)[number]) => {
    const correction = { firstWord: 2, lastWord: 3, before: 'word2 word3' };
    const candidates = [{ match: { term }, correction }] as never;
    return JSON.parse(ask([{ first: 1, last: 5, candidates }], words).text);
  };

  test('numbers words from 0, and marks the candidate', () => {
    const plain = terms.find(({ canonical }) => canonical === 'Zorbex')!;
    const { windows } = questionAbout(plain);
    expect(windows[0].words.map(([number]: [number]) => number)).toEqual([0, 1, 2, 3, 4]);
    expect(windows[0].candidates).toEqual([
      { id: 'c1', startIndex: 1, endIndex: 2, original: 'word2 word3', term: 'Zorbex' },
    ]);
  });

  test('contains the accepted forms, mishears and advice of a term, if it has any', () => {
    const plain = terms.find(({ canonical }) => canonical === 'Zorbex')!;
    expect(Object.keys(questionAbout(plain).terms[0]).toSorted()).toEqual(['kind', 'term']);
    const aliased = terms.find(({ aliases }) => aliases.length > 0)!;
    expect(questionAbout(aliased).terms[0].acceptedForms).toEqual(aliased.aliases);
    const often = { ...plain, mishears: Array.from({ length: 12 }, (_, at) => `miss ${at}`) };
    expect(questionAbout(often).terms[0].mishears).toEqual(often.mishears.slice(0, 8));
    expect(questionAbout({ ...plain, note: 'Rare.' }).terms[0].note).toBe('Rare.');
  });
});

test("the question has the recogniser's confidence in doubtful words", () => {
  const confidences = [0.93, 0.31, 0.5, undefined];
  const heard = words.slice(0, 4).map((word, at) => {
    const confidence = confidences[at];
    return confidence === undefined ? word : { ...word, confidence };
  });
  const { text } = ask([{ first: 0, last: 3, candidates: [] }], heard);
  expect((JSON.parse(text) as { windows: { words: unknown[] }[] }).windows[0]?.words).toEqual([
    [0, 'word0'],
    [1, 'word1', 0.3],
    [2, 'word2'],
    [3, 'word3'],
  ]);
});
