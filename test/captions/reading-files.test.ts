/** Reads SRT, WebVTT and ASS written by other programs as players do. */
import { expect, test } from 'bun:test';
import { readAss } from '../../server/captions/files/ass.ts';
import { parseTimestamp } from '../../server/captions/timestamps.ts';
import { readSrt } from '../../server/captions/files/srt.ts';
import { readVtt, toVtt } from '../../server/captions/files/vtt.ts';

test.each([
  ['00:00:01,500', 1.5],
  ['00:00:01.5', 1.5],
  ['0:0:1,05', 1.05],
  ['01:02,003', 62.003],
  ['100:00:00,000', 360_000],
  [' 00:00:01,500 ', 1.5],
  ['00:00:01', null],
  ['00:00:01,', null],
  ['00:00:01,5000', null],
  ['00:000:01,500', null],
  ['00:00:001,500', null],
  ['01,500', null],
  ['00:00:01;500', null],
  ['a 00:00:01,500', null],
  ['00:00:01,500 b', null],
])('the clock “%s”', (text, seconds) => {
  expect(parseTimestamp(text)).toBe(seconds);
});

const CUE = '00:00:01,000 --> 00:00:02,000\n';

test.each([
  ['a mark of byte order before the first index', `\ufeff1\n${CUE}Hi`, [['Hi']]],
  ['a mark of byte order before the first time', `\ufeff${CUE}Hi`, [['Hi']]],
  ['a caption without text', `1\n${CUE}\n2\n${CUE}Hi`, [[], ['Hi']]],
  ['no index', `${CUE}Hi\n\n${CUE}there`, [['Hi'], ['there']]],
  ['an index without a blank line above it', `1\n${CUE}Hi\n2\n${CUE}there`, [['Hi'], ['there']]],
  ['an index with spaces', `1\n${CUE}Hi\n\n 2 \n${CUE}there`, [['Hi'], ['there']]],
  ['a number that is text', `1\n${CUE}42\n\n2\n${CUE}there`, [['42'], ['there']]],
  [
    'text above the times that is no index',
    `1\n${CUE}Hi\n2 b\n${CUE}there`,
    [['Hi', '2 b'], ['there']],
  ],
  ['text above the times that ends in a number', `${CUE}Room 12\n${CUE}Hi`, [['Room 12'], ['Hi']]],
  ['a tag with a value but no name', `1\n${CUE}<font="#fff">Hi</font>`, [['Hi']]],
  ['carriage returns', `1\r\n${CUE.trim()}\r\nHi\r\rthere\r\n`, [['Hi', 'there']]],
  ['a place after the times', `1\n${CUE.trim()} X1:40 X2:600\nHi`, [['Hi']]],
  ['long arrows', `1\n00:00:01,000 ----> 00:00:02,000\nHi`, [['Hi']]],
  [
    'times that are none are text',
    `1\n${CUE}Hi\n00:00:01 --> 00:00:02`,
    [['Hi', '00:00:01 --> 00:00:02']],
  ],
  [
    'a start without an end is text',
    `1\n${CUE}Hi\n00:00:03,000 --> 00:00:04`,
    [['Hi', '00:00:03,000 --> 00:00:04']],
  ],
  [
    'tags of fonts',
    `1\n${CUE}<font color="red"><b>Hi</b></font> <u>there</u><s>.</s>`,
    [['Hi there.']],
  ],
  ['classes and voices', `1\n${CUE}<c.red>Hi</c> <v Ada>there`, [['Hi there']]],
  [
    'words that only look like tags',
    `1\n${CUE}a <bold> <cut> <value> move`,
    [['a <bold> <cut> <value> move']],
  ],
  [
    'words in braces',
    `1\n${CUE}a {brace} {\\an8}{\\i1}here{\\i0} {`,
    [['a {brace} <i>here</i> {']],
  ],
  ['an end of italics without a number', `1\n${CUE}{\\i1}Hi{\\i} you`, [['<i>Hi</i> you']]],
  ['an end of italics in brackets', `1\n${CUE}{\\i1}Hi{\\i(0)} you`, [['<i>Hi</i> you']]],
  ['the line breaks of ASS', `1\n${CUE}Hi\\nyou\\Nthere\\hnow`, [['Hi', 'you', 'there\u00a0now']]],
  ['the markup of MicroDVD', `1\n${CUE}{y:i}{C:$0000ff}Hi {b}`, [['Hi {b}']]],
  ['text before the first times', `Notes\n\n1\n${CUE}Hi`, [['Hi']]],
])('SRT: %s', (_, document, lines) => {
  expect(readSrt(document).map((cue) => cue.lines)).toEqual(lines);
});

