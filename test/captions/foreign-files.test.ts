/** Caption files that other people and programs make: nothing of them is lost without a word. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { decodeText, type Encoding } from '../../server/captions/files/encodings.ts';
import {
  readCaptionFile,
  readCaptions,
  writeCaptionFile,
} from '../../server/captions/files/read-write.ts';
import type { UnreadLine } from '../../server/captions/files/portable-captions.ts';
import { readSrt, toSrt } from '../../server/captions/files/srt.ts';
import { readVtt, toVtt } from '../../server/captions/files/vtt.ts';
import { withReadings } from '../support/captions/with-readings.ts';
import { needsShared, shared } from '../support/requirements.ts';

/** A reader's captions, and the lines that it reports. */
function reading(read: typeof readSrt, document: string) {
  const unread: UnreadLine[] = [];
  const cues = read(document, { unread: (line) => unread.push(line) });
  return { cues, lines: unread.map(({ line, text }) => [line, text]) };
}

describe('SRT as people write it', () => {
  test.each([
    ['without milliseconds', '00:00:03 --> 00:00:05', 3, 5],
    ['without an end, until the next', '00:00:03 -->', 3, 6],
    ['before the beginning', '-00:00:01,000 --> 00:00:02,000', 0, 2],
    ['with spaces', '00 : 00 : 01 , 000 --> 00: 00: 02, 500', 1, 2.5],
    ['with six digits', '00:00:01,500000 --> 00:00:02,250000', 1.5, 2.25],
    ['above 100 hours', '100:00:00,000 --> 101:00:00,000', 360_000, 363_600],
    ['with a wide colon', '00：00：01，500 --> 00：00：02，000', 1.5, 2],
    ['with a dash for an arrow', '00:00:01,000 –> 00:00:02,000', 1, 2],
    ['with coordinates', '00:00:01,000 --> 00:00:02,000 X1:40 X2:600', 1, 2],
  ])('times %s', (_, times, start, end) => {
    const { cues, lines } = reading(
      readSrt,
      `1\n${times}\nHi\n\n2\n00:00:06,000 --> 00:00:07,000\n`,
    );
    expect([cues[0], lines]).toEqual([{ start, end, lines: ['Hi'] }, []]);
  });

  test.each([
    ['00:00:01:05 --> 00:00:02:10', undefined, 1.2, 2.4, 25],
    ['00:00:01:15 --> 00:00:02:27', undefined, 1.5, 2.9, 30],
    ['00:00:01:12 --> 00:00:02:00', 24, 1.5, 2, null],
  ])('frames in its times are told: %s at %p', (times, frameRate, start, end, told) => {
    const unread: UnreadLine[] = [];
    const rate = frameRate === undefined ? {} : { frameRate };
    const cues = readSrt(`1\n${times}\nHi\n`, { unread: (line) => unread.push(line), ...rate });
    expect(cues).toEqual([{ start, end, lines: ['Hi'] }]);
    expect(unread.map(({ reason }) => reason.match(/\d+/)?.[0])).toEqual(
      told === null ? [] : [String(told)],
    );
  });

  test('what cannot be read is reported with its lines, and is no text of its neighbour', () => {
    const document =
      'Made by hand\n\n1\n00:00:01,000 --> 00:00:02,000\na --> b\n12:30 -> 13:40 lunch\n\n2\n00:0x:03,000 --> 00:00:04,000\nlost\n\n3\n-00:00:04,000 --> -00:00:03,000\ngone\n';
    const { cues, lines } = reading(readSrt, document);
    expect(cues).toEqual([{ start: 1, end: 2, lines: ['a --> b', '12:30 -> 13:40 lunch'] }]);
    expect(lines).toEqual([
      [1, 'Made by hand'],
      [9, '00:0x:03,000 --> 00:00:04,000'],
      [10, 'lost'],
      [13, '-00:00:04,000 --> -00:00:03,000'],
      [14, 'gone'],
    ]);
  });

  test('a caption above 100 hours is written, not an exception', () => {
    const [cue] = readSrt('100:00:00,000 --> 101:00:00,000\nHi');
    expect(readSrt(toSrt([cue!]))).toEqual([cue!]);
    expect(readVtt(toVtt([cue!]))).toEqual([cue!]);
  });

  test('colours and braces survive', () => {
    const document = toSrt([
      {
        start: 0,
        end: 1,
        lines: ['one <i>two</i> {three}'],
        colours: [{ line: 0, from: 4, to: 7, colour: '#ffff00' }],
      },
    ]);
    expect(document).toContain('one <font color="#ffff00"><i>two</i></font> {three}\n');
    expect(toSrt(readSrt(document))).toBe(document);
  });
});

