import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { textOf } from '../../../web/review/model/cue.ts';
import * as edits from '../../../web/review/model/edits.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { after, at, cuesOf, settings, someCues, spoken, texts, times, wordsOf } from './support.ts';

describe('a split', () => {
  const cues = [at(1, 10, 14, 'They shipped an\nMCP server last night.')];
  const words = spoken('So. They shipped an MCP server last night. And then', 9.6);
  test('is at the time of the word after the cursor', () => {
    const halves = after(cues, edits.split(cues, 0, 16, 7, words));
    expect(times(halves)).toEqual([
      [10, 11.6],
      [11.6, 14],
    ]);
    expect(texts(halves)).toEqual(['They shipped an', 'MCP server last night.']);
    expect(halves.map(({ id }) => id)).toEqual([1, 7]);
  });
  test('keeps the lines of each half and drops the space at the cut', () => {
    expect(texts(after(cues, edits.split(cues, 0, 12, 7, words)))).toEqual([
      'They shipped',
      'an\nMCP server last night.',
    ]);
  });
  test('within a word is within the time of the word', () => {
    const [, [start] = []] = times(after(cues, edits.split(cues, 0, 'They ship'.length, 7, words)));
    expect(start).toBeCloseTo(10.6 + (0.4 * 4) / 7, 3);
  });
  test('of an edited text is determined by the words on both sides', () => {
    const edited = [at(1, 10, 14, 'They released an\nMCP server last night.')];
    const [, [start] = []] = times(after(edited, edits.split(edited, 0, 17, 7, words)));
    expect(start).toBe(11.6);
  });
  test('of unspoken words is in proportion to the characters', () => {
    const other = [at(1, 10, 14, 'aaaa bbbb')];
    expect(times(after(other, edits.split(other, 0, 4, 7, words)))[0]).toEqual([10, 12]);
  });
  test('is impossible at the ends, and in a cue of 1 ms', () => {
    for (const offset of [0, 38, -1, 99]) {
      expect(edits.split(cues, 0, offset, 7, words)).toBeNull();
    }
    expect(edits.split([at(1, 1, 1.001, 'a b')], 0, 1, 7, [])).toBeNull();
  });
  test('has two parts of at least a millisecond', () => {
    const short = [at(1, 1, 1.002, 'a bbbbbbbbb')];
    expect(times(after(short, edits.split(short, 0, 1, 7, [])))).toEqual([
      [1, 1.001],
      [1.001, 1.002],
    ]);
  });
  test.each([
    ['before the caption', 10.6, 14.6, 'They'],
    ['after it', 8.9, 10.9, 'They shipped an'],
  ])(
    'of words that are spoken %s is in proportion to the characters',
    (_name, start, end, left) => {
      const edited = [at(1, start, end, 'They shipped an\nMCP server last night.')];
      const [[, cut] = []] = times(after(edited, edits.split(edited, 0, left.length, 7, words)));
      expect(cut).toBeCloseTo(start + ((end - start) * left.length) / 37, 1);
    },
  );
  test.each(['<i>', '<I>'])('divides no tag: %s', (tag) => {
    const tagged = `So ${tag}it${tag.replace('<', '</')} goes`;
    const cues = [at(1, 0, 2, tagged)];
    const halves = (offset: number) => texts(after(cues, edits.split(cues, 0, offset, 7, [])));
    for (const offset of [4, 5]) expect(halves(offset)).toEqual(halves(3));
    for (const offset of [9, 10, 11]) expect(halves(offset)).toEqual(halves(8));
  });
  test('splits no character', () => {
    const emoji = [at(1, 0, 2, 'a😀b')];
    expect(texts(after(emoji, edits.split(emoji, 0, 2, 7, [])))).toEqual(['a', '😀b']);
  });
  test('followed by a merge keeps the words', () => {
    fc.assert(
      fc.property(someCues, fc.nat(), fc.nat({ max: 60 }), (cues, where, offset) => {
        const index = where % cues.length;
        const text = textOf(cues[index]!);
        const gap = text.slice(0, offset).search(/\s\S*$/);
        const splice = edits.split(cues, index, gap, 99, []);
        if (!splice) return;
        const halves = applySplice(cues, splice);
        expect(wordsOf(halves)).toBe(wordsOf(cues));
        const merged = after(halves, edits.mergeWithNext(halves, index, settings, 'en'));
        expect(wordsOf(merged)).toBe(wordsOf(cues));
        expect(times(merged)).toEqual(times(cues));
        expect(merged.map(({ id }) => id)).toEqual(cues.map(({ id }) => id));
      }),
    );
  });
});

describe('a merge', () => {
  test('joins text without spaces without one', () => {
    const cues = cuesOf('我们昨天晚上', '发布了服务器');
    expect(texts(after(cues, edits.mergeWithNext(cues, 0, settings, 'zh')))).toEqual([
      '我们昨天晚上发布了服务器',
    ]);
  });
  test('of the last cue is impossible', () => {
    expect(edits.mergeWithNext(cuesOf('One'), 0, settings, 'en')).toBeNull();
  });
});

