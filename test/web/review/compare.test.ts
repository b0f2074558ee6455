/** The comparison of captions with those that the review began with, and which changes are one step. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compare, diffWords } from '../../../web/review/model/compare.ts';
import { type ReviewCue } from '../../../web/review/model/cue.ts';
import { openReview, perform } from '../../../web/review/model/history.ts';
import { type Splice, applySplice } from '../../../web/review/model/splice.ts';
import { edits, at, cuesOf, retimed, settings, someCues, someEdit, wordsOf } from './support.ts';
import { toggleItalics } from '../../../web/review/model/edit-text.ts';

const cues = cuesOf('They shipped it', 'for the team', 'last night.', 'And so on.');

const differences = (splice: Splice | null, from: readonly ReviewCue[] = cues) =>
  compare(from, applySplice(from, splice!)).map(({ original, now, parts, timesChanged }) => ({
    ids: [original.map(({ id }) => id), now.map(({ id }) => id)],
    changed: parts.filter(({ kind }) => kind !== 'same').map(({ text, kind }) => `${kind} ${text}`),
    timesChanged,
  }));

describe('differences', () => {
  test('of text', () => {
    expect(differences(edits.setText(cues, 1, 'for a team'))).toEqual([
      { ids: [[2], [2]], changed: ['removed the', 'added a'], timesChanged: false },
    ]);
  });
  test.each([
    ['start', 1, { start: 3.2 }],
    ['end', 2, { end: 5.5 }],
  ] as const)('of the %s of a caption that was also split', (_, at, times) => {
    const parts = applySplice(cues, edits.split(cues, 1, 3, 9, [])!);
    const splice = retimed(parts, edits.setTimes(parts, at, times, settings));
    expect(compare(cues, applySplice(parts, splice!)).map((each) => each.timesChanged)).toEqual([
      true,
    ]);
  });
  test('of a split, a merge, a new cue and a deleted one', () => {
    expect(differences(edits.split(cues, 1, 3, 9, []))).toEqual([
      { ids: [[2], [2, 9]], changed: [], timesChanged: false },
    ]);
    expect(differences(edits.mergeWithNext(cues, 1, settings, 'en'))).toEqual([
      { ids: [[2, 3], [2]], changed: [], timesChanged: false },
    ]);
    expect(differences(edits.insertAfter(cues, 0, 9, settings))).toEqual([
      { ids: [[], [9]], changed: [], timesChanged: false },
    ]);
    expect(differences(edits.remove(cues, 0))).toEqual([
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

describe('words', () => {
  test.each([
    ['We use off kit here.', 'We use AuthKit here.', 'We use [-off kit-][+AuthKit+] here.'],
    ['the team', 'the team.', 'the team[+.+]'],
    ['我们发布服务器', '我们发布了服务器', '我们发布[+了+]服务器'],
    ['наш сервер', 'ваш сервер', '[-наш-][+ваш+] сервер'],
    ['', 'new', '[+new+]'],
  ])('%p → %p', (before, after, expected) => {
    const shown = diffWords(before, after).map(({ text, kind }) => {
      if (kind === 'same') return text;
      return kind === 'removed' ? `[-${text}-]` : `[+${text}+]`;
    });
    expect(shown.join('')).toBe(expected);
  });
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
