/** Times of words: as they were heard, also in captions that people have changed. */
import { expect, test } from 'bun:test';
import { fixWordTimes } from '../../server/captions/divide/fix-word-times.ts';
import { withWordTimes } from '../../server/captions/divide/word-times.ts';

const heard = fixWordTimes(
  'row row row your boat gently down the stream'
    .split(' ')
    .map((text, at) => ({ text, start: at * 0.5, end: at * 0.5 + 0.4 })),
);

/** The words of captions with their times. */
const timed = (...lines: string[][]) =>
  withWordTimes(
    lines.map((own, at) => ({ start: at * 2, end: at * 2 + 2, lines: own })),
    heard,
  ).map(({ lines: own, words = [] }) =>
    words.map(({ line, from, start }) => [
      own[line]!.replace(/<\/?i>/g, '')
        .slice(from)
        .split(' ')[0],
      start,
    ]),
  );

test.each<[string, string[][], unknown]>([
  [
    'as heard, whatever its case, lines and italics',
    [
      ['Row, row,', '<i>row</i> your'],
      ['Boat, gently down the', 'stream.'],
    ],
    [
      [
        ['Row,', 0],
        ['row,', 0.5],
        ['row', 1],
        ['your', 1.5],
      ],
      [
        ['Boat,', 2],
        ['gently', 2.5],
        ['down', 3],
        ['the', 3.5],
        ['stream.', 3.999],
      ],
    ],
  ],
  [
    'a word that was put in is between its neighbours',
    [['Row and row your']],
    [
      [
        ['Row', 0],
        ['and', 0.25],
        ['row', 0.5],
        ['your', 1.5],
      ],
    ],
  ],
])('%s', (_, lines, expected) => expect(timed(...lines)).toEqual(expected as never));

test('without spaces, a heard word has a time, not each of its characters', () => {
  const words = fixWordTimes([
    { text: '漢字', start: 0, end: 1 },
    { text: 'は', start: 1, end: 1.2 },
  ]);
  expect(withWordTimes([{ start: 0, end: 2, lines: ['漢字は'] }], words)[0]?.words).toEqual([
    { line: 0, from: 0, start: 0 },
    { line: 0, from: 2, start: 1 },
  ]);
});
