/** Cues built from words written for each case. */
import { describe, expect, test } from 'bun:test';
import { buildCues, buildProfiled, type CaptionWord } from '../../server/captions/build.ts';
import { checkCaptions } from '../../server/captions/rules/check.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { columns } from '../../server/captions/width.ts';
import {
  type CaptionSettings,
  DEFAULT_CAPTION_SETTINGS as DEFAULTS,
} from '../../server/contract/captions.ts';

/** Evenly spoken words, with a pause for each standalone word of dots. */
function speak(text: string, secondsPerWord = 0.3): CaptionWord[] {
  let at = 0;
  return text.split(' ').map((word) => {
    const start = at;
    at += secondsPerWord;
    return { text: word, start, end: at - 0.02 };
  });
}

const lines = (text: string, settings: Partial<CaptionSettings> = {}): string[][] =>
  buildCues(speak(text), { ...DEFAULTS, ...settings }).map((cue) => cue.lines);

describe('cues read well', () => {
  test('a sentence ends a cue', () => {
    expect(lines('We shipped it last night. Now the whole team can use it every day.')).toEqual([
      ['We shipped it last night.'],
      ['Now the whole team can use it every day.'],
    ]);
  });

  test('no line ends in a small word', () => {
    const cues = lines(
      'The agent asks the server for a list of all of the tools that it can call and then it picks the one that fits the question of the user best',
    );
    for (const line of cues.flat().slice(0, -1)) {
      expect(line).not.toMatch(/ (the|a|of|and|that|it|for|then it)$/);
    }
  });

  test('no cue ends in a small word, even if the talk is so fast that every other break is worse', () => {
    const words = (
      'from 0.18 the 0.32 learning 0.65 perspective 1.08 or 1.19 the 1.33 research 1.66 perspective 2.06 ' +
      'or 2.21 an 2.37 opportunity 3.01 to 3.17 work 3.43 here 3.7'
    ).matchAll(/(\w+) ([\d.]+)/g);
    let at = 0;
    const talk = Array.from(words, ([, text = '', end]) => ({
      text,
      start: at,
      end: (at = Number(end)),
    }));
    const report = assessCaptions(buildCues(talk, DEFAULTS), DEFAULTS);
    expect(report.warnings.map(({ flag }) => flag)).not.toContain('dangling_line_break');
  });

  test('an abbreviation does not end a sentence', () => {
    expect(lines('We met Dr. Smith there.')).toEqual([['We met Dr. Smith there.']]);
  });

  test('a change of speaker ends a cue', () => {
    const words = speak('Are you there yes I am').map((word, at) => ({
      ...word,
      speaker: at < 3 ? 'a' : 'b',
    }));
    expect(buildCues(words, DEFAULTS).map((cue) => cue.text)).toEqual([
      'Are you there',
      'yes I am',
    ]);
  });

  test.each([
    [['vrai', '?'], ['vrai ?']],
    [
      ['25', '%'],
      ['25', '%'],
    ],
    [
      ['¿', 'De', 'veras'],
      ['¿ De', 'veras'],
    ],
    [
      ['Sí', '¿', 'No'],
      ['Sí', '¿ No'],
    ],
    [
      ['Sí', '¡', 'No'],
      ['Sí', '¡ No'],
    ],
    [
      ['Sí', '-', 'No'],
      ['Sí', '-', 'No'],
    ],
  ])('a mark is never separated from its word by a silence: %j', (words, cues) => {
    const spoken = words.map((text, at) => ({ text, start: at * 3, end: at * 3 + 0.5 }));
    const built = buildCues(spoken, DEFAULTS, 'es');
    expect(built.map((cue) => cue.text)).toEqual(cues);
    // No caption waits for a mark.
    for (const { start, end } of built) expect(end - start).toBeLessThan(1);
  });

  test('no cue is shown throughout a long silence', () => {
    const cues = buildCues(
      [
        { text: 'Before.', start: 0, end: 0.4 },
        { text: 'After.', start: 3600, end: 3600.5 },
      ],
      DEFAULTS,
    );
    expect(cues.map((cue) => [cue.start, cue.end])).toEqual([
      [0, 0.8],
      [3600, 3600.8],
    ]);
  });

  test('a word of twenty seconds is shown for a reasonable time', () => {
    const [cue] = buildCues([{ text: 'Hello', start: 1, end: 21 }], DEFAULTS);
    expect(cue?.end).toBeLessThanOrEqual(7);
  });

  test('Chinese sent character by character has words, no spaces, and no punctuation at the start of a line', () => {
    const text =
      '我们昨天晚上发布了一个新的服务器，它可以帮助团队更快地完成工作。谢谢大家今天来到这里。';
    const words = [...text].map((character, at) => ({
      text: character,
      start: at * 0.2,
      end: at * 0.2 + 0.2,
    }));
    const cues = buildCues(words, DEFAULTS, 'zh');
    expect(cues.flatMap((cue) => cue.lines).join('')).toBe(text);
    for (const line of cues.flatMap((cue) => cue.lines)) {
      expect(line).not.toMatch(/^[，。、]/);
      expect(columns(line)).toBeLessThanOrEqual(42);
    }
  });

  test.each([
    [[360_000, 360_001]],
    [[1e308, 1e308]],
    [[359_999.9, 359_999.95]],
    [[359_999.9, Number.POSITIVE_INFINITY]],
    [[5, 1e308]],
  ])('a time beyond the largest possible one is repaired: %j', ([start, end]) => {
    const words = ['This', 'came', 'rather', 'late.'].map((text) => ({
      text,
      start: start as number,
      end: end as number,
    }));
    const first = { text: 'First.', start: 1, end: 1.5 };
    for (const given of [words, [first, ...words], [...words, first]]) {
      const cues = buildCues(given, DEFAULTS);
      expect(cues.map(({ text }) => text).join(' ')).toContain('This came rather late.');
      for (const { startTime, endTime } of cues) {
        for (const time of [startTime, endTime]) expect(time).toMatch(/^\d\d:\d\d:\d\d,\d\d\d$/);
      }
    }
  });

  test('the last possible time is not changed', () => {
    expect(buildCues([{ text: 'late', start: 359_980, end: 359_981 }], DEFAULTS)[0]).toMatchObject({
      startTime: '99:59:40,000',
      endTime: '99:59:41,000',
    });
  });

  test('no words yield no cues and no score', () => {
    expect(buildCues([], DEFAULTS)).toEqual([]);
    expect(assessCaptions([], DEFAULTS).score).toBe(0);
  });
});

test('time to read counts the line break, also in scripts without spaces', () => {
  const words = [...'因为观众只有两秒钟的时间来读一条字幕'].map((text, at) => ({
    text,
    start: at * 0.06,
    end: at * 0.06 + 0.06,
  }));
  const netflix = profileOf('netflix', 'zh');
  const cues = buildProfiled(words, netflix, { frameRate: 48 });
  expect(cues.map(({ lines }) => lines.length)).toEqual([2]);
  expect(checkCaptions(cues, netflix, { frameRate: 48 })).toEqual([]);
});
