/** Italics: written where the format supports them, dropped elsewhere, and never wider than their words. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { breakLines } from '../../server/captions/divide/break-lines.ts';
import { makeCue } from '../../server/captions/cue.ts';
import {
  italicRuns,
  readItalics,
  withoutItalics,
  writeItalics,
} from '../../server/captions/italics.ts';
import { assessCue } from '../../server/captions/rules/quality.ts';
import { countCharacters } from '../../server/captions/rules/reading-speed.ts';
import { toSrt } from '../../server/captions/files/srt.ts';
import { toPlainText } from '../../server/captions/files/plain-text.ts';
import { readVtt, toVtt } from '../../server/captions/files/vtt.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';

const body = (document: string): string => document.split('\n').slice(2).join('\n').trim();
const srt = (...lines: string[]) => body(toSrt([{ start: 0, end: 1, lines }]));
const vtt = (...lines: string[]) =>
  body(toVtt([{ start: 0, end: 1, lines }]))
    .replace(/^.*\n/, '')
    .replace(/^.*-->.*\n/, '');
const txt = (...lines: string[]) => toPlainText([{ start: 0, end: 1, lines }]);

describe('a pair of tags', () => {
  test('becomes italics in SRT and WebVTT, and is omitted from plain text', () => {
    expect(srt('she said <i>no</i>.')).toBe('she said <i>no</i>.');
    expect(vtt('she said <i>no</i>.')).toBe('she said <i>no</i>.');
    expect(txt('she said <i>no</i>.')).toBe('she said no.\n');
  });
  test('over two lines becomes a pair on each line', () => {
    expect(srt('<i>one', 'two</i> three')).toBe('<i>one</i>\n<i>two</i> three');
    expect(vtt('<i>one', 'two</i> three')).toBe('<i>one</i>\n<i>two</i> three');
    expect(txt('<i>one', 'two</i> three')).toBe('one two three\n');
  });
  test('may be in capitals or nested; spaces at its edges are placed outside it', () => {
    expect(srt('<I>a</I>')).toBe('<i>a</i>');
    expect(srt('<i>a <i>b</i> c</i>')).toBe('<i>a b c</i>');
    // Of two that begin, the inner one is closed.
    expect(txt('<i>a <i>b</i>')).toBe('<i>a b\n');
    expect(vtt('x<i> a </i>y')).toBe('x <i>a</i> y');
    expect(srt('<i></i>')).toBe('…');
  });
  test('without its partner is text', () => {
    expect(vtt('the <i> tag')).toBe('the &lt;i&gt; tag');
    expect(srt('the <i> tag')).toBe('the ‹i› tag');
    expect(txt('the <i> tag')).toBe('the <i> tag\n');
    expect(vtt('</i>a<i>b</i></i>')).toBe('&lt;/i&gt;a<i>b</i>&lt;/i&gt;');
  });
  test('may contain text that looks like markup', () => {
    expect(vtt('<i><script>1</script> & 2</i>')).toBe(
      '<i>&lt;script&gt;1&lt;/script&gt; &amp; 2</i>',
    );
    expect(srt('<i><script>1</script></i>')).toBe('<i>‹script›1‹/script›</i>');
    expect(srt('--<i>></i>')).not.toContain('-->');
  });
  test('is read from WebVTT, whatever its classes', () => {
    const document =
      'WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ann>a <i.loud>b</i> <b>c</b> <ia>d</ia>\n';
    expect(readVtt(document)[0]?.lines).toEqual(['a <i>b</i> c d']);
  });
});

test('tags are not counted in lengths, speed, words and dangling lines', () => {
  const plain = makeCue(1, 0, 2, ['the very long and', 'winding road']);
  const italic = makeCue(1, 0, 2, ['the <i>very</i> long <i>and', 'winding</i> road']);
  expect(assessCue(italic, undefined, DEFAULTS)).toEqual(assessCue(plain, undefined, DEFAULTS));
  expect(assessCue(italic, undefined, DEFAULTS).quality.flags).toContain('dangling_line_break');
  const next = (text: string) => makeCue(2, 2, 3, [text]);
  expect(assessCue(makeCue(1, 0, 2, ['like it']), next('<i>and</i> so'), DEFAULTS)).toEqual(
    assessCue(makeCue(1, 0, 2, ['like it']), next('and so'), DEFAULTS),
  );
  expect(countCharacters(italic.lines)).toBe(countCharacters(plain.lines));
});

describe('lines are broken', () => {
  const text =
    'The <i>New York Times of the very last week</i> says so, and we agree with all of it.';
  test('like lines without italics, with the italics of each line kept', () => {
    const lines = breakLines(text, DEFAULTS);
    expect([...withoutItalics(lines)]).toEqual(breakLines(text.replace(/<\/?i>/g, ''), DEFAULTS));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.join(' ').replaceAll('</i> <i>', ' ')).toBe(text);
  });
  test('even if arrows or invisible characters precede the tags', () => {
    expect(breakLines('a --> b\u202e <i>c</i>\nd', DEFAULTS)).toEqual(['a → b <i>c</i> d']);
    expect(breakLines('<i> </i>', DEFAULTS)).toEqual(['']);
  });
});

describe('for any italics', () => {
  const line = fc
    .array(fc.constantFrom('<i>', '</i>', '<I>', '<', '>', 'ab', ' ', '字', '😀', '\t', 'i', '/'), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''));
  const lines = fc.array(line, { maxLength: 4 });
  const squeezed = (given: readonly string[]) => given.join('').replaceAll(/\s/g, '');

  test('plain lines and ranges contain all the information', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const { lines: plain, marks } = readItalics(given);
        expect(plain).toHaveLength(given.length);
        expect(marks).toHaveLength(squeezed(plain).length);
        // Text that spells a tag may be paired when it is read again.
        fc.pre(!/<\/?i>/i.test(plain.join('')));
        const written = writeItalics(plain, marks);
        expect([...withoutItalics(written)]).toEqual(plain);
        expect(readItalics(written).marks).toEqual(marks);
        expect(writeItalics(plain, marks)).toEqual(written);
        const runs = italicRuns(given);
        expect(runs.map((each) => each.map(({ text }) => text).join(''))).toEqual(plain);
        for (const { text, italic } of runs.flat()) if (italic) expect(text).toBe(text.trim());
      }),
      { numRuns: 500 },
    );
  });
  test('re-broken lines keep every character and its style', () => {
    fc.assert(
      fc.property(line, (given) => {
        const before = readItalics([given]);
        fc.pre(!/<\/?i>/i.test(before.lines.join('')));
        const after = readItalics(breakLines(given, DEFAULTS));
        expect(squeezed(after.lines)).toBe(squeezed(before.lines));
        expect(after.marks).toEqual(before.marks);
      }),
      { numRuns: 500 },
    );
  });
});
