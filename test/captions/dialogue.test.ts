/** Two speakers in one caption, and words in italics. */
import { describe, expect, test } from 'bun:test';
import { buildCaptions, buildCues, type CaptionWord } from '../../server/captions/build.ts';
import { dialogueStyleOf, type DialogueStyle } from '../../server/captions/dialogue.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';
import { speak } from './support.ts';

/** Consecutive turns, each spoken by its speaker. */
function turns(spoken: readonly [string, string][], secondsPerCharacter = 0.05): CaptionWord[] {
  const words = spoken.flatMap(([speaker, text]) =>
    text.split(' ').map((word) => ({ speaker, word })),
  );
  const timed = speak(
    words.map(({ word }) => word.replace(/[.?!]$/, '')),
    secondsPerCharacter,
  );
  return timed.map((word, at) => ({
    ...word,
    text: words[at]!.word,
    speaker: words[at]!.speaker,
  }));
}

const lines = (spoken: readonly [string, string][], language = 'en', settings = {}) =>
  buildCues(turns(spoken), { ...DEFAULTS, ...settings }, language).map((cue) => cue.lines);

describe('a quick exchange becomes one caption', () => {
  const quick: [string, string][] = [
    ['A', 'Coming?'],
    ['B', 'Yes.'],
  ];
  test.each([
    ['en', '-Coming?', '-Yes.'],
    ['de', '-Coming?', '-Yes.'],
    ['fr', '- Coming?', '- Yes.'],
    ['pt-BR', '- Coming?', '- Yes.'],
    ['nl', 'Coming?', '-Yes.'],
    ['he', 'Coming?', '-Yes.'],
    ['bg', 'Coming?', '- Yes.'],
  ])('with dashes as %s writes them', (language, first, second) => {
    expect(lines(quick, language)).toEqual([[first, second]]);
  });
  test('but never with three speakers', () => {
    const made = buildCaptions(turns([...quick, ['C', 'No!'], ['A', 'Why?']]), DEFAULTS);
    for (const { speakers } of made) expect(new Set(speakers).size).toBeLessThanOrEqual(2);
    expect(made.flatMap(({ speakers = [] }) => speakers)).toEqual(['A', 'B', 'C', 'A']);
  });
  test.each(['-Coming?', '-Coming now?'])(
    'but not if the first speaker’s words bring a dash: %s',
    (first) => {
      expect(
        lines(
          [
            ['A', first],
            ['B', 'Yes.'],
            ['A', 'Now?'],
            ['B', 'Now.'],
          ],
          'nl',
        ),
      ).toEqual([[first], ['Yes.'], ['Now?', '-Now.']]);
    },
  );
  test('but another caption begins when the same two speak again', () => {
    expect(lines([...quick, ['A', 'Now?'], ['B', 'Now.']])).toEqual([
      ['-Coming?', '-Yes.'],
      ['-Now?', '-Now.'],
    ]);
  });
  test('only with whole sentences on lines of their own, if two lines are allowed', () => {
    expect(
      lines([
        ['A', 'Coming'],
        ['B', 'Yes.'],
      ]),
    ).toEqual([['Coming'], ['Yes.']]);
    expect(lines(quick, 'en', { maxLines: 1 })).toEqual([['Coming?'], ['Yes.']]);
    const long = 'A sentence of more than forty characters here.';
    expect(
      lines([
        ['A', long],
        ['B', 'Yes.'],
      ]).every((all) => all.every((line) => !line.startsWith('-'))),
    ).toBe(true);
  });
  test('but not if each has enough time alone', () => {
    const slow = turns(quick, 0.4);
    expect(buildCues(slow, DEFAULTS).map((cue) => cue.lines)).toEqual([['Coming?'], ['Yes.']]);
  });
});

test('each line names its speaker if the words do', () => {
  const [caption] = buildCaptions(turns([['Ada', 'Good evening.']]), DEFAULTS);
  expect(caption?.speakers).toEqual(['Ada']);
  expect(buildCaptions(speak(['Hello.']), DEFAULTS)[0]).not.toHaveProperty('speakers');
});

describe('italics of words', () => {
  test('are kept, with a pair of tags on each line', () => {
    const words = speak(
      'She read <i>The Left Hand of Darkness, which she had found</i> again.'.split(' '),
    );
    const text = buildCues(words, { ...DEFAULTS, maxLineChars: 30 })
      .flatMap((cue) => cue.lines)
      .join(' ')
      .replaceAll('</i> <i>', ' ');
    expect(text).toBe('She read <i>The Left Hand of Darkness, which she had found</i> again.');
  });
  test('do not count as characters', () => {
    const plain = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
    const italic = plain.map((word) => `<i>${word}</i>`);
    const bare = (words: string[]) =>
      buildCues(
        speak(plain).map((word, at) => ({ ...word, text: words[at]! })),
        DEFAULTS,
      ).map((cue) => cue.lines.map((line) => line.replace(/<\/?i>/g, '')));
    expect(bare(italic)).toEqual(bare(plain));
  });
  test('an unpaired tag is text', () => {
    expect(buildCues(speak(['a', '<i>b', 'c.']), DEFAULTS)[0]?.lines).toEqual(['a <i>b c.']);
  });
});

test('the languages with dashes of their own are those of the guides', () => {
  const tags = 'ar bg cs de en es fi fr he hi hu id it ja ko ms nl pl pt ro ru sk sr sv th vi zh';
  const having = (is: (style: DialogueStyle) => boolean): string =>
    tags
      .split(' ')
      .filter((tag) => is(dialogueStyleOf(tag)))
      .join(' ');
  expect(having(({ dash }) => dash === '- ')).toBe(
    'ar bg cs es fr hu id it ko ms pl pt ro ru sk th vi',
  );
  expect(having(({ lines }) => lines === 'second')).toBe('bg fi he nl sr');
  expect(dialogueStyleOf('SR-Latn')).toEqual({ lines: 'second', dash: '-' });
});
