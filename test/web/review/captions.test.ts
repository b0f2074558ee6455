/** The captions of a review: their texts and times, how they are edited and compared, and where their edges snap. */
import { expect, test, describe } from 'bun:test';
import {
  type ReviewCue,
  tidyCues,
  cueAt,
  lastStartedAt,
  textOf,
} from '../../../web/review/model/cue.ts';
import {
  at,
  edits,
  after,
  cuesOf,
  rules,
  settings,
  someCues,
  spoken,
  texts,
  times,
  spans,
  wordsOf,
  retimed,
  someEdit,
} from './support.ts';
import { mapChanged, applySplice, type Splice } from '../../../web/review/model/splice.ts';
import { readDifference, readTime } from '../../../web/texts/format.ts';
import { replaceText } from '../../../server/captions/divide/replace-spoken.ts';
import { toggleItalics } from '../../../web/review/model/edit-text.ts';
import { text } from '../../../web/texts/review.ts';
import { TypingGroups } from '../../../web/review/editing/typing-groups.ts';
import { fixFor } from '../../../web/review/model/fix.ts';
import { split } from '../../../web/review/model/edit-cues.ts';
import { compare, diffWords } from '../../../web/review/model/compare.ts';
import { createReview } from '../../../web/review/editing/review.ts';
import { initialDecisions } from '../../../web/review/model/corrections.ts';
import { captionsContent } from '../../../web/review/save/caption-download.ts';
import { openReview, perform } from '../../../web/review/model/history.ts';
import {
  asOneCaption,
  betweenIn,
  cutOut,
  isSameText,
  paragraphsOf,
  retyped,
  runningText,
  setParts,
} from '../../../web/review/model/transcript.ts';
import { snapTime } from '../../../web/review/model/snap.ts';
import { signal } from '@preact/signals';
import { frameRateOf } from '../../../web/media/frame-rate.ts';
import { createTypingPause } from '../../../web/review/play/transport.ts';
import type { TimedWord } from '../../../web/review/model/spoken-cut.ts';
import fc from 'fast-check';

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
});

