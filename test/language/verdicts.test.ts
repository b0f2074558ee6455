/** The calls of an audit: concurrency, failures and progress. */
import { describe, expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { askAbout, type Window } from '../../server/language/question.ts';
import type { ChatService } from '../../server/remote/chat.ts';
import { wordsOf } from '../terminology/support.ts';

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
  test('stop if the first ones all fail', async () => {
    const { calls, failed, verdicts } = await asked(() => false);
    expect(failed).toBe(10);
    expect(calls).toBeLessThanOrEqual(4);
    for (const verdict of verdicts) expect(verdict).toMatchObject({ failure });
  });
});
