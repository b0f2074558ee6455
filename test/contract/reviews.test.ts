/** Reviews as clients send them: each bound from both sides, the errors beyond a schema, and the stored form. */
import { describe, expect, test } from 'bun:test';
import { reviewDocument, reviewIssues } from '../../server/contract/review.ts';

const cue = (more: object = {}) => ({ start: 0, end: 1, lines: ['Hello'], ...more });
const issues = (more: object) => reviewIssues({ cues: [cue()], ...more });
const pathsOf = (more: object) => issues(more).map(({ path }) => path);
const some = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at));
const decision = (at: number) => ({ id: `c${at}`, decision: 'open' });

describe('the bounds of a review', () => {
  const lines = (lines: string[]) => ({ cues: [cue({ lines })] });
  const x = (size: number) => 'x'.repeat(size);
  test.each<[string, (size: number) => object, fits: number, tooMuch: number]>([
    ['cues.0.lines', (count) => lines(some(count, () => '')), 20, 21],
    ['cues.0.lines.0', (size) => lines([x(size)]), 2000, 2001],
    ['cues.0.text', (size) => ({ cues: [{ start: 0, end: 1, text: x(size) }] }), 2000, 2001],
    ['cues.0.end', (end) => ({ cues: [cue({ end })] }), 359_999.999, 360_000],
    ['cues.0.start', (start) => ({ cues: [cue({ start: -start })] }), 0, 1],
    ['corrections.0.id', (size) => ({ corrections: [{ ...decision(0), id: x(size) }] }), 200, 201],
    ['speakers.0.name', (size) => ({ speakers: [{ id: 'A', name: x(size) }] }), 200, 201],
    [
      'speakers',
      (count) => ({ speakers: some(count, (at) => ({ id: `${at}`, name: 'x' })) }),
      500,
      501,
    ],
  ])('%s', (path, given, fits, tooMuch) => {
    expect(issues(given(fits))).toEqual([]);
    expect(pathsOf(given(tooMuch))).toEqual([path]);
  });

  test.each([
    ['cues.0.speaker', { cues: [cue({ speaker: '' })] }],
    ['corrections.0.id', { corrections: [{ id: '', decision: 'open' }] }],
    ['corrections.0.decision', { corrections: [{ id: 'c1', decision: 'later' }] }],
    ['speakers.0.name', { speakers: [{ id: 'A', name: '' }] }],
    ['speakers.0.id', { speakers: [{ id: '', name: 'Ann' }] }],
    ['finished', { finished: 'yes' }],
    ['savedAt', { savedAt: 'yesterday' }],
    ['more', { more: 1 }],
  ])('%s of %j is refused', (path, given) => {
    expect(pathsOf(given)).toEqual([path]);
  });

  test('the response to a read may be sent back', () => {
    const read = cue({
      index: 1,
      startTime: '00:00:00,000',
      endTime: '00:00:01,000',
      speaker: 'A',
    });
    const whole = {
      runId: 'run_1',
      savedAt: '2026-11-20T00:00:00.000Z',
      corrections: ['accepted', 'rejected', 'open'].map((of, at) => ({
        id: `c${at}`,
        decision: of,
      })),
      speakers: [{ id: 'A', name: 'Ann' }],
      finished: true,
    };
    expect(issues({ ...whole, cues: [{ ...read, text: 'Hello' }] })).toEqual([]);
    expect(issues({ ...whole, cues: [{ ...read, lines: undefined, text: 'Hello' }] })).toBeArray();
  });
});

describe('captions of a review', () => {
  const faults = (...cues: object[]) =>
    reviewIssues({ cues }).map(({ path, message }) => `${path} ${message}`);

  test.each<[string, object[], string[]]>([
    ['may be empty in time', [cue({ end: 0 })], []],
    ['end after their start', [cue({ start: 2 })], ['cues.0.end must not be before the start']],
    ['may start together', [cue({ start: 1 }), cue({ start: 1 })], []],
    [
      'start in order, compared with the latest start',
      [cue({ start: 3, end: 4 }), cue({ start: 2, end: 3 }), cue({ start: 2.5, end: 3 })],
      [
        'cues.1.start must not be before that of the previous caption',
        'cues.2.start must not be before that of the previous caption',
      ],
    ],
    ['need a text', [{ start: 0, end: 1 }], ['cues.0.lines is required, or text']],
    ['may have no line', [cue({ lines: [] })], []],
    ['may be an empty text', [{ start: 0, end: 1, text: '' }], []],
    ['may repeat their lines as a text', [cue({ lines: ['a', 'b'], text: 'a\nb' })], []],
    [
      'may not have two texts',
      [cue({ text: 'Hallo' }), cue({ lines: ['a', ''], text: 'a' }), cue({ lines: [], text: 'a' })],
      [
        'cues.0.text differs from lines: send only one of the two',
        'cues.1.text differs from lines: send only one of the two',
        'cues.2.text differs from lines: send only one of the two',
      ],
    ],
    [
      'are told all their errors',
      [cue({ start: 5, end: 6 }), { start: 3, end: 2 }],
      [
        'cues.1.end must not be before the start',
        'cues.1.start must not be before that of the previous caption',
        'cues.1.lines is required, or text',
      ],
    ],
  ])('%s', (_, cues, expected) => {
    expect(faults(...cues)).toEqual(expected);
  });
});

test('a correction is settled once', () => {
  expect(issues({ corrections: [decision(1), decision(2), decision(1), decision(1)] })).toEqual([
    { path: 'corrections.2.id', message: 'is decided twice' },
    { path: 'corrections.3.id', message: 'is decided twice' },
  ]);
});

test('fifty errors are listed', () => {
  const wrong = cue({ start: 2 });
  const twice = (count: number) => some(count, () => decision(1));
  expect([49, 50, 51].map((count) => issues({ cues: some(count, () => wrong) }).length)).toEqual([
    49, 50, 50,
  ]);
  expect([50, 51, 52].map((count) => issues({ corrections: twice(count) }).length)).toEqual([
    49, 50, 50,
  ]);
  expect(issues({ cues: some(49, () => wrong), corrections: twice(9) })).toHaveLength(50);
});

test('a review is stored in whole milliseconds and lines, with what is absent as nothing', () => {
  expect(
    reviewDocument({ cues: [{ start: 0.00049, end: 1.23456, text: 'a\nb', speaker: 'A' }] }),
  ).toEqual({
    cues: [{ start: 0, end: 1.235, lines: ['a', 'b'], speaker: 'A' }],
    corrections: [],
    speakers: [],
    finished: false,
  });
  const whole = {
    corrections: [{ id: 'c1', decision: 'accepted' as const }],
    speakers: [{ id: 'A', name: 'Ann' }],
    finished: true,
  };
  const cues = [
    { start: 0, end: 1, lines: ['x'], text: 'x' },
    { start: 1, end: 2 },
  ];
  expect(reviewDocument({ ...whole, cues })).toEqual({
    ...whole,
    cues: [
      { start: 0, end: 1, lines: ['x'] },
      { start: 1, end: 2, lines: [''] },
    ],
  });
});
