/** Windows that were heard badly are heard again, and the surer words win. */
import { describe, expect, test } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { recogniseTwice } from '../../../server/speech/host/second-hearing.ts';
import { silentMp3 } from './engine-support.ts';

const audio = silentMp3(16, 40);
const { signal } = new AbortController();

/** The words at the beginning of a window, all with one confidence. */
const words = (text: string, start: number, confidence: number): TranscriptWord[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, at) => ({ text: word, start: start + at, end: start + at + 0.8, confidence }));

type Answer = [text: string, confidence: number];

/** What is left of two hearings of two stretches of speech: at 0 and at 20 s. */
async function heard(first: readonly Answer[], second: readonly Answer[] | Error | null) {
  const speech = [
    { start: 0, end: 10 },
    { start: 20, end: 30 },
  ];
  const told: string[] = [];
  const kept: number[] = [];
  const asked: number[] = [];
  let conclusions = 0;
  const numberOf = (start: number): number => (start < 15 ? 0 : 1);
  const made = await recogniseTwice(
    {
      findSpeech: async () => speech,
      longestWindow: 12,
      recognize: async (_samples, { start }) => {
        const [text, confidence] = first[numberOf(start)]!;
        return words(text, start, confidence);
      },
    },
    {
      audio,
      index: await indexMp3(audio, signal),
      range: { start: 0, end: 40 },
      signal,
      progress: () => {},
      heard: (some) => told.push(...some.map(({ text }) => text)),
      concluded: () => (conclusions += 1),
    },
    async () =>
      second &&
      (async (_before, _samples, { start }) => {
        if (second instanceof Error) throw second;
        const at = numberOf(start);
        asked.push(at);
        const [text, confidence] = second[at]!;
        return { words: words(text, start, confidence), keep: () => kept.push(at) };
      }),
  );
  expect(conclusions).toBe(1);
  return { text: made.map(({ text }) => text).join(' '), asked, kept, told: told.join(' ') };
}

const GOOD: Answer = ['one two three', 0.95];
const BAD: Answer = ['mumble mutter maybe', 0.4];
const BETTER: Answer = ['four five six', 0.8];

describe('a window that was heard badly', () => {
  test('is heard again, others are not; the words of the first hearing were told already', async () => {
    expect(await heard([GOOD, BAD], [BETTER, BETTER])).toEqual({
      text: 'one two three four five six',
      asked: [1],
      kept: [1],
      told: 'one two three mumble mutter maybe',
    });
  });

  test.each([
    ['no surer', ['four five six', 0.41]],
    ['only a part', ['six', 0.9]],
    ['nothing', ['', 0]],
  ] as [string, Answer][])('keeps its words if the other model hears %s', async (_, answer) => {
    const { text, kept } = await heard([GOOD, BAD], [BETTER, answer]);
    expect([text, kept]).toEqual(['one two three mumble mutter maybe', []]);
  });

  test('keeps its words if there is no other model, or it fails', async () => {
    for (const second of [null, new Error('out of memory')]) {
      expect((await heard([GOOD, BAD], second)).text).toBe('one two three mumble mutter maybe');
    }
  });

  test('without words gets those of another model that is fairly sure', async () => {
    expect((await heard([GOOD, ['', 0]], [BETTER, BETTER])).text).toBe(
      'one two three four five six',
    );
    expect((await heard([GOOD, ['', 0]], [BETTER, BAD])).text).toBe('one two three');
  });
});
