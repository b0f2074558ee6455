import { describe, expect, test } from 'bun:test';
import { timeCues } from '../../server/captions/divide/timing.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';

const shown = (cues: [start: number, end: number, columns: number][], settings = {}) =>
  timeCues(
    cues.map(([start, end, columns]) => ({ start, end, columns })),
    { ...DEFAULTS, ...settings },
  ).map(({ start, end }) => [start, end]);

describe('the time of a cue', () => {
  test('covers its speech', () => {
    expect(shown([[1, 4, 40]])).toEqual([[1000, 4000]]);
  });
  test('lasts until it can be read, up to a second into the silence', () => {
    expect(shown([[1, 2, 34]])).toEqual([[1000, 3000]]);
    expect(shown([[1, 2, 84]])).toEqual([[600, 3000]]);
  });
  test('is at least the minimum, and never more than the maximum', () => {
    expect(shown([[1, 1.1, 3]])).toEqual([[1000, 1800]]);
    expect(shown([[1, 1.1, 3]], { minDuration: 2 })).toEqual([[1000, 3000]]);
    expect(shown([[1, 4, 40]], { maxDuration: 2 })).toEqual([[1000, 3000]]);
  });
});

test('a cue next to others of maximum duration begins at the end of the one before, but no earlier than it may', () => {
  const cues: Parameters<typeof shown>[0] = [
    [0, 0.933, 9],
    [2.02, 2.702, 3],
    [4.201, 4.221, 2],
    [4.221, 4.241, 1],
  ];
  expect(shown(cues, { minDuration: 2, maxDuration: 2 })).toEqual([
    [0, 2000],
    [2000, 4000],
    [4000, 4221],
    [4221, 6221],
  ]);
});

