/** Files of other programs: positions and styles of TTML, times and names of ASS, attributes of XML. */
import { describe, expect, test } from 'bun:test';
import { readAss, toAss } from '../../server/captions/files/ass.ts';
import { frameRateOf } from '../../server/captions/frames.ts';
import { readVtt } from '../../server/captions/files/vtt.ts';
import { formatTimestamp, parseTimestamp } from '../../server/captions/timestamps.ts';
import { readTtml } from '../../server/captions/files/ttml.ts';
import { attribute, readXml } from '../../server/captions/files/xml.ts';

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
    ['tts:origin="0% 20%" tts:extent="80% 60%" tts:displayAlign="center"', { vertical: 'middle' }],
    ['tts:displayAlign="after" tts:textAlign="start"', { align: 'start' }],
    ['tts:displayAlign="after" tts:textAlign="left"', { align: 'start' }],
    ['tts:displayAlign="after" tts:textAlign="end"', { align: 'end' }],
    ['tts:displayAlign="after" tts:textAlign="right"', { align: 'end' }],
    ['tts:displayAlign="after" tts:textAlign="center"', {}],
  ])('places a region with %s', (region, expected) => {
    expect(placed(region)).toEqual(expected);
  });

  test('takes the style of a region from those that it names, the last first, or that it contains', () => {
    const styles =
      '<style xml:id="a" tts:displayAlign="after" tts:textAlign="start"/><style xml:id="b" tts:textAlign="end"/><style xml:id="c" style="a"/>';
    expect(placed('style="a b"', styles)).toEqual({ align: 'end' });
    expect(placed('style="b a"', styles)).toEqual({ align: 'start' });
    expect(placed('style="c"', styles)).toEqual({ align: 'start' });
    const inside =
      '<region xml:id="r"><style tts:displayAlign="after" tts:textAlign="end"/></region>';
    const [cue] = readTtml(ttml(inside, '<p begin="1s" end="2s" region="r">Hi</p>'));
    expect(cue?.placement).toEqual({ align: 'end' });
  });

  test('passes style, region, speaker and times on to what is inside', () => {
    const agents = '<ttm:agent xml:id="ann"><ttm:name>  Ann\n Lee </ttm:name></ttm:agent>';
    const read = readTtml(
      ttml(
        `${agents}<region xml:id="r" tts:displayAlign="before"/>`,
        '<div begin="10s" dur="5s" region="r" tts:fontStyle="italic" ttm:agent="ann"><p begin="1s">One</p><p begin="2s" end="9s" tts:fontStyle="normal" ttm:agent="bob">Two</p></div>',
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

  test.each([
    ['oblique', ['<i>Hi</i>']],
    ['italic', ['<i>Hi</i>']],
    ['normal', ['Hi']],
  ])('reads the style %s', (style, lines) => {
    const [cue] = readTtml(ttml('', `<p begin="1s" end="2s" tts:fontStyle="${style}">Hi</p>`));
    expect(cue?.lines).toEqual(lines);
  });

  test('reads the body alone, in order of time', () => {
    const file = ttml(
      '<p begin="1s" end="2s">A sample</p>',
      '<p begin="5s" end="6s">late</p><p begin="3s" end="4s">early</p>',
    );
    expect(readTtml(file).map(({ lines }) => lines)).toEqual([['early'], ['late']]);
  });

  test('reads styles of extensions, and leaves styles that name each other', () => {
    const body = '<p begin="1s" end="2s" tts:fontStyle="italic">Hi</p>';
    const extended = ttml('', body).replace('ttml#styling', '2006/10/ttaf1#style-extension');
    expect(readTtml(extended)[0]?.lines).toEqual(['<i>Hi</i>']);
    const styles = '<style xml:id="a" style="b"/><style xml:id="b" style="a"/>';
    const circular = ttml('', '<p begin="1s" end="2s" style="a">Hi</p>', styles);
    expect(readTtml(circular)[0]?.lines).toEqual(['Hi']);
  });

  test('keeps the spaces between texts only if they are to be kept', () => {
    const read = (space: string) =>
      readTtml(ttml('', `<p begin="1s" end="2s"${space}><span>a </span><span> b</span></p>`))[0]
        ?.lines;
    expect(read('')).toEqual(['a b']);
    expect(read(' xml:space="preserve"')).toEqual(['a  b']);
  });

  test('a line with two speakers is that of the first', () => {
    const name = (id: string) =>
      `<ttm:agent xml:id="${id}"><ttm:name>${id.toUpperCase()}</ttm:name></ttm:agent>`;
    const span = (id: string) => `<span ttm:agent="${id}">${id}</span>`;
    const text = `${span('ann')}<br/>${span('bob')} ${span('ann')}`;
    const file = ttml(name('ann') + name('bob'), `<p begin="1s" end="2s">${text}</p>`);
    expect(readTtml(file)).toMatchObject([{ lines: ['ann', 'bob ann'], speakers: ['ANN', 'BOB'] }]);
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

  test.each(['1:02.50', '1:02:03', '1:02:03.0005', 'x', ''])('ignores a line at %j', (text) => {
    expect(dialogue(text, '20:00:00.00')).toEqual([]);
  });

  test('reads commas in a text, lines, and a speaker for all lines or for each', () => {
    expect(dialogue('0:00:01.00', '0:00:02.00', 'Ann', 'so, yes\\Nno')).toMatchObject([
      { lines: ['so, yes', 'no'], speakers: ['Ann', 'Ann'] },
    ]);
    const [both] = dialogue('0:00:01.00', '0:00:02.00', 'Ann;Bob', 'yes\\Nno');
    expect(both?.speakers).toEqual(['Ann', 'Bob']);
  });

  test('reads only the events, in order of time, by the fields that the file lists', () => {
    const file =
      '[Fonts]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,no\n[EVENTS]\r\nFormat: Start, End, Actor, Text\r\nDialogue: 0:00:05.00,0:00:06.00,Bob,late\r\nComment: 0:00:05.00,0:00:06.00,Bob,no\r\nDialogue: 0:00:03.00,0:00:04.00,Ann,early, yes\r\n';
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      expect(readAss(file.replaceAll(/\r?\n/g, lineEnd))).toMatchObject([
        { start: 3, end: 4, speakers: ['Ann'], lines: ['early, yes'] },
        { start: 5, end: 6, speakers: ['Bob'], lines: ['late'] },
      ]);
    }
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
    expect(line({ start: 1, end: 1 })).toBe('Dialogue: 0,0:00:01.00,0:00:01.01,Default,,0,0,0,,Hi');
    expect(line({ speakers: ['Lee, Ann;x'] })).toContain(',Lee‚ Ann；x,0,0,0,,Hi');
    expect(line({ lines: ['<i>a</i>', 'b'] })).toEndWith(',,{\\i1}a{\\i0}\\Nb');
    expect(toAss([], { language: 'he' })).toContain(',96,96,54,-1\n');
    expect(toAss([], { language: 'de' })).toContain(',96,96,54,1\n');
  });
});

test.each([
  [0, '00:00:00,000'],
  [0.0004, '00:00:00,000'],
  [0.0005, '00:00:00,001'],
  [59.9995, '00:01:00,000'],
  [3599.999, '00:59:59,999'],
  [359_999.999, '99:59:59,999'],
])('%d s is written %s, and read back', (seconds, text) => {
  expect(formatTimestamp(seconds)).toBe(text);
  expect(parseTimestamp(text)).toBeCloseTo(seconds, 2);
});

test.each([
  ['1:2.5', 62.5],
  ['123:00:00.000', 442_800],
  [' 00:01.05 ', 1.05],
])('%j is the time %d', (text, seconds) => {
  expect(parseTimestamp(text)).toBe(seconds);
});

test.each(['00:01', '00:01,0005', '1:00:001,0', 'x00:01,000', '00:01,000x', '-00:01,000'])(
  '%j is no time',
  (text) => {
    expect(parseTimestamp(text)).toBeNull();
  },
);

test('attributes of XML may be empty, and have either quotes, references and white space', () => {
  const root = readXml(`<a one="" two='x "y"' three="&lt;&#65;\n\tb" four = "4"/>`);
  expect(['one', 'two', 'three', 'four', 'five'].map((name) => attribute(root, name))).toEqual([
    '',
    'x "y"',
    '<A  b',
    '4',
    undefined,
  ]);
});

test('references of XML name characters, and stay if there is no such character', () => {
  const read = (text: string) => readXml(`<a>${text}</a>`).children.map(String).join('');
  expect(read('&amp;&lt;&gt;&quot;&APOS;&#233;&#xE9;&#x1F600;')).toBe(`&<>"'éé😀`);
  expect(read('&#1114111;')).toBe('\u{10FFFF}');
  expect(read('&#1114112;&#x110000;&nbsp;&#x;&x')).toBe('&#1114112;&#x110000;&nbsp;&#x;&x');
});

test('the name of a voice in WebVTT may have references', () => {
  const speakersOf = (name: string) =>
    readVtt(`WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud ${name}>Hi</v>\n`)[0]?.speakers;
  expect(speakersOf('Ada &amp;  Bob')).toEqual(['Ada & Bob']);
  expect(speakersOf('&#65;&#x42;')).toEqual(['AB']);
  expect(speakersOf('&#1114112; &what;')).toEqual(['&#1114112; &what;']);
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

test.each([0, 0.99, 240.01, 960, -24, Number.NaN])('%d is no frame rate', (given) => {
  expect(() => frameRateOf(given)).toThrow('must be from 1 to 240 frames a second');
});
