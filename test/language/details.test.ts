/** Outcomes as a whole, failures of all answers, and the places of a model's edits. */
import { describe, expect, test } from 'bun:test';
import { ask } from '../../server/language/model-auditor.ts';
import { verdict } from '../support/doubles/chat-double.ts';
import { term } from '../terminology/made-terms.ts';
import { wordsOf } from '../terminology/support.ts';
import { decisions, modelAuditor } from './support.ts';

const { double, audit } = await modelAuditor();

test('if no call gets a valid answer, the audit fails once and for all', async () => {
  double.behave(() => 'no JSON');
  const gap = 'word '.repeat(30);
  const long = Array.from({ length: 25 }, () => `${gap}anthropik`).join(' ');
  const made = audit(long).catch((error: unknown) => error);
  expect(await made).toMatchObject({
    failure: {
      code: 'audit_unparseable',
      message: 'gpt-6.1-sol did not follow the answer schema of the audit in any of 2 calls.',
      retryable: false,
      provider: 'openai',
      model: 'gpt-6.1-sol',
      suggestions: [],
    },
  });
});

describe('the places of other edits', () => {
  const propose = (proposal: object) =>
    double.behave(({ asked }) => {
      const candidate = asked.windows[0]!.candidates[0]!;
      return JSON.stringify({ edits: [verdict(candidate, { id: 'new', ...proposal })] });
    });

  test('are for a person if they are part of a term, whose other words are beside it', async () => {
    const given = [term('Cloudflare'), term('Cloudflare Tunnel')];
    const tunnel = ['tonnel', 'Tunnel', 'needs_review'];
    const alone = await audit('cloudflare tonnel here', { terms: given });
    expect(double.requests).toHaveLength(0);
    expect(decisions(alone).at(-1)).toEqual(tunnel);
    propose({ startIndex: 1, endIndex: 1, original: 'tonnel' });
    const other = term('Zorbix', { mishears: ['tonnel'], risky: ['tonnel'] });
    const outcome = await audit('cloudflare tonnel by zorbics', { terms: [...given, other] });
    expect(double.requests).toHaveLength(1);
    expect(decisions(outcome).slice(1)).toEqual([tunnel, ['zorbics', 'Zorbix', 'rejected']]);
  });
});

test('an edit has a place only if it lies within one window', () => {
  const windows = [
    { first: 10, last: 14, candidates: [] },
    { first: 20, last: 22, candidates: [] },
  ];
  const words = wordsOf(Array.from({ length: 30 }, (_, at) => `word${at}`).join(' '));
  const { placeOf } = ask(windows, words);
  const place = (startIndex: number, endIndex: number) => placeOf({ startIndex, endIndex });
  expect(place(0, 0)).toEqual({ firstWord: 10, lastWord: 10 });
  expect(place(4, 4)).toEqual({ firstWord: 14, lastWord: 14 });
  expect(place(5, 7)).toEqual({ firstWord: 20, lastWord: 22 });
  for (const [first, last] of [
    [4, 5],
    [-1, 0],
    [7, 8],
    [6, 5],
    [3, 2],
  ] as const) {
    expect(place(first, last)).toBeNull();
  }
});