describe('WebVTT', () => {
  test('times with commas only are read, as people write them', () => {
    const { cues } = reading(readVtt, 'WEBVTT\n\n00:00:01,000 --> 00:00:02,000\nHi\n');
    expect(cues).toEqual([{ start: 1, end: 2, lines: ['Hi'] }]);
  });

  test('captions without blank lines between them keep their numbers out of the text', () => {
    const times = (at: number) => `00:0${at}.000 --> 00:0${at + 1}.000`;
    const { cues } = reading(readVtt, `WEBVTT\n\n1\n${times(1)}\nHi\n2\n${times(2)}\nyou\n`);
    expect(cues.map(({ lines }) => lines)).toEqual([['Hi'], ['you']]);
  });

  test('what is no cue is reported, notes and styles are not', () => {
    const { cues, lines } = reading(
      readVtt,
      'WEBVTT\n\nNOTE hello\n\nSTYLE\n::cue {}\n\nstray\n\n00:01 --> 00:02\nlost\n\n00:01.000 --> 00:02.000\nHi\n',
    );
    expect(cues).toHaveLength(1);
    expect(lines).toEqual([
      [8, 'stray'],
      [10, '00:01 --> 00:02'],
      [11, 'lost'],
    ]);
  });

  const foreign = needsShared('foreign/webvtt-js');
  foreign('every case of the W3C has the cues, texts and times that it must have', () => {
    const folder = shared('foreign/webvtt-js/wpt-file-parsing');
    const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const cues = readVtt(readFileSync(`${folder}/${name.replace(/\.js$/, '.vtt')}`, 'utf8'));
      const says = readFileSync(`${folder}/${name}`, 'utf8');
      const count = /cues\.length, (\d+)/.exec(says)?.[1];
      if (count !== undefined) expect([name, cues.length]).toEqual([name, Number(count)]);
      for (const [, at, text] of says.matchAll(/cues\[(\d+)\]\.text, ["'](.*)["']\);/g)) {
        const wanted = text!.replaceAll('\\uFFFD', '\ufffd').trim();
        expect([name, cues[Number(at)]?.lines.join('\n')]).toEqual([name, wanted]);
      }
      for (const [, at, edge, seconds] of says.matchAll(
        /cues\[(\d+)\]\.(start|end)Time, ([\d.]+)/g,
      )) {
        const cue = cues[Number(at)]!;
        expect([name, edge === 'start' ? cue.start : cue.end]).toEqual([name, Number(seconds)]);
      }
    }
  });
  foreign('every text of a cue in its tests is the text of its tree', () => {
    const folder = shared('foreign/webvtt-js/wpt-cue-parsing');
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
      for (const { text, expectedTree } of JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))) {
        const parts = [...String(expectedTree).matchAll(/^\| *"([\s\S]*?)"$/gm)];
        const wanted = parts.map(([, each]) => each).join('');
        const document = `WEBVTT\n\n00:00.000 --> 00:01.000\n${text.replace(/\n$/, '')}`;
        const cue = readVtt(document)[0];
        const found = withReadings(cue);
        expect([text, found.trim()]).toEqual([text, wanted.trim()]);
      }
    }
  });
});

