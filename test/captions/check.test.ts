/** Tests of the caption check: lines, speakers and the sources of rules. */
import { describe, expect, test } from 'bun:test';
import { checkCaptions } from '../../server/captions/rules/check.ts';
import { profileOf, type ProfileName } from '../../server/captions/rules/profiles/profiles.ts';

test('each rule cites its page: the guide of the language, or the list of all guides', () => {
  const pageOf = (name: ProfileName, language: string): string =>
    profileOf(name, language).rules.line_length?.source ?? '';
  expect(pageOf('netflix', 'de')).toEndWith('217351587-German-Timed-Text-Style-Guide');
  expect(pageOf('netflix', 'zh-CN')).toEndWith(
    '215986007-Simplified-Chinese-PRC-Timed-Text-Style-Guide',
  );
  expect(pageOf('netflix', 'fi')).toEndWith('22463232153235-Timed-Text-Style-Guides');
  expect(pageOf('bbc', 'en')).toStartWith('https://');
  expect(
    new Set(
      ['ar', 'de', 'en', 'hi', 'ja', 'ko', 'ru', 'th', 'zh'].map((of) => pageOf('netflix', of)),
    ).size,
  ).toBe(9);
});

describe('two speakers in a caption', () => {
  const faults = (lines: string[], speakers: string[]): string[] =>
    checkCaptions([{ start: 1, end: 4, lines, speakers }], profileOf('netflix', 'en'))
      .filter(({ rule }) => rule === 'two_speakers')
      .map(({ says }) => says);

  test('get a line each, with a dash', () => {
    expect(faults(['-Yes.', '-No.'], ['Ann', 'Ben'])).toEqual([]);
    expect(faults(['Yes.', '-No.'], ['Ann', 'Ben'])).toEqual([
      'has two speakers without the dashes of its language',
    ]);
    expect(faults(['-Yes. -No.'], ['Ann', 'Ben'])).toEqual(['has two speakers, but not two lines']);
    expect(faults(['-Yes.', '-No.', '-Why?'], ['Ann', 'Ben', 'Cy'])).toEqual(['has 3 speakers']);
    expect(faults(['-Yes.', '-No.'], ['Ann', 'Ben', 'Cy'])).toEqual(['has 3 speakers']);
    expect(faults(['Yes.', 'No.'], ['Ann', 'Ann'])).toEqual([]);
  });
});

test('without a frame rate, frames are those of film', () => {
  const profile = { ...profileOf('netflix'), frameRate: null };
  const rulesAt = (start: number) =>
    checkCaptions(
      [
        { start: 0, end: 1, lines: ['Yes.'] },
        { start, end: 3, lines: ['Yes.'] },
      ],
      profile,
    ).map(({ rule }) => rule);
  expect(rulesAt(1.081)).toEqual(['gap']);
  expect(rulesAt(1.083)).toEqual([]);
});

test('a short gap is told in milliseconds, from none at all, and an overlap of one is called that', () => {
  const told = (start: number) =>
    checkCaptions(
      [
        { start: 0, end: 1, lines: ['Yes.'] },
        { start, end: 3, lines: ['Yes.'] },
      ],
      profileOf('netflix'),
    ).find(({ rule }) => rule === 'gap')?.says;
  expect([told(0.999), told(1), told(1.042)]).toEqual([
    'overlaps the next',
    'leaves 0 ms',
    'leaves 42 ms',
  ]);
});

test('if lines are counted in wide letters, a wide letter counts as one and a narrow one as half', () => {
  const longest = (line: string, language: string) =>
    checkCaptions([{ start: 0, end: 6, lines: [line] }], profileOf('netflix', language)).find(
      ({ rule }) => rule === 'line_length',
    )?.says;
  expect(longest('あ'.repeat(23), 'ja')).toBeUndefined();
  expect(longest('あ'.repeat(24), 'ja')).toBe('has a line of 24 characters');
  expect(longest('a'.repeat(46), 'ja')).toBeUndefined();
  expect(longest('a'.repeat(50), 'ja')).toBe('has a line of 25 characters');
  expect(longest('a'.repeat(43), 'en')).toBe('has a line of 43 characters');
});

test('a fix never begins a caption before the recording', () => {
  const fixOf = (shot: number, start: number, end: number) =>
    checkCaptions([{ start, end, lines: ['Yes.'] }], profileOf('netflix'), { shots: [shot] }).find(
      ({ rule }) => rule === 'shot_in',
    )?.fix;
  // Later it would be too short, so it begins half a second before the shot, if it can.
  expect(fixOf(1.208, 1.042, 1.875)?.map(({ caption }) => caption.start)).toEqual([0.708]);
  expect(fixOf(0.208, 0.042, 0.875)).toBeNull();
});
