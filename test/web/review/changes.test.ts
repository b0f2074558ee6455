/** Changes of captions: merged into one step, compared by rules, and joined with those of others. */
import { describe, expect, test } from 'bun:test';
import { profileOf } from '../../../server/captions/profiles/profiles.ts';
import type { SharedCue } from '../../../web/review/model/align-cues.ts';
import { hunksBetween } from '../../../web/review/model/align-cues.ts';
import type { Change } from '../../../web/review/model/change.ts';
import { compare } from '../../../web/review/model/compare.ts';
import { sameCue, sameInAll, reviewCues } from '../../../web/review/model/cue.ts';
import { extendForReading } from '../../../web/review/model/extend.ts';
import { fixFor } from '../../../web/review/model/fix.ts';
import { mergeChanges } from '../../../web/review/model/merge-changes.ts';
import { decisionsFrom, isTakenAt, splicesFrom } from '../../../web/review/model/merge-into.ts';
import { mergedCues, regionsOf, seenCues } from '../../../web/review/model/merge-reviews.ts';
import { ProfileChecker } from '../../../web/review/model/profile-violations.ts';
import { toggleItalics } from '../../../web/review/model/edit-text.ts';
import { at, cuesOf, rules, settings } from './support.ts';

describe('two changes are one step', () => {
  const [one] = cuesOf('One');
  const typed = (before: string, after: string, more: Partial<Change> = {}): Change => ({
    kind: 'text',
    group: 'typing 1',
    cueId: 1,
    splices: [
      { at: 0, removed: [{ ...one!, lines: [before] }], inserted: [{ ...one!, lines: [after] }] },
    ],
    ...more,
  });
  test('if the second goes on from the first, in the same caption and group', () => {
    expect(mergeChanges(typed('O', 'On'), typed('On', 'One'))).toEqual(typed('O', 'One'));
  });

  test.each<[string, Partial<Change>, Partial<Change>]>([
    ['of another group', {}, { group: 'typing 2' }],
    ['in another caption', {}, { cueId: 2 }],
    ['of no caption', { cueId: null }, { cueId: null }],
    ['with decisions first', { decisions: [{ id: 'a', before: 'open', after: 'accepted' }] }, {}],
    ['with decisions then', {}, { decisions: [{ id: 'a', before: 'open', after: 'accepted' }] }],
    [
      'of several splices',
      {},
      { splices: [...typed('On', 'One').splices, ...typed('One', 'x').splices] },
    ],
    ['of none', { splices: [] }, {}],
    ['at another place', {}, { splices: [{ ...typed('On', 'One').splices[0]!, at: 1 }] }],
    ['of other words', {}, { splices: typed('Oh', 'One').splices }],
    [
      'of another id',
      {},
      { splices: [{ at: 0, removed: [{ ...one!, id: 2, lines: ['On'] }], inserted: [one!] }] },
    ],
    [
      'of more captions',
      {},
      {
        splices: [{ at: 0, removed: [{ ...one!, lines: ['On'] }, at(2, 3, 5)], inserted: [one!] }],
      },
    ],
  ])('not %s', (_what, first, second) => {
    expect(mergeChanges(typed('O', 'On', first), typed('On', 'One', second))).toBeNull();
  });

  test('not without a group', () => {
    const { group: _, ...first } = typed('O', 'On');
    const { group: __, ...second } = typed('On', 'One');
    expect(mergeChanges(first, second)).toBeNull();
  });

  test('even with decisions that are none', () => {
    expect(
      mergeChanges(typed('O', 'On', { decisions: [] }), typed('On', 'One', { decisions: [] }))
        ?.splices,
    ).toHaveLength(1);
  });
});

