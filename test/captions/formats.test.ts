import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { formatTimestamp, parseTimestamp } from '../../server/captions/timestamps.ts';
import type { ReadCue } from '../../server/captions/files/portable-captions.ts';
import { makeCue } from '../../server/captions/cue.ts';
import { readSrt, toSrt } from '../../server/captions/files/srt.ts';
import { readPlainText, toPlainText } from '../../server/captions/files/plain-text.ts';
import { readVtt, toVtt } from '../../server/captions/files/vtt.ts';
import type { CaptionCue } from '../../server/contract/captions.ts';
import { needsShared, shared } from '../support/requirements.ts';

setDefaultTimeout(300_000);

const cue = (start: number, end: number, lines: string[]) => makeCue(1, start, end, lines);

const cues = [cue(0, 1.5, ['Hello <there> & you']), cue(61.25, 3661.007, ['Two', 'lines'])];

test('SRT', () => {
  expect(toSrt(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello ‹there› & you\n\n' +
      '2\n00:01:01,250 --> 01:01:01,007\nTwo\nlines\n',
  );
  expect(toSrt([])).toBe('');
});

test('WebVTT escapes markup characters', () => {
  expect(toVtt(cues)).toBe(
    'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\nHello &lt;there&gt; &amp; you\n\n' +
      '2\n00:01:01.250 --> 01:01:01.007\nTwo\nlines\n',
  );
});

test('plain text has a paragraph for each long pause', () => {
  expect(toPlainText(cues)).toBe('Hello <there> & you\n\nTwo lines\n');
});

test.each([
  ['Ada King of Lovelace', 'Ada King of Lovelace'],
  ['Ada King Countess of Lovelace', ''],
])('a label of up to four words is a name in plain text: %s', (label, speaker) => {
  const speakers = readPlainText(`${label}: Yes.\n\n${label}: No.`).map((each) => each.speaker);
  expect(speakers).toEqual([speaker, speaker]);
});

test('a silence of two seconds starts a paragraph, a shorter one does not', () => {
  expect(toPlainText([cue(0, 1, ['One.']), cue(3, 4, ['Two.']), cue(5.999, 7, ['Three.'])])).toBe(
    'One.\n\nTwo. Three.\n',
  );
});

test('a null character is removed, because it ends the file for some readers', () => {
  expect(toSrt([cue(0, 1, ['a\0b', '\0'])])).toEndWith('\nab\n…\n');
  expect(toVtt([cue(0, 1, ['a-\0->b'])])).toEndWith('\na→b\n');
  expect(toPlainText([cue(0, 1, ['a\0b'])])).toBe('ab\n');
});

test('control characters and noncharacters are removed, and ends of lines become spaces', () => {
  const removed = '\u0001\u0008\u000e\u001f\u007f\u0084\u0086\u009f\u2060\ufeff\ufffe\uffff';
  const spaces = '\t\n\u000b\u000c\r\u0085\u2028\u2029';
  const written = (lines: string[]) => toSrt([cue(0, 1, lines)]).split('\n')[2];
  expect(written([`a${removed}b`])).toBe('ab');
  for (const space of spaces) expect(written([`a${space}b`])).toBe('a b');
});

test('an arrow or a line end in the text cannot start another cue', () => {
  const [read, ...more] = readSrt(toSrt([cue(0, 1, ['a --> b\n\n2\n00:00'])]));
  expect(more).toEqual([]);
  expect(read?.lines).toEqual(['a → b 2 00:00']);
});

describe('written files are read back', () => {
  const line = fc.stringMatching(/^[A-Za-z<>&é字.,][A-Za-z<>&é字., ]{0,20}[A-Za-z<>&é字.,]$/);
  const list = fc.array(
    fc
      .tuple(
        fc.integer({ min: 0, max: 300_000_000 }),
        fc.integer({ min: 1, max: 9000 }),
        fc.array(line, { minLength: 1, maxLength: 3 }),
      )
      .map(([start, length, lines]) => cue(start / 1000, (start + length) / 1000, lines)),
  );
  const plain = ({ start, end, lines }: CaptionCue) => ({ start, end, lines });
  test('SRT', () => {
    // Text that would be a tag is written in angle quotes.
    const quoted = (read: ReadCue[]) =>
      read.map((each) => ({
        ...each,
        lines: each.lines.map((line) => line.replaceAll('‹', '<').replaceAll('›', '>')),
      }));
    fc.assert(
      fc.property(list, (made) => expect(quoted(readSrt(toSrt(made)))).toEqual(made.map(plain))),
    );
  });
  test('WebVTT', () => {
    fc.assert(fc.property(list, (made) => expect(readVtt(toVtt(made))).toEqual(made.map(plain))));
  });
  test('timestamps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 359_999_999 }), (ms) =>
        expect(parseTimestamp(formatTimestamp(ms / 1000))).toBe(ms / 1000),
      ),
    );
  });
});

