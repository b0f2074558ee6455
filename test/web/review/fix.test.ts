/** Warnings are fixed, one and all. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { assessCue } from '../../../server/captions/rules/quality.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { fixAll, fixFor } from '../../../web/review/model/fix.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { at, cuesOf, rules, settings, someCues, texts } from './support.ts';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { extendForReading } from '../../../web/review/model/edit-times.ts';
import { ProfileChecker } from '../../../web/review/desk/profile-rules.ts';

const penaltyOf = (cues: readonly ReviewCue[]): number =>
  cues.reduce(
    (sum, cue, index) => sum + assessCue(cue, cues[index + 1], settings, 'en').penalty,
    0,
  );

const fixed = (cues: readonly ReviewCue[]): readonly ReviewCue[] =>
  (fixAll(cues, rules(99))?.splices ?? []).reduce(applySplice, cues);

const wordsOf = (cues: readonly ReviewCue[]): string[] => texts(cues).join(' ').split(/\s+/);

test('for any captions: no word is lost, captions stay in order, and the score does not get worse', () => {
  fc.assert(
    fc.property(someCues, (cues) => {
      const made = fixAll(cues, rules(99));
      const now = fixed(cues);
      expect(wordsOf(now)).toEqual(wordsOf(cues));
      expect(new Set(now.map(({ id }) => id)).size).toBe(now.length);
      for (const [index, cue] of now.entries()) {
        expect(cue.end).toBeGreaterThan(cue.start);
        expect(cue.start).toBeGreaterThanOrEqual(now[index - 1]?.end ?? 0);
      }
      // Every single fix gains something.
      let before: readonly ReviewCue[] = cues;
      for (const splice of made?.splices ?? []) {
        const after = applySplice(before, splice);
        expect(penaltyOf(after)).toBeLessThan(penaltyOf(before));
        before = after;
      }
    }),
  );
});

test('a caption whose one line is too long gets two, and is counted once', () => {
  const long = 'They shipped an MCP server for the team last night at nine.';
  const cues = [at(1, 0, 5, long), at(2, 6, 8, 'Good night.')];
  expect(fixAll(cues, rules(99))?.captions).toBe(1);
  expect(texts(fixed(cues))[0]).toContain('\n');
});

test('if nothing can be fixed there is no edit', () => {
  expect(fixAll([at(1, 0, 2, 'Good night.')], rules(99))).toBeNull();
});

describe('a caption is extended for reading', () => {
  const words = 'Twenty characters ok';
  const extended = (cues: readonly ReturnType<typeof at>[], index = 0, speed = 10) => {
    const splice = extendForReading(cues, index, speed, settings);
    return splice && [splice.inserted[0]!.start, splice.inserted[0]!.end];
  };
  test('to its end, then to its beginning, and into the gaps last', () => {
    expect(extended([at(1, 0, 1, words)])).toEqual([0, 2]);
    expect(extended([at(1, 0, 1, words), at(2, 1.5, 3)])).toEqual([0, 1.5]);
    expect(extended([at(1, 0, 1, 'a'), at(2, 1.5, 2.5, words), at(3, 3, 4)], 1)).toEqual([1, 3]);
    expect(extended([at(1, 0, 0.2, 'a'), at(2, 1.5, 2.5, words), at(3, 3, 4)], 1)).toEqual([
      0.916, 2.916,
    ]);
    expect(extended([at(1, 0, 2, words)])).toBeNull();
    expect(extended([at(1, 0, 3, words)])).toBeNull();
  });

  test('to no more than the longest, and no less than the shortest duration', () => {
    expect(extended([at(1, 0, 1, words)], 0, 1)).toEqual([0, 6]);
    expect(extended([at(1, 0, 0.1, 'a')])).toEqual([0, 0.8]);
    expect([extended([], 0), extended([at(1, 0, 1, words)], 0, 0)]).toEqual([null, null]);
  });
});

describe('a warning is fixed', () => {
  const fixed = (
    flag: Parameters<typeof fixFor>[0],
    cues: readonly ReturnType<typeof at>[],
    index = 0,
    words = rules().words,
  ) =>
    fixFor(flag, cues, index, rules(50, words))?.inserted.map(({ start, end, lines }) => [
      start,
      end,
      lines.join('|'),
    ]) ?? null;
  test('of a caption that lasts into a silence, by ending it earlier', () => {
    const heard = [{ text: 'Hello', start: 0, end: 0.5 }];
    expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')], 0, heard)).toEqual([
      [0, 6, 'Hello'],
    ]);
    // The duration of its speech is unknown, and a single word cannot be divided.
    expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')])).toEqual([[0, 6, 'Hello']]);
    expect(fixed('duration_above_maximum', [at(1, 0, 6, 'Hello')])).toBeNull();
    expect(fixed('duration_above_maximum', [])).toBeNull();
    const until = [heard[0]!, { text: 'there', start: 5.5, end: 6 }];
    expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello there')], 0, until)).toEqual([
      [0, 6, 'Hello there'],
    ]);
    const late = [{ text: 'Hello', start: 0, end: 7 }];
    expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')], 0, late)).toEqual([
      [0, 6, 'Hello'],
    ]);
  });

  test('of one that is too short or too fast, by showing it longer, if that is better', () => {
    expect(fixed('duration_below_minimum', [at(1, 0, 0.5, 'Hi.')])).toEqual([[0, 0.8, 'Hi.']]);
    expect(fixed('reading_speed_high', [at(1, 0, 0.5, 'Hi.'), at(2, 0.5, 2)])).toBeNull();
    expect(fixed('duration_below_minimum', [], 0)).toBeNull();
    // Still far too fast, and as bad as before.
    const eighty = `${'word '.repeat(8).trim()}\n${'word '.repeat(8).trim()}`;
    expect(fixed('reading_speed_high', [at(1, 0, 1, eighty), at(2, 1.2, 3)])).toBeNull();
    // The worst does not show that it is better.
    const five = 'one\ntwo\nthree\nfour\nthen some more words to read';
    expect(fixed('reading_speed_high', [at(1, 0, 0.5, five), at(2, 1, 3)])).toEqual([
      [0, 1, five.replaceAll('\n', '|')],
    ]);
  });

  test('of awkward line breaks, only if the new ones are better', () => {
    expect(
      fixed('dangling_line_break', [
        at(1, 0, 3, 'We went to the\nhouse and had a look at the garden.'),
      ]),
    ).toEqual([[0, 3, 'We went to the house|and had a look at the garden.']]);
    expect(fixed('dangling_line_break', [at(1, 0, 3, 'Fine.')])).toBeNull();
    // The caption itself ends in a small word of the next.
    const cues = [at(1, 0, 3, 'We went to the\nhouse and then saw the'), at(2, 3, 5, 'garden.')];
    expect(fixed('dangling_line_break', cues)).toBeNull();
    expect(fixed('dangling_line_break', cues.slice(0, 1))).not.toBeNull();
  });

  test('of text for more than two lines, by dividing it', () => {
    const long =
      'We went to the house and had a look at the garden, and then all of us went home again by train.';
    const made = fixed('line_length_above_maximum', [at(1, 0, 6, long)])!;
    expect(made.length).toBe(2);
    expect(
      made
        .map(([, , lines]) => lines)
        .join(' ')
        .replaceAll('|', ' '),
    ).toBe(long);
    const word = 'x'.repeat(50);
    expect(fixed('line_length_above_maximum', [at(1, 0, 6, `${word} and more`)])).toHaveLength(2);
    // Nothing shorter than two milliseconds can be divided.
    const [[, , lines] = []] = fixed('line_length_above_maximum', [at(1, 0, 0.001, long)])!;
    expect(String(lines).split('|').length).toBeGreaterThan(2);
  });
});

describe('the check by a profile', () => {
  const profile = profileOf('netflix', 'en');
  const fast = 'So many words that nobody could ever read them all.';
  test('reports each violation with its fix, by positions from the first caption', () => {
    const cues = [
      ...cuesOf('One', 'Two', 'Three', 'Four').map((cue) => ({ ...cue, end: cue.end - 0.5 })),
      at(5, 12, 13, fast),
      at(6, 20, 22),
    ];
    const checker = new ProfileChecker(profile, { shots: [] });
    const found = checker.check(cues, () => false)!;
    const violation = found.get(5)!.find(({ fix }) => fix?.some(({ caption }) => caption.end > 13));
    expect(violation!.at).toBe(4);
    expect(violation!.fix?.map(({ at: place }) => place)).toEqual([4]);
    const made = checker.fix(cues, 4, violation!.rule)!;
    expect(
      made.map(({ at: place, inserted }) => [place, inserted[0]!.id, inserted[0]!.end > 13]),
    ).toEqual([[4, 5, true]]);
    expect(checker.fix(cues, 0, violation!.rule)).toBeNull();
    const looks = { speakers: ['Ann'], placement: { vertical: 'top' } } as const;
    const named = cues.with(4, { ...cues[4]!, ...looks });
    expect(checker.fix(named, 4, violation!.rule)![0]!.inserted[0]).toMatchObject(looks);
    expect(checker.violationsAt(cues, 9)).toEqual([]);
  });
});
