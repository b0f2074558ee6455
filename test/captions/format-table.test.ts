/** The table of formats: the documentation has it, and files keep what it says. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Caption } from '../../server/captions/cue.ts';
import {
  type CaptionFormat,
  endingOf,
  FORMAT_IDS,
  type FormatId,
  FORMATS,
  type PartOfCaptions,
  PARTS_OF_CAPTIONS,
} from '../../server/captions/files/formats.ts';
import type { Loss } from '../../server/captions/files/portable-captions.ts';
import { readCaptionFile, writeCaptionFile } from '../../server/captions/files/read-write.ts';

/** Whether a format is known by its content; both kinds of STL have the same. */
const isRead = (id: FormatId): boolean => 'begins' in FORMATS[id] || id === 'stl-teletext';
const keptBy = (id: FormatId): readonly PartOfCaptions[] => FORMATS[id].keeps;

/** Captions that have one thing besides their text each, on frames, with colours that every format has. */
const HAVING: Readonly<Partial<Record<PartOfCaptions, Partial<Caption>>>> = {
  // MicroDVD has them for whole lines only.
  italics: { lines: ['<i>Leaning words</i>'] },
  colours: { colours: [{ line: 0, from: 0, to: 15, colour: '#ffff00' }] },
  speakers: { speakers: ['Ada'] },
  places: { placement: { vertical: 'top' } },
  rows: { row: { first: 12, of: 23 } },
};

/** What a caption has, as it can be compared: a row only about where it is in the picture. */
const SHOWN: Readonly<Partial<Record<PartOfCaptions, (cue: Caption) => unknown>>> = {
  italics: ({ lines }) => lines,
  colours: ({ lines, colours = [] }) =>
    colours.map(({ line, from, to, colour }) => [lines[line]?.slice(from, to), colour]),
  speakers: ({ speakers }) => speakers,
  places: ({ placement }) => placement?.vertical,
  rows: ({ row }) => row && Math.round((4 * row.first) / row.of),
};

test('what two formats keep survives the way from the one to the other, and all else is told', async () => {
  const said = { start: 2, end: 4, lines: ['Several words'] };
  const files = FORMAT_IDS.filter(isRead);
  const options = { language: 'en', frameRate: 25 };
  const wrong: unknown[] = [];
  let pairs = 0;
  for (const [part, more] of Object.entries(HAVING) as [PartOfCaptions, Partial<Caption>][]) {
    const cue: Caption = { ...said, ...more };
    const keeping = (id: FormatId): boolean => keptBy(id).includes(part);
    for (const from of files.filter(keeping)) {
      const first = await readCaptionFile(await writeCaptionFile(from, [cue], options), options);
      for (const to of files) {
        const losses: string[] = [];
        const lost = ({ message }: Loss) => losses.push(message);
        const bytes = await writeCaptionFile(to, first?.cues ?? [], { ...options, lost });
        const [last] = (await readCaptionFile(bytes, options))?.cues ?? [];
        const shown = SHOWN[part]!;
        const found = keeping(to) ? last && shown(last) : losses.length > 0;
        const expected = keeping(to) ? shown(cue) : true;
        if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push([part, from, to, found]);
        pairs += 1;
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(pairs).toBeGreaterThan(380);
});

const yes = (is: boolean): string => (is ? 'yes' : '');

test('docs/caption-formats.md has each format with what it keeps', () => {
  const document = readFileSync(`${import.meta.dir}/../../docs/caption-formats.md`, 'utf8');
  const rows = FORMAT_IDS.map((id) => {
    const { name, begins, endings = [], keeps, inFrames, isUntold }: CaptionFormat = FORMATS[id];
    const files = [endingOf(id), ...endings].map((ending) => `\`.${ending}\``).join(', ');
    const kept = PARTS_OF_CAPTIONS.map((part) => yes(keeps.includes(part)));
    const cells = [
      name,
      `\`${id}\``,
      files,
      begins ? 'yes' : isUntold ? 'as text' : 'no',
      ...kept,
      yes(inFrames === true),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const found = document.split('\n').filter((line) => /^\|[^|]+\| `[^|]+\| `\./.test(line));
  expect(found.map((line) => line.replace(/\s+/g, ' '))).toEqual(
    rows.map((line) => line.replace(/\s+/g, ' ')),
  );
});

test('italics of single words are told where a format has them for lines only', async () => {
  const losses: Loss[] = [];
  const cue = { start: 2, end: 4, lines: ['Some <i>leaning</i> words'] };
  await writeCaptionFile('sub', [cue], { frameRate: 25, lost: (loss) => losses.push(loss) });
  expect(losses).toMatchObject([{ cue: 1 }]);
});
