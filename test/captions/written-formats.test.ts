/** Formats of broadcasters and editors: what is written is read back with its text, its lines and its frames. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import type { Caption } from '../../server/captions/cue.ts';
import { type CaptionFormat, FORMAT_IDS, FORMATS } from '../../server/captions/files/formats.ts';
import { toFcpxml } from '../../server/captions/files/fcpxml.ts';
import {
  readCaptionFile,
  readCaptions,
  writeCaptionFile,
} from '../../server/captions/files/read-write.ts';
import { elements, elementsIn, readXml } from '../../server/captions/files/xml.ts';
import type { Loss } from '../../server/captions/files/portable-captions.ts';
import { frameAt, frameRateOf } from '../../server/captions/timestamps.ts';
import { captionsOnFrames } from '../support/captions/captions-on-frames.ts';
import { rounds } from '../support/fuzz.ts';

setDefaultTimeout(300_000);

/** Formats that are read again; plain text has no times. */
const BACK = FORMAT_IDS.filter((id) => id !== 'txt');

describe.each([25, 29.97, 23.976])('at %p frames a second', (frameRate) => {
  const { rate } = frameRateOf(frameRate);
  // SCC has one rate.
  test.each(BACK.filter((id) => id !== 'scc' || frameRate === 29.97))('%s', async (format) => {
    const { keeps }: CaptionFormat = FORMATS[format];
    await fc.assert(
      fc.asyncProperty(captionsOnFrames(rate), async (cues) => {
        const lost: Loss[] = [];
        const options = { language: 'de', frameRate, lost: (loss: Loss) => lost.push(loss) };
        const read = await readCaptionFile(await writeCaptionFile(format, cues, options), {
          frameRate,
        });
        const plain = (all: readonly Caption[]) =>
          all.map(({ start, end, lines }) => [
            frameAt(start, rate),
            frameAt(end, rate),
            // A podcast has no lines.
            lines.join(format === 'podcast' ? ' ' : '\n'),
          ]);
        expect(read?.unread).toEqual([]);
        expect(plain(read?.cues ?? [])).toEqual(plain(cues));
        if (keeps.includes('places')) {
          const places = (all: readonly Caption[]) =>
            all.map(({ placement }) => placement?.vertical);
          expect(places(read!.cues)).toEqual(places(cues));
        }
        expect(lost.filter(({ cue }) => cue > 0 && keeps.includes('places'))).toEqual([]);
      }),
      { numRuns: rounds(15) },
    );
  });
});

/** Captions with everything at once that can be beside and between the characters of lines. */
const marked: Caption[] = [
  {
    start: 1,
    end: 4,
    lines: ['この<i>漢字</i>は', '読めるか'],
    ruby: [{ line: 0, from: 2, to: 4, reading: 'かんじ' }],
    dots: [{ line: 1, from: 0, to: 3 }],
    columns: 'right',
  },
  {
    start: 5,
    end: 8.5,
    lines: ['Row your <i>boat</i>,', 'gently & down'],
    colours: [{ line: 1, from: 0, to: 6, colour: '#ffff00' }],
    words: [
      { line: 0, from: 0, start: 5.2 },
      { line: 0, from: 4, start: 5.75 },
      { line: 0, from: 9, start: 6 },
      { line: 1, from: 0, start: 7.01 },
      { line: 1, from: 9, start: 8 },
    ],
  },
  { start: 9, end: 10, lines: ['左の', '文字'], columns: 'left' },
];

test.each(['vtt', 'ttml', 'ass'] as const)(
  '%s keeps readings, dots, columns and times of words as its row says',
  async (format) => {
    const { keeps }: CaptionFormat = FORMATS[format];
    const lost: Loss[] = [];
    const file = await writeCaptionFile(format, marked, { lost: (loss) => lost.push(loss) });
    const read = await readCaptionFile(file);
    const parts = (['ruby', 'dots', 'words', 'columns', 'colours'] as const).filter((part) =>
      keeps.includes(part),
    );
    const held = (all: readonly Caption[]) =>
      all.map((cue) => [cue.lines, ...parts.map((part) => cue[part])]);
    expect(held(read!.cues)).toEqual(held(marked));
    expect(read!.unread).toEqual([]);
    const told = (['ruby', 'dots', 'words', 'columns'] as const).filter(
      (part) => !keeps.includes(part),
    );
    expect(lost).toHaveLength(told.length);
  },
);

