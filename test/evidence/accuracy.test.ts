/** Measuring the accuracy of captions: the alignment, the sample, the interval, and where a measurement stops. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MOST_PASSAGES, progressOf } from '../../server/evidence/accuracy.ts';
import { MEASUREMENT } from '../../server/contract/limits.ts';
import { agreementOf } from '../../server/evidence/agreement.ts';
import { captionWords } from '../../server/evidence/caption-words.ts';
import { binomialLimits, estimateErrors } from '../../server/evidence/interval.ts';
import { classesFor, judge, nerErrors } from '../../server/evidence/judgement.ts';
import { drawOrder, passagesOf, type CaptionedWord } from '../../server/evidence/sample.ts';
import { alignWords } from '../../server/evidence/words.ts';

const counts = (shown: string, said: string) => {
  const { words, wordErrors, errors } = judge(shown, said);
  return { words, wordErrors, classes: errors.map((error) => error.class) };
};

describe('words', () => {
  // The counts of jiwer 4 (`process_words`) for the same texts without case and punctuation.
  test.each([
    ['the cat sat', 'the cat sat', 3, 0, []],
    ['the bat sat', 'the cat sat', 3, 1, ['substitution']],
    ['the the cat sat', 'the cat sat', 3, 1, ['insertion']],
    ['the sat', 'the cat sat', 3, 1, ['deletion']],
    ['', 'the cat sat', 3, 3, ['deletion', 'deletion', 'deletion']],
    ['a b c d', 'b c d e', 4, 2, ['insertion', 'deletion']],
    ['Hello, world', 'hello world.', 2, 0, ['punctuation', 'punctuation']],
    ['it’s 1.5 million', 'its 1.5 million', 3, 1, ['substitution']],
    ['well-known facts', 'well known facts', 3, 0, []],
    ['你好世界', '你好师姐', 4, 2, ['substitution', 'substitution']],
    ['Thanks', '[applause] Thanks', 1, 0, ['sound']],
    ['Thanks', 'SPEAKER 2: Thanks', 1, 0, ['speaker']],
  ])('%j for %j', (shown, said, words, wordErrors, classes) => {
    expect(counts(shown, said)).toEqual({ words, wordErrors, classes } as never);
  });

  test('are aligned with the fewest errors, and none of them is lost', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });
    fc.assert(
      fc.property(text, text, (shown, said) => {
        const pairs = alignWords(shown, said);
        expect(pairs.flatMap((pair) => pair.shown ?? [])).toEqual(shown);
        expect(pairs.flatMap((pair) => pair.said ?? [])).toEqual(said);
        const errors = pairs.filter((pair) => pair.shown !== pair.said).length;
        expect(errors).toBe(fewestErrors(shown, said));
      }),
    );
  });

  test('a class that a person chooses never turns a wrong word into a right one', () => {
    const [error] = judge('a bat', 'a cat').errors;
    expect(classesFor(error!)).toEqual(['substitution', 'name']);
    expect(classesFor(judge('a cat', 'A cat').errors[0]!)).toEqual(['punctuation']);
  });

  test('of names are told apart, and weigh more in the NER model', () => {
    const { names, namesRight, errors } = judge('Ann met Bob', 'Anne met Bob', (word) =>
      ['Anne', 'Bob'].includes(word),
    );
    expect({ names, namesRight }).toEqual({ names: 2, namesRight: 1 });
    expect(nerErrors(errors)).toEqual({ editions: 0, recognitions: 1 });
  });
});

/** The definition of the distance, without any table. */
function fewestErrors(one: readonly string[], other: readonly string[]): number {
  const [first, ...rest] = one;
  const [second, ...others] = other;
  if (first === undefined || second === undefined) return one.length + other.length;
  if (first === second) return fewestErrors(rest, others);
  return (
    1 + Math.min(fewestErrors(rest, others), fewestErrors(rest, other), fewestErrors(one, others))
  );
}

const talk = (count: number, speakers = 1): CaptionedWord[] =>
  Array.from({ length: count }, (_, at) => ({
    start: at * 0.4,
    end: at * 0.4 + 0.3,
    speaker: `S${Math.floor(at / 50) % speakers}`,
    doubtful: at % 20 === 0,
  }));

describe('the sample', () => {
  test('has no passage that is too long to be compared, whatever the captions are', () => {
    const lines = ['一', 'a-', 'word', '𝒳'].map((text) => text.repeat(2000 / text.length));
    const cues = lines.map((line, at) => ({ start: 4 * at, end: 4 * at + 4, lines: [line] }));
    const { words, texts } = captionWords(cues, []);
    expect(texts.join('')).toBe(lines.join(''));
    for (const { first, words: size } of passagesOf(words, 16)) {
      const shown = texts.slice(first, first + size).join(' ');
      expect(judge(shown, '一'.repeat(MEASUREMENT.maxTextChars)).words).toBe(
        MEASUREMENT.maxTextChars,
      );
      expect(shown.length).toBeLessThan(1300);
    }
  });

  test('divides the whole talk: no moment and no word is in two passages, or in none', () => {
    const word = fc.record({
      pause: fc.double({ min: 0, max: 9, noNaN: true }),
      speaker: fc.nat(1),
    });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (list) => {
        let at = 0;
        const words = list.map(({ pause, speaker }) => {
          const start = at + pause;
          at = start + 0.3;
          return { start, end: at, speaker: String(speaker) };
        });
        const passages = passagesOf(words, at + 10);
        expect(passages.reduce((sum, passage) => sum + passage.words, 0)).toBe(words.length);
        for (const [number, { start, first, words: size }] of passages.entries()) {
          expect(start).toBe(passages[number - 1]?.end ?? 0);
          expect(new Set(words.slice(first, first + size).map(({ speaker }) => speaker)).size).toBe(
            size > 0 ? 1 : 0,
          );
        }
        expect(passages.at(-1)!.end).toBe(at + 10);
      }),
    );
  });

  test('is the same for the same seed, another for another, and never repeats a passage', () => {
    const passages = passagesOf(talk(3000, 3), 1200);
    const order = drawOrder(passages, 'one').map(({ at }) => at);
    expect(drawOrder(passages, 'one').map(({ at }) => at)).toEqual(order);
    expect(drawOrder(passages, 'two').map(({ at }) => at)).not.toEqual(order);
    expect(order.toSorted((one, other) => one - other)).toEqual(passages.map((_, at) => at));
  });

  test('draws each speaker and each part of the talk in proportion, and doubtful passages more often', () => {
    const passages = passagesOf(talk(6000, 3), 2400);
    const first = drawOrder(passages, 'seed').slice(0, 50);
    const thirds = [0, 1, 2].map(
      (third) => first.filter(({ start }) => Math.floor(start / 800) === third).length,
    );
    for (const share of thirds) expect(share).toBeGreaterThan(12);
    const doubtful = passages.filter((passage) => passage.doubtful).length / passages.length;
    expect(first.filter((passage) => passage.doubtful).length / 50).toBeGreaterThan(doubtful * 1.2);
  });
});

