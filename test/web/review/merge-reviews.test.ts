/** Merging two people's captions: nothing is lost, and only conflicts need a decision. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hunksBetween, type SharedCue } from '../../../web/review/model/align-cues.ts';
import {
  mergedCues,
  type Region,
  regionsOf,
  seenCues,
  splicesFrom,
} from '../../../web/review/model/merge-reviews.ts';
import { openReview, perform } from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { cuesOf, someCues, someEdit } from './support.ts';

const bare = (cues: readonly SharedCue[]): SharedCue[] =>
  cues.map(({ start, end, lines }) => ({ start, end, lines }));
const texts = (cues: readonly SharedCue[]): string[] => cues.map(({ lines }) => lines.join('\n'));
const kinds = (regions: readonly Region[]): string => regions.map(({ kind }) => kind).join(' ');
/** The captions with a different text at a position. */
const typed = (cues: readonly ReviewCue[], at: number, text: string): ReviewCue[] =>
  cues.map((cue, index) => (index === at ? { ...cue, lines: text.split('\n') } : cue));
/** The captions, with the one at a position joined to the one after it; the joined one begins later. */
const joinedAt = (cues: readonly ReviewCue[], at: number): ReviewCue[] => {
  const [one, other] = [cues[at]!, cues[at + 1]!];
  const lines = [...one.lines, ...other.lines];
  return cues.toSpliced(at, 2, { ...one, start: one.start + 0.1, end: other.end, lines });
};

const base = cuesOf('one', 'two', 'three', 'four', 'five');