test('the latest time is 99:59:59,999', () => {
  expect(formatTimestamp(359_999.999)).toBe('99:59:59,999');
  expect(() => formatTimestamp(360_000)).toThrow(RangeError);
  expect(() => formatTimestamp(-1)).toThrow(RangeError);
});

describe('a line that would end a block', () => {
  const odd = [cue(0, 1, ['', ' \t ', 'a\r\nb', '1', '00:00:01.000 --> 00:00:02.000'])];
  test.each([
    ['SRT', readSrt(toSrt(odd))],
    ['WebVTT', readVtt(toVtt(odd))],
  ])('is changed in %s so that it does not', (_, read) => {
    expect(read).toHaveLength(1);
    expect(read[0]?.lines).toEqual(['…', '…', 'a b', '1', '00:00:01.000 → 00:00:02.000']);
  });
});

test('WebVTT by other programs is read without its notes, styles and tags', () => {
  const document = `\ufeffWEBVTT - a title\r\nkind: captions\r\n\r\nNOTE a note\r\n\r\nSTYLE\r\n::cue { color: red }\r\n
intro\r\n00:01.500 --> 00:02.000 position:10%,start align:start\r\n<v Ada>R&amp;D &#60;b&#x3e; <i>is</i> fun &unknown;\r\n\r\n
00:00:03.000 --> 00:00:04.000\r\n\r\n`;
  expect(readVtt(document)).toEqual([
    {
      start: 1.5,
      end: 2,
      lines: ['R&D <b> <i>is</i> fun &unknown;'],
      speakers: ['Ada'],
      placement: { align: 'start' },
    },
    { start: 3, end: 4, lines: [] },
  ]);
});

test('SRT by other programs is read with unusual times and indices', () => {
  expect(
    readSrt('x\n0:00:01,5 --> 0:00:02.25\nHi\n\n\n\n7\n00:00:03,000-->00:00:04,000\nthere'),
  ).toEqual([
    { start: 1.5, end: 2.25, lines: ['Hi'] },
    { start: 3, end: 4, lines: ['there'] },
  ]);
});

const human = needsShared('reference/MANIFEST.md');
human('every human caption file is read, cue for cue', () => {
  const folder = shared('reference');
  const names = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /\.(?:srt|vtt)$/.test(name));
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    const cues = name.endsWith('.srt') ? readSrt(text) : readVtt(text);
    expect(cues).toHaveLength(text.match(/^[\d:.,]+ --> [\d:.,]+/gm)?.length ?? 0);
    for (const { start, end } of cues) expect(end).toBeGreaterThan(start);
  }
});

test('paragraphs of plain text are separated by blank lines, and names by any colon', () => {
  expect(readPlainText('Ada: Hello \n there.\n \t\nBob：你好', ['Ada', 'Bob'])).toEqual([
    { speaker: 'Ada', text: 'Hello there.' },
    { speaker: 'Bob', text: '你好' },
  ]);
});