describe('encodings', () => {
  const SAID: [Encoding, string, string][] = [
    [
      'windows-1251',
      'Где ты был вчера вечером? Я ждал тебя два часа.',
      '\xc3\xe4\xe5 \xf2\xfb \xe1\xfb\xeb \xe2\xf7\xe5\xf0\xe0 \xe2\xe5\xf7\xe5\xf0\xee\xec? \xdf \xe6\xe4\xe0\xeb \xf2\xe5\xe1\xff \xe4\xe2\xe0 \xf7\xe0\xf1\xe0.',
    ],
    ['windows-1252', 'Où étais-tu hier soir ?', 'O\xf9 \xe9tais-tu hier soir ?'],
    [
      'shift_jis',
      '昨日の夜はどこにいたの',
      '\x8d\xf0\x93\xfa\x82\xcc\x96\xe9\x82\xcd\x82\xc7\x82\xb1\x82\xc9\x82\xa2\x82\xbd\x82\xcc',
    ],
    ['euc-kr', '어디 있었어', '\xbe\xee\xb5\xf0 \xc0\xd6\xbe\xfa\xbe\xee'],
    ['utf-16le', 'Hi\r\n', 'H\0i\0\r\0\n\0'],
    ['utf-16be', 'Hi\r\n', '\0H\0i\0\r\0\n'],
    ['utf-8', 'caf\u00e9 f\ufffdr', 'caf\xc3\xa9 f\xfcr'],
  ];
  test.each(SAID)('%s is detected by its bytes', async (encoding, text, bytes) => {
    const sent = Uint8Array.from(bytes, (each) => each.charCodeAt(0));
    expect(await decodeText(sent)).toEqual({ text, encoding });
  });
});

describe('EBU-STL', () => {
  const cues = [
    { start: 1, end: 2.4, lines: ['Ünï <i>čode</i>', '“two” rows'] },
    { start: 3, end: 4, lines: ['Oben'], placement: { vertical: 'top' as const } },
  ];
  test.each(['stl', 'stl-teletext'] as const)('%s is read back, frame by frame', async (format) => {
    const bytes = await writeCaptionFile(format, cues, { language: 'de', frameRate: 25 });
    const read = await readCaptionFile(bytes);
    expect(read?.format).toBe('stl');
    expect(read?.details).toMatchObject({ language: 'de', frameRate: 25, firstFrame: 0 });
    const text = (all: readonly { start: number; end: number; lines: readonly string[] }[]) =>
      all.map(({ start, end, lines }) => [start, end, lines.join('|').replace(/<\/?i>/g, '')]);
    expect(text(read!.cues)).toEqual(text(cues));
    expect(read!.cues[1]!.placement).toEqual({ vertical: 'top' });
  });

  test.each([0, 5, 13, 100, 240, 300, 1000])(
    'is read although byte %d of its head is missing, or doubled',
    async (at) => {
      const cues = [{ start: 1, end: 3, lines: ['Good evening'] }];
      const bytes = Buffer.from(await writeCaptionFile('stl', cues, { frameRate: 25 }));
      const [head, rest] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
      for (const damaged of [
        Buffer.concat([head, rest]),
        Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]),
      ]) {
        const read = await readCaptionFile(damaged);
        expect(read?.cues).toMatchObject(cues);
        expect(read?.unread[0]?.reason).toContain('of its head');
      }
    },
  );

  const foreign = needsShared('foreign/stl');
  foreign('every file of the collections is read', async () => {
    const unreadable: string[] = [];
    for (const folder of ['irt', 'sandflow']) {
      for (const name of readdirSync(shared(`foreign/stl/${folder}`))) {
        if (!name.endsWith('.stl')) continue;
        const read = await readCaptionFile(readFileSync(shared(`foreign/stl/${folder}/${name}`)));
        if (!read) unreadable.push(name);
      }
    }
    // Their only subtitle ends when it begins.
    expect(unreadable.toSorted()).toEqual([
      'requirement-0061-004_modified.stl',
      'requirement-0062-001.stl',
    ]);
  });
});

