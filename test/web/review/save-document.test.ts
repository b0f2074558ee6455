/** The formats of a review on the service and in this browser. */
import { describe, expect, test } from 'bun:test';
import type { Review as ServiceReview } from '../../../server/contract/review.ts';
import { wordDecision, type Decision } from '../../../web/review/model/history.ts';
import {
  allDecisions,
  isSameReview,
  reviewInput,
  decidedOnly,
  sharedReview,
  withKnownSpeakers,
  type SharedReview,
} from '../../../web/review/save/save-document.ts';

const initial = new Map<string, Decision>([
  ['a', 'open'],
  ['b', 'accepted'],
]);
const cue = (start: number, line: string, speaker?: string) => ({
  start,
  end: start + 2,
  lines: [line],
  ...(speaker === undefined ? {} : { speaker }),
});
const review = (cues: SharedReview['cues'], changes: Partial<SharedReview> = {}): SharedReview => ({
  cues,
  decisions: [],
  speakers: [],
  finished: false,
  ...changes,
});

describe('decisions', () => {
  test('that are unchanged, and those on words, are not shared; the others are, by id', () => {
    const decisions = [
      ['c', 'rejected'],
      [wordDecision(3), 'accepted'],
      ['b', 'accepted'],
      ['a', 'accepted'],
    ] as const;
    const shared = decidedOnly(decisions, initial);
    expect(shared).toEqual([
      ['a', 'accepted'],
      ['c', 'rejected'],
    ]);
    expect([...allDecisions(review([], { decisions: shared }), initial)]).toEqual([
      ['a', 'accepted'],
      ['b', 'accepted'],
      ['c', 'rejected'],
    ]);
  });
});

describe('a review of the service', () => {
  const stored = {
    cues: [
      { ...cue(0, 'One.', 's1'), index: 1, chars: 4 },
      { ...cue(3, 'Two.'), index: 2, chars: 4 },
    ],
    corrections: [
      { id: 'a', decision: 'rejected' },
      { id: 'b', decision: 'accepted' },
    ],
    speakers: [{ id: 's1', name: 'Ann' }],
    finished: true,
  } as unknown as ServiceReview;
  test('has names in the browser, and ids again when it is saved', () => {
    const shared = sharedReview(stored, initial);
    expect(shared.cues).toEqual([cue(0, 'One.', 'Ann'), cue(3, 'Two.')]);
    expect(shared.decisions).toEqual([['a', 'rejected']]);
    expect(shared.finished).toBe(true);
    expect(reviewInput(shared)).toEqual({
      cues: [cue(0, 'One.', 's1'), cue(3, 'Two.')],
      corrections: [{ id: 'a', decision: 'rejected' }],
      speakers: [{ id: 's1', name: 'Ann' }],
      finished: true,
    });
  });
});

describe('two reviews', () => {
  const one = review([cue(0, 'One.'), cue(3, 'Two.')], { decisions: [['a', 'accepted']] });
  test('are equal if they have the same content', () => {
    expect(isSameReview(one, structuredClone(one))).toBe(true);
  });
  test.each<[string, Partial<SharedReview>]>([
    ['a line', { cues: [cue(0, 'One.'), cue(3, 'Too.')] }],
    ['a time', { cues: [cue(0, 'One.'), cue(3.1, 'Two.')] }],
    ['a caption more', { cues: [...one.cues, cue(6, 'Three.')] }],
    ['a caption less', { cues: one.cues.slice(0, 1) }],
    ['a decision', { decisions: [['a', 'rejected']] }],
    ['a name', { speakers: [{ id: 's1', name: 'Ann' }] }],
    ['its end', { finished: true }],
  ])('differ in %s', (_, changes) => {
    expect(isSameReview(one, { ...one, ...changes })).toBe(false);
  });
});

describe('a review without speakers', () => {
  const before = review(
    [cue(0, 'One.', 'Ann'), cue(3, 'Two.', 'Bob'), cue(6, 'Three.'), cue(9, 'Four.', 'Ann')],
    { speakers: [{ id: 's1', name: 'Ann' }] },
  );
  const named = (...cues: SharedReview['cues']) =>
    withKnownSpeakers(review(cues), before).cues.map(({ speaker }) => speaker ?? '');
  test('gets the earlier ones, by equal captions', () => {
    expect(named(cue(0, 'One.'), cue(3, 'Two.'), cue(6, 'Three.'), cue(9, 'Four.'))).toEqual([
      'Ann',
      'Bob',
      '',
      'Ann',
    ]);
    expect(withKnownSpeakers(review([cue(0, 'One.')]), before).speakers).toEqual(before.speakers);
  });
  test('keeps them if a caption was changed, added or deleted', () => {
    expect(named(cue(0, 'One.'), cue(3, 'Twice.'), cue(6, 'Three.'), cue(9, 'Four.'))).toEqual([
      'Ann',
      'Bob',
      '',
      'Ann',
    ]);
    expect(named(cue(0, 'One.'), cue(6, 'Three.'), cue(9, 'Four.'))).toEqual(['Ann', '', 'Ann']);
    expect(
      named(cue(0, 'One.'), cue(2.5, 'New.'), cue(3, 'Two.'), cue(6, 'Three.'), cue(9, 'Four.')),
    ).toEqual(['Ann', '', 'Bob', '', 'Ann']);
  });
  test('keeps those of captions that were divided, each of the one that it replaces', () => {
    const early = (start: number, text: string) => ({ ...cue(start, text), end: start + 1 });
    const rest = [cue(6, 'Three.'), cue(9, 'Four.')];
    expect(named(early(0.1, 'O'), early(1.1, 'ne.'), cue(3, 'Two.'), ...rest)).toEqual([
      'Ann',
      'Ann',
      'Bob',
      '',
      'Ann',
    ]);
    expect(named(early(0.1, 'O'), early(1.1, 'ne'), early(3.1, 'Too'), ...rest)).toEqual([
      'Ann',
      'Bob',
      'Bob',
      '',
      'Ann',
    ]);
  });
  test('is unchanged if it names any, or if there were none', () => {
    const own = review([cue(0, 'One.', 'Eve')]);
    expect(withKnownSpeakers(own, before)).toBe(own);
    const listed = review([cue(0, 'One.')], { speakers: [{ id: 's2', name: 'Eve' }] });
    expect(withKnownSpeakers(listed, before)).toBe(listed);
    const cues = [cue(0, 'One.')];
    expect(withKnownSpeakers(review(cues), review([cue(0, 'One.')])).cues).toBe(cues);
  });
});
