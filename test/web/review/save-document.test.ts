/** What is shared of a review: captions, decisions and speakers. */
import { describe, expect, test } from 'bun:test';
import { type Decision, wordDecision } from '../../../web/review/model/history.ts';
import { type SharedReview, sharedReviews } from '../../../web/review/save/save-document.ts';
import type { SharedCue } from '../../../web/review/model/cue.ts';
import { sharedSpeakers } from '../../../web/review/model/cue-speakers.ts';
import { REVIEW } from '../../../server/contract/limits.ts';

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
    const shared = sharedReviews.decided(decisions, initial);
    expect(shared).toEqual([
      ['a', 'accepted'],
      ['c', 'rejected'],
    ]);
    expect([...sharedReviews.decisions(review([], { decisions: shared }), initial)]).toEqual([
      ['a', 'accepted'],
      ['b', 'accepted'],
      ['c', 'rejected'],
    ]);
  });
});

describe('a review without speakers', () => {
  const before = review(
    [cue(0, 'One.', 'Ann'), cue(3, 'Two.', 'Bob'), cue(6, 'Three.'), cue(9, 'Four.', 'Ann')],
    { speakers: [{ id: 's1', name: 'Ann' }] },
  );
  const named = (...cues: SharedReview['cues']) =>
    sharedReviews.withSpeakers(review(cues), before).cues.map(({ speaker }) => speaker ?? '');
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
    expect(sharedReviews.withSpeakers(own, before)).toBe(own);
    const listed = review([cue(0, 'One.')], { speakers: [{ id: 's2', name: 'Eve' }] });
    expect(sharedReviews.withSpeakers(listed, before)).toBe(listed);
    const cues = [cue(0, 'One.')];
    expect(sharedReviews.withSpeakers(review(cues), review([cue(0, 'One.')])).cues).toBe(cues);
  });
});

describe('speakers on the service', () => {
  const shared = (speaker?: string): SharedCue => ({
    start: 0,
    end: 1,
    lines: ['a'],
    ...(speaker === undefined ? {} : { speaker }),
  });

  test('are identified by their ids if their names differ', () => {
    const listed = [
      { id: '1', name: 'Ann' },
      { id: '2', name: 'Ben' },
      { id: '3', name: 'Ben' },
    ];
    const named = (speaker?: string) =>
      sharedSpeakers.withNames([shared(speaker)], listed)[0]!.speaker;
    expect([named('1'), named('2'), named('3'), named('4'), named('1\n4'), named()]).toEqual([
      'Ann',
      '2',
      '3',
      '4',
      'Ann\n4',
      undefined,
    ]);
    const known = (speaker?: string) =>
      sharedSpeakers.withIds([shared(speaker)], listed)[0]!.speaker;
    expect([known('Ann'), known('Ben'), known('Cid'), known('Ann\nCid')]).toEqual([
      '1',
      '2',
      'Cid',
      '1\nCid',
    ]);
  });

  test('are listed as before, with new ones added, and unused ones removed whose id is their name', () => {
    const before = [
      { id: '1', name: 'Ann' },
      { id: 'Old', name: 'Old' },
      { id: 'Ben', name: 'Ben' },
    ];
    expect(
      sharedSpeakers.listed([shared('Ann'), shared('Ben\nCid'), shared('\nCid'), shared()], before),
    ).toEqual([
      { id: '1', name: 'Ann' },
      { id: 'Ben', name: 'Ben' },
      { id: 'Cid', name: 'Cid' },
    ]);
    expect(sharedSpeakers.listed([shared('1')], before)).toEqual([{ id: '1', name: 'Ann' }]);
    expect(sharedSpeakers.named(before)).toEqual([{ id: '1', name: 'Ann' }]);
    // Those that are still used keep their place.
    const own = [{ id: 'Dee', name: 'Dee' }, { id: 'Eve', name: 'Eve' }, ...before.slice(0, 1)];
    expect(sharedSpeakers.listed([shared('Zoe\nEve')], own)).toEqual([
      { id: 'Eve', name: 'Eve' },
      { id: '1', name: 'Ann' },
      { id: 'Zoe', name: 'Zoe' },
    ]);
    const many = Array.from({ length: REVIEW.maxSpeakers + 3 }, (_, index) => shared(`S${index}`));
    expect(sharedSpeakers.listed(many, [])).toHaveLength(REVIEW.maxSpeakers);
  });
});
