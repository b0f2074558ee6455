/** Moderation by rules and in chunks. */
import { describe, expect, test } from 'bun:test';
import { ContentModerationSummary } from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import type { Transcript } from '../../server/contract/transcript.ts';
import {
  createRulesModerator,
  findBrokenRule,
  foldedSentences,
  RULES_MODEL,
} from '../../server/moderation/rules.ts';
import { createModerator, moderationModel } from '../../server/moderation/registry.ts';
import { ALLOWED, BLOCKED } from './sentences.ts';
import { HATE_RULES } from '../../server/moderation/hate.ts';
import { MINORS_RULES } from '../../server/moderation/minors.ts';
import { breaksRule, REPORTED, type Rule } from '../../server/moderation/rule.ts';
import { THREAT_RULES } from '../../server/moderation/threats.ts';
import fc from 'fast-check';
import {
  CHUNK_WORDS,
  type ModerationChunk,
  moderationChunks,
  OVERLAP_WORDS,
} from '../../server/moderation/chunks.ts';
import { type ChunkFinding, moderateChunks } from '../../server/moderation/moderator.ts';

describe('moderation by rules', () => {
  describe('the table of sentences', () => {
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
  });

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

  describe('the summary', () => {
    test('an empty transcript is allowed, and reported as empty', async () => {
      expect(await moderate('')).toEqual({
        source: 'audio_transcript',
        model: RULES_MODEL,
        decision: 'allow',
        severity: 'none',
        reason: 'empty_transcript',
        chunksChecked: 0,
      });
    });

    test('a safe transcript is allowed after all its chunks are checked', async () => {
      const summary = await moderate('We talk about agents and tools. '.repeat(200));
      expect(summary).toMatchObject({ decision: 'allow', severity: 'none', reason: 'safe' });
      expect(summary.chunksChecked).toBeGreaterThan(5);
      expect(summary.flaggedChunk).toBeUndefined();
      expect(validator(ContentModerationSummary).issues(summary)).toEqual([]);
    });

    test('an unsafe chunk is reported with its times', async () => {
      const safe = 'We talk about agents and tools. '.repeat(100);
      const summary = await moderate(`${safe}I will kill you. ${safe}`);
      expect(summary).toMatchObject({
        decision: 'block',
        severity: 'high',
        reason: 'content_policy_violation',
      });
      const flagged = summary.flaggedChunk!;
      const at = 600 * 0.5;
      expect(flagged.index).toBeGreaterThan(0);
      expect(flagged.start).toBeLessThanOrEqual(at);
      expect(flagged.end).toBeGreaterThanOrEqual(at + 1.9);
      expect(validator(ContentModerationSummary).issues(summary)).toEqual([]);
    });

    test('the worst chunk is reported, not the first', async () => {
      const safe = 'We talk about agents and tools. '.repeat(100);
      const summary = await moderate(`I hate all Mexicans. ${safe} I will kill you.`);
      expect(summary.severity).toBe('high');
      expect(summary.flaggedChunk?.index).toBeGreaterThan(0);
    });

    test('finds a threat at any place, with and without punctuation', async () => {
      for (const filler of ['we talk about agents', 'We talk.', 'one two three four five.']) {
        for (const before of [0, 17, 38, 39, 40, 49, 66, 99]) {
          const text = `${`${filler} `.repeat(before)}i will kill you ${`${filler} `.repeat(60)}`;
          expect((await moderate(text)).decision).toBe('block');
        }
      }
    });

    test('stops when the run is cancelled', async () => {
      const signal = AbortSignal.abort(new Error('cancelled'));
      const moderator = createRulesModerator();
      const outcome = moderator.moderate(transcript('hello there'), { signal, progress: () => {} });
      expect(outcome).rejects.toThrow('cancelled');
    });
  });

  describe('several broken rules', () => {
    const high = BLOCKED.threat.find((text) => findBrokenRule(text)?.severity === 'high') ?? '';
    const all = Object.values(BLOCKED).flat();
    const medium = all.filter((text) => findBrokenRule(text)?.severity === 'medium');

    test('the most severe is reported, wherever it occurs', () => {
      expect([high === '', medium.length > 1]).toEqual([false, true]);
      for (const milder of medium.slice(0, 5)) {
        for (const text of [`${milder} ${high}`, `${high} ${milder}`]) {
          expect([text, findBrokenRule(text)?.severity]).toEqual([text, 'high']);
        }
      }
    });

    test('of equally severe ones, the first is reported', () => {
      const [one] = medium;
      const rule = findBrokenRule(one ?? '');
      const other = medium.find((text) => findBrokenRule(text)?.pattern !== rule?.pattern);
      if (!rule || !other) throw new Error('two rules of medium severity are needed');
      expect(findBrokenRule(`${one} ${other}`)).toBe(rule);
      expect(findBrokenRule(`${other} ${one}`)).toBe(findBrokenRule(other));
    });
  });

  describe('the moderator of a server', () => {
    const workersAi = { accountId: 'a', apiToken: 't', baseUrl: 'http://127.0.0.1:9' };
    const edge = { baseUrl: 'http://127.0.0.1:9/v1', model: 'my-guard' };
    test.each([
      [null, null, { model: RULES_MODEL, engine: 'host' }],
      [null, edge, { model: 'my-guard', engine: 'openai-compatible' }],
      [workersAi, null, { model: '@cf/meta/llama-guard-3-8b', engine: 'workers-ai' }],
      [workersAi, edge, { model: '@cf/meta/llama-guard-3-8b', engine: 'workers-ai' }],
    ])('Workers AI %j, model beside it %j: %j', (account, guard, expected) => {
      const config = { workersAi: account, moderation: { edge: guard }, providerTimeoutMs: 1000 };
      expect(moderationModel(config)).toEqual(expected);
      expect(createModerator(config).model).toBe(expected.model);
    });
  });
});

