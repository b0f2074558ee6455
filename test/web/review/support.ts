/** Invented cues and edits for tests of the review. */
import type { Retiming } from '../../../web/review/model/edit-times.ts';
import type { TimedWord } from '../../../web/review/model/spoken-cut.ts';
import { fixFor } from '../../../web/review/model/fix.ts';
import { expect } from 'bun:test';
import fc from 'fast-check';
import { textOf, type ReviewCue } from '../../../web/review/model/cue.ts';
import { initialDecisions } from '../../../web/review/model/corrections.ts';
import * as editCues from '../../../web/review/model/edit-cues.ts';
import * as editText from '../../../web/review/model/edit-text.ts';
import * as editTimes from '../../../web/review/model/edit-times.ts';
import { openReview, type ReviewState } from '../../../web/review/model/history.ts';
import { applySplice, type Splice } from '../../../web/review/model/splice.ts';
import { createReview } from '../../../web/review/editing/review.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';

/** All edits of cues. */
export const edits = { ...editCues, ...editText, ...editTimes };

export const settings = DEFAULT_CAPTION_SETTINGS;

/** A correction that a person has to decide. */
export const correction = (id: string, start: number, before = 'off kit', after = 'AuthKit') => ({
  id,
  start,
  end: start + 0.4,
  before,
  after,
  decision: 'needs_review' as const,
  firstWord: 0,
  lastWord: 1,
  category: 'product_name' as const,
  confidence: 0.9,
  reason: '',
  packHints: [],
});

/** A review of cues without its page. */
export function reviewOf(
  cues: readonly ReviewCue[],
  corrections: ReturnType<typeof correction>[] = [],
) {
  const { state } = openReview(cues, initialDecisions(corrections));
  const source = { runId: 'run', name: 'talk.mp3', settings, language: 'en', words: [] };
  return createReview({ ...source, corrections, original: cues }, state);
}

/** Cues of these lines, each shown for two seconds, one second apart. */
export const cuesOf = (...texts: string[]): ReviewCue[] =>
  texts.map((text, at) => ({
    id: at + 1,
    start: at * 3,
    end: at * 3 + 2,
    lines: text.split('\n'),
  }));

const WORDS = ['They', 'shipped', 'an', 'MCP', 'server', 'for', 'the', 'team', 'last', 'night.'];

const someText = fc
  .array(fc.constantFrom(...WORDS, 'and,', '“so”', 'a-b', '😀', 'naïve'), {
    minLength: 1,
    maxLength: 14,
  })
  .chain((words) =>
    fc
      .array(fc.constantFrom(' ', ' ', ' ', '\n'), {
        minLength: words.length,
        maxLength: words.length,
      })
      .map((gaps) => words.map((word, at) => (at === 0 ? word : gaps[at] + word)).join('')),
  );

/** Cues in order, some of them without gaps. */
export const someCues = fc
  .array(fc.tuple(fc.nat({ max: 1500 }), fc.integer({ min: 1, max: 7000 }), someText), {
    minLength: 1,
    maxLength: 12,
  })
  .map((made) => {
    let at = 0;
    return made.map(([gap, length, text], index): ReviewCue => {
      const start = at + (gap < 500 ? 0 : gap);
      at = start + length;
      return { id: index + 1, start: start / 1000, end: at / 1000, lines: text.split('\n') };
    });
  });

const FLAGS = [
  'reading_speed_high',
  'duration_above_maximum',
  'line_count_above_maximum',
  'line_length_above_maximum',
] as const;

/** The arguments of a fix in addition to the cues. */
export const rules = (nextId = 99, words: readonly TimedWord[] = []) => ({
  settings,
  language: 'en',
  words,
  nextId,
});

/** The splice of a retiming. */
export const retimed = (cues: readonly ReviewCue[], retiming: Retiming | null): Splice | null =>
  retiming && edits.retime(cues, retiming);

/** A random edit, at a position and by an amount that suit any cues. */
export type Edit = (state: ReviewState) => {
  splices: Splice[];
  cueId: number | null;
  kind: string;
};

/** What a random edit is made of. */
interface Chance {
  cues: readonly ReviewCue[];
  index: number;
  nextId: number;
  amount: number;
  offset: number;
  text: string;
}

