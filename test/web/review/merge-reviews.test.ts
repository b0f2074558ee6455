/** The edits of two people to one review are merged, and only what both changed is a conflict. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { SharedCue } from '../../../web/review/model/cue.ts';
import {
  isTakenAt,
  mergedCues,
  regionsOf,
  splicesFrom,
} from '../../../web/review/model/merge-reviews.ts';
import { openReview, perform } from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { cuesOf, someCues, someEdit } from './support.ts';

const bare = (cues: readonly SharedCue[]): SharedCue[] =>
  cues.map(({ start, end, lines }) => ({ start, end, lines }));

const base = bare(cuesOf('one', 'two', 'three', 'four', 'five'));
/** The captions after a change of the one at a position. */
const but = (at: number, change: Partial<SharedCue>, cues = base): SharedCue[] =>
  cues.with(at, { ...cues[at]!, ...change });
const cue = (start: number, text: string, speaker?: string): SharedCue => ({
  start,
  end: start + 1,
  lines: [text],
  ...(speaker === undefined ? {} : { speaker }),
});
const they = (start: number, end: number): SharedCue => ({ start, end, lines: ['They'] });
const apart = [they(0, 1), they(1, 2), they(2, 3), they(503, 504)];
const merged = base.toSpliced(1, 2, cue(3.5, 'all'));

/** The captions last for two seconds each, one every three. */
test.each<
  [what: string, mine: SharedCue[], theirs: SharedCue[], kinds: string, base?: SharedCue[]]
>([
  [
    'each changed another',
    but(0, { lines: ['ONE'] }),
    but(3, { lines: ['VIER'] }),
    'mine same theirs same',
  ],
  ['text and end', but(2, { lines: ['drei'] }), but(2, { end: 7.5 }), 'same joined same'],
  ['no time is left', but(2, { start: 7 }), but(2, { end: 7 }), 'same conflict same'],
  ['too little time is left', but(2, { start: 7.9 }), but(2, { end: 6.5 }), 'same conflict same'],
  ['two speakers', but(2, { speaker: 'Ann' }), but(2, { speaker: 'Ben' }), 'same conflict same'],
  ['overlapping times', but(1, { end: 6 }), but(2, { start: 5.5 }), 'same conflict same'],
  [
    'overlapping times of two and one',
    but(0, { end: 3.5 }, but(1, { start: 3.6, end: 6 })),
    but(2, { start: 5.5 }),
    'conflict same',
  ],
  [
    'overlapping the next',
    but(2, { lines: ['drei'] }, but(3, { lines: ['vier'] })),
    but(2, { end: 9.5 }),
    'same conflict same',
  ],
  ['deleted and changed', base.toSpliced(2, 1), but(2, { lines: ['drei'] }), 'same conflict same'],
  [
    'put before a changed one',
    base.toSpliced(1, 0, cue(2, 'new')),
    but(1, { lines: ['zwei'] }),
    'same mine theirs same',
  ],
  [
    'both put before',
    base.toSpliced(1, 0, cue(2, 'new')),
    base.toSpliced(1, 0, cue(2, 'neu')),
    'same conflict same',
  ],
  ['merged, the second changed', merged, but(2, { lines: ['drei'] }), 'same conflict same'],
  ['merged, the first changed', merged, but(1, { lines: ['zwei'] }), 'same conflict same'],
  [
    'each reaches into the next',
    [base[0]!, cue(3.5, 'all'), cue(9, 'vier'), base[4]!],
    base.toSpliced(2, 2, cue(7, 'alles')),
    'same conflict same',
  ],
  [
    'overlapping across a deleted one',
    [they(0, 2), they(2, 419), apart[3]!],
    apart.with(3, they(87, 504)),
    'conflict',
    apart,
  ],
])('of two versions, %s', (_what, mine, theirs, kinds, before = base) => {
  const kindsOf = (one: SharedCue[], other: SharedCue[]) =>
    regionsOf({ base: before, mine: one, theirs: other }).map(({ kind }) => kind);
  const found = kindsOf(mine, theirs);
  expect(found.join(' ')).toBe(kinds);
  const turned: Record<string, string> = { mine: 'theirs', theirs: 'mine' };
  expect(kindsOf(theirs, mine)).toEqual(found.map((kind) => (turned[kind] ?? kind) as never));
});

test('text of one, times and speaker of the other are combined in one caption', () => {
  const mine = but(2, { lines: ['drei'], end: 7.5 });
  const theirs = but(2, { end: 7.5, speaker: 'Ann' });
  const versions = { base, mine, theirs };
  expect(mergedCues(regionsOf(versions), versions)[2]).toEqual({
    start: 6,
    end: 7.5,
    lines: ['drei'],
    speaker: 'Ann',
  });
});

