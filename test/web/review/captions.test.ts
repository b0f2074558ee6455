import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { breakLines } from '../../../server/captions/divide/break-lines.ts';
import { buildCues } from '../../../server/captions/build.ts';
import { makeCue } from '../../../server/captions/cue.ts';
import { assessCaptions, assessCue, summarize } from '../../../server/captions/rules/quality.ts';
import { columns } from '../../../server/captions/width.ts';
import { linesOf } from '../../captions/support.ts';
import { reviewCues } from '../../../web/review/model/cue.ts';
import { settings, someCues, someText } from './support.ts';

describe('re-broken lines', () => {
  test('are broken like those of new cues', () => {
    for (const text of [
      'They shipped an MCP server for the team last night.',
      'We went to the house and had a look at the garden.',
      'Hello there, all of you.',
    ]) {
      expect([breakLines(text, settings, 'en')]).toEqual(linesOf(text));
    }
  });
  test('keep all words, are as few as possible, and none too long', () => {
    fc.assert(
      fc.property(someText, someText, (one, another) => {
        const text = `${one}\n${another}`;
        const lines = breakLines(text, settings, 'en');
        expect(lines.join(' ')).toBe(text.replace(/\s+/g, ' '));
        expect(Math.max(...lines.map(columns))).toBeLessThanOrEqual(settings.maxLineChars);
        const least = Math.ceil(columns(text) / settings.maxLineChars);
        expect(lines.length).toBeLessThanOrEqual(Math.max(settings.maxLines, least + 2));
      }),
    );
  });
  test('put a too long word on its own line', () => {
    const word = 'x'.repeat(50);
    expect(breakLines(`a ${word} b`, settings, 'en')).toEqual(['a', word, 'b']);
  });
  test('have no space if the script has none', () => {
    expect(breakLines('我们昨天晚上\n发布了服务器', settings, 'zh')).toEqual([
      '我们昨天晚上发布了服务器',
    ]);
    expect(breakLines('<i>我们昨天晚上 </i>\n发布了服务器', settings, 'zh')).toEqual([
      '<i>我们昨天晚上</i>发布了服务器',
    ]);
  });
  test('work for an empty list, and for a whole talk', () => {
    expect(breakLines(' \n', settings, 'en')).toEqual(['']);
    // Up to twelve lines are balanced, more are filled.
    const lastOf = (count: number) => {
      const full = Array.from({ length: count - 1 }, () => 'aaaa bbbb cccc dddd eeee').join(' ');
      return breakLines(`${full} ffff`, { maxLineChars: 24 }, 'en').at(-1);
    };
    expect([lastOf(12), lastOf(13)]).toEqual(['bbbb cccc dddd eeee ffff', 'ffff']);
    const talk = 'They shipped it. '.repeat(4000).trim();
    const lines = breakLines(talk, settings, 'en');
    expect(lines.join(' ')).toBe(talk);
    expect(Math.max(...lines.map(columns))).toBeLessThanOrEqual(settings.maxLineChars);
  });
});

test('cues assessed one by one give the same report', () => {
  fc.assert(
    fc.property(someCues, (cues) => {
      const judged = cues.map((cue, at) => assessCue(cue, cues[at + 1], settings, 'en'));
      const made = cues.map(({ start, end, lines }, at) => makeCue(at + 1, start, end, [...lines]));
      expect(summarize(judged)).toEqual(assessCaptions(made, settings, 'en'));
      expect(summarize(judged.toReversed()).cues[0]?.cue).toBe(1);
    }),
  );
});

test('a review begins with the cues of a result, numbered', () => {
  const cues = buildCues([{ text: 'Hello', start: 0, end: 0.4 }], settings, 'en');
  expect(reviewCues(cues)).toEqual([{ id: 1, start: 0, end: 0.8, lines: ['Hello'] }]);
});