const EDITS = {
  setText: ({ cues, index, text }) => edits.setText(cues, index, text),
  setEdge({ cues, index, amount, offset }) {
    const edge = offset % 2 === 0 ? 'start' : 'end';
    const time = (cues[index]?.[edge] ?? 0) + amount;
    return retimed(cues, edits.setEdge('push', cues, index, edge, time, settings));
  },
  nudge: ({ cues, index, amount }) => retimed(cues, edits.nudge(cues, index, amount, settings)),
  split: ({ cues, index, offset, nextId }) => edits.split(cues, index, offset, nextId, []),
  mergeMany: ({ cues, index }) => edits.mergeMany(cues, [index, index + 1], settings, 'en'),
  insertAfter: ({ cues, index, nextId }) => edits.insertAfter(cues, index - 1, nextId, settings),
  remove: ({ cues, index }) => (cues.length > 4 ? edits.removeMany(cues, [index]) : null),
  shift: ({ cues, index, amount }) => retimed(cues, edits.shift(cues, index, amount, settings)),
  extendForReading: ({ cues, index }) => edits.extendForReading(cues, index, 20, settings),
  snapToNeighbour: ({ cues, index, offset }) =>
    edits.snapToNeighbour(cues, index, offset % 2 === 0 ? 'start' : 'end'),
  moveWord: ({ cues, index, offset }) =>
    edits.moveWord(cues, index, offset % 2 === 0 ? 'next' : 'previous', settings, 'en', []),
  rebreak: ({ cues, index }) => edits.rebreak(cues, index, settings, 'en'),
  fixFor: ({ cues, index, offset, nextId }) =>
    fixFor(FLAGS[offset % FLAGS.length]!, cues, index, rules(nextId)),
  replaceAll: ({ cues }) =>
    cues.map((each, at) =>
      edits.setText(cues, at, textOf(each).replaceAll('the team', 'all of the team')),
    ),
} satisfies Record<string, (chance: Chance) => Splice | null | (Splice | null)[]>;

export const someEdit: fc.Arbitrary<Edit> = fc
  .record({
    kind: fc.constantFrom(...(Object.keys(EDITS) as (keyof typeof EDITS)[])),
    where: fc.nat({ max: 1000 }),
    amount: fc.double({ min: -4, max: 4, noNaN: true }),
    offset: fc.nat({ max: 80 }),
    text: someText,
  })
  .map(({ kind, where, ...chance }) => ({ cues, nextId }) => {
    const index = cues.length === 0 ? 0 : where % cues.length;
    const made = [EDITS[kind]({ ...chance, cues, index, nextId })].flat();
    const cueId = kind === 'replaceAll' ? null : (cues[index]?.id ?? null);
    return { kind, cueId, splices: made.filter((each) => each !== null) };
  });

/** The words of cues, regardless of their division. */
export const wordsOf = (cues: readonly Pick<ReviewCue, 'lines'>[]): string =>
  cues
    .flatMap(({ lines }) => lines)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Expects captions to be in order, to last, and not to overlap. */
export function expectInOrder(cues: readonly Pick<ReviewCue, 'start' | 'end'>[]): void {
  let before = 0;
  for (const { start, end } of cues) {
    expect(start).toBeGreaterThanOrEqual(before);
    expect(end).toBeGreaterThan(start);
    before = end;
  }
}

/** A cue with times in seconds. */
export const at = (id: number, start: number, end: number, text = 'Hello there.'): ReviewCue => ({
  id,
  start,
  end,
  lines: text.split('\n'),
});

/** The cues after an edit that must not be null. */
export const after = (cues: readonly ReviewCue[], splice: Splice | null) => {
  if (!splice) throw new Error('Nothing was edited.');
  return applySplice(cues, splice);
};
export const times = (cues: readonly ReviewCue[]) => cues.map(({ start, end }) => [start, end]);
/** The same as one text: `0-2 3-5`. */
export const spans = (cues: readonly ReviewCue[]) =>
  cues.map(({ start, end }) => `${start}-${end}`).join(' ');
export const texts = (cues: readonly ReviewCue[]) => cues.map(textOf);

/** Consecutive words of half a second each. */
export const spoken = (text: string, from = 0) =>
  text.split(' ').map((word, index) => ({
    text: word,
    start: from + index / 2,
    end: from + index / 2 + 0.4,
  }));