describe('the exceptions that excuse a sentence, and how text is divided into sentences', () => {
  test('which exceptions the rules have', () => {
    const shape = (rules: readonly Rule[]) =>
      rules.map(({ severity, unless }) =>
        [severity, ...unless.map(({ where }) => where)].join(' '),
      );
    const [desire, offered] = ['high before', 'high anywhere'];
    expect(shape(MINORS_RULES)).toEqual(
      [
        [desire, desire, desire, desire, offered, desire, desire],
        [offered, offered, offered, offered, offered, 'high before before'],
        [desire, desire, desire, desire],
      ].flat(),
    );
    const threat = 'high before before anywhere anywhere before';
    expect(new Set(shape(THREAT_RULES))).toEqual(
      new Set([threat, 'high before anywhere', 'high before']),
    );
    expect(new Set(shape(HATE_RULES))).toEqual(
      new Set([
        'high before before anywhere',
        'medium before before anywhere',
        'high',
        'high anywhere',
      ]),
    );
  });

  test('every rule about threats and hate blocks a sentence of the table', () => {
    const folded = Object.values(BLOCKED).flat().flatMap(foldedSentences);
    const unused = [...THREAT_RULES, ...HATE_RULES].filter(
      (rule) => !folded.some((sentence) => breaksRule(sentence, rule)),
    );
    expect(unused.map(({ pattern }) => pattern.source)).toEqual([]);
  });

  test.each([
    [60, false],
    [61, true],
  ])('an exception counts up to 60 characters before: %d, blocked: %p', (distance, blocked) => {
    const rule: Rule = {
      category: 'threat',
      severity: 'high',
      pattern: /\bbad\b/g,
      unless: [{ where: 'before', pattern: /\bsaid\b/g }],
    };
    const sentence = `he said ${'x'.repeat(distance - 6)} bad`;
    expect(sentence.indexOf('bad') - sentence.indexOf('said')).toBe(distance);
    expect(breaksRule(sentence, rule)).toBe(blocked);
  });

  test('each place of the words is judged by what precedes it', () => {
    const rule: Rule = {
      category: 'hate',
      severity: 'high',
      pattern: /\bbad\b/g,
      unless: [REPORTED],
    };
    expect(breaksRule('he said bad', rule)).toBe(false);
    expect(breaksRule('bad he said', rule)).toBe(true);
    expect(breaksRule('bad he said bad', rule)).toBe(true);
    expect(breaksRule('bad', { ...rule, unless: [] })).toBe(true);
  });

  describe('folding', () => {
    test.each<[string, string[]]>([
      ['Don’t. Don‘t. Donʼt. Don`t. Don´t!', ["don't", "don't", "don't", "don't", 'don t']],
      ['ÉTÉ à Köln, ﬁn.', ['ete a koln fin']],
      ['  one -- two…\n(three)  ', ['one two', 'three']],
      ['One. ... Two?', ['one', 'two']],
      ['', []],
    ])('%j is %j', (text, sentences) => {
      expect(foldedSentences(text)).toEqual(sentences);
    });

    const words = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `w${from + at}`).join(' ');
    test.each<[number, [number, number][]]>([
      [39, [[0, 39]]],
      [40, [[0, 40]]],
      [
        41,
        [
          [0, 40],
          [20, 41],
        ],
      ],
      [
        60,
        [
          [0, 40],
          [20, 60],
        ],
      ],
      [
        61,
        [
          [0, 40],
          [20, 60],
          [40, 61],
        ],
      ],
    ])('%d words without a sentence end are read in pieces: %j', (count, pieces) => {
      expect(foldedSentences(words(0, count))).toEqual(pieces.map(([from, to]) => words(from, to)));
    });
  });
});

