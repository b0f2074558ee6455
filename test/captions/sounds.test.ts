/** Sounds such as [music] that speech services insert between words. */
import { describe, expect, test } from 'bun:test';
import { buildCues } from '../../server/captions/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { isSound, soundsOf } from '../../server/captions/sound-labels.ts';
import { readSrt, toSrt } from '../../server/captions/files/srt.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/captions.ts';
import { readTokens } from '../../server/terminology/match/token-stream.ts';
import { linesOf, speak } from './support.ts';

const sounds = (text: string): string[] => {
  const words = text.split(' ');
  return soundsOf(words).map(({ from, to }) => words.slice(from, to).join(' '));
};

describe('recognised as a sound', () => {
  test.each([
    ['Welcome. [Music] Hello.', ['[Music]']],
    ['Thanks. [audience laughs and applauds] So', ['[audience laughs and applauds]']],
    ['Well (laughs), no.', ['(laughs),']],
    ['♪ Happy birthday to you ♪', ['♪', '♪']],
    ['[BLANK_AUDIO]', ['[BLANK_AUDIO]']],
    ['Danke. (Beifall) Wir', ['(Beifall)']],
    ['Merci. [applaudissements] [musique]', ['[applaudissements]', '[musique]']],
    ['终于 【音乐】', ['【音乐】']],
    // Only a text that is a placeholder as a whole stands for words.
    ['So [verse 2] and', ['[verse 2]']],
    ['好 （笑） 吗', ['（笑）']],
    ['So [loud ♪ music] and', ['[loud ♪ music]']],
    [
      'So [the whole audience laughs and applauds] and',
      ['[the whole audience laughs and applauds]'],
    ],
    ['So [2 people laugh] and', ['[2 people laugh]']],
    ['So [plays SONG_A] and', ['[plays SONG_A]']],
    ['So [SPEAKER_A laughs] and', ['[SPEAKER_A laughs]']],
  ])('%s', (text, found) => {
    expect(sounds(text)).toEqual(found);
  });
});

describe('not recognised as a sound', () => {
  test.each([
    'I met [PERSON_NAME] in [LOCATION_2] today.',
    'I met [NAME1] at [12] today.',
    'He said [inaudible] to me.',
    'The rate (about five percent) fell.',
    'See [1] and [23].',
    'So [and the whole audience laughs and applauds] and',
    'An open [bracket that is never closed at all',
    'One [two [1] five',
    'a ) b ( c',
    '',
  ])('%s', (text) => {
    expect(sounds(text)).toEqual([]);
  });
  test('a word that only contains one', () => {
    expect(['[Music]', '♪', '(applause).'].map(isSound)).toEqual([true, true, true]);
    expect(['music', 'a[Music]', '[upbeat', '()', '[]'].map(isSound)).toEqual(
      Array.from({ length: 5 }, () => false),
    );
  });
});

describe('in captions', () => {
  test('it is separated from neighbouring sentences, in one piece', () => {
    expect(
      linesOf(
        'And that is all that I wanted to say tonight. [audience applauds] Thank you very much for coming here.',
      ),
    ).toEqual([
      ['And that is all that I wanted', 'to say tonight.'],
      ['[audience applauds]'],
      ['Thank you very much for coming here.'],
    ]);
  });
  test('it does not split a phrase', () => {
    const lines = linesOf('We went to the (laughs) house of my aunt.').flat();
    expect(lines.some((line) => /\bthe$/.test(line))).toBe(false);
  });
  test('a long one starts when the sound starts', () => {
    const [first, second] = buildCues(
      [
        { text: 'Welcome.', start: 0, end: 1 },
        { text: '[Music]', start: 1.5, end: 21.5 },
        { text: 'Hello.', start: 22, end: 23 },
      ],
      DEFAULT_CAPTION_SETTINGS,
    );
    expect([first?.text, second?.text, second?.start]).toEqual(['Welcome.', '[Music]', 1.5]);
  });
  test('it is kept unchanged, also in files', () => {
    const cues = buildCues(speak(['Yes.', '[Music]']), DEFAULT_CAPTION_SETTINGS);
    expect(
      readSrt(toSrt(cues))
        .flatMap(({ lines }) => lines)
        .join(' '),
    ).toBe('Yes. [Music]');
  });
});

describe('a sound', () => {
  test('counts as text for reading speed', () => {
    const cues = buildCues(speak(['[loud', 'music]']), DEFAULT_CAPTION_SETTINGS);
    const [cue] = assessCaptions(cues, DEFAULT_CAPTION_SETTINGS).cues;
    expect(cue?.words).toBe(2);
  });
  test('is never searched for terms', () => {
    const words = ['We', '[Music]', '(Kong', 'laughs)', 'Kong'].map((text, at) => ({
      text,
      start: at,
      end: at + 1,
    }));
    expect(readTokens(words).tokens).toEqual(['we', '\u0000', '\u0000', '\u0000', 'kong']);
  });
});