test.each([
  [
    'whisper',
    '{"text":" Hi","segments":[{"id":0,"start":0.5,"end":1.25,"text":" Hi"}],"language":"en"}',
  ],
  [
    'Deepgram',
    '{"results":{"channels":[{"alternatives":[{"words":[{"word":"hi","punctuated_word":"Hi","start":0.5,"end":1.25}]}]}]}}',
  ],
  ['AssemblyAI', '{"audio_duration":2,"words":[{"text":"Hi","start":500,"end":1250}]}'],
  [
    'podcasts',
    '{"version":"1.0.0","segments":[{"speaker":"","startTime":0.5,"endTime":1.25,"body":"Hi"}]}',
  ],
  ['YouTube', '{"events":[{"tStartMs":500,"dDurationMs":750,"segs":[{"utf8":"Hi"}]}]}'],
])('the JSON of %s is read', async (_, document) => {
  const read = await readCaptions(document);
  expect(read?.cues[0]).toMatchObject({ start: 0.5, lines: ['Hi'] });
});

describe('plain text, if a person says that it is', () => {
  const read = (document: string) => readCaptions(document, { isText: true });

  test('is shown at the times with which its lines begin', async () => {
    const found = await read(
      '[00:00:01] Ada: Good morning.\n0:05\nGood day,\nat 0:01.\n(1:00:00.5) Bye.\n',
    );
    expect(found).toMatchObject({ format: 'txt', unread: [] });
    expect(found?.cues.map(({ start, lines }) => [start, lines.join(' ')])).toEqual([
      [1, 'Good morning.'],
      [5, 'Good day, at 0:01.'],
      [3600.5, 'Bye.'],
    ]);
    expect(found?.cues[0]?.speakers).toEqual(['Ada']);
  });

  test('without times is shown as fast as it is read, which is said', async () => {
    const found = await read('A sentence of thirty characters.\n\nAnother one.\n');
    expect(found?.cues.map(({ start, end }) => [start, Math.round(end * 10) / 10])).toEqual([
      [0, 2.1],
      [3.133, 3.9],
    ]);
    expect(found?.unread).toMatchObject([{ line: 0 }]);
    expect(await readCaptions('A sentence.')).toBeNull();
  });
});

test('JSON that breaks off is read as far as it goes, which is said', async () => {
  const document = '{"segments":[{"start":0,"end":1,"text":"Hi"},{"start":1,"end":2,"text":"yo';
  const read = await readCaptions(document);
  expect([read?.cues.length, read?.unread.length]).toEqual([2, 1]);
});

