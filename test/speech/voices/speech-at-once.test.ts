/** Two turns at the same time have different speakers, and where several speak is found. */
import { expect, test } from 'bun:test';
import { speakersApart, speechAtOnce } from '../../../server/speech/voices/speech-at-once.ts';

/** How similar a turn is to the speakers 0 and 1. */
interface Heard {
  start: number;
  end: number;
  group: number | undefined;
  alike: readonly [number, number];
}

const apart = (turns: readonly Heard[], groups = [0, 1]): (number | undefined)[] =>
  speakersApart(turns, ({ alike }, group) => alike[group] ?? 0, groups);

const long: Heard = { start: 0, end: 3, group: 0, alike: [0.9, 0.1] };
const next: Heard = { start: 3, end: 5, group: 1, alike: [0.1, 0.9] };

test('a brief turn while somebody speaks is of somebody else, the nearest who does not speak then', () => {
  const brief: Heard = { start: 1, end: 1.4, group: undefined, alike: [0, 0] };
  expect(apart([long, brief, next])).toEqual([0, 1, 1]);
  const alone: Heard = { ...brief, start: 2.95, end: 3 };
  expect(apart([long, alone, next])).toEqual([0, 0, 1]);
});

test('of two turns of one speaker at the same time, the less similar one has another speaker', () => {
  const second: Heard = { start: 1, end: 2.5, group: 0, alike: [0.5, 0.4] };
  expect(apart([long, second, next])).toEqual([0, 1, 1]);
  expect(apart([{ ...long, alike: [0.5, 0.45] }, second, next])).toEqual([1, 0, 1]);
});

test('one speaker stays one, and nothing is known of nobody', () => {
  const second: Heard = { start: 1, end: 2.5, group: 0, alike: [0.5, 0.4] };
  expect(apart([long, second], [0])).toEqual([0, 0]);
  expect(apart([{ ...long, group: undefined }], [])).toEqual([undefined]);
});

test('speech at once is one stretch over the pieces of a turn; one speaker, a touch and a moment are none', () => {
  const turn = (start: number, end: number, speaker: string) => ({ start, end, speaker });
  const turns = [
    turn(0, 3, '0'),
    turn(2, 3, '1'),
    turn(3, 4, '1'),
    turn(3, 6, '0'),
    turn(5, 5.1, '1'),
    turn(6, 7, '1'),
    turn(6.5, 8, '1'),
  ];
  expect(speechAtOnce(turns)).toEqual([{ start: 2, end: 4 }]);
  expect(speechAtOnce([])).toEqual([]);
});
