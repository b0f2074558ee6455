/** Comparing texts word by word, keeping line breaks, and finding names by typed letters. */
import { expect, test } from 'bun:test';
import { judgeCue } from '../../../web/review/model/judge.ts';
import { speedLimitOf } from '../../../server/captions/rules/reading-speed.ts';
import { replaceText } from '../../../web/review/model/edit-text.ts';
import { diffWords } from '../../../web/review/model/compare.ts';
import { matching } from '../../../web/review/model/matching.ts';
import { warningText } from '../../../web/review/desk/warning-text.ts';
import { text } from '../../../web/texts/review.ts';
import { at, settings } from './support.ts';

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

test('adjacent changed words are one removal and one addition', () => {
  const told = (before: string, after: string) =>
    diffWords(before, after)
      .map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `[+${text}+]` })[kind])
      .join('');
  expect(told('we use off kit here', 'we use AuthKit here')).toBe(
    'we use [-off kit-][+AuthKit+] here',
  );
  expect(told('one two three', 'four five six')).toBe('[-one two three-][+four five six+]');
  expect(told('a b c', 'a x c')).toBe('a [-b-][+x+] c');
  expect(told('a b c d', 'a x y d')).toBe('a [-b c-][+x y+] d');
  expect(told('a  b', 'a b')).toBe('a[- -] b');
  expect(told('the end ', 'an end ')).toBe('[-the-][+an+] end ');
  expect(told('good night', 'good')).toBe('good[- night-]');
  expect(told('one ', 'two ')).toBe('[-one-][+two+] ');
  expect(told('same', 'same')).toBe('same');
  expect(told('', '')).toBe('');
});

test('entries match by the beginnings of their words first, then by any part, in their order', () => {
  const names = [
    'Merge captions',
    'Undo',
    'Show the merged',
    'Emerging',
    'Insert a caption: merge',
  ];
  const found = (query: string) => matching(names, query, (name) => name);
  expect(found('merge')).toEqual(['Merge captions', 'Show the merged', 'Insert a caption: merge']);
  expect(found('merg')).toEqual([
    'Merge captions',
    'Show the merged',
    'Insert a caption: merge',
    'Emerging',
  ]);
  expect(found('cap merge')).toEqual(['Merge captions', 'Insert a caption: merge']);
  expect(found('CAPTION insert')).toEqual(['Insert a caption: merge']);
  // Names that begin with the typed text come before names with a later word that does.
  expect(found('show the')).toEqual(['Show the merged']);
  expect(matching(['b a', 'a b'], 'a', (name) => name)).toEqual(['a b', 'b a']);
  expect(matching(['The key', 'Key'], ' key', (name) => name)).toEqual(['Key', 'The key']);
  expect(matching(['rezoom', 'view:zoom', 'a,zoom'], 'zoom', (name) => name)[2]).toBe('rezoom');
  expect([found(''), found('  ')]).toEqual([names, names]);
  expect(found('nothing')).toEqual([]);
});

test('a warning has the figures of the longest line, and the limit for its script', () => {
  const cue = at(1, 0, 1, '你好，今天我们谈谈大家的服务器。\n再见。');
  const judged = judgeCue(cue, undefined, settings, 'zh');
  const { quality } = judged;
  const { warning } = text.review;
  const lengths = { ...judged, quality: { ...quality, lineLengths: [3, 50, 7] } };
  expect(warningText('line_length_above_maximum', cue, lengths, settings)).toBe(
    warning.line_length_above_maximum(50, settings.maxLineChars),
  );
  expect(warningText('reading_speed_high', cue, judged, settings)).toBe(
    warning.reading_speed_high(quality.charsPerSecond, speedLimitOf(cue.lines.join(''))),
  );
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
