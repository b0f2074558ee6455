/** Written captions are read back exactly, in every format and for any text. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { readAss, toAss } from '../../server/captions/files/ass.ts';
import type { Caption } from '../../server/captions/cue.ts';
import { decodeCaptions, formatOf, readCaptions } from '../../server/captions/files/formats.ts';
import type { ReadCue } from '../../server/captions/files/portable-captions.ts';
import { readItalics, writeItalics } from '../../server/captions/italics.ts';
import { readSrt, toSrt } from '../../server/captions/files/srt.ts';
import { readPlainText, toPlainText } from '../../server/captions/files/plain-text.ts';
import { readTtml, toTtml } from '../../server/captions/files/ttml.ts';
import { readVtt, toVtt } from '../../server/captions/files/vtt.ts';
import { rounds } from '../support/fuzz.ts';
import { hostileCaptions } from './hostile-captions.ts';

setDefaultTimeout(300_000);

/** Control characters and non-characters, by their ranges. */
const isNoText = (code: number): boolean =>
  code < 0x09 ||
  (code >= 0x0e && code < 0x20) ||
  (code >= 0x7f && code < 0x85) ||
  (code > 0x85 && code < 0xa0) ||
  (code >= 0x20_2a && code <= 0x20_2e) ||
  (code >= 0x20_66 && code <= 0x20_69) ||
  [0x20_60, 0xfe_ff, 0xff_fe, 0xff_ff].includes(code);

/**
 * The text without characters that no format can hold, written independently of the code under
 * test.
 */
