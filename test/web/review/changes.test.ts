/** Changes of captions: merging them into one step, and comparing captions with the original. */
import { describe, expect, test } from 'bun:test';
import { type Change, mergeChanges } from '../../../web/review/model/history.ts';
import { compare } from '../../../web/review/model/compare.ts';
import { reviewCues, sameCue, sameInAll } from '../../../web/review/model/cue.ts';
import { toggleItalics } from '../../../web/review/model/edit-text.ts';
import { at, cuesOf } from './support.ts';

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
  test('if the second continues the first, in the same caption and group', () => {
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

  test('even with empty decisions', () => {
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
  test('distinguishes changed words, changed times, and captions that were added or removed', () => {
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
    // Neighbours whose times alone changed are listed one by one.
    const later = cues.map((cue) => ({ ...cue, end: cue.end + 0.1 }));
    expect(compare(cues, later)).toHaveLength(3);
    expect(compare([], [])).toEqual([]);
    expect(compare([], cues.slice(0, 1))).toHaveLength(1);
  });

  test('counts words that moved to the next caption as moved', () => {
    const before = cuesOf('We shipped an', 'MCP server.', 'Bye.');
    const now = [
      { ...before[0]!, lines: ['We shipped'] },
      { ...before[1]!, lines: ['an MCP server.'] },
      before[2]!,
    ];
    expect(compare(before, now).map(({ parts }) => parts.map(({ kind }) => kind))).toEqual([
      ['same'],
    ]);
    // Neighbours that changed independently are listed separately.
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

test('italics are added to words, and removed if they are there', () => {
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

test('differences are apart where a caption between them is the same, or one side has none', () => {
  const [before, now] = [cuesOf('one two', 'same', 'three'), cuesOf('one', 'same', 'two three')];
  expect(compare(before, now)).toHaveLength(2);
  expect(compare(cuesOf('gone', 'two'), cuesOf('gone', 'TWO').slice(1))).toHaveLength(2);
});