test('captions are the same by times and lines, or in everything', () => {
  const cue = at(1, 0, 2, 'a\nb');
  expect([sameCue(cue, { ...cue }), sameCue(cue, { ...cue, lines: ['a', 'b'] })]).toEqual([
    true,
    true,
  ]);
  for (const other of [{ start: 0.001 }, { end: 2.001 }, { lines: ['a'] }, { lines: ['a', 'c'] }]) {
    expect(sameCue(cue, { ...cue, ...other })).toBe(false);
  }
  expect(sameCue(at(1, 0, 2, 'a'), cue)).toBe(false);
  const placed = {
    ...cue,
    speakers: ['Ann'],
    placement: { vertical: 'top', align: 'start' } as const,
  };
  expect(sameInAll(placed, structuredClone(placed))).toBe(true);
  expect(sameInAll(placed, { ...placed, speakers: ['Ben'] })).toBe(false);
  expect(sameInAll(placed, { ...placed, placement: { vertical: 'top' } })).toBe(false);
  expect(sameInAll(placed, { ...placed, placement: { align: 'start' } })).toBe(false);
  expect(sameInAll(cue, { ...cue, speakers: [] })).toBe(true);
  expect(sameInAll(cue, placed)).toBe(false);
});

test('a review begins with whole milliseconds, and with the speakers and places of a file', () => {
  const made = {
    index: 9,
    start: 0.12345,
    end: 1.99951,
    lines: ['a'],
    speakers: ['Ann'],
    placement: { align: 'end' as const },
  };
  expect(
    reviewCues([made, { ...made, speakers: undefined, placement: undefined }] as never),
  ).toEqual([
    { id: 1, start: 0.123, end: 2, lines: ['a'], speakers: ['Ann'], placement: { align: 'end' } },
    { id: 2, start: 0.123, end: 2, lines: ['a'] },
  ]);
});

