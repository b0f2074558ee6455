/** What the desk does not show of the captions of a file is in the files that it writes, where the text has stayed. */
import { expect, test } from 'bun:test';
import type { Caption } from '../../../server/captions/cue.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { cuesWithLooks, type Looks } from '../../../web/review/model/looks.ts';

const had: ReviewCue = { id: 1, start: 1, end: 4, lines: ['Red <i>or</i> green', 'and blue'] };
const looks: Looks = {
  colours: [
    { line: 0, from: 0, to: 3, colour: '#ff0000' },
    { line: 1, from: 4, to: 8, colour: '#0000ff' },
  ],
  words: [
    { line: 0, from: 0, start: 1 },
    { line: 1, from: 4, start: 3 },
  ],
  row: { first: 3, of: 23 },
};

/** The coloured words and the times of words, of a caption as it is written. */
function shown({ lines, colours = [], words = [], row }: Caption) {
  const plain = lines.map((line) => line.replaceAll(/<\/?i>/g, ''));
  return [
    colours.map(({ line, from, to, colour }) => [plain[line]!.slice(from, to), colour]),
    words.map(({ line, from, start }) => [/^\w+/.exec(plain[line]!.slice(from))?.[0], start]),
    row,
  ];
}

const RED = ['Red', '#ff0000'];
const BLUE = ['blue', '#0000ff'];

test.each<[string, Partial<ReviewCue>[], unknown[], number[]]>([
  [
    'as it was',
    [{}],
    [
      [
        [RED, BLUE],
        [
          ['Red', 1],
          ['blue', 3],
        ],
        looks.row,
      ],
    ],
    [],
  ],
  [
    'with other line breaks, later, at another place',
    [{ lines: ['Red or', 'green and blue'], start: 2, placement: { vertical: 'top' } }],
    [
      [
        [RED, BLUE],
        [
          ['Red', 2],
          ['blue', 4],
        ],
        undefined,
      ],
    ],
    [],
  ],
  [
    'with other words in the middle',
    [{ lines: ['Red or yellow', 'or a little blue'] }],
    [
      [
        [RED, BLUE],
        [
          ['Red', 1],
          ['blue', 3],
        ],
        looks.row,
      ],
    ],
    [],
  ],
  [
    'with another word where a colour was',
    [{ lines: ['Rose or green', 'and blue'] }],
    [
      [
        [BLUE],
        [
          ['Rose', 1],
          ['blue', 3],
        ],
        looks.row,
      ],
    ],
    [1],
  ],
  [
    'divided in two',
    [
      { lines: ['Red or'], end: 2 },
      { id: 7, lines: ['green and blue'], start: 1 },
    ],
    [
      [[RED], [['Red', 1]], looks.row],
      [[BLUE], [['blue', 3]], looks.row],
    ],
    [],
  ],
  ['and another caption', [{}, { id: 9, lines: ['New'] }], [undefined, [[], [], undefined]], []],
])('%s', (_, edits, expected, lost) => {
  const changed: number[] = [];
  const cues = edits.map((edit) => ({ ...had, ...edit }));
  const made = cuesWithLooks(cues, { original: [had], looks: [looks] }, (cue) => changed.push(cue));
  for (const [at, each] of expected.entries()) {
    if (each !== undefined) expect(shown(made[at]!)).toEqual(each as never);
  }
  expect(changed).toEqual(lost);
});
