/** The words sent in each call, and the lifetime of cached answers. */
import { expect, test } from 'bun:test';
import { answerKey } from '../../server/language/ask.ts';
import { QUESTION_VERSION, readAnswer, windowsAround } from '../../server/language/question.ts';
import type { Draft } from '../../server/terminology/decide/decide.ts';
import { verdict } from '../support/doubles/chat-double.ts';
import { OPENAI_KEY } from '../support/doubles/provider-keys.ts';
import { modelAuditor, talk } from './support.ts';

const { double, kept, audit } = await modelAuditor();

test('forty candidates in a row are two calls of twenty', () => {
  const candidates = Array.from(
    { length: 40 },
    (_, at) => ({ correction: { firstWord: at, lastWord: at } }) as Draft,
  );
  const calls = windowsAround(candidates, 40);
  expect(calls.map((windows) => windows.map((window) => window.candidates.length))).toEqual([
    [20],
    [20],
  ]);
});

test.each([-0.5, 1.5])('a confidence of %p is no answer', (confidence) => {
  const candidate = { id: 'c1', startIndex: 0, endIndex: 0, original: 'a', term: 'b' };
  const edits = [verdict(candidate, { confidence })];
  expect(readAnswer(JSON.stringify({ edits }))).toEqual({
    fault: 'edits.0.confidence must be from 0 to 1',
  });
});

test('an answer is cached for one version of the question and one model', async () => {
  await audit(talk);
  const [key] = kept.keys();
  const { body, authorization } = double.requests[0]!;
  expect(authorization).toBe(`Bearer ${OPENAI_KEY}`);
  const text = body.messages[1].content;
  expect(key).toBe(answerKey('openai', 'gpt-6.1-sol', String(QUESTION_VERSION), text));
  expect(key).not.toBe(answerKey('openai', 'gpt-6.1-sol', String(QUESTION_VERSION + 1), text));
  expect(answerKey('gpt', '6')).not.toBe(answerKey('gpt6', ''));
});