const held = (text: string): string =>
  Array.from(text.toWellFormed())
    .filter((character) => !isNoText(character.codePointAt(0) ?? 0))
    .join('')
    .replaceAll('\t', ' ')
    .replace(/[\n-\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll('-->', '→');

const name = (text: string): string => held(text).replace(/\s+/g, ' ').trim();

/** The caption expected after a round trip, with its text as the format represents it. */
function expected(
  { start, end, lines, speakers, placement }: Caption,
  look: (text: string) => string,
  holds: { speakers: boolean; name?: (text: string) => string },
): ReadCue {
  const { lines: plain, marks } = readItalics(lines.map(held));
  const shown = writeItalics(plain.map(look), marks).map((line) => {
    const blank = readItalics([line]).lines.join('').trim() === '';
    return blank ? '…' : line.trim();
  });
  const names = lines.map((_, at) => (holds.name ?? ((text) => text))(name(speakers?.[at] ?? '')));
  return {
    start,
    end,
    lines: shown,
    ...(holds.speakers && names.some((each) => each !== '') ? { speakers: names } : {}),
    ...(placement ? { placement } : {}),
  };
}

const braces = (text: string) =>
  text
    .replaceAll('{', '｛')
    .replaceAll('}', '｝')
    .replace(/\\(?=[Nnh])/g, '∖');
const asIs = (text: string) => text;
/** FFmpeg shows the rest of a voice that contains an entity. */
const voice = (text: string) =>
  text.replaceAll('&', '＆').replaceAll('<', '‹').replaceAll('>', '›');
/** ASS separates names by commas and semicolons. */
const actor = (text: string) => text.replaceAll(',', '‚').replaceAll(';', '；');

describe('written files are read back', () => {
  test.each([
    ['WebVTT', toVtt, readVtt, asIs, { speakers: true, name: voice }],
    ['TTML', (cues: Caption[]) => toTtml(cues), readTtml, asIs, { speakers: true }],
    ['ASS', toAss, readAss, braces, { speakers: true, name: actor }],
  ] as const)('%s', async (_, write, read, look, holds) => {
    await fc.assert(
      fc.asyncProperty(hostileCaptions, async (cues) => {
        const document = write(cues);
        const found = read(document);
        expect(found).toEqual(cues.map((cue) => expected(cue, look, holds)));
        // Writing the result again gives the same document.
        expect(write(found)).toBe(document);
        expect((await readCaptions(document))?.cues).toEqual(found);
      }),
      { numRuns: rounds(150) },
    );
  });
  test('SRT, with angle quotes in place of tags', () => {
    fc.assert(
      fc.property(hostileCaptions, (cues) => {
        const document = toSrt(cues);
        const found = readSrt(document);
        expect(toSrt(found)).toBe(document);
        const plain = (all: readonly Caption[]) =>
          all.map(({ lines, ...cue }) => ({
            ...cue,
            lines: lines.map((line) => line.replaceAll('‹', '<').replaceAll('›', '>')),
          }));
        const wanted = cues.map((cue) => expected(cue, braces, { speakers: false }));
        expect(plain(found)).toEqual(plain(wanted));
        expect(formatOf(document)).toBe('srt');
      }),
      { numRuns: rounds(150) },
    );
  });
  test('plain text, by paragraphs and speakers', () => {
    const word = fc.stringMatching(/^[\p{L}<>&{}.,]{1,12}$/u);
    const said = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
    const paragraphs = fc.array(fc.tuple(fc.constantFrom('Ada', 'Dr. Bo 2', ''), said), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(paragraphs, (spoken) => {
        const cues = spoken.map(([speaker, text], at) => ({
          start: at * 10,
          end: at * 10 + 1,
          lines: [text],
          speakers: [speaker],
        }));
        expect(readPlainText(toPlainText(cues), ['Ada', 'Dr. Bo 2'])).toEqual(
          spoken.map(([speaker, text]) => ({ speaker, text })),
        );
      }),
    );
  });
});

describe('plain text', () => {
  const cue = (start: number, lines: string[], speakers: string[]) => ({
    start,
    end: start + 1,
    lines,
    speakers,
  });
  test('has a paragraph for each speaker and each long pause', () => {
    const cues = [
      cue(0, ['Good evening.', 'Thank you all.'], ['Ada', 'Ada']),
      cue(1, ['-Are you coming?', '-In a minute.'], ['Ada', 'Bo']),
      cue(5, ['Well.'], ['Bo']),
    ];
    expect(toPlainText(cues)).toBe(
      'Ada: Good evening. Thank you all. -Are you coming?\n\nBo: -In a minute.\n\nBo: Well.\n',
    );
  });
  test('a name counts as a speaker if two paragraphs begin with it', () => {
    const text = 'Ada: Yes.\n\nNote: once.\n\nAda: No: never.\n\n不: 是\n';
    expect(readPlainText(text)).toEqual([
      { speaker: 'Ada', text: 'Yes.' },
      { speaker: '', text: 'Note: once.' },
      { speaker: 'Ada', text: 'No: never.' },
      { speaker: '', text: '不: 是' },
    ]);
  });
});

describe('files by other programs', () => {
  test('SRT without indices, without blank lines, with tags and a position', () => {
    const document =
      '00:00:01,000 --> 00:00:02,000\n{\\an8}<b>One</b>\n1984\n\n00:00:03,000 --> 00:00:04,000\n' +
      '<font color="#fff">Two</font>\n3\n00:00:05,000 --> 00:00:06,000 X1:10\n{\\i1}Three{\\i0}\n\nand more\n';
    expect(readSrt(document)).toEqual([
      { start: 1, end: 2, lines: ['One', '1984'], placement: { vertical: 'top' } },
      { start: 3, end: 4, lines: ['Two'] },
      { start: 5, end: 6, lines: ['<i>Three</i>', 'and more'] },
    ]);
  });
  test('ASS with other fields, an old position, a drawing, comments', () => {
    const document =
      '[Script Info]\r\nTitle: x\r\n[V4+ Styles]\r\nFormat: Name\r\n[Events]\r\n' +
      'Format: Start, End, Actor, Text\r\nComment: 0:00:00.00,0:00:01.00,,no\r\n' +
      'Dialogue: 0:00:03.50,0:00:04.00,Bo,{\\a6\\fad(1,2)}so, yes{note}\\hnow\\Nhere\r\n' +
      'Dialogue: 0:00:01.00,0:00:02.00,,{\\p1}m 0 0 l 1 1{\\p0}{\\i1}out{\\r}in\r\n';
    expect(readAss(document)).toEqual([
      { start: 1, end: 2, lines: ['<i>out</i>in'] },
      {
        start: 3.5,
        end: 4,
        lines: ['so, yes\u00a0now', 'here'],
        speakers: ['Bo', 'Bo'],
        placement: { vertical: 'top' },
      },
    ]);
  });
  test('TTML with frames, ticks, nested times and styles, in another namespace', () => {
    const document = `<?xml version="1.0"?><!DOCTYPE tt [<!ENTITY e "x">]>
<t:tt xmlns:t="http://www.w3.org/2006/10/ttaf1" xmlns:p="http://www.w3.org/2006/10/ttaf1#parameter"
  xmlns:s="http://www.w3.org/2006/10/ttaf1#styling" p:frameRate="25" p:tickRate="1000">
<t:head><t:styling><t:style id="a" s:fontStyle="italic"/><t:style id="b" style="a"/></t:styling>
<t:layout><t:region id="r"><t:style s:origin="0% 0%" s:displayAlign="before" s:textAlign="left"/></t:region></t:layout></t:head>
<t:body begin="10s"><t:div>
 <t:p begin="00:00:01:05" end="2000t" region="r">  one
   <t:span style="b"> two </t:span><t:br/> three &amp; &#x26; </t:p>
 <t:p><t:span begin="3s" dur="1s">four</t:span><t:span begin="4s" end="5s">five</t:span></t:p>
 <t:p>never</t:p>
</t:div></t:body></t:tt>`;
    expect(readTtml(document)).toEqual([
      {
        start: 11.2,
        end: 12,
        lines: ['one <i>two</i>', 'three & &'],
        placement: { vertical: 'top', align: 'start' },
      },
      { start: 13, end: 14, lines: ['four'] },
      { start: 14, end: 15, lines: ['five'] },
    ]);
  });
  test.each(['<tt><p></tt>', '<tt>', '', 'hello', '<tt><', '<a>'.repeat(5000)])(
    'files without captions yield null: %#',
    async (document) => expect(await readCaptions(document)).toBeNull(),
  );
  test.each([
    [[0xef, 0xbb, 0xbf, 0xc3, 0xa9], 'é'],
    [[0xff, 0xfe, 0xe9, 0x00], 'é'],
    [[0xfe, 0xff, 0x00, 0xe9], 'é'],
    [[0xe9], 'é'],
    [[0xfe, 0x6c], 'þl'],
    [[0xff, 0x6c], 'ÿl'],
  ])('bytes %j are %s', (bytes, text) => expect(decodeCaptions(Uint8Array.from(bytes))).toBe(text));
});

test.each([
  ['1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'srt'],
  ['\ufeff00:00:01.0 -> 2\nHello', null],
  ['00:00:01,000 ----> 00:00:02,000\nHello\n', 'srt'],
  ['\ufeff WEBVTT', 'vtt'],
  ['WEBVTT\n\n00:01.000 --> 00:02.000\nHello', 'vtt'],
  ['WEBVTTX\n\nHello', null],
  ['  [script info]\nTitle: Talk', 'ass'],
  ['[V4 Styles]\nFormat: Name', 'ass'],
  ['[V4+ Styles]\nFormat: Name', 'ass'],
  ['[Events]\nFormat: Start', 'ass'],
  ['[V5 Styles]\nFormat: Name', null],
  ['<tt:tt xmlns:tt="http://www.w3.org/ns/ttml"/>', 'ttml'],
  ['<!-- by hand -->\n<tt/>', 'ttml'],
  ['<html><body>Hello</body></html>', null],
  ['Just a text, from 1 --> to the end', null],
  ['Just a text, from 1 --> 2', null],
] as const)('the format of %j is %p', (document, format) => {
  expect(formatOf(document)).toBe(format);
});
