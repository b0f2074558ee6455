/** SCC: what is written is what a decoder shows, in the frame that was asked for. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Caption } from '../../server/captions/cue.ts';
import type { Loss } from '../../server/captions/files/portable-captions.ts';
import { readScc, toScc } from '../../server/captions/files/scc.ts';
import { frameCountOf, frameOfTimeCode, timeCodeOf } from '../../server/captions/time-code.ts';
import { needsShared, shared } from '../support/requirements.ts';

const RATE = 30_000 / 1001;
const at = (frame: number): number => Math.round((frame * 1000) / RATE) / 1000;

test('each time code of a day belongs to one frame, dropped or not', () => {
  for (const drop of [true, false]) {
    const count = frameCountOf(29.97, drop);
    for (let frame = 0; frame < 2_589_408; frame += 997) {
      expect(frameOfTimeCode(timeCodeOf(frame, count), count)).toBe(frame);
    }
  }
  expect(timeCodeOf(1800, frameCountOf(29.97, true))).toBe('00:01:00;02');
  expect(timeCodeOf(17_982, frameCountOf(29.97, true))).toBe('00:10:00;00');
});

describe('written captions', () => {
  const cues: Caption[] = [
    { start: at(90), end: at(150), lines: ['Hello <i>there</i> café', 'Çé “q” ®'] },
    { start: at(190), end: at(240), lines: ['Next'], placement: { vertical: 'top' } },
    { start: at(240), end: at(330), lines: ['x{y}'] },
    {
      start: at(600),
      end: at(700),
      lines: ['all yellow'],
      colours: [{ line: 0, from: 0, to: 10, colour: '#ffff00' }],
    },
  ];
  test.each([true, false])('are read back in their frames, dropping numbers: %p', (dropFrame) => {
    const losses: Loss[] = [];
    const document = toScc(cues, { dropFrame, lost: (loss) => losses.push(loss) });
    const read = readScc(document).map(({ row: _row, ...cue }) => cue);
    expect(read).toEqual(cues as never);
    expect(losses).toEqual([]);
  });

  test('that cannot be sent in time are reported', () => {
    const losses: Loss[] = [];
    toScc([{ start: 0, end: 1, lines: ['Too early 字'] }], { lost: (loss) => losses.push(loss) });
    expect(losses.map(({ message }) => message)).toEqual([
      expect.stringContaining('字'),
      expect.stringContaining('late'),
    ]);
  });
});

const foreign = needsShared('foreign/scc');
foreign('files of others: captions that pop on, roll up and are painted', () => {
  const lines = (name: string) =>
    readScc(readFileSync(shared(`foreign/scc/${name}.scc`), 'latin1')).map((cue) =>
      cue.lines.join('|'),
    );
  expect(lines('pop-on').slice(0, 3)).toEqual([
    '( horn honking )',
    'HEY, THE®E.',
    'Test ½ Caption|Test <i>test</i> Captions',
  ]);
  expect(lines('mix-rows-roll-up').slice(0, 2)).toEqual(['>>> HI.', "I'M KEVIN CUNNING AND AT"]);
  expect(lines('paint-on')[0]).toBe('Lorem ipsum dolor sit amet,|consectetur adipiscing elit.');
});
