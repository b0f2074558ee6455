/** Caption files: every format is written and read as players and other programs do. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { fromXML } from 'imsc/src/main/js/doc.js';
import { frameRateOf } from '../../server/captions/timestamps.ts';
import {
  portableRuns,
  type ReadCue,
  type UnreadLine,
} from '../../server/captions/files/portable-captions.ts';
import { type Caption, makeCue } from '../../server/captions/cue.ts';
import { readSrt, toSrt } from '../../server/captions/files/srt.ts';
import { readPlainText, toPlainText } from '../../server/captions/files/plain-text.ts';
import { readVtt, toVtt } from '../../server/captions/files/vtt.ts';
import { needsShared, shared } from '../support/requirements.ts';
import { readAss, toAss } from '../../server/captions/files/ass.ts';
import { readCaptions } from '../../server/captions/files/read-write.ts';
import { readTtml, toTtml } from '../../server/captions/files/ttml.ts';
import { rounds } from '../support/fuzz.ts';
import { hostileCaptions } from './hostile-captions.ts';
import { shownAt, strict } from './imsc-display.ts';
import { imscFaults } from './imsc-rules.ts';
import { readItalics, writeItalics } from '../../server/captions/italics.ts';

setDefaultTimeout(300_000);

describe('formats', () => {
  const cue = (start: number, end: number, lines: string[]) => makeCue(1, start, end, lines);

  const cues = [cue(0, 1.5, ['Hello <there> & you']), cue(61.25, 3661.007, ['Two', 'lines'])];

  test('SRT and WebVTT write times, and signs of markup as text', () => {
    expect(toSrt(cues)).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nHello ‹there› & you\n\n' +
        '2\n00:01:01,250 --> 01:01:01,007\nTwo\nlines\n',
    );
    expect(toVtt(cues)).toBe(
      'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\nHello &lt;there&gt; &amp; you\n\n' +
        '2\n00:01:01.250 --> 01:01:01.007\nTwo\nlines\n',
    );
    expect([toSrt([]), toVtt([])]).toEqual(['', 'WEBVTT\n']);
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
});

describe('written captions are read back exactly, in every format and for any text', () => {
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
    const names = lines.map((_, at) =>
      (holds.name ?? ((text) => text))(name(speakers?.[at] ?? '')),
    );
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
  /** Only a block that players take for markup is changed in SRT. */
  const blocks = (text: string) =>
    text.replace(/\{(?=\\|[a-z]:)/gi, '｛').replace(/\\(?=[Nnh])/g, '∖');
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
    test('SRT, with angle quotes in place of tags', async () => {
      await fc.assert(
        fc.asyncProperty(hostileCaptions, async (cues) => {
          const document = toSrt(cues);
          const found = readSrt(document);
          expect(toSrt(found)).toBe(document);
          const plain = (all: readonly Caption[]) =>
            all.map(({ lines, ...cue }) => ({
              ...cue,
              lines: lines.map((line) => line.replaceAll('‹', '<').replaceAll('›', '>')),
            }));
          const wanted = cues.map((cue) => expected(cue, blocks, { speakers: false }));
          expect(plain(found)).toEqual(plain(wanted));
          expect((await readCaptions(document))?.format).toBe('srt');
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

  describe('files by other programs', () => {
    test.each(['\n', '\r\n', '\r'])('ASS as it is written elsewhere, in lines with %j', (end) => {
      const lines = [
        '[Fonts]',
        'Dialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,no',
        '[EVENTS]',
        'Format: Start, End, Actor, Text',
        'Comment: 0:00:00.00,0:00:01.00,,no',
        'Dialogue: 0:00:03.50,0:00:04.00,Bo,{\\a6\\fad(1,2)}so, yes{note}\\hnow\\Nhere',
        'Dialogue: 0:00:01.00,0:00:02.00,,{\\p1}m 0 0 l 1 1{\\p0}{\\i1}out{\\r}in',
      ];
      const shown = { lines: ['so, yes\u00a0now', 'here'], speakers: ['Bo', 'Bo'] };
      expect(readAss(lines.join(end))).toEqual([
        { start: 1, end: 2, lines: ['<i>out</i>in'] },
        { start: 3.5, end: 4, ...shown, placement: { vertical: 'top' } },
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
 <t:p begin="5s" end="4s">never</t:p><t:p begin="20s">open</t:p>
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
        { start: 30, end: 35, lines: ['open'] },
      ]);
    });
    test.each(['<tt><p></tt>', '<tt>', '', 'hello', '<tt><', '<a>'.repeat(5000)])(
      'files without captions yield null: %#',
      async (document) => expect(await readCaptions(document)).toBeNull(),
    );
  });

  const VTT = '\n\n00:01.000 --> 00:02.000\nHello';
  const ASS = '\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,Hello';
  test.each([
    ['1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'srt'],
    ['\ufeff00:00:01.0 -> 2\nHello', undefined],
    ['00:00:01,000 ----> 00:00:02,000\nHello\n', 'srt'],
    [`\ufeff WEBVTT${VTT}`, 'vtt'],
    [`WEBVTT\tTalk${VTT}`, 'vtt'],
    [`WEBVTTX${VTT}`, 'srt'],
    [`  [script info]\nTitle: Talk${ASS}`, 'ass'],
    [`[V4 Styles]\nFormat: Name${ASS}`, 'ass'],
    [`[V4+ Styles]\nFormat: Name${ASS}`, 'ass'],
    [ASS, 'ass'],
    [`[V5 Styles]\nFormat: Name${ASS}`, undefined],
    ['<t:tt xmlns:t="a"><t:p begin="1s" end="2s">Hello</t:p></t:tt>', 'ttml'],
    ['<!-- by hand -->\n<tt><p begin="1s" end="2s">Hello</p></tt>', 'ttml'],
    ['<html><body><p begin="1s" end="2s">Hello</p></body></html>', undefined],
    ['Just a text, from 1 --> to the end', undefined],
    ['Just a text, from 1 --> 2', undefined],
  ] as const)('the format of %j is %p', async (document, format) => {
    expect((await readCaptions(document))?.format).toBe(format as never);
  });
});

describe('reads SRT, WebVTT and ASS written by other programs as players do', () => {
  test.each([
    ['00:00:01,500', 1.5],
    ['00:00:01.5', 1.5],
    ['0:0:1,05', 1.05],
    ['01:02,003', 62.003],
    ['100:00:00,000', 360_000],
    [' 00:00:01,500 ', 1.5],
    ['00:00:01', 1],
    ['00:00:01,5000', 1.5],
    ['00:000:01,500', 1.5],
    ['00:00:001,500', 1.5],
    ['00:00:01;500', 1.5],
    ['00:00:01,', null],
    ['01,500', null],
    ['a 00:00:01,500', null],
    ['00:00:01,500 b', null],
  ])('the clock “%s” of SRT', (text, seconds) => {
    const [cue] = readSrt(`1\n${text} --> 101:00:00,000\nHello\n`);
    expect(cue?.start ?? null).toBe(seconds);
  });

  const CUE = '00:00:01,000 --> 00:00:02,000\n';

  test.each([
    ['a mark of byte order before the first index', `\ufeff1\n${CUE}Hi`, 'Hi'],
    ['a mark of byte order before the first time', `\ufeff${CUE}Hi`, 'Hi'],
    ['a caption without text', `1\n${CUE}\n2\n${CUE}Hi`, '‖Hi'],
    ['no index', `${CUE}Hi\n\n${CUE}there`, 'Hi‖there'],
    ['an index without a blank line above it', `1\n${CUE}Hi\n2\n${CUE}there`, 'Hi‖there'],
    ['an index with spaces', `1\n${CUE}Hi\n\n 2 \n${CUE}there`, 'Hi‖there'],
    ['a number that is text', `1\n${CUE}42\n\n2\n${CUE}there`, '42‖there'],
    ['text above the times that is no index', `1\n${CUE}Hi\n2 b\n${CUE}there`, 'Hi|2 b‖there'],
    ['text above the times that ends in a number', `${CUE}Room 12\n${CUE}Hi`, 'Room 12‖Hi'],
    ['a tag with a value but no name', `1\n${CUE}<font="#fff">Hi</font>`, 'Hi'],
    ['carriage returns', `1\r\n${CUE.trim()}\r\nHi\r\rthere\r\n`, 'Hi|there'],
    ['a place after the times', `1\n${CUE.trim()} X1:40 X2:600\nHi`, 'Hi'],
    ['long arrows', `1\n00:00:01,000 ----> 00:00:02,000\nHi`, 'Hi'],
    ['times that are none', `1\n${CUE}Hi\n1 --> 2`, 'Hi|1 --> 2'],
    ['times that cannot be read', `1\n${CUE}Hi\n00:0x:01,000 --> 00:00:02\nno`, 'Hi'],
    ['tags of fonts', `1\n${CUE}<font color="red"><b>Hi</b></font> <u>you</u><s>.</s>`, 'Hi you.'],
    ['classes and voices', `1\n${CUE}<c.red>Hi</c> <v Ada>there`, 'Hi there'],
    ['words that look like tags', `1\n${CUE}a <bold> <cut> <value>`, 'a <bold> <cut> <value>'],
    ['words in braces', `1\n${CUE}a {brace} {\\an8}{\\i1}here{\\i0} {`, 'a {brace} <i>here</i> {'],
    ['an end of italics without a number', `1\n${CUE}{\\i1}Hi{\\i} you`, '<i>Hi</i> you'],
    ['an end of italics in brackets', `1\n${CUE}{\\i1}Hi{\\i(0)} you`, '<i>Hi</i> you'],
    ['the line breaks of ASS', `1\n${CUE}Hi\\nyou\\Nthere\\hnow`, 'Hi|you|there\u00a0now'],
    ['the markup of MicroDVD', `1\n${CUE}{y:i}{C:$0000ff}Hi {b}`, 'Hi {b}'],
    ['text before the first times', `Notes\n\n1\n${CUE}Hi`, 'Hi'],
  ])('SRT: %s', (_, document, lines) => {
    expect(
      readSrt(document)
        .map((cue) => cue.lines.join('|'))
        .join('‖'),
    ).toBe(lines);
  });

  /** A caption of WebVTT with this text and these settings. */
  const vtt = (text: string, settings = '') =>
    readVtt(`WEBVTT\n\n00:01.000 --> 00:02.000${settings}\n${text}`)[0];

  test.each([
    ['&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
    ['a&nbsp;b', 'a\u00a0b'],
    ['&AMP; &copy; &notin;', '& © ∉'],
    ['&#65;&#x42;&#X43;', 'ABC'],
    ['&#1114111;&#x110000;&#1114112;', '\u{10ffff}\ufffd\ufffd'],
    ['AT&T & Co', 'AT&T & Co'],
    ['a <b>bold</b> <c.yellow>word</c> <00:01.500>later', 'a bold word later'],
    ['<i>one</i> two <i.loud>three</i>', '<i>one</i> two <i>three</i>'],
    ['<i><i>one</i> two</i> three', '<i>one two</i> three'],
    ['one</i> <i>two</i>', 'one <i>two</i>'],
    ['<img>one', 'one'],
    ['one <i', 'one'],
    ['<c.yellow>one</c> <ruby>two<rt>three</ruby>', 'one two'],
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
});

describe('files of other programs', () => {
  const ttml = (layout: string, body: string, styles = ''): string =>
    `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><head><styling>${styles}</styling><layout>${layout}</layout></head><body><div>${body}</div></body></tt>`;

  describe('TTML', () => {
    const placed = (region: string, styles = '') =>
      readTtml(
        ttml(`<region xml:id="r" ${region}/>`, '<p begin="1s" end="2s" region="r">Hi</p>', styles),
      )[0]?.placement ?? {};

    test.each<[string, object]>([
      ['tts:displayAlign="after"', {}],
      ['tts:displayAlign="before"', { vertical: 'top' }],
      ['', { vertical: 'top' }],
      ['tts:displayAlign="center"', { vertical: 'middle' }],
      ['tts:origin="10% 80%" tts:extent="80% 15%"', {}],
      ['tts:origin="10% 39.9%"', { vertical: 'top' }],
      ['tts:origin="10% 40%"', { vertical: 'middle' }],
      ['tts:origin="10% 64.9%"', { vertical: 'middle' }],
      ['tts:origin="10% 65%"', {}],
      ['tts:origin="10% 800px" tts:displayAlign="before"', { vertical: 'top' }],
      ['tts:extent="80% 30%" tts:displayAlign="after"', { vertical: 'top' }],
      ['tts:origin="0% 20%" tts:extent="9% 60%" tts:displayAlign="center"', { vertical: 'middle' }],
      ['tts:displayAlign="after" tts:textAlign="start"', { align: 'start' }],
      ['tts:displayAlign="after" tts:textAlign="left"', { align: 'start' }],
      ['tts:displayAlign="after" tts:textAlign="end"', { align: 'end' }],
      ['tts:displayAlign="after" tts:textAlign="right"', { align: 'end' }],
      ['tts:displayAlign="after" tts:textAlign="center"', {}],
    ])('places a region with %s', (region, expected) => {
      expect(placed(region)).toEqual(expected);
    });

    test('passes style, region, speaker and times on to what is inside', () => {
      const agents = '<ttm:agent xml:id="ann"><ttm:name>  Ann\n Lee </ttm:name></ttm:agent>';
      const read = readTtml(
        ttml(
          `${agents}<region xml:id="r" tts:displayAlign="before"/>`,
          '<div begin="10s" dur="5s" region="r" tts:fontStyle="oblique" ttm:agent="ann"><p begin="1s">One</p><p begin="2s" end="9s" tts:fontStyle="normal" ttm:agent="bob">Two</p></div>',
        ),
      );
      expect(read).toMatchObject([
        {
          start: 11,
          end: 15,
          lines: ['<i>One</i>'],
          speakers: ['Ann Lee'],
          placement: { vertical: 'top' },
        },
        { start: 12, end: 15, lines: ['Two'], placement: { vertical: 'top' } },
      ]);
      expect(read[1]).not.toHaveProperty('speakers', ['Ann Lee']);
    });

    test('keeps the spaces between texts only if they are to be kept', () => {
      const read = (space: string) =>
        readTtml(ttml('', `<p begin="1s" end="2s"${space}><span>a </span><span> b</span></p>`))[0]
          ?.lines;
      expect(read('')).toEqual(['a b']);
      expect(read(' xml:space="preserve"')).toEqual(['a  b']);
    });
  });

  describe('ASS', () => {
    const dialogue = (start: string, end: string, name = '', text = 'Hi') =>
      readAss(`[Events]\nDialogue: 0,${start},${end},Default,${name},0,0,0,,${text}\n`);

    test.each([
      ['0:00:01.50', 1.5],
      ['1:02:03.04', 3723.04],
      ['10:00:00.5', 36_000.5],
      ['0:0:1:005', 1.005],
    ])('reads the time %s', (text, seconds) => {
      expect(dialogue(text, '20:00:00.00')).toMatchObject([{ start: seconds, end: 72_000 }]);
    });

    test('is written in hundredths, never without length, with look-alikes for its signs', () => {
      const line = (cue: object, language?: string) =>
        toAss([{ start: 1, end: 2, lines: ['Hi'], ...cue }], language ? { language } : {})
          .trim()
          .split('\n')
          .at(-1);
      expect(line({ start: 3723.045, end: 36_000 })).toBe(
        'Dialogue: 0,1:02:03.05,10:00:00.00,Default,,0,0,0,,Hi',
      );
      expect(line({ start: 1, end: 1 })).toBe(
        'Dialogue: 0,0:00:01.00,0:00:01.01,Default,,0,0,0,,Hi',
      );
      expect(line({ speakers: ['Lee, Ann;x'] })).toContain(',Lee‚ Ann；x,0,0,0,,Hi');
      expect(line({ lines: ['<i>a</i>', 'b'] })).toEndWith(',,{\\i1}a{\\i0}\\Nb');
      expect(toAss([], { language: 'he' })).toContain(',96,96,54,-1\n');
      expect(toAss([], { language: 'de' })).toContain(',96,96,54,1\n');
    });
  });

  test.each([
    [1, 1],
    [23.976, 24_000 / 1001],
    [23.98, 24_000 / 1001],
    [24, 24],
    [29.97, 30_000 / 1001],
    [59.94, 60_000 / 1001],
    [240, 240],
  ])('%d frames a second are exactly %d', (given, rate) => {
    expect(frameRateOf(given).rate).toBe(rate);
  });
});

describe('checks our TTML by the rules of IMSC 1.1, and as imscJS shows it: TTML', () => {
  test('follows the rules of IMSC 1.1, whatever the text', () => {
    fc.assert(
      fc.property(
        hostileCaptions,
        fc.constantFrom(undefined, 23.976, 25, 29.97, 60),
        fc.constantFrom('', 'en', 'zh-Hans', 'pt-BR', 'ar', 'he-IL'),
        (cues, frameRate, language) => {
          const options = { language, ...(frameRate === undefined ? {} : { frameRate }) };
          const document = toTtml(cues, options);
          expect(imscFaults(document)).toEqual([]);
          expect(readTtml(document)).toHaveLength(cues.length);
        },
      ),
      { numRuns: rounds(100) },
    );
  });
  test('is shown by imscJS as we read it, without warnings', () => {
    fc.assert(
      fc.property(hostileCaptions, (cues) => {
        const document = toTtml(cues);
        for (const { start, end, lines } of readTtml(document)) {
          const middle = (start + end) / 2;
          const plain = lines.join('\n');
          const { text } = shownAt(document, middle);
          if (!/<\/?i>/i.test(plain)) expect(text).toBe(plain);
          else expect(text.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: rounds(25) },
    );
  });
  test('italics, speakers and positions agree with imscJS', () => {
    const cue: Caption = {
      start: 1,
      end: 2,
      lines: ['one <i>two', 'three</i> four'],
      speakers: ['Ada', 'Bo'],
      placement: { vertical: 'top', align: 'end' },
    };
    const document = toTtml([cue], { language: 'en', frameRate: 23.976 });
    expect(shownAt(document, 1.5)).toEqual({
      text: 'one two\nthree four',
      italic: 'twothree',
      vertical: 'before',
      align: 'end',
      direction: 'ltr',
    });
    const arabic = toTtml([{ ...cue, lines: ['API هو واجهة.'] }], { language: 'ar' });
    expect(shownAt(arabic, 1.5).direction).toBe('rtl');
    expect(shownAt(document, 2.5).text).toBe('');
    expect(document).toContain('ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"');
    expect(fromXML(document, strict).getMediaTimeEvents()).toEqual([0, 1, 2]);
  });
  test('a language that is none cannot end the attribute', () => {
    expect(toTtml([], { language: 'e"n<' })).toContain('xml:lang="e&quot;n&lt;"');
  });
  test('the rules detect violations', () => {
    const document = toTtml([{ start: 1, end: 2, lines: ['a'] }]);
    const broken = [
      document.replace('region="bottom"', 'region="nowhere"'),
      document.replace('xml:lang=""', ''),
      document.replace('tts:extent="80% 80%"', 'tts:extent="95% 80%"'),
      document.replace('<br/>', '').replace('<div>', '<div>text'),
      document.replace('imsc1.1/text', 'imsc1.1/image'),
      document.replace('end="00:00:02.000"', 'end="00:00:01.000"'),
    ];
    for (const each of broken) expect(imscFaults(each)).not.toEqual([]);
  });
});

describe('times in TTML, by the time expressions and the parameters of its recommendation', () => {
  /** The times of a paragraph with these attributes, in a document with these parameters. */
  function timesOf(attributes: string, parameters = ''): [start: number, end: number] | null {
    const [cue] = readTtml(
      `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ${parameters}>` +
        `<body><div><p ${attributes}>Hello</p></div></body></tt>`,
    );
    return cue ? [cue.start, cue.end] : null;
  }

  test.each([
    ['hours', '2h', 7200],
    ['minutes', '1.5m', 90],
    ['seconds', '12.345s', 12.345],
    ['milliseconds', '250ms', 0.25],
    ['frames, thirty a second unless told', '45f', 1.5],
    ['ticks, one a second unless told', '3t', 3],
    ['a clock', '01:02:03', 3723],
    ['a clock with a fraction', '00:00:01.25', 1.25],
    ['a clock of more than 99 hours', '100:00:00', 360_000],
    ['a clock with frames', '00:00:01:15', 1.5],
    ['a clock with parts of a frame, which are left out', '00:00:01:15.3', 1.5],
    ['white space around it', '  7s\n', 7],
    ['references', '&#55;&#x73;', 7],
  ])('%s: %s', (_, begin, seconds) => {
    expect(timesOf(`begin="${begin}" dur="1s"`)).toEqual([seconds, seconds + 1]);
  });

  test.each(['x', '1', '-1s', '1.s', '00:00', '00:00:01:5', '1 s', '1sec', ''])(
    '“%s” is not a time: the caption begins with the document',
    (begin) => {
      expect(timesOf(`begin="${begin}" end="9s"`)).toEqual([0, 9]);
    },
  );

  test.each([
    ['frames of the document', '25', '', '', '50f', 2],
    ['frames slowed by 1000 1001', '24', '1000 1001', '', '24f', 1.001],
    ['a multiplier with a colon', '30', '1000:1001', '', '30f', 1.001],
    ['a multiplier of one number', '25', '2', '', '50f', 1],
    ['a multiplier without frames', '', '1000 1001', '', '30f', 1.001],
    ['no frames a second: thirty', '0', '', '', '30f', 1],
    ['a rate that is no number', 'fast', '', '', '30f', 1],
    ['a rate without end', 'Infinity', '', '', '30f', 1],
    ['ticks of the document', '', '', '10000000', '15000000t', 1.5],
    ['ticks are frames where only those are told', '25', '', '', '50t', 2],
    ['ticks are frames with their multiplier', '30', '1000 1001', '', '30t', 1.001],
    ['ticks before frames', '25', '', '100', '50t', 0.5],
    ['a clock with frames of the document', '25', '', '', '00:00:01:05', 1.2],
  ])('%s', (_, rate, multiplier, ticks, begin, seconds) => {
    const parameters = Object.entries({
      frameRate: rate,
      frameRateMultiplier: multiplier,
      tickRate: ticks,
    }).flatMap(([name, value]) => (value ? [`ttp:${name}="${value}"`] : []));
    const times = timesOf(`begin="${begin}" dur="1s"`, parameters.join(' '));
    expect(times).toEqual([seconds, seconds + 1]);
  });
});

describe('the XML of captions', () => {
  test.each([
    ['nothing but text', 'Hello'],
    ['nothing but a comment', '<!-- <tt/> -->'],
  ])('%s is an error', (_, document) => {
    expect(() => readTtml(document)).toThrow(SyntaxError);
  });
  test.each([
    ['<tt><p begin="1s" end="2s">one<br/>two</p><p begin="3s" end="4s">three', 1, 'p'],
    ['<tt><p begin="1s" end="2s">one<br/>two<p begin="3s" end="4s">three</p></tt>', 1, 'p'],
    [
      '<tt>\n<p begin="1s" end="2s"><span>one<br/>two</p><p begin="3s" end="4s">three</p></tt>',
      2,
      'span',
    ],
  ])('damaged XML is read, which is said: %s', (document, line, name) => {
    const unread: UnreadLine[] = [];
    const cues = readTtml(document, { unread: (each) => unread.push(each) });
    expect(cues.map(({ lines }) => lines)).toEqual([['one', 'two'], ['three']]);
    expect(unread[0]).toMatchObject({ line });
    expect(unread[0]!.reason).toContain(`<${name}> is not closed`);
  });

  test('a sign that begins no tag is text', () => {
    const read = readTtml(
      '<tt><body><div><p begin="1s" end="2s">a < b &amp; c</p></b></div></body></tt>',
    );
    expect(read.map(({ lines }) => lines)).toEqual([['a < b & c']]);
  });

  test('elements may be 199 deep', () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(readTtml(nested(199))).toEqual([]);
    expect(() => readTtml(nested(200))).toThrow('nested too deeply');
  });

  test('a namespace is valid for an element and those in it, not for those after it', () => {
    const p = (space: string, text: string) =>
      `<p ${space} begin='1s' end = "2s" s:fontStyle="italic"><span s:color="">${text}</span></p>`;
    const document = `<tt xmlns:s="a#styling">${p('xmlns:s="none"', 'one')}${p('', 'two')}</tt>`;
    expect(readTtml(document).map(({ lines }) => lines[0]!)).toEqual(['one', '<i>two</i>']);
  });
});

test.each(['ar', 'ar-EG', 'he', 'iw', 'fa', 'ur', 'yi', 'ps', 'dv', 'pa-Arab', 'ckb', 'en', ''])(
  'the direction of captions in “%s”',
  (language) => {
    const isRightToLeft = language !== '' && language !== 'en';
    const body = isRightToLeft ? '<body tts:direction="rtl">' : '<body>';
    expect(toTtml([], { language })).toContain(body);
  },
);

describe('lines, names and positions that every caption format can hold', () => {
  const at = { start: 1, end: 2 };

  test.each([
    ['a < b', 'a ‹ b'],
    ['a <b', 'a ‹b'],
    ['a < b > c', 'a ‹ b › c'],
    ['a < 3', 'a < 3'],
  ])('%j is no tag in SRT, which has no escapes: %j', (line, written) => {
    expect(toSrt([{ ...at, lines: [line] }]).split('\n')[2]).toBe(written);
  });

  test.each([
    ['any end of a line', 'a\n\u000b\u000c\rb\u0085c\u2028\u2029d', 'a b c d'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
    ['spaces at the edges', ' \ta b\t ', 'a b'],
    ['an arrow', 'a --> b', 'a → b'],
    ['what is invisible', 'a\u0000\u2060\ufeff\uffffb', 'ab'],
    ['no text', ' \u0007 ', '…'],
  ])('%s in a line can be held', (_, line, text) => {
    expect(portableRuns([line])).toEqual([[{ text, italic: false }]]);
  });
});
