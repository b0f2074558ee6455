/** Functions of the review's model, in tables of cases and against plain forms of the same rule. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { expressionOf, findAll } from '../../../web/review/model/find.ts';
import { fixAll } from '../../../web/review/model/fix.ts';
import { rebuild, wordsOfCues } from '../../../web/review/model/rebuild.ts';
import { replaceText } from '../../../web/review/model/edit-text.ts';
import { snapTime } from '../../../web/review/model/snap.ts';
import { tidyCues } from '../../../web/review/model/tidy.ts';
import { timeScript } from '../../../web/review/model/align-words.ts';
import { diffWords } from '../../../web/review/model/compare.ts';
import { at, cuesOf, rules, settings, someCues, spoken } from './support.ts';

describe('the results of a search', () => {
  const TEXT = 'Cat cat concat\ncats';
  const CASES: [string, string[]][] = [
    ['', ['Cat', 'cat', 'cat', 'cat']],
    ['regex', ['Cat', 'cat', 'cat', 'cat']],
    ['matchCase', ['cat', 'cat', 'cat']],
    ['regex matchCase', ['cat', 'cat', 'cat']],
    ['wholeWord', ['Cat', 'cat']],
    ['regex wholeWord', ['Cat', 'cat']],
    ['matchCase wholeWord', ['cat']],
    ['regex matchCase wholeWord', ['cat']],
  ];
  test.each(CASES)('with %p: %j', (chosen, found) => {
    const [regex, matchCase, wholeWord] = ['regex', 'matchCase', 'wholeWord'].map((name) =>
      chosen.split(' ').includes(name),
    ) as [boolean, boolean, boolean];
    const options = { regex, matchCase, wholeWord };
    expect(
      findAll(cuesOf(TEXT), 'cat', options).map(({ from, to }) => TEXT.slice(from, to)),
    ).toEqual(found);
    expect(expressionOf('', options)).toBeNull();
    // A space is a regular expression, but not a phrase.
    expect(expressionOf(' ', options) !== null).toBe(regex);
  });
});

describe('a replaced text', () => {
  const some = fc.array(fc.constantFrom('a', 'bb', 'ccc', 'a-b'), { minLength: 1, maxLength: 4 });
  test('has the wanted words, keeps the text around them, and never gets more lines', () => {
    const gap = fc.constantFrom(' ', '\n');
    fc.assert(
      fc.property(some, gap, some, gap, gap, some, some, (a, one, b, two, inside, c, wanted) => {
        const found = [...b, ...b].join(' ').replace(' ', inside);
        const text = a.join(' ') + one + found + two + c.join(' ');
        const from = a.join(' ').length + 1;
        const made = replaceText(text, from, from + found.length, wanted.join(' '));
        expect(made.split(/[ \n]/)).toEqual([...a, ...wanted, ...c]);
        expect(made).toStartWith(a.join(' '));
        expect(made).toEndWith(c.join(' '));
        expect(made.split('\n').length).toBeLessThanOrEqual(text.split('\n').length);
        if (wanted.length > 1 && inside === '\n') {
          expect(made.split('\n').length).toBe(text.split('\n').length);
        }
      }),
    );
  });

  test.each([
    // As many words: each break stays after the same word.
    ['a [b\nc d\ne] f', 'x y z w', 'a x\ny z\nw f'],
    ['a [b c\nd] e', 'x y z', 'a x y\nz e'],
    // A replacement with its own break replaces that of the range.
    ['a [b\nc] d', 'x\ny', 'a x\ny d'],
    ['a [b c] d', 'x\ny', 'a x\ny d'],
    // No break in the range: nothing to keep.
    ['a\n[b c]\nd', 'x', 'a\nx\nd'],
    // One word: the break moves to the side that has text on the same line, first to the right.
    ['a [b\nc] d', 'x', 'a x\nd'],
    ['a [b\nc]\nd', 'x', 'a\nx\nd'],
    ['a\n[b\nc]\nd', 'x', 'a\nx\nd'],
    // More words: the break is as far into the range as before; of two equal places the first.
    ['[aa\nbb cc]', 'x y', 'x\ny'],
    ['[aaa\nbbb]', 'xx yy zz', 'xx\nyy zz'],
    ['[aaaa\nb]', 'xx yy zz', 'xx yy\nzz'],
  ])('%j with %j is %j', (marked, wanted, made) => {
    const [from, to] = [marked.indexOf('['), marked.indexOf(']') - 1];
    expect(replaceText(marked.replaceAll(/[[\]]/g, ''), from, to, wanted)).toBe(made);
  });
});

test('differences leave both texts when the other side is left out, and never touch each other', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', '  ', '\n', ', '), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = diffWords(before, after);
      const without = (kind: string) =>
        parts.flatMap((part) => (part.kind === kind ? [] : [part.text])).join('');
      expect(without('added')).toBe(before);
      expect(without('removed')).toBe(after);
      for (const [at, { text, kind }] of parts.entries()) {
        expect(text).not.toBe('');
        // Unchanged text between two changes is more than white space.
        const next = parts[at + 1];
        expect(kind === next?.kind).toBe(false);
        if (kind === 'added') expect(next?.kind ?? 'same').toBe('same');
        if (kind === 'same' && at > 0 && next) expect(text.trim()).not.toBe('');
      }
    }),
  );
});

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

describe('the words of captions', () => {
  test('have the times of words spoken within half a second of their caption', () => {
    const heard = spoken('a b c d e f g h i j k l m n o p q r s t', 0);
    fc.assert(
      fc.property(someCues, (cues) => {
        // The words of each caption are the same without the other captions.
        const alone = cues.flatMap((cue, index) => {
          const before = cues[index - 1];
          // An empty caption before it limits its times like the real neighbour.
          const context = before ? [{ ...before, lines: [''] }, cue] : [cue];
          return wordsOfCues(context, heard).filter(({ text }) => text !== '');
        });
        expect(wordsOfCues(cues, heard).filter(({ text }) => text !== '')).toEqual(alone);
      }),
    );
  });

  test.each([
    ['long before it', 9, [9.5, 9.98]],
    ['ending just before the margin', 9.05, [9.5, 9.98]],
    ['ending at the margin', 9.1, [9.5, 9.5]],
    ['within the margin', 9.3, [9.5, 9.7]],
    ['in it', 10.2, [10.2, 10.6]],
    ['beginning before the end of the margin', 11.45, [11, 11]],
    ['after the margin', 11.5, [9.5, 9.98]],
    // What was not said is placed from the margin on, for as long as it takes to say.
  ])('a word that was said %s', (_name, start, times) => {
    const heard = [{ text: 'Hello', start, end: start + 0.4 }];
    const [made] = wordsOfCues([at(1, 10, 11, 'Hello')], heard);
    expect([made!.start, made!.end].map((time) => Number(time.toFixed(3)))).toEqual(times);
  });
});

test('rebuilt captions stand where those stood that were shown at their time', () => {
  const top = { vertical: 'top' } as const;
  const middle = { vertical: 'middle' } as const;
  const text = 'We shipped an MCP server for the team last night, and then we went home to sleep.';
  const words = spoken(text, 0);
  const half = text.split(' ').length / 4;
  const cues: ReviewCue[] = [
    { ...at(1, 0, half, text.split(' ').slice(0, 8).join(' ')), placement: top },
    at(2, half, 2 * half - 1, text.split(' ').slice(8, 14).join(' ')),
    { ...at(3, 2 * half - 1, 2 * half, text.split(' ').slice(14).join(' ')), placement: middle },
  ];
  const narrow = { settings: { ...settings, maxLineChars: 24, maxLines: 1 } };
  const how = { rules: narrow, language: 'en', words, nextId: 9 };
  const [splice] = rebuild(cues, [0, 1, 2], how)!;
  for (const { start, end, placement } of splice!.inserted) {
    const shown = cues.find((cue) => cue.end > (start + end) / 2) ?? cues.at(-1)!;
    expect(placement).toEqual(shown.placement as never);
  }
  expect(splice!.inserted.length).toBeGreaterThan(3);
  expect(new Set(splice!.inserted.map(({ placement }) => placement?.vertical))).toEqual(
    new Set(['top', undefined, 'middle']),
  );
});

describe('an exchange of recognised words', () => {
  const timed = (script: string, heard: string) =>
    timeScript(
      script.split(' ').map((text) => ({ text })),
      spoken(heard, 10),
      { start: 0, end: 100 },
    ).words.map(({ text, start, end }) => `${text} ${start.toFixed(2)}-${end.toFixed(2)}`);
  test.each([
    // Up to six words for fewer ones: the written words share all the time.
    [
      'an XY server',
      'an q w r t p s server',
      ['an 10.00-10.40', 'XY 10.50-13.40', 'server 13.50-13.90'],
    ],
    // After a word that was recognised as two, too.
    [
      'authkit XY server',
      'auth kit q w r t p s server',
      ['authkit 10.00-10.90', 'XY 11.00-13.90', 'server 14.00-14.40'],
    ],
    // At the very beginning and end.
    ['XY server', 'q w server', ['XY 10.00-10.90', 'server 11.00-11.40']],
    ['an XY', 'an q w', ['an 10.00-10.40', 'XY 10.50-11.40']],
    // More than six: one of them.
    [
      'an XY server',
      'an q w r t p s u server',
      ['an 10.00-10.40', 'XY 13.50-13.90', 'server 14.00-14.40'],
    ],
    // As many words: one for one.
    [
      'an X Y server',
      'an q w server',
      ['an 10.00-10.40', 'X 10.50-10.90', 'Y 11.00-11.40', 'server 11.50-11.90'],
    ],
  ])('%s, heard as %s', (script, heard, times) => {
    expect(timed(script, heard)).toEqual(times);
  });
});

test('an edge snaps to the words around it, before and after', () => {
  const words = [1, 2, 3, 4, 5].map((start) => ({ text: 'x', start, end: start + 0.9 }));
  const snap = (time: number, edge: 'start' | 'end') =>
    Number(snapTime(time, edge, { words }, 0.2).toFixed(3));
  for (const word of words) {
    expect(snap(word.start + 0.1, 'start')).toBe(word.start - 0.04);
    expect(snap(word.start - 0.1, 'start')).toBe(word.start - 0.04);
    expect(snap(word.end + 0.08, 'end')).toBe(Number((word.end + 0.04).toFixed(3)));
    expect(snap(word.end - 0.1, 'end')).toBe(Number((word.end + 0.04).toFixed(3)));
  }
});

test('all fixes are judged in the language of the captions', () => {
  // “the” may not end a line in English; in French it is no small word.
  const cues = [at(1, 0, 5, 'We then went back to the\nold garden house.')];
  expect(fixAll(cues, rules(99))?.captions).toBe(1);
  expect(fixAll(cues, { ...rules(99), language: 'fr' })).toBeNull();
});
