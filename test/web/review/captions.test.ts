/** The captions of a review: their lines, warnings and typed times, and lists that stay the same object. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { breakLines } from '../../../server/captions/divide/lines.ts';
import { columns } from '../../../server/captions/width.ts';
import { type ReviewCue, tidyCues, cueAt, lastStartedAt } from '../../../web/review/model/cue.ts';
import { at, settings, someText } from './support.ts';
import { mapChanged } from '../../../web/review/model/splice.ts';
import { readDifference, readTime } from '../../../web/format.ts';
import { replaceText } from '../../../web/review/model/edit-text.ts';
import { text } from '../../../web/texts/review.ts';
import { TypingGroups } from '../../../web/review/desk/cue-row.tsx';

describe('re-broken lines', () => {
  test('keep all words, are as few as possible, and none too long', () => {
    fc.assert(
      fc.property(someText, someText, (one, another) => {
        const text = `${one}\n${another}`;
        const lines = breakLines(text, settings, 'en');
        expect(lines.join(' ')).toBe(text.replace(/\s+/g, ' '));
        expect(Math.max(...lines.map(columns))).toBeLessThanOrEqual(settings.maxLineChars);
        const least = Math.ceil(columns(text) / settings.maxLineChars);
        expect(lines.length).toBeLessThanOrEqual(Math.max(settings.maxLines, least + 2));
      }),
    );
  });
});

test('a value is recomputed only if an item or the next one has changed', () => {
  const pool = Array.from({ length: 12 }, (_, id) => ({ id }));
  const lists = fc.array(fc.uniqueArray(fc.constantFrom(...pool), { maxLength: 12 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(lists, (all) => {
      const map = mapChanged((item: { id: number }, next) => `${item.id}, ${next?.id}`);
      for (const items of all)
        expect(map(items)).toEqual(items.map(({ id }, at) => `${id}, ${items[at + 1]?.id}`));
    }),
  );
  const asked: number[] = [];
  const map = mapChanged((item: { id: number }) => asked.push(item.id));
  map(pool);
  asked.length = 0;
  map([...pool.slice(0, 5), { id: 50 }, ...pool.slice(6)]);
  expect(asked).toEqual([4, 50]);
});

describe('a time', () => {
  test.each([
    ['12.5', 12.5],
    ['12,5', 12.5],
    ['0:13', 13],
    ['0:13.', 13],
    [' 90 ', 90],
    ['1:02.03', 62.03],
    ['00:01:02,500', 62.5],
    ['1:00:00', 3600],
    ['90:00', 5400],
    ['0.0004', 0],
    ['0.0006', 0.001],
    ['59.9996', 60],
    ['99:59:59,999', 359_999.999],
  ])('%s', (typed, seconds) => {
    expect(readTime(typed)).toBe(seconds);
  });
  test.each([
    '',
    'soon',
    '-1',
    '1:60',
    '0:75',
    '1:60:00',
    '1:2:3:4',
    '100:00:00',
    '1 2',
    '.',
    ':5',
    '1e3',
  ])('%p is none', (typed) => {
    expect(readTime(typed)).toBeNull();
  });
});

describe('a difference', () => {
  test.each([
    ['-0.5', -0.5],
    ['−0,5', -0.5],
    ['+1', 1],
    ['.5', 0.5],
    ['-.25', -0.25],
    ['-0:01.5', -1.5],
    ['2', 2],
    [' - 5 ', -5],
    ['- .5', -0.5],
    [',5', 0.5],
  ])('%s', (typed, seconds) => {
    expect(readDifference(typed)).toBe(seconds);
  });
  test.each(['', '-', '--1', 'back', '1-'])('%p is none', (typed) => {
    expect(readDifference(typed)).toBeNull();
  });
});

test('the break in a replaced range stays between the same words, or near its place', () => {
  const swap = (marked: string, wanted: string) => {
    const [from, to] = [marked.indexOf('['), marked.indexOf(']') - 1];
    return replaceText(marked.replaceAll(/[[\]]/g, ''), from, to, wanted);
  };
  expect(swap('We [use the\noff kit] now', 'love a new thing')).toBe('We love a\nnew thing now');
  expect(swap('We [use\noff] now', 'a b c d e f')).toBe('We a b c\nd e f now');
  expect(swap('We [use\nthe very long words] now', 'a b c d')).toBe('We a\nb c d now');
  expect(swap('We [use the very\nlong] now', 'aa bb cc')).toBe('We aa bb\ncc now');
  expect(swap('We [off\nkit] now', 'AuthKit')).toBe('We AuthKit\nnow');
  expect(swap('We [off\nkit]', 'AuthKit')).toBe('We\nAuthKit');
  expect(swap('[off\nkit]', 'AuthKit')).toBe('AuthKit');
  expect(swap('We [off\nkit] now', 'Auth\nKit two')).toBe('We Auth\nKit two now');
  expect(swap('We [off kit]\nnow', 'AuthKit')).toBe('We AuthKit\nnow');
});

test.each([
  ['reading_speed_high', 20.3, 20, 'Reads at 20.3 characters a second; 20 is comfortable.'],
  ['reading_speed_high', 20.02, 20, 'Reads at 20.02 characters a second; 20 is comfortable.'],
  ['reading_speed_high', 24.3, 20, 'Reads at 24 characters a second; 20 is comfortable.'],
  ['duration_below_minimum', 0.962, 1, 'Shown for 0.96 s; 1 s is the minimum.'],
  ['duration_above_maximum', 7.25, 7, 'Shown for 7.3 s; 7 s is the maximum.'],
  ['overlaps_next', 0.04, 0, 'Overlaps the next caption by 0.04 s.'],
] as const)(
  'a figure never looks like the limit that it breaks: %s %d',
  (flag, is, limit, says) => {
    expect(text.review.warning[flag](is, limit)).toBe(says);
  },
);

test('tidy captions keep the speakers of the lines that stay', () => {
  const placement = { vertical: 'top' } as const;
  const cue = (given: Partial<ReviewCue>): ReviewCue => ({ ...at(1, 1, 2, 'x'), ...given });
  expect(
    tidyCues([
      cue({ lines: [' Yes. ', '  ', 'No.'], speakers: ['Ada', 'Ben', 'Cy'], placement }),
      cue({ lines: ['', ' '], speakers: ['Ada'] }),
      cue({ lines: ['One', 'two'], speakers: ['Ada'] }),
      cue({ lines: ['Yes.', 'No.'], speakers: ['', 'Ben'] }),
      cue({ lines: ['Yes.', ' '], speakers: ['', 'Ben'] }),
      cue({ lines: ['Plain'] }),
    ]),
  ).toEqual([
    { start: 1, end: 2, lines: ['Yes.', 'No.'], speakers: ['Ada', 'Cy'], placement },
    { start: 1, end: 2, lines: ['One', 'two'], speakers: ['Ada', 'Ada'] },
    { start: 1, end: 2, lines: ['Yes.', 'No.'], speakers: ['', 'Ben'] },
    { start: 1, end: 2, lines: ['Yes.'] },
    { start: 1, end: 2, lines: ['Plain'] },
  ]);
});

const cue = (id: number, start: number, end: number) => ({ id, start, end, lines: ['word word'] });

describe('captions by time', () => {
  const cues = [cue(1, 1, 2), cue(2, 2, 3), cue(3, 5, 6)];
  test.each([
    [0.5, -1, undefined],
    [1, 0, 1],
    [1.999, 0, 1],
    [2, 1, 2],
    [3, 1, undefined],
    [5.5, 2, 3],
    [9, 2, undefined],
  ] as const)('at %d s', (time, last, shown) => {
    expect(lastStartedAt(cues, time)).toBe(last);
    expect(cueAt(cues, time)?.id).toBe(shown);
  });
});

describe('typing', () => {
  test('is one step for each word, and a new one in another caption or after leaving', () => {
    const groups = new TypingGroups();
    const first = groups.groupOf(1, 'one w');
    expect(groups.groupOf(1, 'one wo')).toBe(first);
    const space = groups.groupOf(1, 'one wo ');
    expect(space).not.toBe(first);
    expect(groups.groupOf(1, 'one wo t')).toBe(space);
    expect(groups.groupOf(1, 'one wo ')).toBe(space);
    const other = groups.groupOf(2, 'one');
    expect(other).not.toBe(space);
    groups.end();
    expect(groups.groupOf(2, 'one')).not.toBe(other);
  });

  test('starts a new step after a pause of more than a second', () => {
    let now = 5000;
    const groups = new TypingGroups(() => now);
    const first = groups.groupOf(1, 'o');
    now += 1000;
    expect(groups.groupOf(1, 'on')).toBe(first);
    now += 1001;
    const later = groups.groupOf(1, 'one');
    expect(later).not.toBe(first);
    now += 10;
    expect(groups.groupOf(1, 'ones')).toBe(later);
  });
});