test.each<[read: (typed: string) => number | null, is: Record<string, number>, none: string[]]>([
  [
    readTime,
    {
      '12.5': 12.5,
      '12,5': 12.5,
      '0:13.': 13,
      ' 90 ': 90,
      '1:02.03': 62.03,
      '00:01:02,500': 62.5,
      '90:00': 5400,
      '0.0006': 0.001,
      '59.9996': 60,
      '99:59:59,999': 359_999.999,
    },
    ['', 'soon', '-1', '1:60', '1:60:00', '1:2:3:4', '100:00:00', '1 2', '.', ':5', '1e3'],
  ],
  [
    readDifference,
    { '-0.5': -0.5, '−0,5': -0.5, '+1': 1, '.5': 0.5, '-0:01.5': -1.5, ' - 5 ': -5, '- .5': -0.5 },
    ['', '-', '--1', 'back', '1-'],
  ],
])('%p of what is typed', (read, is, none) => {
  for (const [typed, seconds] of Object.entries(is))
    expect([typed, read(typed)]).toEqual([typed, seconds]);
  for (const typed of none) expect([typed, read(typed)]).toEqual([typed, null]);
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
  ['reading_speed_high', 20.02, 20, '20.02 characters a second to read; 20 is comfortable.'],
  ['reading_speed_high', 24.3, 20, '24 characters a second to read; 20 is comfortable.'],
  ['duration_below_minimum', 0.962, 1, 'Shown for 0.96 s; 1 s is the minimum.'],
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

test.each([
  [0.5, -1, undefined],
  [1.999, 0, 1],
  [2, 1, 2],
  [3, 1, undefined],
  [9, 2, undefined],
] as const)('captions by time at %d s', (time, last, shown) => {
  const cues = [at(1, 1, 2), at(2, 2, 3), at(3, 5, 6)];
  expect([lastStartedAt(cues, time), cueAt(cues, time)?.id]).toEqual([last, shown]);
});

test('typing is one step for each word, and a new one in another caption, after leaving, or after a pause of a second', () => {
  let now = 5000;
  const groups = new TypingGroups(() => now);
  let last = '';
  const isNew = (id: number, text: string, later = 0) => {
    now += later;
    const before = last;
    last = groups.groupOf(id, text);
    return last !== before;
  };
  expect([isNew(1, 'one w'), isNew(1, 'one wo'), isNew(1, 'one wo ')]).toEqual([true, false, true]);
  expect([isNew(1, 'one wo t'), isNew(1, 'one wo '), isNew(2, 'one')]).toEqual([
    false,
    false,
    true,
  ]);
  groups.end();
  expect(isNew(2, 'o')).toBe(true);
  expect([isNew(2, 'on', 1000), isNew(2, 'one', 1001), isNew(2, 'ones', 10)]).toEqual([
    false,
    true,
    false,
  ]);
});

describe('a new cue', () => {
  const cues = [at(1, 5, 6), at(2, 7, 8), at(3, 8.5, 10)];
  test.each([
    [-1, [2.916, 4.916]],
    [0, [6.084, 6.916]],
    [2, [10.084, 12.084]],
  ])('after %p is in the gap, for at most two seconds', (index, expected) => {
    const made = after(cues, edits.insertAfter(cues, index, 9, settings))[index + 1];
    expect([made?.id, made?.start, made?.end, made?.lines]).toEqual([9, ...expected, ['']]);
  });
  test('gets the time that its neighbours do not need', () => {
    // 0.332 s are free, so 0.468 s are missing: the first can spare 0.2 s, the other 0.7 s.
    expect(spans(after(cues, edits.insertAfter(cues, 1, 9, settings)))).toBe(
      '5-6 7-7.896 7.98-8.78 8.864-10',
    );
  });
  test('is not possible if the neighbours cannot spare the time, or without a cue', () => {
    const short = [at(1, 0, 0.9), at(2, 1, 1.9)];
    expect(edits.insertAfter(short, 0, 9, settings)).toBeNull();
    expect(edits.insertAfter(cues, 3, 9, settings)).toBeNull();
  });
  test('may be the only one', () => {
    expect(times(after([], edits.insertAfter([], -1, 1, settings)))).toEqual([[0, 2]]);
  });
});

describe('a split', () => {
  test('splits no character', () => {
    const emoji = [at(1, 0, 2, 'a😀b')];
    expect(texts(after(emoji, edits.split(emoji, 0, 2, 7, [])))).toEqual(['a', '😀b']);
  });
  test('followed by a merge keeps the words', () => {
    fc.assert(
      fc.property(someCues, fc.nat(), fc.nat({ max: 60 }), (cues, where, offset) => {
        const index = where % cues.length;
        const text = textOf(cues[index]!);
        const gap = text.slice(0, offset).search(/\s\S*$/);
        const splice = edits.split(cues, index, gap, 99, []);
        if (!splice) return;
        const halves = applySplice(cues, splice);
        expect(wordsOf(halves)).toBe(wordsOf(cues));
        const merged = after(halves, edits.mergeMany(halves, [index, index + 1], settings, 'en'));
        expect(wordsOf(merged)).toBe(wordsOf(cues));
        expect(times(merged)).toEqual(times(cues));
        expect(merged.map(({ id }) => id)).toEqual(cues.map(({ id }) => id));
      }),
    );
  });
});

describe('a word moves', () => {
  const cues = cuesOf('They shipped an MCP', 'server for\nthe team.');
  test('but not if it is the only word, and not past the ends', () => {
    expect(edits.moveWord(cuesOf('One', 'Two'), 0, 'next', settings, 'en', [])).toBeNull();
    expect(edits.moveWord(cues, 0, 'previous', settings, 'en', [])).toBeNull();
    expect(edits.moveWord(cues, 1, 'next', settings, 'en', [])).toBeNull();
  });
  test('and no word is lost', () => {
    fc.assert(
      fc.property(someCues, fc.nat(), fc.boolean(), (cues, where, forward) => {
        const direction = forward ? 'next' : 'previous';
        const splice = edits.moveWord(cues, where % cues.length, direction, settings, 'en', []);
        if (splice) expect(wordsOf(applySplice(cues, splice))).toBe(wordsOf(cues));
      }),
    );
  });
});

describe('a cue that is too long', () => {
  const TALK =
    'They shipped an MCP server last night, and nobody who was there went to bed before dawn.';
  const fixed = (
    cues: readonly ReviewCue[],
    heard: readonly TimedWord[] = [],
    flag: Parameters<typeof fixFor>[0] = 'duration_above_maximum',
  ) => after(cues, fixFor(flag, cues, 0, rules(99, heard)));

  test('ends sooner if no more words follow', () => {
    const cues = [at(1, 0, 9, 'They shipped it.'), at(2, 10, 11)];
    const made = fixed(cues, spoken('They shipped it.'));
    expect([spans(made), texts(made)]).toEqual(['0-6 10-11', texts(cues)]);
  });
  test('is split at a pause, and not shown during it', () => {
    const text = 'We went on with it and on and then we stopped';
    const heard = spoken(text).map((word, index) =>
      index < 7 ? word : { ...word, start: word.start + 3, end: word.end + 3 },
    );
    const made = fixed([at(1, 0, 9, text)], heard);
    // The last word before the pause ends at 3.4 s.
    expect([spans(made), texts(made)]).toEqual([
      '0-4.4 6.5-9',
      ['We went on with it and on', 'and then we stopped'],
    ]);
  });
  test.each([
    'duration_above_maximum',
    'line_count_above_maximum',
    'line_length_above_maximum',
  ] as const)(
    'or has too much text is split as often as necessary, and no word is lost: %s',
    (flag) => {
      const cues = [at(1, 0, 20, `${TALK} ${TALK}`)];
      const made = fixed(cues, [], flag);
      expect(wordsOf(made)).toBe(wordsOf(cues));
      expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
      expect(made.length).toBeGreaterThan(1);
      for (const { start, end, lines } of made) {
        if (flag === 'duration_above_maximum') expect(end - start).toBeLessThanOrEqual(6);
        else expect(lines.length).toBeLessThanOrEqual(2);
        expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(42);
      }
    },
  );
});

test.each([
  ['one <i>two</i> three', [8], 'one <i>t</i>', '<i>wo</i> three'],
  ['one <i>two</i> three', [4, 5, 6, 7], 'one', '<i>two</i> three'],
  ['one <i>two</i> three', [12], 'one <i>two</i>', 'three'],
  ['a 😀b', [3], 'a', '😀b'],
  ['<i>so it goes on', [6], '<i>so', 'it goes on'],
  ['<i>so</i> it <i>goes</i> on', [12], '<i>so</i> it', '<i>goes</i> on'],
])(
  '%s is split next to a tag or a character that it would divide, at %p',
  (text, offsets, left, right) => {
    for (const offset of offsets)
      expect(texts(split([at(7, 0, 2, text)], 0, offset, 99, [])!.inserted)).toEqual([left, right]);
  },
);

test('a caption is split between its words as they are spoken, also those up to a second outside of it', () => {
  const heard = [
    { text: 'We', start: 9.1, end: 9.3 },
    { text: 'shipped', start: 13, end: 13.5 },
  ];
  const [, second] = split([at(7, 10, 14, 'We shipped')], 0, 2, 99, heard)!.inserted;
  expect(second?.start).toBeGreaterThan(12.5);
});

const cues = cuesOf('They shipped it', 'for the team', 'last night.', 'And so on.');

const differences = (splice: Splice | null, from: readonly ReviewCue[] = cues) =>
  compare(from, applySplice(from, splice!)).map(({ original, now, parts, timesChanged }) => ({
    ids: [original.map(({ id }) => id), now.map(({ id }) => id)],
    changed: parts.filter(({ kind }) => kind !== 'same').map(({ text, kind }) => `${kind} ${text}`),
    timesChanged,
  }));

describe('differences', () => {
  test.each([
    ['start', 1, 3.2],
    ['end', 2, 5.5],
  ] as const)('of the %s of a caption that was also split', (edge, at, time) => {
    const parts = applySplice(cues, edits.split(cues, 1, 3, 9, [])!);
    const splice = retimed(parts, edits.setEdge('push', parts, at, edge, time, settings));
    expect(compare(cues, applySplice(parts, splice!)).map((each) => each.timesChanged)).toEqual([
      true,
    ]);
  });
  test('of italics are said, and no tag is shown', () => {
    const tagged = cuesOf('A <i>very</i> good', 'evening');
    const splice = edits.toggleItalics(tagged, 0, 0, textOf(tagged[0]!).length)!.splice;
    const [only] = compare(tagged, applySplice(tagged, splice));
    expect([only?.italicsChanged, only?.parts.map(({ text }) => text)]).toEqual([
      true,
      ['A very good'],
    ]);
    expect(
      compare(cues, applySplice(cues, edits.split(cues, 1, 3, 9, [])!))[0]?.italicsChanged,
    ).toBe(false);
  });
  test('of a split, a merge, a new cue and a deleted one', () => {
    expect(differences(edits.split(cues, 1, 3, 9, []))).toEqual([
      { ids: [[2], [2, 9]], changed: [], timesChanged: false },
    ]);
    expect(differences(edits.mergeMany(cues, [1, 2], settings, 'en'))).toEqual([
      { ids: [[2, 3], [2]], changed: [], timesChanged: false },
    ]);
    expect(differences(edits.insertAfter(cues, 0, 9, settings))).toEqual([
      { ids: [[], [9]], changed: [], timesChanged: false },
    ]);
    expect(differences(edits.removeMany(cues, [0])[0]!)).toEqual([
      { ids: [[1], []], changed: ['removed They shipped it'], timesChanged: false },
    ]);
  });
  test('of any edits cover all changes, and only those', () => {
    fc.assert(
      fc.property(someCues, fc.array(someEdit, { maxLength: 30 }), (original, list) => {
        let { state } = openReview(original, new Map());
        for (const edit of list) state = perform(state, edit(state));
        const found = compare(original, state.cues);
        const textOf = (kinds: string[]) => (part: { kind: string; text: string }) =>
          kinds.includes(part.kind) ? part.text : '';
        for (const { original, now, parts } of found) {
          expect(parts.map(textOf(['same', 'removed'])).join('')).toBe(wordsOf(original));
          expect(parts.map(textOf(['same', 'added'])).join('')).toBe(wordsOf(now));
        }
        const patched = found.reduce((cues, { original, now }) => {
          const ids = new Set(original.map(({ id }) => id));
          return [...cues.filter(({ id }) => !ids.has(id)), ...now];
        }, original);
        expect(patched.toSorted((a, b) => a.start - b.start)).toEqual([...state.cues]);
      }),
    );
  });
});

test.each([
  ['We use off kit here.', 'We use AuthKit here.', 'We use [-off kit-][+AuthKit+] here.'],
  ['the team', 'the team.', 'the team[+.+]'],
  ['我们发布服务器', '我们发布了服务器', '我们发布[+了+]服务器'],
  ['наш сервер', 'ваш сервер', '[-наш-][+ваш+] сервер'],
  ['', 'new', '[+new+]'],
])('words %p → %p', (before, after, expected) => {
  const shown = diffWords(before, after).map(({ text, kind }) => {
    if (kind === 'same') return text;
    return kind === 'removed' ? `[-${text}-]` : `[+${text}+]`;
  });
  expect(shown.join('')).toBe(expected);
});

test('italics are added to words, and removed if they are there', () => {
  const toggled = (text: string, from: number, to: number) => {
    const made = toggleItalics([at(1, 0, 2, text)], 0, from, to);
    return made && [made.splice.inserted[0]!.lines.join('|'), made.from, made.to];
  };
  expect(toggled('one two three', 4, 7)).toEqual(['one <i>two</i> three', 7, 10]);
  expect(toggled('one <i>two</i> three', 7, 10)).toEqual(['one two three', 4, 7]);
  expect(toggled('one <i>two</i> three', 4, 14)).toEqual(['one two three', 4, 7]);
  expect(toggled('one <i>two three', 7, 10)).toEqual(['one <i><i>two</i> three', 10, 13]);
  expect(toggled('one two</i> three', 4, 7)).toEqual(['one <i>two</i></i> three', 7, 10]);
  expect(toggled('one <i>two</i> three', 0, 20)).toEqual(['<i>one two three</i>', 3, 16]);
  expect([toggled('one', 1, 1), toggled('one  two', 3, 5), toggleItalics([], 0, 0, 1)]).toEqual([
    null,
    null,
    null,
  ]);
});

const cue = (
  id: number,
  lines: string[],
  more: Partial<ReviewCue> = {},
  start = id * 3,
): ReviewCue => ({ id, start, end: start + 2, lines, ...more });

const TALK = [cue(1, ['Welcome back', 'to the night.']), cue(2, ['Tonight we', 'look at it.'])];
const whole = { from: 0, to: 2 };
const partsOf = (cues: readonly ReviewCue[], between = ' ') =>
  cues.map((each) => ({ id: each.id, text: runningText(each, between) }));

/** The captions after somebody has made the text of the paragraph another. */
function typed(text: string, cues: readonly ReviewCue[] = TALK, language = 'en'): string[] {
  const between = betweenIn(language);
  const parts = retyped(partsOf(cues, between), between, text);
  const made = setParts(cues, { from: 0, to: cues.length }, parts, settings, language);
  return (made ? applySplice(cues, made) : cues).map(textOf);
}

test('a paragraph ends at another speaker, a pause, and a sentence once it is long', () => {
  const long = ['word '.repeat(80).trim() + '.'];
  const cues = [
    cue(1, ['One.'], { speakers: ['Ann'] }),
    cue(2, ['Two.'], { speakers: ['Ann'] }),
    cue(3, ['Three.'], { speakers: ['Ben'] }),
    cue(4, ['Four.'], { speakers: ['Ben'] }, 13),
    cue(5, long, { speakers: ['Ben'] }, 16),
    cue(6, ['Six.'], { speakers: ['Ben'] }, 19),
  ];
  expect(paragraphsOf(cues).map(({ from, to }) => `${from}-${to}`)).toEqual([
    '0-2',
    '2-3',
    '3-5',
    '5-6',
  ]);
  expect(paragraphsOf([])).toEqual([]);
});

test('a talk without punctuation has paragraphs too: at pauses, and where one grows too long', () => {
  const words = 'nothing that anybody says ends in a full stop';
  const cues = Array.from({ length: 2000 }, (_, at) => cue(at + 1, [words], {}, at * 3));
  const lengths = paragraphsOf(cues).map(({ from, to }) => (to - from) * words.length);
  expect(Math.max(...lengths)).toBeLessThan(800);
  expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThan(300);
});

describe('what is typed', () => {
  test.each([
    ['in a caption stays in it', 'Welcome back to the day. Tonight we look at it.', 'day', 0],
    ['at its end too', 'Welcome back to the night.! Tonight we look at it.', 'night.!', 0],
    [
      'at the start of the next is its own',
      'Welcome back to the night. So tonight we look at it.',
      'So',
      1,
    ],
    [
      'over two captions goes into the first',
      'Welcome back to this day we look at it.',
      'this day',
      0,
    ],
  ])('%s', (_, text, words, at) => {
    const after = typed(text);
    expect(after[at]).toContain(words);
    expect(after.join(' ').replaceAll('\n', ' ')).toBe(text);
  });

  test('what separates two captions cannot be deleted, and untouched captions keep their lines', () => {
    expect(typed('Welcome back to the night.Tonight we look at it.')).toEqual(TALK.map(textOf));
    expect(typed('Welcome back to the night. Tonight we look.')[0]).toBe(textOf(TALK[0]!));
  });

  test('captions in languages without spaces get none', () => {
    const cues = [cue(1, ['今晚我们', '来看看']), cue(2, ['谢谢'])];
    const before = partsOf(cues, betweenIn('zh')).map(({ text }) => text);
    const after = typed(before.join('\u200B').replace('谢谢', '谢谢大家'), cues, 'zh');
    expect(after).toEqual([textOf(cues[0]!), '谢谢大家']);
  });

  test('a dialogue keeps a line for each speaker', () => {
    const cues = [cue(1, ['- Yes?', '- No.'], { speakers: ['Ann', 'Ben'] })];
    expect(typed('- Yes!\n- No.', cues)).toEqual(['- Yes!\n- No.']);
  });

  test('is in the captions, whatever it replaces', () => {
    const text = partsOf(TALK)
      .map((part) => part.text)
      .join(' ');
    const word = fc.stringMatching(/^[a-z ]{0,12}$/);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), word, (a, b, insert) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const after = text.slice(0, from) + insert + text.slice(to);
        const letters = (of: string): string => of.replaceAll(/\s/g, '');
        expect(letters(typed(after).join(''))).toBe(letters(after));
      }),
    );
  });
});