describe('chunks', () => {
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
          expect(chunk.lastWord - chunk.firstWord).toBeLessThan(CHUNK_WORDS);
          expect(chunk.firstWord).toBeLessThanOrEqual(before ? before.lastWord : 0);
          if (before) {
            expect(chunk.firstWord).toBeGreaterThanOrEqual(before.lastWord + 1 - OVERLAP_WORDS);
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

  describe('boundaries', () => {
    /** Words of which the ones at some positions end a sentence. */
    const spoken = (count: number, ends: number[]) =>
      Array.from({ length: count }, (_, at) => ({
        text: ends.includes(at) ? 'end.' : 'word',
        start: at,
        end: at + 1,
      }));
    const spans = (count: number, ends: number[], size: number) =>
      moderationChunks(spoken(count, ends), size).map(({ firstWord, lastWord }) => [
        firstWord,
        lastWord,
      ]);

    test.each([
      // A sentence that ends in the second half of a chunk ends it; one that ends before does not.
      [30, [5], 10, 0, 5],
      [30, [4], 10, 0, 9],
      // The last sentence end within the chunk counts, up to its last word.
      [30, [6, 8, 9], 10, 0, 9],
      [30, [6, 8, 10], 10, 0, 8],
      // The rest is one chunk, even if a sentence ends in it.
      [10, [7], 10, 0, 9],
      // Text that fits is one chunk.
      [10, [4], 10, 0, 9],
      [11, [9], 10, 0, 9],
    ])('%d words that end at %j, chunks of %d: from %d to %d', (count, ends, size, first, last) => {
      expect(spans(count, ends, size)[0]).toEqual([first, last]);
    });

    test.each([
      // Chunks overlap by the last sentence if it is at most forty words long.
      [[99, 90], 91],
      [[99, 60], 61],
      [[99, 59], 60],
      [[99, 40], 60],
      // Without a sentence end they overlap by forty words.
      [[], 60],
    ])('sentences that end at %j: the second chunk begins at %d', (ends, second) => {
      expect(spans(300, ends, 100)[1]?.[0]).toBe(second);
    });
  });

  test('the text of a chunk has one space between words, whatever spaces they bring', () => {
    const words = [' one ', 'two\n'].map((text, at) => ({ text, start: at, end: at + 1 }));
    expect(moderationChunks(words).map(({ text }) => text)).toEqual(['one two']);
  });

  test('without another size, a chunk has at most 200 words', () => {
    const words = Array.from({ length: 300 }, (_, at) => ({
      text: 'word',
      start: at,
      end: at + 1,
    }));
    expect(moderationChunks(words)[0]?.lastWord).toBe(199);
  });
});

describe('moderating in chunks', () => {
  const chunk = (index: number, text = 'words'): ModerationChunk => ({
    index,
    start: index * 10,
    end: index * 10 + 9,
    firstWord: index * 20,
    lastWord: index * 20 + 19,
    text,
  });
  const CHUNKS = [0, 1, 2, 3].map((index) => chunk(index));

  /** Moderates chunks whose findings are given, and returns the verdict and the reported progress. */
  async function moderate(findings: ChunkFinding[], chunks = CHUNKS, atOnce = 2) {
    const told: number[] = [];
    const verdict = await moderateChunks(
      { model: 'm', chunks, atOnce, check: async ({ index }) => findings[index] ?? null },
      { signal: new AbortController().signal, progress: (fraction) => void told.push(fraction) },
    );
    return { verdict, told };
  }

  test('a safe transcript is allowed, and the progress ends at 1', async () => {
    const { verdict, told } = await moderate([]);
    expect(verdict).toEqual({
      source: 'audio_transcript',
      model: 'm',
      decision: 'allow',
      severity: 'none',
      reason: 'safe',
      chunksChecked: 4,
    });
    expect(told).toEqual([0.25, 0.5, 0.75, 1]);
  });

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

  test('without words nothing is checked', async () => {
    for (const chunks of [[], [chunk(0, ''), chunk(1, '')]]) {
      const { verdict, told } = await moderate([{ severity: 'high' }], chunks);
      expect(verdict).toMatchObject({
        decision: 'allow',
        reason: 'empty_transcript',
        chunksChecked: 0,
      });
      expect(told).toEqual([]);
    }
    const { verdict } = await moderate([null, { severity: 'high' }], [chunk(0, ''), chunk(1)]);
    expect(verdict.decision).toBe('block');
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
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
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