test('karaoke: a player highlights each word at its time', async () => {
  const text = async (format: 'vtt' | 'ass') =>
    new TextDecoder().decode(await writeCaptionFile(format, [marked[1]!]));
  expect(await text('vtt')).toContain(
    '<00:00:05.200>Row <00:00:05.750>your <00:00:06.000><i>boat</i>,\n<00:00:07.010><c.yellow>gently</c> &amp; <00:00:08.000>down',
  );
  expect(await text('ass')).toContain('{\\k20}{\\k55}Row {\\k25}your {\\k101}{\\i1}boat{\\i0}');
});

/** What happens to files: bytes change, are missing or too many, the end is missing, lines are swapped or missing. */
const damage = fc.record({
  kind: fc.constantFrom('bytes', 'signs', 'end', 'piece', 'twice', 'more', 'swap', 'line'),
  places: fc.array(fc.nat(), { minLength: 2, maxLength: 4 }),
  length: fc.integer({ min: 1, max: 80 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 3 }),
});
type Damage = typeof damage extends fc.Arbitrary<infer Kind> ? Kind : never;

/** The signs of which formats are made. */
const SIGNS = new TextEncoder().encode('<>"\'{}[]\\/:;,.-!\n\r ');

function damaged(file: Uint8Array, { kind, places, length, bytes: added }: Damage): Uint8Array {
  const bytes = [...file];
  const at = places[0]! % bytes.length;
  if (kind === 'bytes') for (const place of places) bytes[place % bytes.length] = added[0]!;
  else if (kind === 'signs') bytes[at] = SIGNS[length % SIGNS.length]!;
  else if (kind === 'end') bytes.length = at;
  else if (kind === 'piece') bytes.splice(at, length);
  else if (kind === 'twice') bytes.splice(at, 0, ...bytes.slice(at, at + length));
  else if (kind === 'more') bytes.splice(at, 0, ...added);
  else {
    const lines = Buffer.from(file).toString('latin1').split('\n');
    const [one, other] = [places[0]! % lines.length, places[1]! % lines.length];
    if (kind === 'line') lines.splice(one, 1);
    else [lines[one], lines[other]] = [lines[other]!, lines[one]!];
    return Buffer.from(lines.join('\n'), 'latin1');
  }
  return Uint8Array.from(bytes);
}

describe('of a damaged file nothing is lost unsaid, and all is read in time', () => {
  const cues = Array.from({ length: 30 }, (_, at) => ({
    start: 2 + at * 4,
    end: 4.5 + at * 4,
    lines: [`Line${at}a word`, at % 5 === 0 ? `<i>beta${at}b</i> so` : `and beta${at}b`],
    ...(at % 7 === 3 && { speakers: [`Ada${at}c`, `Ada${at}c`] }),
  }));
  test.each(FORMAT_IDS.filter((id) => id !== 'txt'))('%s', async (format) => {
    const frameRate = format === 'scc' ? 29.97 : 25;
    const file = await writeCaptionFile(format, cues, { language: 'en', frameRate });
    await fc.assert(
      fc.asyncProperty(damage, async (how) => {
        const bytes = damaged(file, how);
        const read = await readCaptionFile(bytes, { frameRate });
        // What is refused as a whole is not lost unsaid.
        if (!read) return;
        // The words of SCC are none of its bytes; a name in JSON that is damaged names nobody, that of a clip repeats it.
        const words = new TextDecoder()
          .decode(bytes)
          .replaceAll(/ name="[^"]*"/g, '')
          .match(format === 'podcast' ? /(?:Line|beta)\d+[ab]/g : /(?:Line|beta|Ada)\d+[abc]/g);
        const said = [
          ...read.cues.flatMap(({ lines, speakers = [] }) => [...lines, ...speakers]),
          ...read.unread.map(({ text }) => text),
        ].join(' ');
        expect((words ?? []).filter((word) => !said.includes(word))).toEqual([]);
      }),
      { numRuns: rounds(30), seed: 20_261_129 },
    );
  });
});

