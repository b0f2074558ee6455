/** The table of formats in the documentation says what the table of the program says. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import {
  type CaptionFormat,
  endingOf,
  FORMAT_IDS,
  FORMATS,
  PARTS_OF_CAPTIONS,
} from '../../server/captions/files/formats.ts';

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
