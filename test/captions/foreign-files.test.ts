/** Caption files that other people and programs make: nothing of them is lost without a word. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { decodeText, type Encoding } from '../../server/captions/files/encodings.ts';
import {
  readCaptionFile,
  readCaptions,
  writeCaptionFile,
} from '../../server/captions/files/read-write.ts';
import type { Caption } from '../../server/captions/cue.ts';
import type { UnreadLine } from '../../server/captions/files/portable-captions.ts';
import { readSrt, toSrt } from '../../server/captions/files/srt.ts';
import { readVtt, toVtt } from '../../server/captions/files/vtt.ts';
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

/** The text of a caption, with each reading after its characters. */
function withReadings({ lines, ruby = [] }: Partial<Caption> = {}): string {
  const plain = (lines ?? []).map((line) => line.replace(/<\/?i>/g, ''));
  for (const { line, to, reading } of ruby.toReversed()) {
    plain[line] = plain[line]!.slice(0, to) + reading + plain[line]!.slice(to);
  }
  return plain.join('\n');
}

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
