/** Moderation by rules and in chunks. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Transcript } from '../../server/contract/results.ts';
import {
  createRulesModerator,
  findBrokenRule,
  RULES_MODEL,
} from '../../server/moderation/rules.ts';
import { createModerator, moderationModel } from '../../server/moderation/registry.ts';
import { ALLOWED, BLOCKED } from './sentences.ts';
import {
  type ChunkFinding,
  moderateChunks,
  moderationChunks,
} from '../../server/moderation/moderator.ts';

describe('moderation by rules', () => {
  for (const [category, sentences] of Object.entries(BLOCKED)) {
    test.each([...sentences])(`blocks (${category}): %s`, (sentence) => {
      expect(findBrokenRule(sentence)?.category).toBe(category as never);
    });
  }
  for (const [kind, sentences] of Object.entries(ALLOWED)) {
    test.each([...sentences])(`allows (${kind}): %s`, (sentence) => {
      expect(findBrokenRule(sentence)?.pattern.source).toBeUndefined();
    });
  }

  test('a threat that somebody reports does not excuse another one in the same sentence', () => {
    const reported = 'he said i will kill you';
    const between =
      'and then we talked about the weather and the garden and the food on the train and';
    expect(findBrokenRule(`${reported} ${between} we went home`)).toBeNull();
    expect(findBrokenRule(`${reported} ${between} i will kill you`)?.category).toBe('threat');
  });

  const transcript = (text: string): Transcript => {
    const words = text
      .split(' ')
      .filter((word) => word !== '')
      .map((word, at) => ({ text: word, start: at * 0.5, end: at * 0.5 + 0.4 }));
    return {
      language: 'en',
      duration: words.length / 2,
      words,
      utterances: [],
      paragraphs: [],
      text,
    };
  };

  const context = () => ({ signal: new AbortController().signal, progress: () => {} });
  const moderate = (text: string) => createRulesModerator().moderate(transcript(text), context());

  test('it finds a threat at any place, with and without punctuation', async () => {
    for (const filler of ['we talk about agents', 'We talk.', 'one two three four five.']) {
      for (const before of [0, 17, 38, 39, 40, 49, 66, 99]) {
        const text = `${`${filler} `.repeat(before)}i will kill you ${`${filler} `.repeat(60)}`;
        expect((await moderate(text)).decision).toBe('block');
      }
    }
  });

  const workersAi = { accountId: 'a', apiToken: 't', baseUrl: 'http://127.0.0.1:9' };
  const edge = { baseUrl: 'http://127.0.0.1:9/v1', model: 'my-guard' };
  test.each([
    [null, null, { model: RULES_MODEL, engine: 'host' }],
    [null, edge, { model: 'my-guard', engine: 'openai-compatible' }],
    [workersAi, null, { model: '@cf/meta/llama-guard-3-8b', engine: 'workers-ai' }],
    [workersAi, edge, { model: '@cf/meta/llama-guard-3-8b', engine: 'workers-ai' }],
  ])(
    'the moderator of a server: Workers AI %j, model beside it %j: %j',
    (account, guard, expected) => {
      const config = { workersAi: account, moderation: { edge: guard }, providerTimeoutMs: 1000 };
      expect(moderationModel(config)).toEqual(expected);
      expect(createModerator(config).model).toBe(expected.model);
    },
  );
});

const texts = fc.array(fc.constantFrom('word', 'more', 'end.', 'why?', 'so'), { maxLength: 900 });

test('chunks cover every word, in order, and overlap', () => {
  fc.assert(
    fc.property(texts, (list) => {
      const words = list.map((text, at) => ({ text, start: at, end: at + 0.5 }));
      const chunks = moderationChunks(words);
      expect(chunks.length > 0).toBe(words.length > 0);
      expect(chunks.at(-1)?.lastWord ?? -1).toBe(words.length - 1);
      for (const [at, chunk] of chunks.entries()) {
        const before = chunks[at - 1];
        expect(chunk.index).toBe(at);
        expect(chunk.start).toBe(chunk.firstWord);
        expect(chunk.end).toBe(chunk.lastWord + 0.5);
        expect(chunk.lastWord - chunk.firstWord).toBeLessThan(200);
        expect(chunk.firstWord).toBeLessThanOrEqual(before ? before.lastWord : 0);
        if (before) {
          expect(chunk.firstWord).toBeGreaterThanOrEqual(before.lastWord + 1 - 40);
          expect(chunk.lastWord).toBeGreaterThan(before.lastWord);
        }
        expect(chunk.text).toBe(list.slice(chunk.firstWord, chunk.lastWord + 1).join(' '));
      }
    }),
    { numRuns: 50 },
  );
});

test('a chunk ends where a sentence does, and the next begins with that sentence', () => {
  const words = Array.from({ length: 400 }, (_, at) => ({
    text: at % 9 === 8 ? 'end.' : 'word',
    start: at,
    end: at + 1,
  }));
  const [first, second] = moderationChunks(words);
  expect(words[first!.lastWord]?.text).toBe('end.');
  expect(second?.firstWord).toBe(first!.lastWord - 8);
});

describe('moderating in chunks', () => {
  const chunk = (index: number) => ({
    index,
    start: index * 10,
    end: index * 10 + 9,
    firstWord: index * 20,
    lastWord: index * 20 + 19,
    text: 'words',
  });
  const CHUNKS = [0, 1, 2, 3].map(chunk);

  /** Moderates chunks whose findings are given, and returns the verdict and the reported progress. */
  async function moderate(findings: ChunkFinding[], chunks = CHUNKS, atOnce = 2) {
    const told: number[] = [];
    const verdict = await moderateChunks(
      { model: 'm', chunks, atOnce, check: async ({ index }) => findings[index] ?? null },
      { signal: new AbortController().signal, progress: (fraction) => void told.push(fraction) },
    );
    return { verdict, told };
  }

  test.each<[string, ChunkFinding[], 'high' | 'medium', number]>([
    ['the only finding', [null, { severity: 'medium' }], 'medium', 1],
    ['the first of two', [null, { severity: 'high' }, { severity: 'high' }], 'high', 1],
    [
      'the worst, though it is later',
      [{ severity: 'medium' }, null, { severity: 'high' }],
      'high',
      2,
    ],
  ])('the reported chunk is %s', async (_, findings, severity, index) => {
    const { verdict } = await moderate(findings);
    expect(verdict).toMatchObject({
      decision: 'block',
      severity,
      reason: 'content_policy_violation',
      flaggedChunk: { index, start: index * 10, end: index * 10 + 9 },
      chunksChecked: 4,
    });
  });

  test('a failed check fails the moderation, and ends the others', async () => {
    const ended: unknown[] = [];
    const checked: number[] = [];
    const failing = moderateChunks(
      {
        model: 'm',
        chunks: CHUNKS,
        atOnce: 2,
        check: async ({ index }, signal) => {
          checked.push(index);
          if (index === 1) throw new Error('the model is gone');
          await new Promise(setImmediate);
          ended.push(signal.reason);
          return null;
        },
      },
      { signal: new AbortController().signal, progress: () => {} },
    );
    expect(await failing.catch((error: unknown) => error)).toEqual(new Error('the model is gone'));
    expect(ended).toEqual([new Error('the model is gone')]);
    expect(checked).toEqual([0, 1]);
  });

  test('an ended run is not moderated, and one that ends is not moderated further', async () => {
    const checked: number[] = [];
    const ending = new AbortController();
    const work = (signal: AbortSignal) =>
      moderateChunks(
        {
          model: 'm',
          chunks: CHUNKS,
          atOnce: 1,
          check: async ({ index }) => {
            checked.push(index);
            if (index === 1) ending.abort(new Error('cancelled'));
            return null;
          },
        },
        { signal, progress: () => {} },
      );
    await expect(work(ending.signal)).rejects.toThrow('cancelled');
    expect(checked).toEqual([0, 1]);
    await expect(work(ending.signal)).rejects.toThrow('cancelled');
    expect(checked).toEqual([0, 1]);
    const silent = { model: 'm', chunks: [], atOnce: 1, check: async () => null };
    const ended = { signal: ending.signal, progress: () => {} };
    await expect(moderateChunks(silent, ended)).rejects.toThrow('cancelled');
  });
});