describe('captions of two people', () => {
  test('changes by either person count', () => {
    const versions = { base, mine: typed(base, 0, 'ONE'), theirs: typed(base, 3, 'FOUR') };
    const regions = regionsOf(versions);
    expect(kinds(regions)).toBe('mine same theirs same');
    expect(texts(mergedCues(regions, versions))).toEqual(['ONE', 'two', 'three', 'FOUR', 'five']);
  });

  test('changes to neighbouring captions are no conflict', () => {
    const versions = { base, mine: typed(base, 1, 'TWO'), theirs: typed(base, 2, 'THREE') };
    expect(kinds(regionsOf(versions))).toBe('same mine theirs same');
  });

  test('a caption changed to different texts is a conflict, that one only', () => {
    const mine = typed(typed(base, 1, 'TWO'), 2, 'THREE');
    const theirs = typed(typed(base, 2, 'drei'), 3, 'vier');
    const versions = { base, mine, theirs };
    const regions = regionsOf(versions);
    expect(kinds(regions)).toBe('same mine conflict theirs same');
    expect(texts(mergedCues(regions, versions))).toEqual(['one', 'TWO', 'THREE', 'vier', 'five']);
    // Unresolved conflicts do not count as seen.
    expect(texts(seenCues(regions, versions))).toEqual(['one', 'two', 'three', 'vier', 'five']);
  });

  test('identical changes count once', () => {
    const mine = typed(base, 1, 'TWO');
    expect(kinds(regionsOf({ base, mine, theirs: typed(base, 1, 'TWO') }))).toBe('same both same');
  });

  test('a time that both set alike goes with the text of one', () => {
    const ended = base.map((cue, at) => (at === 2 ? { ...cue, end: cue.end - 0.5 } : cue));
    const versions = { base, mine: typed(ended, 2, 'drei'), theirs: ended };
    const [, joined] = regionsOf(versions);
    expect([joined?.kind, joined?.joined?.lines, joined?.joined?.end]).toEqual([
      'joined',
      ['drei'],
      base[2]!.end - 0.5,
    ]);
  });

  test('times that would leave nothing of a caption are a conflict', () => {
    const at = (change: Partial<ReviewCue>) =>
      base.map((cue, index) => (index === 2 ? { ...cue, ...change } : cue));
    const { start, end } = base[2]!;
    const middle = (start + end) / 2;
    const versions = { base, mine: at({ start: middle }), theirs: at({ end: middle }) };
    expect(kinds(regionsOf(versions))).toBe('same conflict same');
  });

  test('text from one and times from the other are combined in one caption', () => {
    const theirs = base.map((cue, at) => (at === 2 ? { ...cue, end: cue.end - 0.5 } : cue));
    const versions = { base, mine: typed(base, 2, 'drei'), theirs };
    const regions = regionsOf(versions);
    expect(kinds(regions)).toBe('same joined same');
    expect(mergedCues(regions, versions)[2]).toEqual({ start: 6, end: 7.5, lines: ['drei'] });
  });

  test('captions that would overlap are one conflict', () => {
    const mine = base.map((cue, at) => (at === 1 ? { ...cue, end: 6 } : cue));
    const theirs = base.map((cue, at) => (at === 2 ? { ...cue, start: 5.5 } : cue));
    const regions = regionsOf({ base, mine, theirs });
    expect(kinds(regions)).toBe('same conflict same');
    expect(regions[1]?.base).toEqual({ from: 1, to: 3 });
  });

  test('captions that one person made overlap are no conflict', () => {
    const mine = typed(base, 1, 'TWO').with(0, { ...base[0]!, end: 4 });
    const regions = regionsOf({ base, mine, theirs: typed(base, 4, 'FIVE') });
    expect(kinds(regions)).toBe('mine mine same theirs');
  });

  test('captions that one person made overlap unchanged ones are no conflict', () => {
    const ended = base.with(1, { ...base[1]!, end: 7 });
    expect(kinds(regionsOf({ base, mine: ended, theirs: base }))).toBe('same mine same');
    const begun = base.with(1, { ...base[1]!, start: 1 });
    expect(kinds(regionsOf({ base, mine: base, theirs: begun }))).toBe('same theirs same');
  });

  test('a caption with the changes of both that would overlap the next is in conflict with it', () => {
    const mine = typed(typed(base, 2, 'drei'), 3, 'vier');
    const theirs = base.with(2, { ...base[2]!, end: 9.5 });
    expect(kinds(regionsOf({ base, mine, theirs }))).toBe('same conflict same');
  });

  test('a conflict that would overlap the caption before takes it in', () => {
    const [one, two, three] = base as [ReviewCue, ReviewCue, ReviewCue];
    const moved = { ...two, start: 3.6, end: 6 };
    const mine = [{ ...one, end: 3.5 }, moved, ...base.slice(2)];
    const theirs = base.with(2, { ...three, start: 5.5 });
    const regions = regionsOf({ base, mine, theirs });
    expect([kinds(regions), regions[0]?.base]).toEqual(['conflict same', { from: 0, to: 3 }]);
  });

  test('a caption inserted before one changed by the other is no conflict', () => {
    const added = { id: 9, start: 5.2, end: 5.8, lines: ['and'] };
    const mine = [...base.slice(0, 2), added, ...base.slice(2)];
    const versions = { base, mine, theirs: typed(base, 2, 'THREE') };
    expect(kinds(regionsOf(versions))).toBe('same mine theirs same');
    expect(texts(mergedCues(regionsOf(versions), versions))).toEqual([
      'one',
      'two',
      'and',
      'THREE',
      'four',
      'five',
    ]);
  });

  test('captions that both joined, each with another one, are one conflict', () => {
    const [mine, theirs] = [joinedAt(base, 1), joinedAt(base, 2)];
    const regions = regionsOf({ base, mine, theirs });
    expect(kinds(regions)).toBe('same conflict same');
    expect(regions[1]).toMatchObject({
      base: { from: 1, to: 4 },
      mine: { from: 1, to: 3 },
      theirs: { from: 1, to: 3 },
    });
  });

  test('a caption deleted by one and changed by the other is a conflict', () => {
    const mine = base.filter((_, at) => at !== 2);
    expect(kinds(regionsOf({ base, mine, theirs: typed(base, 2, 'drei') }))).toBe(
      'same conflict same',
    );
  });

  test('all captions moved by one and some texts changed by the other are combined', () => {
    const moved = base.map((cue) => ({ ...cue, start: cue.start + 0.5, end: cue.end + 0.5 }));
    const versions = { base, mine: moved, theirs: typed(base, 2, 'drei') };
    const regions = regionsOf(versions);
    expect(kinds(regions)).toBe('mine mine joined mine mine');
    expect(mergedCues(regions, versions)[2]).toEqual({ start: 6.5, end: 8.5, lines: ['drei'] });
  });

  test('long captions that were all moved and partly deleted are paired by their words', () => {
    const long = cuesOf(...Array.from({ length: 900 }, (_, at) => `line ${at}`));
    const other = long
      .map((cue) => ({ ...cue, start: cue.start + 0.25, end: cue.end + 0.25 }))
      .filter((_, at) => at % 300 !== 7);
    const hunks = hunksBetween(long, other);
    expect(hunks.length).toBe(900);
    expect(hunks.filter((hunk) => hunk.other.from === hunk.other.to).length).toBe(3);
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
        const isOpen = (regions: Region[]) => regions.some(({ kind }) => kind === 'conflict');
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
