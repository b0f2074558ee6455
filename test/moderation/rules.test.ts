/** Moderation by rules: the sentences it blocks, and its report. */
import { describe, expect, test } from 'bun:test';
import { ContentModerationSummary } from '../../server/contract/moderation.ts';
import { validator } from '../../server/contract/schema.ts';
import type { Transcript } from '../../server/contract/transcript.ts';
import {
  createRulesModerator,
  findBrokenRule,
  RULES_MODEL,
} from '../../server/moderation/rules.ts';
import { createModerator, moderationModel } from '../../server/moderation/registry.ts';
import { ALLOWED, BLOCKED } from './sentences.ts';

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
