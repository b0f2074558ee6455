/** The edits of two people to one review are merged, and only what both changed is a conflict. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { SharedCue, ReviewCue } from '../../../web/review/model/cue.ts';
import { type Region, threeWay } from '../../../web/review/model/merge-reviews.ts';
import { openReview, perform } from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { sharedSpeakers } from '../../../web/review/model/cue-speakers.ts';
import { cuesOf, someCues, someEdit } from './support.ts';

const bare = (cues: readonly SharedCue[]): SharedCue[] =>
  cues.map(({ start, end, lines }) => ({ start, end, lines }));

const texts = (cues: readonly SharedCue[]): string[] => cues.map(({ lines }) => lines.join('\n'));

const kinds = (regions: readonly Region[]): string => regions.map(({ kind }) => kind).join(' ');

/** The captions with a different text at a position. */
const typed = (cues: readonly ReviewCue[], at: number, text: string): ReviewCue[] =>
  cues.map((cue, index) => (index === at ? { ...cue, lines: text.split('\n') } : cue));

const base = cuesOf('one', 'two', 'three', 'four', 'five');

describe('captions of two people', () => {
  test('changes by either person count', () => {
    const versions = { base, mine: typed(base, 0, 'ONE'), theirs: typed(base, 3, 'FOUR') };
    const regions = threeWay.regionsOf(versions);
    expect(kinds(regions)).toBe('mine same theirs same');
    expect(texts(threeWay.mergedCues(regions, versions))).toEqual([
      'ONE',
      'two',
      'three',
      'FOUR',
      'five',
    ]);
  });

  test('text from one and times from the other are combined in one caption', () => {
    const theirs = base.map((cue, at) => (at === 2 ? { ...cue, end: cue.end - 0.5 } : cue));
    const versions = { base, mine: typed(base, 2, 'drei'), theirs };
    const regions = threeWay.regionsOf(versions);
    expect(kinds(regions)).toBe('same joined same');
    expect(threeWay.mergedCues(regions, versions)[2]).toEqual({
      start: 6,
      end: 7.5,
      lines: ['drei'],
    });
    // Also if both have set that time alike, or one of them has named the speaker.
    const alike = { base, mine: typed(theirs, 2, 'drei'), theirs };
    expect(threeWay.regionsOf(alike)[1]).toMatchObject({
      kind: 'joined',
      joined: { end: 7.5, lines: ['drei'] },
    });
    const spoken = base.with(2, { ...base[2]!, speakers: ['Ann'] }).map(sharedSpeakers.cue);
    expect(
      threeWay.regionsOf({ base, mine: typed(base, 2, 'drei'), theirs: spoken })[1],
    ).toMatchObject({
      joined: { lines: ['drei'], speaker: 'Ann' },
    });
  });

  test('times that would leave nothing of a caption are a conflict, as are two speakers', () => {
    const [{ start, end }, middle] = [base[2]!, (base[2]!.start + base[2]!.end) / 2];
    const of = (change: Partial<SharedCue>): SharedCue[] =>
      bare(base).map((cue, at) => (at === 2 ? { ...cue, ...change } : cue));
    for (const [mine, theirs] of [
      [{ start: middle }, { end: middle }],
      [{ start: end - 0.1 }, { end: start + 0.5 }],
      [{ speaker: 'Ann' }, { speaker: 'Ben' }],
    ] as const)
      expect(kinds(threeWay.regionsOf({ base, mine: of(mine), theirs: of(theirs) }))).toBe(
        'same conflict same',
      );
  });

  test('captions that would overlap are one conflict', () => {
    const mine = base.map((cue, at) => (at === 1 ? { ...cue, end: 6 } : cue));
    const theirs = base.map((cue, at) => (at === 2 ? { ...cue, start: 5.5 } : cue));
    const regions = threeWay.regionsOf({ base, mine, theirs });
    expect(kinds(regions)).toBe('same conflict same');
    expect(regions[1]?.base).toEqual({ from: 1, to: 3 });
    // It takes in the caption before.
    const [one, two, three] = base as [ReviewCue, ReviewCue, ReviewCue];
    const earlier = [{ ...one, end: 3.5 }, { ...two, start: 3.6, end: 6 }, ...base.slice(2)];
    const moved = base.with(2, { ...three, start: 5.5 });
    const [first, ...rest] = threeWay.regionsOf({ base, mine: earlier, theirs: moved });
    expect([first?.kind, first?.base, kinds(rest)]).toEqual([
      'conflict',
      { from: 0, to: 3 },
      'same',
    ]);
  });

  test('captions that would overlap are a conflict, also if one between them was deleted', () => {
    const of = (start: number, end: number): SharedCue => ({ start, end, lines: ['They'] });
    const before = [of(0, 1), of(1, 2), of(2, 3), of(503, 504)];
    const joined = { ...of(0, 2), lines: ['They They'] };
    const regions = threeWay.regionsOf({
      base: before,
      mine: [joined, of(2, 419), before[3]!],
      theirs: before.with(3, of(87, 504)),
    });
    expect(regions.at(-1)?.kind).toBe('conflict');
  });

  test('a caption with the changes of both that would overlap the next is in conflict with it', () => {
    const mine = typed(typed(base, 2, 'drei'), 3, 'vier');
    const theirs = base.with(2, { ...base[2]!, end: 9.5 });
    expect(kinds(threeWay.regionsOf({ base, mine, theirs }))).toBe('same conflict same');
  });

  test('a caption deleted by one and changed by the other is a conflict', () => {
    const mine = base.filter((_, at) => at !== 2);
    expect(kinds(threeWay.regionsOf({ base, mine, theirs: typed(base, 2, 'drei') }))).toBe(
      'same conflict same',
    );
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
        const regions = threeWay.regionsOf(versions);
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
        expect(bare(threeWay.mergedCues(threeWay.regionsOf(only), only))).toEqual(bare(theirs));
        const versions = { base, mine: mine.cues, theirs };
        const turned = { base, mine: theirs, theirs: mine.cues };
        const [one, other] = [threeWay.regionsOf(versions), threeWay.regionsOf(turned)];
        const isOpen = (regions: Region[]) => regions.some(({ kind }) => kind === 'conflict');
        expect(isOpen(one)).toBe(isOpen(other));
        if (isOpen(one)) return;
        expect(bare(threeWay.mergedCues(one, versions))).toEqual(
          bare(threeWay.mergedCues(other, turned)),
        );
      }),
    );
  });

  test("the splices turn one side's captions into the merge, without overlaps", () => {
    fc.assert(
      fc.property(someVersions, ({ base, mine, theirs }) => {
        const versions = { base, mine: mine.cues, theirs };
        const regions = threeWay.regionsOf(versions);
        const { splices } = threeWay.splicesFrom(
          regions,
          mine.cues,
          theirs,
          mine.nextId,
          ({ kind }) => ['theirs', 'joined'].includes(kind),
        );
        const made = splices.reduce(applySplice, mine.cues);
        expect(bare(made)).toEqual(bare(threeWay.mergedCues(regions, versions)));
        expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
        for (const [at, cue] of made.entries()) {
          expect(cue.end).toBeLessThanOrEqual(made[at + 1]?.start ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });
});

describe('two versions', () => {
  const cue = (start: number, text: string, speaker?: string): SharedCue => ({
    start,
    end: start + 1,
    lines: [text],
    ...(speaker === undefined ? {} : { speaker }),
  });
  const base = [cue(0, 'one'), cue(2, 'two'), cue(4, 'three'), cue(6, 'four')];

  const kinds = (mine: readonly SharedCue[], theirs: readonly SharedCue[]) =>
    threeWay
      .regionsOf({ base, mine, theirs })
      .map(({ kind }) => kind)
      .join(' ');

  test('of which one put a caption before another that the other changed are both kept', () => {
    const mine = base.toSpliced(1, 0, cue(1, 'new'));
    const theirs = base.with(1, cue(2, 'zwei'));
    expect([kinds(mine, theirs), kinds(theirs, mine)]).toEqual([
      'same mine theirs same',
      'same theirs mine same',
    ]);
    expect(kinds(mine, base.toSpliced(1, 0, cue(1, 'neu')))).toBe('same conflict same');
    const merged = base.toSpliced(1, 2, cue(2.5, 'all'));
    expect(kinds(merged, base.with(2, cue(4, 'drei')))).toBe('same conflict same');
    expect(kinds(base.with(2, cue(4, 'drei')), merged)).toBe('same conflict same');
    expect(kinds(merged, base.with(1, cue(2, 'zwei')))).toBe('same conflict same');
    // Each of them reaches into the next.
    const chain = [base[0]!, cue(2.5, 'all'), cue(6, 'vier')];
    expect(kinds(chain, base.toSpliced(2, 2, cue(4.5, 'alles')))).toBe('same conflict');
  });

  test('become changes of the open captions, which keep their ids and places', () => {
    const top = { vertical: 'top' as const };
    const cues = base.map(({ start, end, lines }, index) => ({
      id: index + 1,
      start,
      end,
      lines,
      placement: top,
      speakers: ['Old'],
    }));
    const theirs = [cue(0, 'eins', 'Ann'), cue(1, 'neu'), ...base.slice(1, 3)];
    const regions = threeWay.regionsOf({ base, mine: base, theirs });
    const { splices, taken } = threeWay.splicesFrom(
      regions,
      cues,
      theirs,
      20,
      ({ kind }) => kind === 'theirs',
    );
    expect(
      splices.map((each) => [each.at, each.removed.map(({ id }) => id), each.inserted]),
    ).toEqual([
      [0, [1], [{ id: 1, start: 0, end: 1, lines: ['eins'], placement: top, speakers: ['Ann'] }]],
      [1, [], [{ id: 20, start: 1, end: 2, lines: ['neu'] }]],
      [4, [4], []],
    ]);
    expect(taken.map(({ before, after }) => [before.length, after.length])).toEqual([
      [1, 1],
      [0, 1],
      [1, 0],
    ]);
    expect(threeWay.splicesFrom(regions, cues, theirs, 20, () => false)).toEqual({
      splices: [],
      taken: [],
    });
    const isTheirs = ({ kind }: { kind: string }) => kind === 'theirs';
    const versions = { base, mine: base, theirs };
    expect(
      [0, 1, 2, 2.01, 4].map((time) => threeWay.isTakenAt(regions, versions, isTheirs, time)),
    ).toEqual([true, true, true, false, false]);
  });
});
