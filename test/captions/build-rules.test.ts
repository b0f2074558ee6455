/** The rules by which the words are divided: those of a profile, in seconds. */
import { describe, expect, test } from 'bun:test';
import { buildProfiled } from '../../server/captions/build.ts';
import { profileRules } from '../../server/captions/divide/build-rules.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { endTick, startTick, tickRules } from '../../server/captions/divide/tick-timing.ts';

describe('the rules of a profile', () => {
  test.each([
    // Comfortable is 85% of the fastest speed.
    ['netflix', 'en', { fast: 20, comfortable: 17, readsWords: false }],
    ['netflix', 'ja', { fast: 4, comfortable: 3.4, readsWords: false }],
    ['bbc', 'en', { fast: 200 / 60, comfortable: (200 / 60) * 0.85, readsWords: true }],
  ] as const)('of %s in %s: speeds', (name, language, { fast, comfortable, readsWords }) => {
    const rules = profileRules(profileOf(name, language), 24);
    expect(rules.fast).toBeCloseTo(fast, 9);
    expect(rules.comfortable).toBeCloseTo(comfortable, 9);
    expect(rules.readsWords).toBe(readsWords);
  });

  test.each([
    [24, 1 / 24],
    [25, 1 / 25],
    // Without a frame rate, a frame is as long as in a film.
    [1000, 1 / 24],
  ])('at %d frames a second: a frame, a gap of two, a lead of three', (rate, frame) => {
    const { maxDuration, gap, lead, touching } = profileRules(profileOf('netflix'), rate);
    expect(maxDuration).toBeCloseTo(7 - frame, 9);
    expect(gap).toBeCloseTo(2 * frame, 9);
    expect(lead).toBeCloseTo(3 * frame, 9);
    expect(touching).toBe(false);
    expect(profileRules(profileOf('bbc'), rate).touching).toBe(true);
  });
});

describe('the same in ticks', () => {
  test('of a frame', () => {
    expect(tickRules(profileOf('netflix'), 25)).toEqual({
      rate: 25,
      least: 21,
      longest: 175,
      gap: 2,
      closedGap: 13,
      linger: 13,
      lead: 3,
      late: 3,
    });
  });
  test('a time on a frame begins and ends there, despite rounding', () => {
    // 0.28 × 25 is slightly above 7, and 0.58 × 50 slightly below 29.
    expect(endTick(0.28, tickRules(profileOf('netflix'), 25))).toBe(7);
    expect(startTick(0.58, tickRules(profileOf('netflix'), 50))).toBe(29);
  });
  test('a gap is closed up to the whole of its last frame', () => {
    expect(tickRules({ ...profileOf('netflix'), closedGap: 0.25 }, 25).closedGap).toBe(7);
  });
  test('of a millisecond, with frames as long as in a film', () => {
    expect(tickRules(profileOf('netflix'), null)).toEqual({
      rate: 1000,
      least: 834,
      longest: 7000,
      gap: 84,
      closedGap: 500,
      linger: 500,
      lead: 125,
      late: 125,
    });
  });
});

describe('a caption that is spoken fast', () => {
  const word = (text: string, start: number, speaker: string) => ({
    text,
    start,
    end: start + 0.25,
    speaker,
  });

  test('stays as long as the speed limit requires, and no longer', () => {
    const words = [word('Internationalisation', 1, 'A'), word('internationalises.', 1.25, 'A')];
    const [caption] = buildProfiled(words, profileOf('netflix'), { frameRate: 25 });
    // 39 characters at 20 a second.
    expect([caption?.start, caption?.end]).toEqual([1, 2.96]);
  });

  test('stays no longer for its line break, which stands for a space', () => {
    const words = ['Internationalisation', 'internationalises', 'internationally.'].map(
      (text, at) => word(text, 1 + at * 0.25, 'A'),
    );
    const [caption] = buildProfiled(words, profileOf('netflix'), { frameRate: 25 });
    expect(caption?.lines).toHaveLength(2);
    // 55 characters at 20 a second.
    expect([caption?.start, caption?.end]).toEqual([1, 3.76]);
  });

  test.each([
    // 38 characters and two dashes at 20 a second, or with spaces at 17 a second.
    ['en', '-', '-', 3],
    ['fr', '- ', '- ', 3.48],
    // As long, although only the second has one.
    ['nl', '', '-', 3.36],
  ])('of two speakers stays longer for its dashes: %s', (language, first, second, end) => {
    const words = [word('Internationalisation.', 1, 'A'), word('Internationally.', 1.25, 'B')];
    const [caption] = buildProfiled(words, profileOf('netflix', language), { frameRate: 25 });
    expect(caption?.lines).toEqual([`${first}Internationalisation.`, `${second}Internationally.`]);
    expect([caption?.start, caption?.end]).toEqual([1, end]);
  });

  test('takes no longer for its dashes where words count', () => {
    const words = [word('Coming?', 1, 'A'), word('Yes.', 1.25, 'B')];
    const [caption] = buildProfiled(words, profileOf('bbc'));
    expect(caption?.lines).toEqual(['-Coming?', '-Yes.']);
    expect([caption?.start, caption?.end]).toEqual([1, 1.8]);
  });
});

test('a caption stays as long as it takes to read comfortably', () => {
  const words = [{ text: 'Internationalisation.', start: 1, end: 2 }];
  const [caption] = buildProfiled(words, profileOf('netflix'), { frameRate: 25 });
  // 21 characters at 17 a second, up to the end of a frame.
  expect([caption?.start, caption?.end]).toEqual([1, 2.24]);
});