describe('the gap between two cues', () => {
  test('is two frames, even if reading would need that time', () => {
    expect(
      shown([
        [0, 2, 45],
        [2.5, 4, 20],
      ]),
    ).toEqual([
      [0, 2416],
      [2500, 4000],
    ]);
  });
  test('is zero if a cue would be too fast to read with a gap', () => {
    expect(
      shown([
        [0, 2, 49],
        [2.5, 4, 20],
      ]),
    ).toEqual([
      [0, 2500],
      [2500, 4000],
    ]);
    // Not before a pause: a cue does not stay long after its speech.
    expect(
      shown([
        [0, 1, 84],
        [2.6, 4, 20],
      ]),
    ).toEqual([
      [0, 2000],
      [2600, 4000],
    ]);
    // Not beyond the maximum either.
    expect(
      shown(
        [
          [0, 2.5, 84],
          [2.5, 4, 20],
        ],
        { maxDuration: 2.45 },
      ),
    ).toEqual([
      [0, 2416],
      [2500, 4000],
    ]);
  });
  test.each([169, 200, 250, 300, 336])(
    'is two frames if the next begins after %d ms and both can be seen',
    (later) => {
      const start = 5000 + later;
      expect(
        shown(
          [
            [0, 2, 20],
            [5, 5 + later / 1000, 1],
            [start / 1000, 9, 20],
          ],
          { minDuration: (later - 84) / 1000 },
        ).slice(1),
      ).toEqual([
        [5000, start - 84],
        [start, 9000],
      ]);
    },
  );
  test('is zero if both together are too short for it', () => {
    expect(
      shown(
        [
          [5, 5.1, 1],
          [5.168, 9, 20],
        ],
        { minDuration: 0.001 },
      ),
    ).toEqual([
      [5000, 5168],
      [5168, 9000],
    ]);
  });
  test.each([1, 40, 83])('is never %d ms, also after a cue of minimum duration', (left) => {
    expect(
      shown([
        [0, 2, 20],
        [2.05, 2.8, 4],
        [2.85 + left / 1000, 5, 20],
      ]).slice(1),
    ).toEqual([
      [2050, 2850 + left],
      [2850 + left, 5000],
    ]);
  });
  test('is zero if the minimum equals the maximum: then the next begins earlier', () => {
    expect(
      shown(
        [
          [0, 2, 20],
          [2.05, 4, 20],
          [4.1, 6.1, 20],
        ],
        { minDuration: 2, maxDuration: 2 },
      ),
    ).toEqual([
      [0, 2000],
      [2000, 4000],
      [4100, 6100],
    ]);
  });
  test('is reduced to two frames if it would flicker', () => {
    expect(
      shown([
        [0, 2, 20],
        [2.4, 4, 20],
      ]),
    ).toEqual([
      [0, 2316],
      [2400, 4000],
    ]);
  });
  test('remains a pause if it is long', () => {
    expect(
      shown([
        [0, 2, 20],
        [2.6, 4, 20],
      ]),
    ).toEqual([
      [0, 2000],
      [2600, 4000],
    ]);
  });
  test('a short cue begins slightly early, in the silence before it', () => {
    expect(
      shown([
        [0, 1, 8],
        [5, 5.5, 4],
        [5.7, 8, 20],
      ]),
    ).toEqual([
      [0, 1000],
      [4900, 5700],
      [5700, 8000],
    ]);
  });
  test('even in a silence into which the previous cue extends', () => {
    expect(
      shown([
        [0, 1, 34],
        [1.9, 2.4, 4],
        [2.6, 5, 20],
      ]),
    ).toEqual([
      [0, 1716],
      [1800, 2600],
      [2600, 5000],
    ]);
  });
  test('a cue that is still too short loses the gap after it', () => {
    expect(
      shown([
        [0, 2, 20],
        [2.05, 2.8, 4],
        [2.87, 5, 20],
      ]),
    ).toEqual([
      [0, 1966],
      [2050, 2870],
      [2870, 5000],
    ]);
  });
  test('a cue too fast to read lends the time after its speech to the next', () => {
    expect(
      shown([
        [1, 1.1, 35],
        [2, 2.1, 23],
      ]),
    ).toEqual([
      [600, 1950],
      [1950, 3100],
    ]);
  });
  test('a cue does not need more than the maximum from the one before it', () => {
    const cues: Parameters<typeof shown>[0] = [
      [1, 1.5, 1],
      [1.8, 2.8, 41],
    ];
    expect(shown(cues, { maxDuration: 2 })).toEqual([
      [916, 1716],
      [1800, 3800],
    ]);
  });
  test('a cue that is too fast uses a gap of less than half a second rather than an early start', () => {
    const firstBefore = (next: number) =>
      shown([
        [1, 1.5, 40],
        [next, 4, 5],
      ])[0];
    expect([firstBefore(2.999), firstBefore(3)]).toEqual([
      [916, 2999],
      [600, 2500],
    ]);
  });
  test.each<[string, Parameters<typeof shown>[0], number[][]]>([
    // The speech of the first ends when that of the second begins; only the gap is left.
    [
      'starts at the end of the one before',
      [
        [0, 2, 20],
        [2, 3, 22],
        [3, 6, 20],
      ],
      [
        [0, 1916],
        [1916, 3000],
        [3000, 6000],
      ],
    ],
    [
      'starts no earlier than it needs, and the one before stays until then',
      [
        [0, 2, 20],
        [2, 3, 21],
        [3, 6, 20],
      ],
      [
        [0, 1950],
        [1950, 3000],
        [3000, 6000],
      ],
    ],
    [
      'uses the gap left by an early start',
      [
        [0, 1.7, 20],
        [2, 3, 25],
        [3, 6, 20],
      ],
      [
        [0, 1750],
        [1750, 3000],
        [3000, 6000],
      ],
    ],
    [
      'is at most 0.4 s early',
      [
        [0, 1.5, 20],
        [2, 3, 40],
        [3, 6, 20],
      ],
      [
        [0, 1600],
        [1600, 3000],
        [3000, 6000],
      ],
    ],
    [
      'takes what the one before can spare of its gap',
      [
        [0, 1.05, 20],
        [1.05, 2.05, 22],
        [2.05, 6, 20],
      ],
      [
        [0, 1000],
        [1000, 2050],
        [2050, 6000],
      ],
    ],
    [
      'leaves one alone that is too fast itself',
      [
        [0, 1, 30],
        [1, 2, 30],
        [2, 6, 20],
      ],
      [
        [0, 1000],
        [1000, 2000],
        [2000, 6000],
      ],
    ],
  ])('a cue that is too fast to read %s', (_, cues, expected) => {
    expect(shown(cues)).toEqual(expected);
  });
  test('cues with the same time follow one another', () => {
    expect(
      shown([
        [1, 1, 2],
        [1, 1, 2],
        [1, 1, 2],
      ]).map(([start]) => start),
    ).toEqual([600, 1001, 1002]);
  });
});
