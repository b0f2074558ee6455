/** Speech found by loudness, cuts in pauses, and the windows made of speech. */
import { describe, expect, test } from 'bun:test';
import { SPEECH_RATE } from '../../../server/mp3/resample.ts';
import {
  everything,
  loudnessVoiceActivity,
  type FindSpeech,
} from '../../../server/speech/host/voice-activity.ts';
import { packWindows } from '../../../server/speech/host/windows.ts';
import { never } from './engine-support.ts';

/** The seconds of a sign: four frames of the detector. */
const SIGN = 0.12;
const LEVELS: Record<string, number> = { ' ': 0, '.': 0.0015, '-': 0.01, '+': 0.05, '#': 0.5 };

/** Sound whose level is drawn by signs. */
function sound(signs: string): Float32Array {
  const each = SIGN * SPEECH_RATE;
  return Float32Array.from(
    { length: signs.length * each },
    (_, at) => LEVELS[signs.charAt(Math.floor(at / each))]! * (at % 2 ? 1 : -1),
  );
}

/** The segments in a sound, in signs from its start. */
const found = async (find: FindSpeech, signs: string): Promise<number[][]> =>
  (await find(sound(signs), never)).map(({ start, end }) =>
    [start, end].map((at) => Math.round((at / SIGN) * 100) / 100),
  );

test.each<[string, string, number[][]]>([
  ['nothing', '', []],
  ['silence', '        ', []],
  ['sound below -54 dB', '  ....  ', []],
  ['speech', '    ####    ', [[4, 8]]],
  ['quiet speech', '    ----    ', [[4, 8]]],
  ['a pause of less than half a second', '   ###    ###   ', [[3, 13]]],
  [
    'a pause of more than half a second',
    '   ###     ###   ',
    [
      [3, 6],
      [11, 14],
    ],
  ],
  ['a sound of less than a quarter of a second', '   ##       ###   ', [[12, 15]]],
  ['steady noise', '------------', []],
  ['steady loud noise', '############', []],
  ['speech over noise', '-----####-----', [[5, 9]]],
  ['speech that is hardly louder than the noise', '+++++####+++++', [[5, 9]]],
  ['noise that is not four times as loud as the floor', '.....  .....', []],
  ['a floor in a tenth of the recording', '- ###########', [[2, 13]]],
])('by loudness: %s', async (_, signs, expected) => {
  expect(await found(loudnessVoiceActivity, signs)).toEqual(expected);
});

test.each<[string, string, number[][]]>([
  ['no pause', '##########', [[0, 10]]],
  ['a pause of 0.24 s', '######  ####', [[0, 12]]],
  [
    'a pause of 0.36 s, which stays open',
    '######   ####',
    [
      [0, 6],
      [9, 13],
    ],
  ],
  // Of a longer pause, 0.4 s stay open in its middle.
  [
    'a pause of 0.6 s',
    '######     ####',
    [
      [0, 6.83],
      [10.17, 15],
    ],
  ],
  ['silence at both ends', '    ####    ', [[0, 12]]],
  [
    'noise in the pauses',
    '--####-----####--',
    [
      [0, 6.83],
      [10.17, 17],
    ],
  ],
  [
    'hardly a pause',
    '#####################   ####',
    [
      [0, 21],
      [24, 28],
    ],
  ],
  [
    'a stretch a tenth as loud',
    '########+++++########',
    [
      [0, 8.83],
      [12.17, 21],
    ],
  ],
])('cut everywhere: %s', async (_, signs, expected) => {
  expect(await found(everything, signs)).toEqual(expected);
});

describe('windows', () => {
  type Span = [start: number, end: number];
  const packed = (spans: Span[], length = 100, longest?: number): number[][] =>
    packWindows(
      spans.map(([start, end]) => ({ start, end })),
      length,
      longest,
    ).map(({ start, end }) => [start, end].map((at) => Math.round(at * 100) / 100));

  test.each<[string, Span[], number[][]]>([
    ['include 0.4 s around speech', [[5, 8]], [[4.6, 8.4]]],
    ['begin with the audio', [[0.1, 8]], [[0, 8.4]]],
    ['end with the audio', [[90, 99.9]], [[89.6, 100]]],
    [
      'share a short silence',
      [
        [5, 8],
        [8.5, 9],
      ],
      [[4.6, 9.4]],
    ],
    [
      'share a short silence in its middle',
      [
        [1, 20],
        [20.5, 47],
      ],
      [
        [0.6, 20.25],
        [20.25, 47.4],
      ],
    ],
    [
      'hold several stretches',
      [
        [1, 5],
        [8, 12],
        [15, 19],
      ],
      [[0.6, 19.4]],
    ],
    // 70% of 28 s is 19.6 s.
    [
      'are closed once they are long enough',
      [
        [1, 20.3],
        [22, 25],
      ],
      [
        [0.6, 20.7],
        [21.6, 25.4],
      ],
    ],
    [
      'are not closed before',
      [
        [1, 19.7],
        [22, 25],
      ],
      [[0.6, 25.4]],
    ],
    [
      'have at most 28 s',
      [
        [1, 10],
        [15, 28.2],
      ],
      [[0.6, 28.6]],
    ],
    [
      'have no more than 28 s',
      [
        [1, 10],
        [15, 28.3],
      ],
      [
        [0.6, 10.4],
        [14.6, 28.7],
      ],
    ],
    [
      'join stretches that touch',
      [
        [1, 15],
        [15.05, 29],
      ],
      [
        [0.6, 16],
        [14, 29.4],
      ],
    ],
    [
      'do not join those that do not',
      [
        [1, 15],
        [15.2, 29],
      ],
      [
        [0.6, 15.1],
        [15.1, 29.4],
      ],
    ],
    [
      'overlap by 2 s in longer speech',
      [[1, 41]],
      [
        [0.6, 22],
        [20, 41.4],
      ],
    ],
  ])('%s', (_, spans, expected) => {
    expect(packed(spans)).toEqual(expected);
  });

  test('divide long speech into equal parts, also shorter ones', () => {
    expect(packed([[0.4, 59.6]], 60)).toEqual([
      [0, 21.33],
      [19.33, 40.67],
      [38.67, 60],
    ]);
    expect(packed([[0.4, 21.6]], 22, 12)).toEqual([
      [0, 12],
      [10, 22],
    ]);
    expect(packed([[0.4, 11.6]], 22, 12)).toEqual([[0, 12]]);
    expect(
      packed(
        [
          [0.4, 8.1],
          [9, 11],
        ],
        22,
        12,
      ),
    ).toEqual([
      [0, 8.5],
      [8.6, 11.4],
    ]);
  });
});
