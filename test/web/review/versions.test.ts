/** Two versions of the same captions: their differences, and their merge. */
import { describe, expect, test } from 'bun:test';
import { hunksBetween, type SharedCue } from '../../../web/review/model/align-cues.ts';
import {
  decisionsFrom,
  isTakenAt,
  mergedCues,
  regionsOf,
  seenCues,
  splicesFrom,
} from '../../../web/review/model/merge-reviews.ts';

describe('two versions', () => {
  const cue = (start: number, text: string, speaker?: string): SharedCue => ({
    start,
    end: start + 1,
    lines: [text],
    ...(speaker === undefined ? {} : { speaker }),
  });
  const base = [cue(0, 'one'), cue(2, 'two'), cue(4, 'three'), cue(6, 'four')];
  const ranges = (other: readonly SharedCue[], of = base) =>
    hunksBetween(of, other).map(({ base: a, other: b }) => `${a.from}-${a.to} ${b.from}-${b.to}`);
  test('differ caption by caption', () => {
    expect([ranges(base), ranges([], []), ranges(base, [])]).toEqual([[], [], ['0-0 0-4']]);
    expect(ranges([])).toEqual(['0-4 0-0']);
    expect(ranges(base.with(1, cue(2, 'zwei')))).toEqual(['1-2 1-2']);
    expect(ranges(base.with(1, cue(2.1, 'two')))).toEqual(['1-2 1-2']);
    expect(ranges(base.with(1, cue(2, 'two', 'Ann')))).toEqual(['1-2 1-2']);
    expect(ranges(base.toSpliced(1, 1))).toEqual(['1-2 1-1']);
    expect(ranges(base.toSpliced(1, 0, cue(1, 'new')))).toEqual(['1-1 1-2']);
    expect(ranges([cue(0, 'eins'), cue(2, 'zwei'), ...base.slice(2)])).toEqual([
      '0-1 0-1',
      '1-2 1-2',
    ]);
    expect(
      ranges([
        cue(0.1, 'one'),
        cue(2.1, 'two'),
        cue(3, 'new'),
        cue(4.1, 'three'),
        cue(6.1, 'four'),
      ]),
    ).toEqual(['0-1 0-1', '1-2 1-2', '2-2 2-3', '2-3 3-4', '3-4 4-5']);
  });

  const kinds = (mine: readonly SharedCue[], theirs: readonly SharedCue[]) =>
    regionsOf({ base, mine, theirs })
      .map(({ kind }) => kind)
      .join(' ');
  test('of one caption are combined if they changed different things in it', () => {
    const mine = base.with(1, { ...base[1]!, lines: ['zwei'] });
    const theirs = base.with(1, { ...base[1]!, end: 3.5, speaker: 'Ann' });
    const regions = regionsOf({ base, mine, theirs });
    expect(regions.map(({ joined }) => joined)).toEqual([
      undefined,
      { start: 2, end: 3.5, lines: ['zwei'], speaker: 'Ann' },
      undefined,
    ]);
    expect(mergedCues(regions, { base, mine, theirs })[1]).toEqual({
      start: 2,
      end: 3.5,
      lines: ['zwei'],
      speaker: 'Ann',
    });
    expect(kinds(mine, base.with(1, cue(2, 'deux')))).toBe('same conflict same');
    // Together they would be shown for no time.
    const late = base.with(1, { ...base[1]!, start: 2.9 });
    const early = base.with(1, { ...base[1]!, end: 2.5 });
    expect(kinds(late, early)).toBe('same conflict same');
    expect(kinds(base.with(1, cue(2, 'two', 'Ann')), base.with(1, cue(2, 'two', 'Ben')))).toBe(
      'same conflict same',
    );
    expect(kinds(mine, mine)).toBe('same both same');
  });

  test('that would overlap are decided together, and not where they only touch', () => {
    const mine = base.with(1, { ...base[1]!, end: 3.9 });
    const theirs = (start: number) => base.with(2, { ...base[2]!, start });
    expect(kinds(mine, theirs(3.9))).toBe('same mine theirs same');
    expect(kinds(mine, theirs(3.8))).toBe('same conflict same');
    expect(kinds(theirs(3.8), mine)).toBe('same conflict same');
    // An overlap within one version is intended.
    const own = base.with(1, { ...base[1]!, end: 4.5 });
    expect(kinds(own, base.with(3, cue(6, 'vier')))).toBe('same mine same theirs');
  });

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

  test('count as seen where they were merged, and as unseen where there is a conflict', () => {
    const mine = base.with(1, cue(2, 'zwei')).with(3, cue(6, 'vier'));
    const theirs = base.with(1, cue(2, 'deux')).with(2, cue(4, 'trois'));
    const versions = { base, mine, theirs };
    const regions = regionsOf(versions);
    expect(seenCues(regions, versions).map(({ lines }) => lines[0])).toEqual([
      'one',
      'two',
      'trois',
      'four',
    ]);
    expect(mergedCues(regions, versions).map(({ lines }) => lines[0])).toEqual([
      'one',
      'zwei',
      'trois',
      'vier',
    ]);
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
    const regions = regionsOf({ base, mine: base, theirs });
    const { splices, taken } = splicesFrom(
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
    expect(splicesFrom(regions, cues, theirs, 20, () => false)).toEqual({ splices: [], taken: [] });
    const isTheirs = ({ kind }: { kind: string }) => kind === 'theirs';
    const versions = { base, mine: base, theirs };
    expect([0, 1, 2, 2.01, 4].map((time) => isTakenAt(regions, versions, isTheirs, time))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

test('decisions of others count if the own one is unchanged, or their text was chosen', () => {
  const decided = (base: string, mine: string, theirs: string, wins = false) =>
    decisionsFrom(
      {
        base: new Map([['a', base]]),
        mine: new Map([['a', mine]]),
        theirs: new Map([['a', theirs]]),
      } as never,
      () => wins,
    ).map(({ before, after }) => `${before} > ${after}`);
  expect(decided('open', 'open', 'accepted')).toEqual(['open > accepted']);
  expect(decided('open', 'rejected', 'accepted')).toEqual([]);
  expect(decided('open', 'rejected', 'accepted', true)).toEqual(['rejected > accepted']);
  expect(decided('open', 'rejected', 'open', true)).toEqual([]);
  expect(decided('open', 'accepted', 'accepted', true)).toEqual([]);
});