test('a draft says the same as its captions until they say something else', () => {
  const draft = [{ id: 1, text: 'Welcome  back to the night. ' }, partsOf(TALK)[1]!];
  expect(isSameText(draft, TALK, ' ')).toBe(true);
  expect(isSameText(draft, [TALK[0]!], ' ')).toBe(false);
  expect(isSameText(draft, [cue(1, ['Welcome']), TALK[1]!], ' ')).toBe(false);
});

test('selected words get captions that share nothing with others, and become one', () => {
  const places = [
    { index: 0, offset: 'Welcome back '.length },
    { index: 1, offset: 'Tonight'.length },
  ] as const;
  const { splices, indices } = cutOut(TALK, places, 9, []);
  const cut = splices.reduce(applySplice, TALK as readonly ReviewCue[]);
  expect(cut.map(textOf)).toEqual(['Welcome back', 'to the night.', 'Tonight', 'we\nlook at it.']);
  expect(indices).toEqual([1, 2]);
  expect(new Set(cut.map(({ id }) => id)).size).toBe(4);
  const one = asOneCaption(TALK, places, 9, [], settings, 'en');
  const made = one?.splices.reduce(applySplice, TALK as readonly ReviewCue[]).map(textOf);
  expect(made?.map((words) => words.replaceAll('\n', ' '))).toEqual([
    'Welcome back',
    'to the night. Tonight',
    'we look at it.',
  ]);
  const all = [
    { index: whole.from, offset: 0 },
    { index: 0, offset: textOf(TALK[0]!).length },
  ] as const;
  expect(asOneCaption(TALK, all, 9, [], settings, 'en')).toBeNull();
});