describe('a word moves', () => {
  const cues = cuesOf('They shipped an MCP', 'server for\nthe team.');
  test.each([
    [0, 'next', 'They shipped an', 'MCP server for the team.'],
    [1, 'previous', 'They shipped an MCP server', 'for the team.'],
  ] as const)('from %p to the %s', (index, direction, top, bottom) => {
    const moved = after(cues, edits.moveWord(cues, index, direction, settings, 'en', []));
    expect(texts(moved)).toEqual([top, bottom]);
  });
  test.each([
    ['next', ['They shipped ', ' an MCP'], ['They', 'shipped an MCP']],
    ['previous', ['They shipped ', ' an MCP'], ['They shipped an', 'MCP']],
    // An arrow is moved as it is written.
    ['next', ['They shipped →', 'an MCP'], ['They shipped', '→ an MCP']],
    ['previous', ['They shipped', '→ an MCP'], ['They shipped →', 'an MCP']],
    // One that was typed, which a player would interpret, becomes an arrow, and is moved whole.
    ['next', ['They shipped -->', 'an MCP'], ['They shipped', '→ an MCP']],
    ['previous', ['They shipped', '--> an MCP'], ['They shipped →', 'an MCP']],
  ] as const)('as it is written, to the %s: %j', (direction, before, moved) => {
    const given = cuesOf(...before);
    const index = direction === 'next' ? 0 : 1;
    const splice = edits.moveWord(given, index, direction, settings, 'en', []);
    expect(texts(after(given, splice))).toEqual([...moved]);
  });
  test('as far as both captions stay long enough', () => {
    const given = [at(1, 0, 2, 'We did'), at(2, 2, 4, 'it')];
    const words = [
      { text: 'We', start: 0, end: 0.1 },
      { text: 'did', start: 3.8, end: 3.9 },
      { text: 'it', start: 3.95, end: 4 },
    ];
    const long = { ...settings, minDuration: 1.5 };
    expect(times(after(given, edits.moveWord(given, 0, 'next', long, 'en', words)))).toEqual([
      [0, 1.5],
      [2.5, 4],
    ]);
  });
  describe('sets the cut', () => {
    const talk = [
      { text: 'They', start: 0.1, end: 0.4 },
      { text: 'shipped', start: 0.5, end: 0.9 },
      { text: 'an', start: 1, end: 1.1 },
      { text: 'MCP', start: 1.4, end: 1.9 },
      { text: 'server', start: 3, end: 3.5 },
      { text: 'for', start: 3.6, end: 3.8 },
      { text: 'the', start: 3.9, end: 4 },
      { text: 'team.', start: 4.1, end: 4.9 },
    ];
    const movedBy = (index: number, direction: 'next' | 'previous', words = talk, of = cues) =>
      times(after(of, edits.moveWord(of, index, direction, settings, 'en', words)));

    test('to the start of the moved word', () => {
      // The cue that gave up the word ends at the minimum gap before it, not a second after its own
      // words.
      expect(movedBy(0, 'next')).toEqual([
        [0, 1.316],
        [1.4, 5],
      ]);
    });
    test('to the start of the word after the moved one', () => {
      expect(movedBy(1, 'previous')).toEqual([
        [0, 3.516],
        [3.6, 5],
      ]);
    });
    test('so that the previous cue does not extend far into a silence', () => {
      const late = talk.map((word, at) =>
        at < 3 ? word : { ...word, start: word.start + 2, end: word.end + 2 },
      );
      const wide = [at(1, 0, 4, 'They shipped an MCP'), at(2, 4.5, 8, 'server for\nthe team.')];
      expect(movedBy(0, 'next', late, wide)).toEqual([
        [0, 2.1],
        [3.4, 8],
      ]);
    });
    test('by its share of the characters if the words were not spoken', () => {
      const [before, own] = movedBy(0, 'next', []);
      expect(own?.[0]).toBeCloseTo(2 - (2 * 4) / 19, 3);
      expect(before?.[1]).toBeCloseTo((own?.[0] ?? 0) - 0.084, 3);
      const [, other] = movedBy(1, 'previous', []);
      expect(other?.[0]).toBeCloseTo(3 + (2 * 7) / 20, 3);
    });
    test('only as far as both stay above the minimum', () => {
      const short = talk.map((word) => ({ ...word, start: word.start / 3, end: word.end / 3 }));
      const quick = [at(1, 0, 0.9, 'They shipped an MCP'), at(2, 1, 2, 'server for\nthe team.')];
      expect(movedBy(0, 'next', short, quick)).toEqual([
        [0, 0.8],
        [0.884, 2],
      ]);
      const tight = [
        at(1, 0, 0.8, 'They shipped an MCP'),
        at(2, 0.8, 1.6, 'server for\nthe team.'),
      ];
      expect(movedBy(0, 'next', short, tight)).toEqual(times(tight));
    });
  });
  test('according to the word boundaries of its language', () => {
    const chinese = cuesOf('我们昨天晚上。', '很高兴。');
    const [top, bottom] = texts(
      after(chinese, edits.moveWord(chinese, 0, 'next', settings, 'zh', [])),
    );
    expect(`${top}${bottom}`).toBe('我们昨天晚上。很高兴。');
    expect(top).toStartWith('我们');
    expect(bottom).toContain('晚上。很高兴');
  });
  test('but not if it is the only word, and not past the ends', () => {
    expect(edits.moveWord(cuesOf('One', 'Two'), 0, 'next', settings, 'en', [])).toBeNull();
    expect(edits.moveWord(cues, 0, 'previous', settings, 'en', [])).toBeNull();
    expect(edits.moveWord(cues, 1, 'next', settings, 'en', [])).toBeNull();
  });
  test('and no word is lost', () => {
    fc.assert(
      fc.property(someCues, fc.nat(), fc.boolean(), (cues, where, forward) => {
        const direction = forward ? 'next' : 'previous';
        const splice = edits.moveWord(cues, where % cues.length, direction, settings, 'en', []);
        if (splice) expect(wordsOf(applySplice(cues, splice))).toBe(wordsOf(cues));
      }),
    );
  });
});
