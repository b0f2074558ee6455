/** Conversions of caption files: times are moved as people say, and nothing is lost unsaid. */
import { describe, expect, test } from 'bun:test';
import { type Conversion, convertCaptions } from '../../server/captions/files/convert.ts';
import { readSrt } from '../../server/captions/files/srt.ts';
import { cutOut, fitted, joined, shifted, stretched } from '../../server/captions/retime.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const SRT = '1\n10:00:01,000 --> 10:00:02,000\nHi\n\n2\n10:10:00,000 --> 10:10:02,000\nyou\n';

/** The times of the converted captions. */
async function times(conversion: Partial<Conversion>, ...sources: string[]): Promise<number[][]> {
  const files = (sources.length > 0 ? sources : [SRT]).map(bytes);
  const { file } = await convertCaptions(files, { to: 'srt', ...conversion });
  return readSrt(new TextDecoder().decode(file)).map(({ start, end }) => [start, end]);
}

test('times of words move with their captions', () => {
  const cue = { start: 1, end: 3, words: [{ line: 0, from: 0, start: 2 }] };
  expect(stretched(shifted([cue], 1), 25, 50)).toEqual([
    { start: 1, end: 2, words: [{ line: 0, from: 0, start: 1.5 }] },
  ]);
});

describe('times', () => {
  test.each<[Partial<Conversion>, number[][]]>([
    [
      { offset: '-10:00:00:00', rate: '25' },
      [
        [1, 2],
        [600, 602],
      ],
    ],
    [
      { offset: '-36000' },
      [
        [1, 2],
        [600, 602],
      ],
    ],
    [
      { offset: '-9:59:59.5' },
      [
        [1.5, 2.5],
        [600.5, 602.5],
      ],
    ],
    [
      { cut: '10:01:00-10:02:00', offset: '-36000' },
      [
        [1, 2],
        [540, 542],
      ],
    ],
    [
      { points: '10:00:01=0:00:01,10:10:00=0:10:00' },
      [
        [1, 2],
        [600, 602],
      ],
    ],
    [{ offset: '-10:05:00' }, [[300, 302]]],
  ])('%j', async (conversion, expected) => {
    expect(await times(conversion)).toEqual(expected);
  });

  test('a stretch to 23.976 and back gives the same frames', async () => {
    const [[start]] = (await times({ stretch: '25:23.976' })) as [[number]];
    expect(start).toBeCloseTo((36_001 * 25 * 1001) / 24_000, 3);
  });

  test('parts follow one another', async () => {
    const part = '1\n00:00:01,000 --> 00:00:02,500\nHi\n';
    expect(await times({}, part, part)).toEqual([
      [1, 2.5],
      [3.5, 5],
    ]);
  });

  test('what is moved before the beginning is reported', async () => {
    const found = await convertCaptions([bytes(SRT)], { to: 'vtt', offset: '-10:05:00' });
    expect(found).toMatchObject({ captions: 1, from: 'srt', encoding: 'utf-8' });
    expect(found.unread).toMatchObject([{ text: 'Hi' }]);
  });

  test.each<[Partial<Conversion>, string]>([
    [{ offset: 'soon' }, 'offset'],
    [{ rate: '0' }, 'rate'],
    [{ cut: '5-1' }, 'cut'],
    [{ points: '1=2' }, 'points'],
    [{ points: '1=2,1=3' }, 'points'],
    [{ stretch: '25' }, 'stretch'],
    [{ start: '10:00:00:30', rate: '25' }, 'start'],
  ])('%j cannot be read', async (conversion, field) => {
    const failed = await convertCaptions([bytes(SRT)], { to: 'srt', ...conversion }).catch(
      (error) => error,
    );
    expect(failed).toMatchObject({ name: 'WrongConversion', field });
  });

  test('the start of the programme is written, and read back', async () => {
    const { file } = await convertCaptions([bytes(SRT)], {
      to: 'stl',
      rate: '25',
      offset: '-10:00:00:00',
      start: '10:00:00:00',
    });
    const back = await convertCaptions([file], { to: 'srt', offset: '-10:00:00:00' });
    expect(new TextDecoder().decode(back.file)).toContain('00:00:01,000 --> 00:00:02,000\nHi');
  });
});

test('times of lists', () => {
  const cues = [
    { start: 1, end: 2 },
    { start: 8, end: 12 },
  ];
  expect(shifted(cues, -1)).toEqual([
    { start: 0, end: 1 },
    { start: 7, end: 11 },
  ]);
  expect(stretched(stretched(cues, 25, 24), 24, 25)).toEqual(cues);
  expect(cutOut(cues, 10, 20)).toEqual([
    { start: 1, end: 2 },
    { start: 8, end: 10 },
  ]);
  expect(
    joined([
      { captions: cues, begins: 10 },
      { captions: cues, begins: 0 },
    ])[0],
  ).toEqual({ start: 1, end: 2 });
  const same = { is: 1, shall: 1 };
  expect(() => fitted(cues, [same, same])).toThrow(RangeError);
});