describe('what a format cannot hold is told', () => {
  const losses = async (format: (typeof FORMAT_IDS)[number], cue: Partial<Caption>) => {
    const lost: Loss[] = [];
    const cues = [{ start: 10, end: 12, lines: ['Hi'], ...cue }];
    await writeCaptionFile(format, cues, { frameRate: 25, lost: (loss) => lost.push(loss) });
    return lost.map(({ message }) => message).join(' ');
  };
  test.each([
    ['stl', { lines: ['字幕'] }, '字 幕'],
    ['stl-teletext', { lines: ['x'.repeat(60)] }, 'longer than the 37'],
    ['stl-teletext', { lines: ['<i>Hi</i>'] }, 'italics'],
    ['scc', { lines: ['x'.repeat(40)] }, 'longer than the 32'],
    ['scc', { lines: ['Привет'] }, 'П'],
    ['itt', { placement: { vertical: 'middle' as const } }, 'at the bottom'],
    ['srt', { speakers: ['Ada'] }, 'names of speakers'],
    ['sbv', { placement: { vertical: 'top' as const } }, 'positions'],
  ] as const)('%s: %j', async (format, cue, says) => {
    expect(await losses(format, cue)).toContain(says);
  });
});

test.each([
  ['ru', 'Привет, мир'],
  ['el', 'Καλημέρα'],
  ['ar', 'مرحبا'],
  ['he', 'שלום'],
  ['cs', 'Příliš žluťoučký kůň'],
])('EBU-STL in %s has a table of its characters', async (language, text) => {
  const lost: Loss[] = [];
  const cues = [{ start: 1, end: 2, lines: [text] }];
  const options = { language, frameRate: 25, lost: (loss: Loss) => lost.push(loss) };
  const read = await readCaptionFile(await writeCaptionFile('stl', cues, options));
  expect([read?.cues[0]?.lines, read?.details.language, lost]).toEqual([[text], language, []]);
});

/** The content and the attributes (`!` for required ones) of elements that we write, by Apple's document type of FCPXML 1.10. */
const FCPXML: Readonly<Record<string, [content: RegExp, attributes: string]>> = {
  fcpxml: [/^(resources )?(library )?$/, 'version!'],
  resources: [/^((asset|effect|format|media|locator) )*$/, ''],
  format: [/^$/, 'id! name frameDuration fieldOrder width height'],
  library: [/^((event|smart-collection) )*$/, 'location colorProcessing'],
  event: [/^((clip|project) )*$/, 'name uid'],
  project: [/^sequence $/, 'name uid id modDate'],
  sequence: [/^(note )?spine (metadata )?$/, 'format! duration tcStart tcFormat'],
  spine: [/^((clip|gap|transition) )*$/, 'lane offset name format'],
  gap: [/^(note )?(caption )*$/, 'name offset start duration! enabled'],
  caption: [
    /^(text )*(text-style-def )*(note )?$/,
    'lane offset name start duration! enabled role',
  ],
  text: [/^(text-style )*$/, 'display-style roll-up-height position placement alignment'],
  'text-style-def': [/^text-style $/, 'id! name'],
  'text-style': [/^$/, 'ref font fontSize fontFace fontColor backgroundColor bold italic'],
};