/** Files as forums, archives and programs have them: what must be shown, and the numbers of the lines that are listed. */
const UGLY: [string, string, string[], number[]][] = [
  [
    'srt blank lines inside',
    '1\n00:00:01,000 --> 00:00:02,000\nOne\n\ntwo\n\n2\n00:00:03,000 --> 00:00:04,000\nThree\n',
    ['1-2 One|two', '3-4 Three'],
    [],
  ],
  [
    'srt no numbers',
    '00:00:01,000 --> 00:00:02,000\nOne\n\n00:00:03,000 --> 00:00:04,000\nThree\n',
    ['1-2 One', '3-4 Three'],
    [],
  ],
  [
    'srt periods',
    '1\n00:00:01.500 --> 00:00:02.500\nOne\n\n2\n00:00:03.5 --> 00:00:04.25\nThree\n',
    ['1.5-2.5 One', '3.5-4.25 Three'],
    [],
  ],
  [
    'srt 0:01',
    '1\n0:01 --> 0:02\nOne\n\n2\n1:03 --> 1:04.5\nThree\n',
    ['1-2 One', '63-64.5 Three'],
    [],
  ],
  [
    'srt mixes',
    '1\n00:00:01,500 --> 00:00:02.500\nOne\n\n2\n0:0:3,5-->0:0:4,25\nThree\n',
    ['1.5-2.5 One', '3.5-4.25 Three'],
    [],
  ],
  [
    'srt coordinates',
    '1\n00:00:01,000 --> 00:00:02,000  X1:117 X2:619 Y1:042 Y2:428\nOne\n',
    ['1-2 One'],
    [],
  ],
  [
    'srt an8 entities font',
    '1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color="#ff0000" size="12" face="Arial">One</font> &amp; <b>two</b>\n',
    ['1-2 One &amp; two'],
    [],
  ],
  [
    'srt BOM in middle',
    '﻿1\n00:00:01,000 --> 00:00:02,000\nOne\n\n﻿1\n00:00:03,000 --> 00:00:04,000\nThree\n',
    ['1-2 One', '3-4 Three'],
    [],
  ],
  [
    'srt CR only',
    '1\r00:00:01,000 --> 00:00:02,000\rOne\r\r2\r00:00:03,000 --> 00:00:04,000\rThree\r',
    ['1-2 One', '3-4 Three'],
    [],
  ],
  [
    'srt CRCRLF',
    '1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nOne\r\r\n\r\r\n2\r\r\n00:00:03,000 --> 00:00:04,000\r\r\nThree\r\r\n',
    ['1-2 One', '3-4 Three'],
    [],
  ],
  ['srt tabs', '1\n\t00:00:01,000\t-->\t00:00:02,000\t\n\tOne\ttwo\n', ['1-2 One\ttwo'], []],
  ['srt rtl marks', '1\n‎00:00:01,000 --> 00:00:02,000‎\n‫שלום‬\n', ['1-2 ‫שלום‬'], []],
  ['srt nbsp in times', '1\n00:00:01,000 --> 00:00:02,000\nOne\n', ['1-2 One'], []],
  ['srt web page before', '<html>\n1\n00:00:01,000 --> 00:00:02,000\nOne\n', ['1-2 One'], [1]],
  [
    'srt number and times in a line',
    '1 00:00:01,000 --> 00:00:02,000\nOne\n\n2 00:00:03,000 --> 00:00:04,000\nThree\n',
    ['1-2 One', '3-4 Three'],
    [],
  ],
  [
    'srt text in time line',
    '1\n00:00:01,000 --> 00:00:02,000 One\n\n2\n00:00:03,000 --> 00:00:04,000 Three\n',
    ['1-2 One', '3-4 Three'],
    [],
  ],
  [
    'srt whisper brackets',
    '[00:00:01.000 --> 00:00:02.000]   One\n[00:00:03.000 --> 00:00:04.000]   Three\n',
    ['1-2 One', '3-4 Three'],
    [],
  ],
  [
    'srt overlapping unordered',
    '2\n00:00:03,000 --> 00:00:05,000\nThree\n\n1\n00:00:01,000 --> 00:00:04,000\nOne\n',
    ['3-5 Three', '1-4 One'],
    [],
  ],
  [
    'srt end before start',
    '1\n00:00:05,000 --> 00:00:02,000\nOne\n\n2\n00:00:06,000 --> 00:00:07,000\nTwo\n',
    ['5-6 One', '6-7 Two'],
    [2],
  ],
  [
    'vtt style region note',
    'WEBVTT - title\nKind: captions\nLanguage: en\n\nSTYLE\n::cue(.a) { color: red; }\n\nREGION\nid:fred\nwidth:40%\nviewportanchor:10%,10%\n\nNOTE\nhello\nyou\n\n1\n00:00:01.000 --> 00:00:02.000 region:fred align:left position:10%,line-left size:35% line:-1\n<v.loud Mary Ann>One</v> <c.yellow.bg_blue>two</c>\n',
    ['1-2 Mary Ann: One two'],
    [],
  ],
  [
    'vtt hours > 99',
    'WEBVTT\n\n100:00:01.000 --> 1000:00:02.000\nOne\n',
    ['360001-3600002 One'],
    [],
  ],
  [
    'vtt youtube',
    'WEBVTT\nKind: captions\nLanguage: en\n\n00:00:00.080 --> 00:00:02.350 align:start position:0%\n \nok<00:00:00.320><c> so</c><00:00:00.640><c> today</c>\n\n00:00:02.350 --> 00:00:02.360 align:start position:0%\nok so today\n \n',
    ['0.08-2.35 ok so today', '2.35-2.36 ok so today'],
    [],
  ],
  [
    'vtt hls',
    'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\nOne &amp; &lt;two&gt; &nbsp;&rlm;x\n',
    ['1-2 One & <two>  ‏x'],
    [],
  ],
  [
    'vtt zoom',
    'WEBVTT\r\n\r\n1 "Ann Lee" (123)\r\n00:00:01.000 --> 00:00:02.000\r\nAnn: One\r\n',
    ['1-2 Ann: One'],
    [],
  ],
  [
    'vtt teams',
    'WEBVTT\n\n3f-22/1-0\n00:00:01.000 --> 00:00:02.000\n<v Ann Lee>One</v>\n\n3f-22/2-0\n00:00:03.000 --> 00:00:04.000\n<v Bo>Two</v>\n',
    ['1-2 Ann Lee: One', '3-4 Bo: Two'],
    [],
  ],
  [
    'ass odd order',
    '[Script Info]\n; comment\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,{\\i1}One{\\i0}\\Ntwo\\nthree\\hfour\nComment: 0:00:01.00,0:00:02.00,no\n',
    ['1-2 <i>One</i>|two|three four'],
    [],
  ],
  [
    'ssa v4',
    '[Script Info]\nScriptType: v4.00\n\n[V4 Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, TertiaryColour, BackColour, Bold, Italic, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, AlphaLevel, Encoding\nStyle: Default,Arial,20,16777215,65535,65535,-2147483640,-1,0,1,3,0,2,30,30,30,0,0\n\n[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.00,Default,NTP,0000,0000,0000,!Effect,One, two\n',
    ['1-2 NTP: One, two'],
    [],
  ],
  [
    'ass drawing',
    '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\p1\\pos(1,2)}m 0 0 l 100 0 100 100 0 100{\\p0}\nDialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,Banner;5;0,{\\k20}One {\\kf30}two {\\t(0,100,\\fscx120)\\fnComic Sans MS}three{tl note: hi}\n',
    ['1-2 ', '3-4 One two three'],
    [4],
  ],
  [
    'sami many',
    '<SAMI>\n<HEAD><TITLE>x</TITLE><STYLE TYPE="text/css"><!--\nP {a:b}\n.ENCC {Name:English; lang: en-US;}\n.FRCC {Name:French; lang: fr-FR;}\n--></STYLE></HEAD>\n<BODY>\n<SYNC Start=1000><P Class=ENCC>One<br>two\n<P Class=FRCC>Un\n<SYNC Start=2000><P Class=ENCC>&nbsp;\n<P Class=FRCC>&nbsp;\n<SYNC Start="3000"><P Class=ENCC ID=Source>Bob<P Class=ENCC><FONT COLOR=yellow>Three</FONT>\n<SYNC Start=4000ms><P Class=ENCC>Four\n</BODY></SAMI>',
    ['1-2 One|two', '3-4 Bob|Three', '4-9 Four'],
    [9],
  ],
  [
    'sami no class',
    '<sami><body><sync start=1000>One<sync start=2000>&nbsp;</body></sami>',
    ['1-2 One'],
    [],
  ],
  [
    'microdvd',
    '{1}{1}25.000\n{25}{50}{y:i}One|two\n{75}{}Three\n{100}{125}{C:$0000FF}{Y:b}Four|/five\n{DEFAULT}{}{y:i}\n',
    ['1-2 <i>One</i>|two', '3-6 Three', '4-5 Four|<i>five</i>'],
    [5],
  ],
  [
    'subviewer',
    '[INFORMATION]\n[TITLE]x\n[END INFORMATION]\n[SUBTITLE]\n00:00:01.00,00:00:02.00\nOne[br]two\n\n00:00:03.00,00:00:04.00\nThree\n',
    ['1-2 One|two', '3-4 Three'],
    [1, 2, 3, 4],
  ],
  [
    'sbv',
    '0:00:01.000,0:00:02.000\n>> ANN: One\ntwo\n\n0:00:03.000,0:00:04.000\nThree\n',
    ['1-2 >> ANN: One|two', '3-4 Three'],
    [],
  ],
  [
    'scc doubled roll-up',
    'Scenarist_SCC V1.0\n\n00:00:01;00\t9425 9425 94ad 94ad 9470 9470 c8e5 ecec ef80\n\n00:00:03;00\t9425 9425 94ad 94ad 9470 9470 d7ef f2ec 6480\n\n00:00:05;00\t942c 942c\n',
    ['1.068-3.07 Hello', '3.07-5.005 World'],
    [],
  ],
  [
    'scc paint-on',
    'Scenarist_SCC V1.0\n\n00:00:01:00\t9429 9429 9470 9470 c8e5 ecec ef80\n\n00:00:03:00\t942c 942c\n',
    ['1.134-3.003 Hello'],
    [],
  ],
  [
    'scc even parity',
    'Scenarist_SCC V1.0\n\n00:00:01;00\t1420 1420 1470 1470 4865 6c6c 6f00 142f 142f\n\n00:00:03:00\t142c 142c\n',
    ['1.235-3.003 Hello'],
    [],
  ],
  [
    'ttml ticks',
    '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ttp:tickRate="10000000"><body><div begin="10000000t"><p begin="0t" end="10000000t" xml:space="preserve">One<br/>  two</p></div></body></tt>',
    ['1-2 One|two'],
    [],
  ],
  [
    'ttml frames',
    '<tt xmlns="http://www.w3.org/2006/10/ttaf1" xmlns:ttp="http://www.w3.org/2006/10/ttaf1#parameter" ttp:frameRate="25"><body><div><p begin="00:00:01:05" dur="25f">One</p><p begin="2.5s" end="3500ms">Two</p></div></body></tt>',
    ['1.2-2.2 One', '2.5-3.5 Two'],
    [],
  ],
  [
    'ttml prefix',
    '<tt:tt xmlns:tt="http://www.w3.org/ns/ttml"><tt:body><tt:div><tt:p begin="1s" end="2s"><tt:span>One</tt:span></tt:p></tt:div></tt:body></tt:tt>',
    ['1-2 One'],
    [],
  ],
  [
    'ttml no namespace',
    '<tt><body><div><p begin="00:00:01.000" end="00:00:02.000">One</p></div></body></tt>',
    ['1-2 One'],
    [],
  ],
  [
    'ttml one-digit hours',
    '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0:00:01.000" end="0:00:02.000">One</p></div></body></tt>',
    ['1-2 One'],
    [],
  ],
  [
    'json whisper.cpp',
    '{"systeminfo":"x","transcription":[{"timestamps":{"from":"00:00:01,000","to":"00:00:02,000"},"offsets":{"from":1000,"to":2000},"text":" One"}]}',
    ['1-2 One'],
    [],
  ],
  [
    'json openai verbose',
    '{"task":"transcribe","language":"english","duration":4,"text":"One","segments":[{"id":0,"seek":0,"start":1,"end":2,"text":" One","tokens":[1],"temperature":0}]}',
    ['1-2 One'],
    [],
  ],
  [
    'json openai diarized',
    '{"task":"transcribe","duration":4,"text":"One","segments":[{"type":"transcript.text.segment","id":"seg_1","start":1,"end":2,"text":"One","speaker":"A"}]}',
    ['1-2 A: One'],
    [],
  ],
  [
    'json google',
    '{"results":[{"alternatives":[{"transcript":"One two","words":[{"startTime":"1s","endTime":"1.500s","word":"One"},{"startTime":"1.5s","endTime":"2s","word":"two"}]}]}]}',
    ['1-2 One two'],
    [],
  ],
  [
    'json aws',
    '{"jobName":"x","status":"COMPLETED","results":{"transcripts":[{"transcript":"One two."}],"items":[{"start_time":"1.0","end_time":"1.5","alternatives":[{"confidence":"0.9","content":"One"}],"type":"pronunciation"},{"start_time":"1.5","end_time":"2.0","alternatives":[{"content":"two"}],"type":"pronunciation"},{"alternatives":[{"content":"."}],"type":"punctuation"}]}}',
    ['1-2 One two.'],
    [],
  ],
  [
    'json azure',
    '{"durationInTicks":40000000,"recognizedPhrases":[{"recognitionStatus":"Success","speaker":1,"offsetInTicks":10000000,"durationInTicks":10000000,"nBest":[{"display":"One two.","lexical":"one two"}]}]}',
    ['1-2 Speaker 1: One two.'],
    [],
  ],
  [
    'json deepgram',
    '{"metadata":{},"results":{"channels":[{"alternatives":[{"transcript":"One two","words":[{"word":"one","start":1,"end":1.5,"punctuated_word":"One","speaker":0},{"word":"two","start":1.5,"end":2,"punctuated_word":"two.","speaker":0}]}]}]}}',
    ['1-2 Speaker 1: One two.'],
    [],
  ],
  [
    'json assemblyai',
    '{"id":"x","audio_duration":4,"utterances":[{"speaker":"A","text":"One","start":1000,"end":2000,"words":[{"text":"One","start":1000,"end":2000,"speaker":"A"}]}]}',
    ['1-2 A: One'],
    [],
  ],
  [
    'json gentle/vosk',
    '{"result":[{"conf":1,"start":1,"end":1.5,"word":"one"},{"conf":1,"start":1.5,"end":2,"word":"two"}],"text":"one two"}',
    ['1-2 one two'],
    [],
  ],
  [
    'json whisperx',
    '{"segments":[{"start":1,"end":2,"text":" One","words":[{"word":"One","start":1,"end":2,"score":0.9,"speaker":"SPEAKER_00"}],"speaker":"SPEAKER_00"}],"word_segments":[]}',
    ['1-2 SPEAKER_00: One'],
    [],
  ],
];

