/** Formats of broadcasters and editors: what is written is read back with its text, its lines and its frames. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import type { Caption } from '../../server/captions/cue.ts';
import {
  type CaptionFormat,
  FORMAT_IDS,
  FORMATS,
  readCaptionFile,
  writeCaptionFile,
} from '../../server/captions/files/formats.ts';
import type { Loss } from '../../server/captions/files/portable-captions.ts';
import { frameAt, frameRateOf, secondsAtFrame } from '../../server/captions/timestamps.ts';
import { rounds } from '../support/fuzz.ts';

setDefaultTimeout(300_000);

const word = fc.constantFrom('Hello', 'café', 'Ünï', 'so,', '“two”', '100 %', "it's", 'a');
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));

/** Captions on frames, with a second between them, so that every format has time for them. */
const captionsAt = (rate: number) =>
  fc
    .array(
      fc.record({
        pause: fc.integer({ min: 80, max: 200 }),
        length: fc.integer({ min: 20, max: 150 }),
        lines: fc.array(line, { minLength: 1, maxLength: 2 }),
        isTop: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => {
      let frame = 100;
      return parts.map(({ pause, length, lines, isTop }): Caption => {
        const start = secondsAtFrame((frame += pause), rate);
        const end = secondsAtFrame((frame += length), rate);
        return { start, end, lines, ...(isTop && { placement: { vertical: 'top' } }) };
      });
    });

/** Formats that are read again; plain text has no times, and nothing here reads Final Cut. */
const BACK = FORMAT_IDS.filter((id) => id !== 'txt' && id !== 'fcpxml');

describe.each([25, 29.97, 23.976])('at %p frames a second', (frameRate) => {
  const { rate } = frameRateOf(frameRate);
  // SCC has one rate.
  test.each(BACK.filter((id) => id !== 'scc' || frameRate === 29.97))('%s', async (format) => {
    const { keeps }: CaptionFormat = FORMATS[format];
    await fc.assert(
      fc.asyncProperty(captionsAt(rate), async (cues) => {
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