describe('the comparison with the original', () => {
  const cues = cuesOf('One', 'Two', 'Three');
  const told = (now: typeof cues) =>
    compare(cues, now).map(({ original, now: after, parts, timesChanged }) => [
      original.map(({ id }) => id),
      after.map(({ id }) => id),
      parts.map(({ kind, text }) => `${kind} ${text}`),
      timesChanged,
    ]);
  test('tells words, times, and captions that came or went', () => {
    expect(told(cues)).toEqual([]);
    expect(told([cues[0]!, { ...cues[1]!, lines: ['Deux'] }, cues[2]!])).toEqual([
      [[2], [2], ['removed Two', 'added Deux'], false],
    ]);
    expect(told([cues[0]!, { ...cues[1]!, end: 5.5 }, cues[2]!])).toEqual([
      [[2], [2], ['same Two'], true],
    ]);
    expect(told([cues[0]!, { ...cues[1]!, start: 2.5 }, cues[2]!])[0]![3]).toBe(true);
    expect(told([cues[0]!, cues[2]!])).toEqual([[[2], [], ['removed Two'], false]]);
    expect(told([cues[0]!, at(9, 2, 3, 'New'), cues[1]!, cues[2]!])).toEqual([
      [[], [9], ['added New'], false],
    ]);
    expect(told([at(9, 0, 1, 'New'), ...cues.slice(1)])).toEqual([
      [[1], [9], ['removed One', 'added New'], true],
    ]);
    // Neighbours of which only the times changed are told one by one.
    const later = cues.map((cue) => ({ ...cue, end: cue.end + 0.1 }));
    expect(compare(cues, later)).toHaveLength(3);
    expect(compare([], [])).toEqual([]);
    expect(compare([], cues.slice(0, 1))).toHaveLength(1);
  });

  test('takes words that went on to the next caption as moved', () => {
    const before = cuesOf('We shipped an', 'MCP server.', 'Bye.');
    const now = [
      { ...before[0]!, lines: ['We shipped'] },
      { ...before[1]!, lines: ['an MCP server.'] },
      before[2]!,
    ];
    expect(compare(before, now).map(({ parts }) => parts.map(({ kind }) => kind))).toEqual([
      ['same'],
    ]);
    // Neighbours that changed for themselves stay apart.
    const apart = [
      { ...before[0]!, lines: ['They shipped an'] },
      { ...before[1]!, lines: ['MCP client.'] },
      before[2]!,
    ];
    expect(compare(before, apart)).toHaveLength(2);
    const split = [
      { ...before[0]!, end: 1, lines: ['We'] },
      at(9, 1, 2, 'shipped an'),
      before[1]!,
      before[2]!,
    ];
    expect(
      compare(before, split).map(({ now: after, timesChanged }) => [after.length, timesChanged]),
    ).toEqual([[2, false]]);
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
  test('of one caption are joined where they changed different things of it', () => {
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
    // What overlaps in one version is as somebody wanted it.
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

  test('have seen what was settled, and what was not as before', () => {
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

test('decisions of others count where one’s own is unchanged, or their text won', () => {
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
  test('of a caption that lasts into a silence by ending it', () => {
    const heard = [{ text: 'Hello', start: 0, end: 0.5 }];
    expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')], 0, heard)).toEqual([
      [0, 6, 'Hello'],
    ]);
    // Nobody knows how long it takes to say, but there is nothing to divide.
    expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')])).toEqual([[0, 6, 'Hello']]);
    expect(fixed('duration_above_maximum', [at(1, 0, 6, 'Hello')])).toBeNull();
    expect(fixed('duration_above_maximum', [])).toBeNull();
    const late = [{ text: 'Hello', start: 0, end: 7 }];
    expect(fixed('duration_above_maximum', [at(1, 0, 9, 'Hello')], 0, late)).toEqual([
      [0, 6, 'Hello'],
    ]);
  });

  test('of one that is too short or too fast by showing it longer, if that is better', () => {
    expect(fixed('duration_below_minimum', [at(1, 0, 0.5, 'Hi.')])).toEqual([[0, 0.8, 'Hi.']]);
    expect(fixed('reading_speed_high', [at(1, 0, 0.5, 'Hi.'), at(2, 0.5, 2)])).toBeNull();
    expect(fixed('duration_below_minimum', [], 0)).toBeNull();
  });

  test('of lines that break badly only if they break better then', () => {
    expect(
      fixed('dangling_line_break', [
        at(1, 0, 3, 'We went to the\nhouse and had a look at the garden.'),
      ]),
    ).toEqual([[0, 3, 'We went to the house|and had a look at the garden.']]);
    expect(fixed('dangling_line_break', [at(1, 0, 3, 'Fine.')])).toBeNull();
  });

  test('of text for more than two lines by dividing it', () => {
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
  });
});

describe('the check by a profile', () => {
  const profile = profileOf('netflix', 'en');
  const fast = 'So many words that nobody could ever read them all.';
  test('says where each violation is, and how it is mended, counted from the first caption', () => {
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
    expect(checker.violationsAt(cues, 9)).toEqual([]);
  });

  test('checks a caption again only where one of the two before or after it has changed', () => {
    const checker = new ProfileChecker(profile, { shots: [] });
    const cues = cuesOf('1', '2', '3', '4', '5', '6', '7');
    let looked = 0;
    const isLate = () => {
      looked += 1;
      return false;
    };
    checker.check(cues, isLate);
    expect(looked).toBe(7);
    checker.check(cues, isLate);
    expect(looked).toBe(7);
    checker.check(cues.with(3, { ...cues[3]!, lines: ['x'] }), isLate);
    expect(looked).toBe(7 + 5);
  });
});

test('italics are put around words, and taken back where they are', () => {
  const toggled = (text: string, from: number, to: number) => {
    const made = toggleItalics([at(1, 0, 2, text)], 0, from, to);
    return made && [made.splice.inserted[0]!.lines.join('|'), made.from, made.to];
  };
  expect(toggled('one two three', 4, 7)).toEqual(['one <i>two</i> three', 7, 10]);
  expect(toggled('one <i>two</i> three', 7, 10)).toEqual(['one two three', 4, 7]);
  expect(toggled('one <i>two</i> three', 4, 14)).toEqual(['one two three', 4, 7]);
  expect(toggled('one <i>two three', 7, 10)).toEqual(['one <i><i>two</i> three', 10, 13]);
  expect(toggled('one two</i> three', 4, 7)).toEqual(['one <i>two</i></i> three', 7, 10]);
  expect(toggled('one <i>two</i> three', 0, 20)).toEqual(['<i>one two three</i>', 3, 16]);
  expect([toggled('one', 1, 1), toggled('one  two', 3, 5), toggleItalics([], 0, 0, 1)]).toEqual([
    null,
    null,
    null,
  ]);
});
