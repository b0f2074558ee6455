/** Times on ticks: which caption waits for which, and for how long. */
import { describe, expect, test } from 'bun:test';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import {
  tickRules,
  timeOnTicks,
  type SpokenTicks,
  type TickRules,
} from '../../server/captions/divide/tick-timing.ts';

const RULES: TickRules = {
  rate: 25,
  least: 20,
  longest: 150,
  gap: 2,
  closedGap: 12,
  linger: 10,
  lead: 5,
  late: 6,
};

/** Speech from a tick to another, which takes as long to read as it takes to say. */
const said = (start: number, end: number, reading: Partial<SpokenTicks> = {}): SpokenTicks => ({
  start,
  end,
  needed: end - start,
  comfortable: end - start,
  ...reading,
});

const timed = (...cues: SpokenTicks[]): [number, number][] =>
  timeOnTicks(cues, RULES).map(({ start, end }) => [start, end]);

describe('times on ticks', () => {
  test('the maximum is at least the minimum, if no frame is between them', () => {
    const profile = { ...profileOf('default'), minDuration: 0.8, maxDuration: 0.81 };
    expect(tickRules(profile, 24)).toMatchObject({ least: 20, longest: 20 });
  });

  test('a caption lasts as long as its speech', () => {
    expect(timed(said(100, 150))).toEqual([[100, 150]]);
  });

  test('a short one lasts for the minimum, a long one for the maximum', () => {
    expect(timed(said(100, 104))).toEqual([[100, 120]]);
    expect(timed(said(100, 300))).toEqual([[100, 250]]);
  });

  test('it stays after its speech for comfort, for a limited time, and longer to be readable', () => {
    expect(timed(said(100, 140, { comfortable: 45 }))).toEqual([[100, 145]]);
    expect(timed(said(100, 140, { comfortable: 90 }))).toEqual([[100, 150]]);
    expect(timed(said(100, 140, { needed: 90, comfortable: 90 }))).toEqual([[100, 190]]);
  });

  test('captions that begin together follow one another, a tick and a gap apart', () => {
    const [first, second, third] = timed(said(0, 1), said(0, 1), said(0, 30));
    expect([first, second, third?.[0]]).toEqual([[0, 1], [3, 4], 6]);
  });

  test('it ends a gap before the next, and a small gap is closed', () => {
    expect(timed(said(100, 150, { needed: 40 }), said(150, 200))).toEqual([
      [100, 148],
      [150, 200],
    ]);
    expect(timed(said(100, 140), said(150, 200))).toEqual([
      [100, 148],
      [150, 200],
    ]);
    expect(timed(said(100, 138), said(150, 200))).toEqual([
      [100, 138],
      [150, 200],
    ]);
  });

  test('one at its maximum leaves a gap that is wide enough instead', () => {
    expect(timed(said(0, 150), said(160, 200))).toEqual([
      [0, 148],
      [160, 200],
    ]);
    expect(timed(said(0, 145), said(152, 200))).toEqual([
      [0, 150],
      [152, 200],
    ]);
  });

  test('one that is too short begins earlier, as far as the rules and the previous one allow', () => {
    expect(timed(said(100, 110), said(115, 165))).toEqual([
      [95, 115],
      [117, 167],
    ]);
    expect(timed(said(50, 97), said(100, 116), said(118, 168))).toEqual([
      [50, 97],
      [99, 119],
      [121, 171],
    ]);
  });

  test('otherwise the next waits for a limited time, if it keeps its own minimum', () => {
    expect(timed(said(0, 10), said(15, 65))).toEqual([
      [0, 19],
      [21, 71],
    ]);
    expect(timed(said(0, 10), said(15, 36))).toEqual([
      [0, 14],
      [16, 37],
    ]);
  });

  test('and the one that waits still stays for its reading time', () => {
    expect(timed(said(0, 10), said(15, 45, { needed: 60 }))).toEqual([
      [0, 19],
      [21, 81],
    ]);
  });
});
