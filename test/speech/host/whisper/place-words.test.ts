/** Words are placed by attention, by the time that they take, and between pauses. */
import { describe, expect, test } from 'bun:test';
import { loudnessOf, pausesIn } from '../../../../server/whisper/model/pauses.ts';
import { attentionLag } from '../../../../server/whisper/search/align.ts';
import { placeWords } from '../../../../server/whisper/search/place-words.ts';
import fc from 'fast-check';

/** The loudness of a window with sound in the given stretches and quiet elsewhere, in frames of 10 ms. */
const sound = (length: number, ...stretches: readonly [start: number, end: number][]) =>
  Float32Array.from({ length }, (_, at) =>
    stretches.some(([start, end]) => at >= start && at < end) ? 1 : 0,
  );
const word = (text: string, start: number, end: number) => ({ text, start, end, confidence: 1 });
/** Consecutive words of these texts, with edges in seconds. */
const words = (texts: string, ...edges: readonly number[]) =>
  texts.split(' ').map((text, at) => word(text, edges[at]!, edges[at + 1]!));
const times = (placed: readonly { start: number; end: number }[]) =>
  placed.map(({ start, end }) => [start, end]);

describe('pauses', () => {
  test('are quiet for at least 120 ms', () => {
    expect(pausesIn(sound(100, [0, 40], [52, 100]))).toEqual([{ start: 40, end: 52 }]);
    expect(pausesIn(sound(100, [0, 40], [51, 100]))).toEqual([]);
  });

  test('are not interrupted by a click of less than 80 ms', () => {
    const around = (click: number) => sound(120, [0, 30], [50, 50 + click], [90, 120]);
    expect(pausesIn(around(7))).toEqual([{ start: 30, end: 90 }]);
    expect(pausesIn(around(8))).toEqual([
      { start: 30, end: 50 },
      { start: 58, end: 90 },
    ]);
  });

  test('can be at the start and at the end', () => {
    expect(pausesIn(sound(100, [20, 70]))).toEqual([
      { start: 0, end: 20 },
      { start: 70, end: 100 },
    ]);
  });

  test('are below 45% of the range from quiet to loud', () => {
    const with_ = (level: number) =>
      pausesIn(sound(100, [0, 60]).map((at, frame) => (frame < 20 ? level : at)));
    expect(with_(0.44)[0]).toEqual({ start: 0, end: 20 });
    expect(with_(0.46)[0]).toEqual({ start: 60, end: 100 });
  });

  test('are not looked for in a sound that is always about as loud', () => {
    const range = (loud: number) => pausesIn(sound(100, [0, 50]).map((level) => level * loud));
    expect(range(0.24)).toEqual([]);
    expect(range(0.25)).toEqual([{ start: 50, end: 100 }]);
    expect(pausesIn(new Float32Array(0))).toEqual([]);
  });

  test('loudness is the mean of all bands, of the frames with audio', () => {
    const values = Float32Array.of(1, 2, 3, 5, 6, 7);
    expect([...loudnessOf({ bands: 2, frames: 3, values }, 2)]).toEqual([3, 4]);
    expect([...loudnessOf({ bands: 2, frames: 3, values }, 9)]).toEqual([3, 4, 5]);
  });
});

describe('words', () => {
  test('begin and end with the sound around a pause', () => {
    const placed = placeWords(
      words('ask not', 0, 1.4, 2.5),
      sound(400, [80, 120], [200, 250]),
      0.05,
    );
    expect(times(placed)).toEqual([
      [0.8, 1.2],
      [2, 2.5],
    ]);
  });

  test('without pauses begin where attention reaches them, after its lag', () => {
    const even = words('abcde abcde abcde abcde', 0, 0.5, 1, 1.5, 2);
    expect(times(placeWords(even, sound(210, [0, 210]), 0)).map(([start]) => start)).toEqual([
      0, 0.5, 1, 1.5,
    ]);
    const late = placeWords(even, sound(210, [0, 210]), 0.1);
    expect(times(late).slice(1)).toEqual([
      [0.6, 1.1],
      [1.1, 1.6],
      [1.6, 2.1],
    ]);
    const early = placeWords(even, sound(210, [0, 210]), -0.1);
    expect(early[1]?.start).toBeCloseTo(0.4, 1);
  });

  test('take time by their letters, of which a digit counts for four', () => {
    const edge = (first: string, second: string) =>
      placeWords(
        words(`abcd ${first} ${second} abcd`, 0, 0.4, 0.8, 1.2, 1.6),
        sound(160, [0, 160]),
        0,
      )[2]!.start;
    expect(edge('ab', 'abcdef')).toBeLessThan(0.75);
    expect(edge('abcdef', 'ab')).toBeGreaterThan(0.85);
    expect(edge('12', 'abcdefgh')).toBe(edge('abcdefgh', '12'));
    expect(edge('a-b', 'c!!')).toBe(edge('ab', 'c'));
  });

  test('are moved by at most 200 ms', () => {
    const placed = placeWords(
      words('a abcdefghijklmnopqrstuvwxyz', 0, 1, 1.1),
      sound(110, [0, 110]),
      0,
    );
    expect(placed[1]!.start).toBeGreaterThanOrEqual(0.8);
  });

  test('are after a long pause that attention leaves in them; the sound before it belongs to the word before', () => {
    const spoken = words('abcde abcdefghij', 0, 0.5, 4);
    const placed = placeWords(spoken, sound(400, [0, 100], [300, 400]), 0);
    expect(times(placed)).toEqual([
      [0, 1],
      [3, 4],
    ]);
    // A pause of less than 250 ms may be within a word.
    const short = placeWords(spoken, sound(324, [0, 100], [124, 324]), 0);
    expect(short[1]!.start).toBeLessThan(1);
  });

  test('keep their times if there is not enough sound for them', () => {
    const crowded = words('a b c', 0, 0.01, 0.02, 0.03);
    expect(placeWords(crowded, sound(5, [0, 5]), 0)).toEqual(crowded);
    expect(placeWords(crowded, new Float32Array(0), 0)).toEqual(crowded);
    expect(placeWords([], sound(100, [0, 50]), 0)).toEqual([]);
  });

  test('keep their order, texts and confidences within the window, whatever the sound', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(share, { maxLength: 300 }),
        fc.array(fc.tuple(fc.stringMatching(/^[a-z0-9]{1,9}$/), share), { maxLength: 12 }),
        fc.constantFrom(-0.075, 0, 0.075),
        (levels, spoken, lag) => {
          let at = 0;
          const seconds = levels.length / 100;
          const all = spoken.map(([text, length]) =>
            word(text, at, (at = Math.min(seconds, at + length))),
          );
          const placed = placeWords(all, Float32Array.from(levels), lag);
          expect(placed.map(({ text }) => text)).toEqual(all.map(({ text }) => text));
          for (const [index, { start, end }] of placed.entries()) {
            expect(start).toBeGreaterThanOrEqual(placed[index - 1]?.end ?? 0);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(seconds);
          }
        },
      ),
    );
  });
});

test('only English tiny is known to attend late', () => {
  expect([attentionLag(4, false), attentionLag(4, true), attentionLag(6, false)]).toEqual([
    -0.075, 0.075, 0.075,
  ]);
});