/** Captions, and two people's versions of them. */
const someVersions = fc
  .tuple(someCues, fc.array(someEdit, { maxLength: 4 }), fc.array(someEdit, { maxLength: 4 }))
  .map(([cues, mine, theirs]) => {
    const edited = (edits: typeof mine) => {
      let { state } = openReview(cues, new Map());
      for (const edit of edits) {
        const { splices, cueId, kind } = edit(state);
        if (splices.length > 0) state = perform(state, { kind, splices, cueId });
      }
      return state;
    };
    return { base: cues, mine: edited(mine), theirs: edited(theirs).cues };
  });

describe('for any edits by two people', () => {
  test('the regions cover each version, in order', () => {
    fc.assert(
      fc.property(someVersions, ({ base, mine, theirs }) => {
        const versions = { base, mine: mine.cues, theirs };
        const regions = regionsOf(versions);
        for (const side of ['base', 'mine', 'theirs'] as const) {
          let at = 0;
          for (const region of regions) {
            expect(region[side].from).toBe(at);
            at = region[side].to;
          }
          expect(at).toBe(versions[side].length);
        }
      }),
    );
  });

  test('changes of one side only are used unchanged; the merge is symmetric', () => {
    fc.assert(
      fc.property(someVersions, ({ base, mine, theirs }) => {
        const only = { base, mine: base, theirs };
        expect(bare(mergedCues(regionsOf(only), only))).toEqual(bare(theirs));
        const versions = { base, mine: mine.cues, theirs };
        const turned = { base, mine: theirs, theirs: mine.cues };
        const [one, other] = [regionsOf(versions), regionsOf(turned)];
        const isOpen = (regions: typeof one) => regions.some(({ kind }) => kind === 'conflict');
        expect(isOpen(one)).toBe(isOpen(other));
        if (isOpen(one)) return;
        expect(bare(mergedCues(one, versions))).toEqual(bare(mergedCues(other, turned)));
      }),
    );
  });

  test("the splices turn one side's captions into the merge, without overlaps", () => {
    fc.assert(
      fc.property(someVersions, ({ base, mine, theirs }) => {
        const versions = { base, mine: mine.cues, theirs };
        const regions = regionsOf(versions);
        const { splices } = splicesFrom(regions, mine.cues, theirs, mine.nextId, ({ kind }) =>
          ['theirs', 'joined'].includes(kind),
        );
        const made = splices.reduce(applySplice, mine.cues);
        expect(bare(made)).toEqual(bare(mergedCues(regions, versions)));
        expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
        for (const [at, cue] of made.entries()) {
          expect(cue.end).toBeLessThanOrEqual(made[at + 1]?.start ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });
});

test('captions that both changed, and that would overlap once joined, are a conflict', () => {
  const base = [cue(0, 'one'), cue(2, 'two')];
  const [one, two] = base as [SharedCue, SharedCue];
  const mine = [
    { ...one, end: 1.9 },
    { ...two, lines: ['zwei'] },
  ];
  const theirs = [
    { ...one, lines: ['eins'] },
    { ...two, start: 1.5 },
  ];
  expect(regionsOf({ base, mine, theirs }).map(({ kind }) => kind)).toEqual(['conflict']);
});

test('versions become changes of the open captions, which keep their ids and places', () => {
  const base = [cue(0, 'one'), cue(2, 'two'), cue(4, 'three'), cue(6, 'four')];
  const placement = { vertical: 'top' } as const;
  const cues = base.map((each, at) => ({ ...each, id: at + 1, placement, speakers: ['Old'] }));
  const theirs = [cue(0, 'eins', 'Ann'), cue(1, 'neu'), ...base.slice(1, 3)];
  const versions = { base, mine: base, theirs };
  const regions = regionsOf(versions);
  const isTheirs = ({ kind }: { kind: string }) => kind === 'theirs';
  const { splices, taken } = splicesFrom(regions, cues, theirs, 20, isTheirs);
  const first = { id: 1, start: 0, end: 1, lines: ['eins'], placement, speakers: ['Ann'] };
  expect(splices.map(({ at, removed, inserted }) => [at, removed.length, inserted])).toEqual([
    [0, 1, [first]],
    [1, 0, [{ id: 20, start: 1, end: 2, lines: ['neu'] }]],
    [4, 1, []],
  ]);
  expect(splices[2]!.removed[0]!.id).toBe(4);
  expect(taken.map(({ before, after }) => `${before.length} ${after.length}`)).toEqual([
    '1 1',
    '0 1',
    '1 0',
  ]);
  const none = splicesFrom(regions, cues, theirs, 20, () => false);
  expect(none).toEqual({ splices: [], taken: [] });
  const isTaken = (time: number) => isTakenAt(regions, versions, isTheirs, time);
  expect([0, 1, 2, 2.01, 4].map(isTaken)).toEqual([true, true, true, false, false]);
});
