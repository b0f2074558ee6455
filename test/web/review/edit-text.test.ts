/** Captions are added, split and merged, and no word is lost. */
import { describe, expect, test } from 'bun:test';
import {
  edits,
  after,
  at,
  cuesOf,
  rules,
  settings,
  someCues,
  spoken,
  texts,
  times,
  wordsOf,
} from './support.ts';
import fc from 'fast-check';
import { cutItalics, textOf } from '../../../web/review/model/cue.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { fixFor } from '../../../web/review/model/fix.ts';
import { split } from '../../../web/review/model/edit-cues.ts';

describe('a new cue', () => {
  const cues = [at(1, 5, 6), at(2, 7, 8), at(3, 8.5, 10)];
  test.each([
    [-1, [2.916, 4.916]],
    [0, [6.084, 6.916]],
    [2, [10.084, 12.084]],
  ])('after %p is in the gap, for at most two seconds', (index, expected) => {
    const made = after(cues, edits.insertAfter(cues, index, 9, settings))[index + 1];
    expect([made?.id, made?.start, made?.end, made?.lines]).toEqual([9, ...expected, ['']]);
  });
  test('gets the time that its neighbours do not need', () => {
    // 0.332 s are free, so 0.468 s are missing: the first can spare 0.2 s, the other 0.7 s.
    expect(times(after(cues, edits.insertAfter(cues, 1, 9, settings)))).toEqual([
      [5, 6],
      [7, 7.896],
      [7.98, 8.78],
      [8.864, 10],
    ]);
  });
  test('is not possible if the neighbours cannot spare the time, or without a cue', () => {
    const short = [at(1, 0, 0.9), at(2, 1, 1.9)];
    expect(edits.insertAfter(short, 0, 9, settings)).toBeNull();
    expect(edits.insertAfter(cues, 3, 9, settings)).toBeNull();
  });
  test('may be the only one', () => {
    expect(times(after([], edits.insertAfter([], -1, 1, settings)))).toEqual([[0, 2]]);
  });
});

describe('a split', () => {
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

describe('a word moves', () => {
  const cues = cuesOf('They shipped an MCP', 'server for\nthe team.');
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

describe('a cue that is too long', () => {
  const talk =
    'They shipped an MCP server last night, and nobody who was there went to bed before dawn.';
  test('ends sooner if no more words follow', () => {
    const cues = [at(1, 0, 9, 'They shipped it.'), at(2, 10, 11)];
    const words = spoken('They shipped it.');
    const fixed = after(cues, fixFor('duration_above_maximum', cues, 0, rules(99, words)));
    expect(times(fixed)[0]).toEqual([0, 6]);
    expect(texts(fixed)).toEqual(texts(cues));
  });
  test('is split at a pause, and not shown during it', () => {
    const cues = [at(1, 0, 9, 'We went on with it and on and then we stopped')];
    const words = spoken('We went on with it and on and then we stopped').map((word, index) =>
      index < 7 ? word : { ...word, start: word.start + 3, end: word.end + 3 },
    );
    const fixed = after(cues, fixFor('duration_above_maximum', cues, 0, rules(99, words)));
    expect(texts(fixed)).toEqual(['We went on with it and on', 'and then we stopped']);
    // The last word before the pause ends at 3.4 s.
    expect(times(fixed)).toEqual([
      [0, 4.4],
      [6.5, 9],
    ]);
  });
  test('is split as often as necessary, and no word is lost', () => {
    const cues = [at(1, 0, 20, `${talk} ${talk}`)];
    const fixed = after(cues, fixFor('duration_above_maximum', cues, 0, rules()));
    expect(fixed.length).toBeGreaterThan(3);
    expect(wordsOf(fixed)).toBe(wordsOf(cues));
    for (const { start, end } of fixed) expect(end - start).toBeLessThanOrEqual(6);
    expect(new Set(fixed.map(({ id }) => id)).size).toBe(fixed.length);
  });
  test('or has too much text for its lines is split as well', () => {
    const cues = [at(1, 0, 6, `${talk} It was late.`)];
    for (const flag of ['line_count_above_maximum', 'line_length_above_maximum'] as const) {
      const fixed = after(cues, fixFor(flag, cues, 0, rules()));
      expect(wordsOf(fixed)).toBe(wordsOf(cues));
      expect(fixed.length).toBeGreaterThan(1);
      for (const { lines } of fixed) {
        expect(lines.length).toBeLessThanOrEqual(2);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
      }
    }
  });
});

/** Half a second for each word, of which 0.4 s are spoken; from 10 s on. */
const words = spoken('We shipped an MCP server for the team', 10);

describe('a caption is split', () => {
  const cue = at(7, 10, 14, 'We shipped an MCP\nserver for the team');
  const parts = (offset: number, of = cue, heard = words) => {
    const splice = split([of], 0, offset, 99, heard);
    return (
      splice?.inserted.map(({ id, start, end, lines }) => [id, start, end, lines.join('|')]) ?? null
    );
  };

  test('next to a tag or a character that it would divide', () => {
    expect(parts(8, at(7, 0, 2, 'one <i>two</i> three'), [])?.map((part) => part[3])).toEqual([
      'one <i>t</i>',
      '<i>wo</i> three',
    ]);
    for (const offset of [4, 5, 6, 7]) {
      const made = parts(offset, at(7, 0, 2, 'one <i>two</i> three'), []);
      expect(made?.map((part) => part[3])).toEqual(['one', '<i>two</i> three']);
    }
    expect(parts(12, at(7, 0, 2, 'one <i>two</i> three'), [])?.map((part) => part[3])).toEqual([
      'one <i>two</i>',
      'three',
    ]);
    expect(parts(3, at(7, 0, 2, 'a 😀b'), [])?.map((part) => part[3])).toEqual(['a', '😀b']);
  });
});

describe('italics', () => {
  test('that are cut are closed and reopened', () => {
    expect(cutItalics('<i>so it', 'goes</i> on')).toEqual(['<i>so it</i>', '<i>goes</i> on']);
    expect(cutItalics('<i>so</i> it', '<i>goes</i> on')).toEqual([
      '<i>so</i> it',
      '<i>goes</i> on',
    ]);
    // An unpaired tag is text.
    expect(cutItalics('<i>so it', 'goes on')).toEqual(['<i>so it', 'goes on']);
    expect(cutItalics('<i>so it', 'goes</i> <i></i>on')).toEqual([
      '<i>so it</i>',
      '<i>goes</i> <i></i>on',
    ]);
  });
});
