/** Splitting cues that are too long at good places. */
import { describe, expect, test } from 'bun:test';
import { fixFor } from '../../../web/review/model/fix.ts';
import { spokenCut } from '../../../web/review/model/spoken-cut.ts';
import { after, at, rules, settings, spoken, texts, times, wordsOf } from './support.ts';

describe('the words around a cue determine the cut', () => {
  // Spoken 0.8 s before the cue begins; 0.4 s more would still be within the margin of a second.
  const words = spoken('They shipped an MCP server', 9.2);
  test('even if they are spoken up to a second outside its time', () => {
    const late = [at(1, 10, 14, 'They shipped an MCP server')];
    expect(spokenCut(late[0]!, 'They', 'shipped an MCP server', words)).toEqual({
      end: 9.6,
      start: 9.7,
    });
  });
  test('but not if they are far away', () => {
    expect(spokenCut({ start: 20, end: 24 }, 'They shipped', 'an MCP server', words)).toBeNull();
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
  test('is split at the best place if its words take as long', () => {
    const cues = [at(1, 0, 9, talk), at(2, 10, 11)];
    const words = spoken(talk);
    const fixed = after(cues, fixFor('duration_above_maximum', cues, 0, rules(99, words)));
    expect(texts(fixed)).toEqual([
      'They shipped an MCP server last night,',
      'and nobody who was there went\nto bed before dawn.',
      'Hello there.',
    ]);
    expect(times(fixed).slice(0, 2)).toEqual([
      [0, 3.5],
      [3.5, 9],
    ]);
    expect(fixed.map(({ id }) => id)).toEqual([1, 99, 2]);
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
  test('is split at a pause, even if that leaves a part that is too short', () => {
    const cues = [at(1, 0, 9, 'Well we went on with it and then we stopped')];
    const words = spoken('Well we went on with it and then we stopped').map((word, index) =>
      index < 9 ? word : { ...word, start: 8.5, end: 8.9 },
    );
    const fixed = after(cues, fixFor('duration_above_maximum', cues, 0, rules(99, words)));
    expect(texts(fixed).at(-1)).toBe('stopped');
  });
  test('is split into two parts of the least duration', () => {
    const cues = [at(1, 0, 2 * settings.minDuration, Array(24).fill('word').join(' '))];
    const fixed = after(cues, fixFor('line_count_above_maximum', cues, 0, rules()));
    expect(times(fixed)).toEqual([
      [0, settings.minDuration],
      [settings.minDuration, 2 * settings.minDuration],
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
  test('is split in the middle if all places are equal', () => {
    const cues = [at(1, 0, 8, Array.from({ length: 12 }, () => 'word').join(' '))];
    const fixed = after(cues, fixFor('duration_above_maximum', cues, 0, rules()));
    expect(fixed.map(({ lines }) => lines.join(' ').split(' ').length)).toEqual([6, 6]);
  });
  test('of one word ends sooner', () => {
    const cues = [at(1, 0, 9, 'Welcome.')];
    const fixed = after(cues, fixFor('duration_above_maximum', cues, 0, rules()));
    expect(times(fixed)).toEqual([[0, 6]]);
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