/** A caption of WebVTT with this text and these settings. */
const vtt = (text: string, settings = '') =>
  readVtt(`WEBVTT\n\n00:01.000 --> 00:02.000${settings}\n${text}`)[0];

test.each([
  ['&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
  ['a&nbsp;b', 'a\u00a0b'],
  ['&AMP;', '&AMP;'],
  ['&#65;&#x42;&#X43;', 'ABC'],
  ['&#1114111;&#x110000;&#1114112;', '\u{10ffff}&#x110000;&#1114112;'],
  ['AT&T & Co', 'AT&T & Co'],
  ['a <b>bold</b> <c.yellow>word</c> <00:01.500>later', 'a bold word later'],
  ['<i>one</i> two <i.loud>three</i>', '<i>one</i> two <i>three</i>'],
  ['<i><i>one</i> two</i> three', '<i>one two</i> three'],
  ['one</i> <i>two</i>', 'one <i>two</i>'],
  ['<img>one', 'one'],
  ['one <i', 'one '],
])('WebVTT: the text %s', (text, line) => {
  expect(vtt(text)?.lines).toEqual([line]);
});

test('WebVTT: voices begin, change and end, also within a line', () => {
  expect(vtt('<v Ada>One\nTwo</v>\n<v.loud  Bo &amp; Cy >Three\n</v>Four')).toMatchObject({
    lines: ['One', 'Two', 'Three', 'Four'],
    speakers: ['Ada', 'Ada', 'Bo & Cy', ''],
  });
  expect(vtt('<video>One')).not.toHaveProperty('speakers');
});

test.each([
  ['line:0', { vertical: 'top' }],
  ['line:4', { vertical: 'top' }],
  ['line:5', { vertical: 'middle' }],
  ['line:9', { vertical: 'middle' }],
  ['line:10', undefined],
  ['line:-1', undefined],
  ['line:10%', { vertical: 'top' }],
  ['line:50%,center', { vertical: 'middle' }],
  ['line:84.5%', undefined],
  ['align:left', { align: 'start' }],
  ['align:start', { align: 'start' }],
  ['align:right', { align: 'end' }],
  ['align:end', { align: 'end' }],
  ['align:center', undefined],
  ['position:10% line:0 size:80% align:end', { vertical: 'top', align: 'end' }],
  ['region:left', undefined],
])('WebVTT: the settings %s', (settings, placement) => {
  expect(vtt('Hi', ` ${settings}`)?.placement).toEqual(placement as never);
});

test('WebVTT: a backslash before a letter is escaped for FFmpeg, and read back', () => {
  const lines = ['C:\\New', 'a\\nb \\h', 'C:\\temp \\'];
  const document = toVtt([{ start: 0, end: 1, lines }]);
  expect(document).toContain('C:\\\u2060New');
  expect(document).toContain('a\\\u2060nb \\\u2060h');
  expect(document).toContain('C:\\temp \\\n');
  expect(readVtt(document)[0]?.lines).toEqual(lines);
});

test('WebVTT: a line of spaces is not shown', () => {
  expect(vtt('one\n \t\ntwo\n ')?.lines).toEqual(['one', 'two']);
});

test('WebVTT: blocks without valid times are ignored', () => {
  const times = '00:01.000 --> 00:02.000';
  const halves = '00:01.000 --> never\nno\n\nnow --> 00:02.000\nno';
  const document = `WEBVTT\n\nREGION\nid:a\n\n1\n00:01 --> 00:02\nno\n\n${halves}\n\nname\n${times}\nyes\n\n\n\n${times}\n`;
  expect(readVtt(document)).toEqual([
    { start: 1, end: 2, lines: ['yes'] },
    { start: 1, end: 2, lines: [] },
  ]);
});

test.each([
  ['Format: Start, End, Text\nDialogue:0:00:01.00,0:00:02.00,close', ['close']],
  ['Format: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,', ['']],
  ['Format: Start, End, Text\nComment: Dialogue: 0:00:01.00,0:00:02.00,no', undefined],
  ['Format: Start, End, Name\nDialogue: 0:00:01.00,0:00:02.00,Ann', undefined],
])('ASS: the lines of %j are %j', (events, lines) => {
  expect(readAss(`[Events]\n${events}\n`)[0]?.lines).toEqual(lines);
});

test('ASS: each line has its name if there is one for each', () => {
  const speakers = (text: string) =>
    readAss(`[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,Ann; Bob,0,0,0,,${text}`)[0]?.speakers;
  expect(speakers('Hi\\NYes')).toEqual(['Ann', 'Bob']);
  expect(speakers('Hi')).toEqual(['Ann; Bob']);
});

test('ASS: a mark of byte order may come first', () => {
  const document = '\ufeff[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,Hi';
  expect(readAss(document)[0]?.lines).toEqual(['Hi']);
});