describe('the interval', () => {
  // SciPy: beta.ppf([.025, .975], errors + .5, words - errors + .5).
  test.each([
    [0, 300, 0, 0.00833],
    [3, 300, 0.00282, 0.02644],
    [30, 300, 0.06989, 0.13778],
  ])('of %d errors in %d words is that of Jeffreys', (errors, words, low, high) => {
    const limits = binomialLimits(errors, words, 0.05);
    expect(limits.low).toBeCloseTo(low, 4);
    expect(limits.high).toBeCloseTo(high, 4);
  });

  const passages = (errors: number[]) =>
    errors.map((count) => ({ weight: 1, stratum: 0, errors: count, words: 6 }));

  test('is wider where as many errors come in bursts', () => {
    const spread = estimateErrors(
      passages(Array.from({ length: 50 }, (_, at) => +(at % 5 < 2))),
      0,
      0.05,
    );
    const bursts = estimateErrors(
      passages(Array.from({ length: 50 }, (_, at) => (at % 10 ? 0 : 4))),
      0,
      0.05,
    );
    expect(bursts.rate).toBeCloseTo(spread.rate, 9);
    expect(bursts.high - bursts.low).toBeGreaterThan(1.5 * (spread.high - spread.low));
  });

  test('is the figure itself once the whole talk was judged', () => {
    const { rate, low, high } = estimateErrors(passages([0, 1, 2, 0]), 1, 0.05);
    expect([low, high]).toEqual([rate, rate]);
  });
});

describe('a measurement', () => {
  const order = drawOrder(passagesOf(talk(12_000), 4800), 'seed');
  /** All passages up to a place, with an error in every so manieth. */
  const counted = (count: number, every: number) =>
    new Map(
      order
        .slice(0, count)
        .map(({ at, words }, turn) => [at, { words, errors: turn % every === every - 1 ? 1 : 0 }]),
    );

  test('has a figure only where it was to be looked at, however often somebody reads it', () => {
    const before = progressOf(order, order.length, counted(49, 2), 0.99);
    expect(before).toMatchObject({ accuracy: null, state: 'open', next: 1, judged: 49 });
    const first = progressOf(order, order.length, counted(50, 10), 0.98);
    const between = progressOf(order, order.length, counted(90, 10), 0.98);
    expect(between.accuracy).toEqual(first.accuracy);
    expect(between).toMatchObject({ counted: 50, next: 10 });
  });

  test.each([
    ['below the goal', 50, 2, 'below'],
    ['above it, after 1,200 words without an error', 200, 1000, 'above'],
    ['on neither side after the last look', MOST_PASSAGES, 17, 'ended'],
  ])('%s', (_, count, every, state) => {
    expect(progressOf(order, order.length, counted(count, every), 0.99)).toMatchObject({
      state,
      next: 0,
    });
  });

  test('that left out a passage counts only up to there', () => {
    const all = counted(60, 100);
    all.delete(order[10]!.at);
    expect(progressOf(order, order.length, all, 0.99)).toMatchObject({
      accuracy: null,
      judged: 59,
      next: 40,
    });
  });

  test('of a short talk ends with all of it, and then is exact', () => {
    const short = drawOrder(passagesOf(talk(60), 24), 'seed');
    const known = new Map(short.map(({ at, words }) => [at, { words, errors: at === 3 ? 1 : 0 }]));
    const { accuracy, state } = progressOf(short, short.length, known, 0.99);
    expect(accuracy).toEqual({ value: 59 / 60, low: 59 / 60, high: 59 / 60 });
    expect(state).toBe('below');
  });
});

test('two people agree as Cohen defines it', () => {
  const marks = (text: string) => [...text].map((mark) => mark === '1');
  // 20 both right, 15 both wrong, 5 and 10 apart: the example of Cohen's kappa with .4.
  const one = marks('1'.repeat(20) + '1'.repeat(5) + '0'.repeat(10) + '0'.repeat(15));
  const other = marks('1'.repeat(20) + '0'.repeat(5) + '1'.repeat(10) + '0'.repeat(15));
  expect(agreementOf(one, other)!.share).toBeCloseTo(0.7, 9);
  expect(agreementOf(one, other)!.kappa).toBeCloseTo(0.4, 9);
  expect(agreementOf(marks('11'), marks('11'))).toEqual({ words: 2, share: 1, kappa: null });
});