describe('an edge snaps', () => {
  const heard = [{ text: 'We', start: 10, end: 10.4 }];
  const snap = (
    time: number,
    edge: 'start' | 'end',
    magnets: Parameters<typeof snapTime>[2],
    reach = 0.1,
  ) => Number(snapTime(time, edge, magnets, reach).toFixed(3));

  test('to the nearest target within reach, with shots taking precedence', () => {
    expect(snap(10.05, 'start', { words: heard, shots: [10.1] })).toBe(10.1);
    expect(snap(5.5, 'start', { shots: [5, 5.42, 5.57, 6] })).toBe(5.57);
    expect(snap(5.5, 'start', { shots: [5, 5.44, 5.57, 6] })).toBe(5.44);
    // A shot at the very beginning counts too.
    const early = [{ text: 'We', start: 0.1, end: 0.5 }];
    expect(snap(0.05, 'start', { words: early, shots: [0] })).toBe(0);
    // A word that ended is a target while the next one is spoken.
    const close = [...heard, { text: 'see', start: 10.45, end: 11 }];
    expect(snap(10.5, 'end', { words: close })).toBe(10.44);
    // Of two at the same distance, the first.
    expect(snap(5.5, 'start', { shots: [5.375, 5.625] }, 0.125)).toBe(5.375);
    const many = Array.from({ length: 8 }, (_, index) => ({
      text: 'x',
      start: index,
      end: index + 0.5,
    }));
    expect([snap(3.55, 'end', { words: many }), snap(4.93, 'start', { words: many })]).toEqual([
      3.54, 4.96,
    ]);
  });

  test('to the frame, and next to a neighbour to the frame that keeps the gap', () => {
    expect(snap(10.03, 'start', { frame: 0.04 })).toBe(10.04);
    expect(snap(10.01, 'start', { frame: 0.04 })).toBe(10);
    const neighbours = { before: at(1, 0, 9.926), after: at(3, 12, 14) };
    expect(snap(10.01, 'start', { frame: 0.04, neighbours })).toBe(10.04);
    expect(snap(9.99, 'start', { frame: 0.04, neighbours }, 0)).toBe(10);
    expect(snap(11.914, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.88);
    expect(snap(11.8, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.8);
    // A frame exactly at the gap keeps it.
    const exact = { before: at(1, 0, 0.916) };
    expect(snap(1, 'start', { frame: 0.5, neighbours: exact }, 0)).toBe(1);
  });
});

test('the frame rate is determined from frames with gaps, but not from too few', () => {
  const RATES = [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60];
  const some = fc.array(fc.constantFrom(1, 1, 1, 2, 3), { minLength: 16, maxLength: 30 });
  fc.assert(
    fc.property(fc.constantFrom(...RATES), some, (rate, steps) => {
      let frame = 0;
      // Two consecutive frames give the duration of one.
      const frames = [0, ...[1, ...steps].map((step) => (frame += step))];
      const shown = frames.map((at) => Math.round((at / rate) * 1e6) / 1e6);
      expect(frameRateOf(shown)).toBeCloseTo(rate, 6);
      expect([frameRateOf([]), frameRateOf(shown.slice(0, 3))]).toEqual([null, null]);
    }),
  );
});

test('typing pauses the recording, which goes on later unless the user played or paused meanwhile', () => {
  const did: string[] = [];
  const waits = new Set<() => void>();
  const playing = signal(true);
  const media = {
    playing,
    time: signal(5),
    pause: () => void did.push('pause', String((playing.value = false))),
    playFrom: (from: number) => void did.push(`play from ${from}`, String((playing.value = true))),
  };
  const later = (work: () => void) => {
    waits.add(work);
    return () => waits.delete(work);
  };
  const wanted = signal(true);
  const { typed, forget } = createTypingPause(media, wanted, later);
  const pass = () => {
    for (const work of waits) if (waits.delete(work)) work();
  };
  typed();
  forget();
  expect(waits.size).toBe(0);
  playing.value = false;
  typed();
  pass();
  expect(did).toEqual(['pause', 'false']);
  wanted.value = false;
  playing.value = true;
  typed();
  expect(did).toHaveLength(2);
});

test('karaoke has the times at which words were heard, also of a text that was corrected', async () => {
  const words = ['Off', 'kit', 'signs', 'in.'].map((text, at) => ({
    text,
    start: at / 2,
    end: at / 2 + 0.4,
  }));
  const review = createReview(
    {
      runId: 'run',
      name: 'talk.mp3',
      settings,
      language: 'en',
      words,
      corrections: [],
      original: [],
    },
    openReview(cuesOf('AuthKit signs in.'), initialDecisions([])).state,
  );
  const written = await captionsContent(review, 'vtt', undefined, undefined, true);
  expect(written).toContain('<00:00:01.000>signs');
  expect(await captionsContent(review, 'vtt')).not.toContain('<00:');
});