test.each(UGLY)('%s', async (_, document, shown, listed) => {
  const read = await readCaptionFile(new TextEncoder().encode(document));
  const cues = read?.cues.map(({ start, end, lines, speakers: [name = ''] = [] }) => {
    const said = lines.join('|');
    return `${start}-${end} ${name === '' ? said : `${name}: ${said}`}`;
  });
  expect([cues, read?.unread.map(({ line }) => line)]).toEqual([shown, listed]);
});

test('JSON of which one sign is damaged is read in time, object by object', async () => {
  const segments = Array.from({ length: 2000 }, (_, at) => ({
    start: at,
    end: at + 1,
    text: `one\ntwo ${at}`,
  }));
  const document = JSON.stringify({ segments }).replace('two 7"', 'only here\\,"');
  const read = await readCaptions(document);
  expect(read?.cues.length).toBe(1999);
  expect(read?.unread.some(({ text }) => text.includes('only here'))).toBe(true);
});

test.each([
  ['the words of another caption', 'Yes.', 'Yes.'],
  ['words that other captions have apart', 'Yes, I know.', 'I know it. Yes, you do.'],
])('TTML that damage hides is listed, although it is %s', async (_, hidden, shown) => {
  const caption = (at: number, text: string) => `<p begin="${at}s" end="${at + 1}s">${text}</p>`;
  const read = await readCaptions(
    `<tt xmlns="http://www.w3.org/ns/ttml"><body><div>${caption(1, shown)}${caption(3, hidden).replaceAll('p', 'q')}${caption(5, 'No.')}</div></body></tt>`,
  );
  expect(read?.cues.map(({ lines }) => lines.join(' '))).toEqual([shown, 'No.']);
  expect(read?.unread.some(({ text }) => text.includes(hidden))).toBe(true);
});
