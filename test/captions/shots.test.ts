/** Captions at shot changes, each case with times worked out by hand at 24 frames a second. */
import { describe, expect, test } from 'bun:test';
import { buildProfiled } from '../../server/captions/build.ts';
import { profileOf, type ProfileName } from '../../server/captions/rules/profiles/profiles.ts';
import { fitShots, shotsAt } from '../../server/captions/rules/shots.ts';
import type { ShownTicks, TickRules } from '../../server/captions/divide/tick-timing.ts';

const RULES: TickRules = {
  rate: 24,
  least: 20,
  longest: 168,
  gap: 2,
  closedGap: 12,
  linger: 24,
  lead: 0,
  late: 0,
};

const frames = (...times: readonly (readonly [number, number])[]): ShownTicks[] =>
  times.map(([start, end]) => ({ start, end }));

/** The times of captions after shots are considered; speech ends with each caption unless given. */
function fitted(
  shown: readonly (readonly [number, number])[],
  changes: readonly number[],
  { spoken = shown, ...rules }: Partial<TickRules> & { spoken?: typeof shown } = {},
): (readonly [number, number])[] {
  const cues = frames(...spoken).map((cue) => ({ ...cue, needed: 0, comfortable: 0 }));
  return fitShots(frames(...shown), cues, changes, { before: 2 }, { ...RULES, ...rules }).map(
    ({ start, end }) => [start, end] as const,
  );
}

test('changes less than half a second away count, in any order', () => {
  const shots = shotsAt([112, 100, 88, 100], { before: 2 }, 24);
  expect(shots.half).toBe(12);
  expect(shots.near(100)).toEqual([100]);
  expect(shots.near(101)).toEqual([100, 112]);
  expect(shots.near(99)).toEqual([88, 100]);
  expect([99, 100, 101, 124, 76, 123].map(shots.mayBegin)).toEqual([
    false,
    true,
    false,
    true,
    true,
    false,
  ]);
  expect([98, 97, 99, 86, 124].map(shots.mayEnd)).toEqual([true, false, false, true, true]);
});

describe('a start', () => {
  test.each<[string, number, number]>([
    ['on a change stays', 100, 100],
    ['seven frames before it waits for it', 93, 100],
    ['eight frames before it comes half a second before it', 92, 88],
    ['after it begins with it', 105, 100],
    ['half a second away stays', 88, 88],
  ])('%s', (_, start, expected) => {
    expect(fitted([[start, 160]], [100])).toEqual([[expected, 160]]);
  });

  test('does not come half a second before it if that is near another change', () => {
    expect(fitted([[92, 160]], [80, 100])).toEqual([[100, 160]]);
  });

  test('stays if the caption would become too short or too long', () => {
    expect(fitted([[93, 114]], [100], { longest: 30 })).toEqual([[100, 120]]);
    expect(
      fitted(
        [
          [93, 114],
          [116, 150],
        ],
        [100],
      )[0]![0],
    ).toBe(88);
    expect(fitted([[105, 160]], [100], { longest: 55 })).toEqual([[105, 160]]);
  });

  test('moves to a change within the first half second, since there is none before the start', () => {
    expect(fitted([[1, 60]], [10])).toEqual([[10, 60]]);
  });

  test('shortens the previous caption, down to its minimum', () => {
    const changes = [100];
    expect(
      fitted(
        [
          [60, 103],
          [105, 160],
        ],
        changes,
      ),
    ).toEqual([
      [60, 98],
      [100, 160],
    ]);
    expect(
      fitted(
        [
          [80, 103],
          [105, 160],
        ],
        changes,
        { least: 24 },
      )[1]![0],
    ).not.toBe(100);
  });
});

describe('an end', () => {
  test.each<[string, number, number]>([
    ['two frames before a change stays', 98, 98],
    ['just before a change comes two frames before it', 96, 98],
    ['on a change comes two frames before it', 100, 98],
    ['seven frames after it comes before it', 107, 98],
    ['eight frames after it stays for half a second', 108, 112],
    ['half a second away stays', 112, 112],
  ])('%s', (_, end, expected) => {
    expect(fitted([[20, end]], [100])).toEqual([[20, expected]]);
  });

  test('closes a small gap up to the maximum duration if shot changes are in the way', () => {
    // Near the change at 92, captions may end at 90 only, which leaves ten frames, and speech goes on too long for that.
    const two = [
      [0, 95],
      [100, 160],
    ] as const;
    const spoken = [
      [0, 104],
      [104, 160],
    ] as const;
    expect(fitted(two, [92], { spoken })[0]).toEqual([0, 98]);
    expect(fitted(two, [92], { spoken, longest: 98 })[0]).toEqual([0, 98]);
    expect(fitted(two, [92], { spoken, longest: 97 })[0]).toEqual([0, 88]);
  });

  test('is not moved if that would cut speech or exceed the maximum', () => {
    expect(fitted([[20, 107]], [100], { spoken: [[20, 130]] })).toEqual([[20, 107]]);
    expect(fitted([[20, 108]], [100], { longest: 92 })).toEqual([[20, 112]]);
    expect(fitted([[20, 108]], [100], { longest: 91 })).toEqual([[20, 98]]);
  });

  test('stays after its start, even if the next caption is as close as possible', () => {
    for (const start of [98, 99]) {
      const [first] = fitted(
        [
          [start, 100],
          [100, 160],
        ],
        [],
      );
      expect(first).toEqual([start, Math.max(start + 1, 88)]);
    }
  });
});

test('an end cuts up to half a second and the gap of its speech to be before a change', () => {
  const next = [112, 160] as const;
  expect(fitted([[60, 110], next], [100])).toEqual([[60, 98], next]);
  const spoken = [[60, 112], next] as const;
  expect(fitted([[60, 110], next], [100], { spoken })).toEqual([[60, 110], next]);
});

test('an end moves to a change near the next caption if it cannot stay near another', () => {
  const shown = [
    [42, 62],
    [86, 106],
  ] as const;
  expect(fitted(shown, [51, 74], { closedGap: 6 })).toEqual([
    [39, 72],
    [86, 106],
  ]);
});

test('an end that has moved makes room for a start before it', () => {
  // The third caption can only wait for its shot once the fourth waits for the next one.
  const shown = [
    [58, 61],
    [63, 74],
    [76, 79],
    [91, 94],
  ] as const;
  expect(fitted(shown, [64, 86])).toEqual([
    [52, 62],
    [64, 84],
    [86, 89],
    [91, 98],
  ]);
});

test.each<[string, ProfileName, number, number[], [number, number][], [number, number][]]>([
  [
    'begins',
    'bbc',
    25,
    [2, 34],
    [
      [14, 22],
      [22, 24],
      [26, 45],
      [45, 47],
    ],
    [
      [0.08, 1.36],
      [1.36, 2.64],
    ],
  ],
  [
    'ends',
    'netflix',
    24,
    [0, 55],
    [
      [14, 16],
      [28, 32],
      [33, 42],
      [43, 53],
      [53, 67],
      [67, 69],
    ],
    [
      [0, 1.292],
      [1.375, 2.208],
      [2.792, 3.625],
    ],
  ],
])(
  'no built caption %s near a shot change if a fix moves it',
  (_, name, rate, at, spoken, shown) => {
    const words = spoken.map(([start, end]) => ({
      text: 'Yes.',
      start: start / 24,
      end: end / 24,
    }));
    const picture = { frameRate: rate, shots: at.map((frame) => frame / rate) };
    const built = buildProfiled(words, profileOf(name), picture);
    expect(built.map(({ start, end }) => [start, end])).toEqual(shown);
  },
);
