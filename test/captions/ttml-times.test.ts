/** Times in TTML, by the time expressions and the parameters of its recommendation. */
import { expect, test } from 'bun:test';
import { readTtml } from '../../server/captions/files/ttml.ts';

/** The times of a paragraph with these attributes, in a document with these parameters. */
function timesOf(attributes: string, parameters = ''): [start: number, end: number] | null {
  const [cue] = readTtml(
    `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ${parameters}>` +
      `<body><div><p ${attributes}>Hello</p></div></body></tt>`,
  );
  return cue ? [cue.start, cue.end] : null;
}

test.each([
  ['hours', '2h', 7200],
  ['minutes', '1.5m', 90],
  ['seconds', '12.345s', 12.345],
  ['milliseconds', '250ms', 0.25],
  ['frames, thirty a second unless told', '45f', 1.5],
  ['ticks, one a second unless told', '3t', 3],
  ['a clock', '01:02:03', 3723],
  ['a clock with a fraction', '00:00:01.25', 1.25],
  ['a clock of more than 99 hours', '100:00:00', 360_000],
  ['a clock with frames', '00:00:01:15', 1.5],
  ['a clock with parts of a frame, which are left out', '00:00:01:15.3', 1.5],
  ['white space around it', '  7s ', 7],
])('%s: %s', (_, begin, seconds) => {
  expect(timesOf(`begin="${begin}" dur="1s"`)).toEqual([seconds, seconds + 1]);
});

test.each(['x', '1', '-1s', '1.s', '00:00', '0:00:01', '00:00:01:5', '1 s', '1sec', ''])(
  '“%s” is not a time: the caption begins with the document',
  (begin) => {
    expect(timesOf(`begin="${begin}" end="9s"`)).toEqual([0, 9]);
  },
);

test.each([
  ['frames of the document', 'ttp:frameRate="25"', '50f', 2],
  [
    'frames slowed by 1000 1001',
    'ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"',
    '24f',
    1.001,
  ],
  [
    'a multiplier with a colon',
    'ttp:frameRate="30" ttp:frameRateMultiplier="1000:1001"',
    '30f',
    1.001,
  ],
  ['a multiplier of one number', 'ttp:frameRate="25" ttp:frameRateMultiplier="2"', '50f', 1],
  ['a multiplier without frames', 'ttp:frameRateMultiplier="1000 1001"', '30f', 1.001],
  ['no frames a second: thirty', 'ttp:frameRate="0"', '30f', 1],
  ['a rate that is no number', 'ttp:frameRate="fast"', '30f', 1],
  ['ticks of the document', 'ttp:tickRate="10000000"', '15000000t', 1.5],
  ['ticks are frames where only those are told', 'ttp:frameRate="25"', '50t', 2],
  [
    'ticks are frames with their multiplier',
    'ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"',
    '30t',
    1.001,
  ],
  ['a rate without end', 'ttp:frameRate="Infinity"', '30f', 1],
  ['ticks before frames', 'ttp:frameRate="25" ttp:tickRate="100"', '50t', 0.5],
  ['a clock with frames of the document', 'ttp:frameRate="25"', '00:00:01:05', 1.2],
])('%s', (_, parameters, begin, seconds) => {
  expect(timesOf(`begin="${begin}" dur="1s"`, parameters)).toEqual([seconds, seconds + 1]);
});

test('the earlier of end and duration ends a caption', () => {
  expect(timesOf('begin="1s" end="4s" dur="2s"')).toEqual([1, 3]);
  expect(timesOf('begin="1s" end="2s" dur="5s"')).toEqual([1, 2]);
});

test('a caption that does not end after its start is ignored', () => {
  expect(timesOf('begin="2s" end="2s"')).toBeNull();
  expect(timesOf('begin="2s" end="1s"')).toBeNull();
  expect(timesOf('begin="2s"')).toBeNull();
});

test('times are relative to and limited by the enclosing elements', () => {
  const cues = readTtml(
    '<tt xmlns="http://www.w3.org/ns/ttml"><body begin="10s" end="20s"><div begin="2s">' +
      '<p begin="1s" end="3s">a</p><p begin="4s">b</p><p begin="5s" end="60s">c</p></div></body></tt>',
  );
  expect(cues.map(({ start, end }) => [start, end])).toEqual([
    [13, 15],
    [16, 20],
    [17, 20],
  ]);
});

test('parts of a paragraph with their own times become separate captions', () => {
  const cues = readTtml(
    '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="10s" end="20s">' +
      '<span begin="1s" end="2s">One</span><span begin="1s" end="4s">Two</span>' +
      '<span begin="5s" end="6s">Three</span></p></div></body></tt>',
  );
  expect(cues.map(({ start, end }) => [start, end])).toEqual([
    [11, 12],
    [11, 14],
    [15, 16],
  ]);
});

test("an attribute of another namespace does not replace the recommendation's", () => {
  const times = timesOf('x:begin="7s" begin="1s" x:end="9s" end="3s"', 'xmlns:x="urn:example"');
  expect(times).toEqual([1, 3]);
});