describe('FCPXML', () => {
  test('is valid by the document type of Apple', () => {
    const cues: Caption[] = [
      { start: 0, end: 1, lines: ['“One” & <i>two</i>', '<three>'] },
      { start: 2, end: 3, lines: ['Four'], placement: { vertical: 'top', align: 'end' } },
    ];
    for (const written of [cues, []]) {
      const root = readXml(toFcpxml(written, { language: 'de', frameRate: 23.976 }));
      const ids = new Set<string>();
      const references: string[] = [];
      for (const element of elementsIn(root)) {
        const [content, allowed] = FCPXML[element.name] ?? [/^\b$/, ''];
        expect(
          elements(element)
            .map(({ name }) => `${name} `)
            .join(''),
        ).toMatch(content);
        const has = element.attributes.map(({ name }) => name);
        const known = allowed.split(' ');
        expect(has.filter((name) => !known.includes(name) && !known.includes(`${name}!`))).toEqual(
          [],
        );
        for (const name of known.filter((each) => each.endsWith('!')))
          expect(has).toContain(name.slice(0, -1));
        for (const { name, value } of element.attributes) {
          if (name === 'id') expect(ids.size).toBeLessThan(ids.add(value).size);
          else if (name === 'ref' || name === 'format') references.push(value);
          else if (/^(?:offset|start|duration|tcStart|frameDuration)$/.test(name))
            expect(value).toMatch(/^\d+(?:\/\d+)?s$/);
        }
      }
      expect(references.filter((each) => !ids.has(each))).toEqual([]);
    }
  });

  test('is read as Final Cut and Resolve write it: clips in clips, other roles, titles', async () => {
    const clip = (text: string, more: string, kind = 'caption') =>
      `<${kind} ref="t" lane="1" start="3600s" ${more}><text placement="top" alignment="left"><text-style ref="a">${text}</text-style>\n<text-style fontFace="Italic">leans</text-style></text></${kind}>`;
    const role = 'role="iTT?captionFormat=ITT.en-GB"';
    const file = (clips: string) =>
      `<?xml version="1.0"?>\n<!DOCTYPE fcpxml>\n\n<fcpxml version="1.11"><resources><format id="r1" frameDuration="1001/30000s"/><asset id="r2" start="100s"/><text-style-def id="a"><text-style fontColor="1 1 0 1"/></text-style-def></resources><project><sequence format="r1" tcStart="3600s" tcFormat="DF"><spine><asset-clip ref="r2" offset="3600s" duration="10s">${clips}</asset-clip><gap offset="3610s" start="50s" duration="9s"><spine lane="2" offset="52s"><clip duration="4s"/><clip start="7s" duration="5s">${clip('Nested ', `offset="8s" duration="3/2s" ${role}`)}</clip></spine></gap></spine></sequence></project></fcpxml>`;
    const read = await readCaptions(
      file(
        clip('First ', `offset="10302/100s" duration="2s" ${role}`) +
          clip('Off', `offset="104s" duration="2s" enabled="0" ${role}`) +
          clip('Andere', 'offset="105s" duration="2s" role="iTT?captionFormat=ITT.de"') +
          clip('Title', 'offset="106s" duration="2s"', 'title'),
      ),
    );
    expect(read?.details).toEqual({
      language: 'en-GB',
      frameRate: 29.97,
      firstFrame: 107_892,
      dropFrame: true,
    });
    expect(read?.cues.map(({ start, end, lines }) => [start, end, lines])).toEqual([
      [3.02, 5.02, ['First <i>leans</i>']],
      [17, 18.5, ['Nested <i>leans</i>']],
    ]);
    expect(read?.cues[0]).toMatchObject({
      placement: { vertical: 'top', align: 'start' },
      colours: [{ line: 0, from: 0, to: 6, colour: '#ffff00' }],
    });
    expect(read?.unread.map(({ text }) => text.split(/\s/)[0])).toEqual(['Off', 'Andere', 'Title']);
    const titles = await readCaptions(
      file(clip('Title ', 'offset="106s" duration="2s"', 'title')).replaceAll('caption', 'title'),
    );
    expect(titles?.cues.map(({ start }) => start)).toEqual([6, 17]);
  });
});
