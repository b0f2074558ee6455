/** Slow servers, on a clock that takes no time: every sentence is translated without a setting. */
import { expect, test } from 'bun:test';
import { buildCaptions } from '../../server/captions/build/build.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import { StageFailure } from '../../server/contract/failure.ts';
import type { Translator } from '../../server/translation/engines/translator.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { dictionaryOf } from '../support/doubles/translators.ts';
import { randomly, talk } from '../support/translated-talk.ts';

const sentences = sentencesOf(
  buildCaptions(talk(1300, randomly(9)), DEFAULT_CAPTION_SETTINGS),
  'en',
).slice(0, 120);
const translate = dictionaryOf('de');

/** A server that answers one question after the other, and drops those whose time is over. */
function slowServer(msOf: (tokens: number) => number) {
  let clock = 0;
  let slot: Promise<unknown> = Promise.resolve();
  let late = 0;
  let largest = 0;
  const translator: Translator = {
    provider: 'edge',
    model: 'slow',
    translate({ tasks }, { timeoutMs = Infinity }) {
      const asked = clock;
      largest = Math.max(largest, tasks.length);
      const answer = slot.then(() => {
        const answers = tasks.map(({ id, text }) => ({ id, source: text, text: translate(text) }));
        // About three letters a token, and the sentence is repeated.
        clock += msOf(JSON.stringify(answers).length / 3);
        if (clock - asked <= timeoutMs) {
          return { answers, usage: { calls: 1, tokens: 0, cached: 0 } };
        }
        late += 1;
        clock = asked + timeoutMs;
        throw new StageFailure({
          code: 'provider_timeout',
          message: 'Late.',
          retryable: true,
          suggestions: [],
        });
      });
      slot = answer.catch(() => {});
      return answer;
    },
  };
  return { translator, now: () => clock, seen: () => ({ late, largest, seconds: clock / 1000 }) };
}

const perSecond = (rate: number) => (tokens: number) => (tokens / rate) * 1000;

test.each([
  ['20 tokens a second', perSecond(20), 0],
  ['60 tokens a second', perSecond(60), 0],
  ['100 tokens a second', perSecond(100), 0],
  ['5 tokens a second', perSecond(5), 2],
  ['12 seconds an answer', () => 12_000, 0],
  ['30 seconds an answer', () => 30_000, 0],
  [
    'a minute to load, then 40 tokens a second',
    (() => {
      let loads = 60_000;
      return (tokens: number) => {
        const ms = loads + tokens * 25;
        loads = 0;
        return ms;
      };
    })(),
    0,
  ],
])('one slot with %s translates 120 sentences', async (_what, msOf, mostLate) => {
  const { translator, now, seen } = slowServer(msOf);
  const job = { sentences, from: 'en', to: 'de', terms: [], profile: profileOf('default', 'de') };
  const shares: number[] = [];
  const done = await translateSentences(job, translator, {
    signal: new AbortController().signal,
    now,
    progress: (share) => void shares.push(share),
  });
  expect(done.sentences.map(({ text }) => text)).toEqual(
    sentences.map(({ text, kind }) => (kind === 'as_is' ? text : translate(text))),
  );
  expect(seen().late).toBeLessThanOrEqual(mostLate);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
});

test('a server that never answers is asked once more for less, and given up', async () => {
  const { translator, now, seen } = slowServer(() => Infinity);
  const job = { sentences, from: 'en', to: 'de', terms: [], profile: profileOf('default', 'de') };
  const context = { signal: new AbortController().signal, now };
  await expect(translateSentences(job, translator, context)).rejects.toThrow('Late.');
  expect(seen()).toEqual({ late: 2, largest: 10, seconds: 240 });
});
