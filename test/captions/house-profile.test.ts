/** House profiles: their files, the messages for invalid ones, and the rules they define. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { buildProfiled } from '../../server/captions/build.ts';
import { checkCaptions } from '../../server/captions/rules/check.ts';
import {
  HOUSE_PROFILE_FORMAT as format,
  HouseProfileError,
  houseRules,
  readHouseProfile,
  writeHouseProfile,
  type HouseProfile,
} from '../../server/captions/rules/profiles/house-profile.ts';
import { PROFILE_NAMES, profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { graphemes } from '../../server/captions/width.ts';
import { rounds } from '../support/fuzz.ts';
import { soundWords } from './words.ts';

const read = (value: unknown): HouseProfile => readHouseProfile(JSON.stringify(value));
const ours = { format, name: 'Ours', base: 'netflix' };

/** The message for a file. */
function told(text: string): string {
  try {
    readHouseProfile(text);
    return '';
  } catch (error) {
    if (!(error instanceof HouseProfileError)) throw error;
    return error.message;
  }
}

const someProfile: fc.Arbitrary<HouseProfile> = fc.record(
  {
    format: fc.constant(format),
    name: fc.stringMatching(/^[A-Za-zÄé ]{0,20}[A-Za-z]$/).map((name) => name.trim()),
    base: fc.constantFrom(...PROFILE_NAMES),
    maxLines: fc.integer({ min: 1, max: 4 }),
    maxLineChars: fc.integer({ min: 8, max: 80 }),
    speed: fc.oneof(
      fc.record({
        unit: fc.constant('words' as const),
        perMinute: fc.integer({ min: 30, max: 600 }),
      }),
      fc.record({
        unit: fc.constant('characters' as const),
        perSecond: fc.integer({ min: 1, max: 60 }),
      }),
    ),
    minDuration: fc.integer({ min: 1, max: 15 }).map((tenths) => tenths / 10),
    maxDuration: fc.integer({ min: 2, max: 30 }),
    gapFrames: fc.integer({ min: 0, max: 48 }),
    closedGap: fc.integer({ min: 0, max: 5 }),
    frameRate: fc.constantFrom(null, 23.976, 25, 50),
    shots: fc.option(fc.record({ before: fc.integer({ min: 0, max: 24 }) })),
    dialogue: fc.record({
      lines: fc.constantFrom('both' as const, 'second' as const),
      dash: fc.constantFrom('-' as const, '- ' as const),
    }),
  },
  // DCMP's shortest duration, two seconds, is longer than the shortest maximum that can be set.
  { requiredKeys: ['format', 'name', 'base', 'minDuration'] },
);

describe('the file of a profile', () => {
  test('is read as written, and its rules are those it sets', () => {
    fc.assert(
      fc.property(someProfile, (profile) => {
        expect(readHouseProfile(writeHouseProfile(profile))).toEqual(profile);
        const { format: _, name, base, ...changes } = profile;
        const rules = houseRules(profile, 'en');
        expect(rules).toMatchObject(changes);
        const sources = new Set(Object.values(rules.rules).map(({ source }) => source));
        expect(sources.has(name)).toBe(true);
        const theirs = profileOf(base, 'en');
        for (const [rule, { sentence, source }] of Object.entries(rules.rules)) {
          if (source !== name) expect(theirs.rules).toMatchObject({ [rule]: { sentence, source } });
          expect(sentence).toMatch(/^[A-Z].*\.$/);
        }
      }),
      { numRuns: rounds(100) },
    );
  });

  test.each([
    ['{', 'The file is not JSON.'],
    ['[]', 'The file is not a profile: its "format" must be "captioner-profile-1".'],
    ['null', 'The file is not a profile: its "format" must be "captioner-profile-1".'],
    [JSON.stringify({ format }), 'name is missing\nbase is missing'],
    [JSON.stringify({ ...ours, base: 'netflx' }), 'base must be "netflix" or "netflix-children"'],
    [
      JSON.stringify({ ...ours, name: ' ' }),
      'name must be a text of 1 to 80 characters in one line',
    ],
    [JSON.stringify({ ...ours, name: 'a\nb' }), 'name must be a text of 1 to 80 characters'],
    [JSON.stringify({ ...ours, name: 'a\tb' }), 'name must be a text of 1 to 80 characters'],
    [JSON.stringify({ ...ours, maxLineLength: 40 }), 'maxLineLength is not a known field'],
    [
      `{"format":"${format}","name":"x","base":"bbc","__proto__":{"maxLines":9}}`,
      '__proto__ is not',
    ],
    [JSON.stringify({ ...ours, maxLines: 2.5 }), 'maxLines must be a whole number from 1 to 4'],
    [JSON.stringify({ ...ours, maxLines: '2' }), 'maxLines must be a whole number from 1 to 4'],
    [
      JSON.stringify({ ...ours, speed: 17 }),
      'speed must be {"unit": "characters", "perSecond": …}',
    ],
    [
      JSON.stringify({ ...ours, speed: { unit: 'words', perSecond: 3 } }),
      'speed.perMinute is missing',
    ],
    [
      JSON.stringify({ ...ours, frameRate: 0 }),
      'frameRate must be a number from 1 to 240, or null',
    ],
    [JSON.stringify({ ...ours, shots: {} }), 'shots.before is missing'],
    [
      JSON.stringify({ ...ours, dialogue: { lines: 'none', dash: '-' } }),
      'dialogue.lines must be "both" or "second"',
    ],
    [
      JSON.stringify({ ...ours, minDuration: 8 }),
      'minDuration must be at most maxDuration, which is 7',
    ],
  ])('%s: %s', (text, says) => {
    expect(told(text)).toContain(says);
  });

  test('the message never exceeds a screen, whatever the file contains', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string(),
          fc.json().map((each) => JSON.parse(each)),
        ),
        (some) => {
          const faults = told(JSON.stringify({ ...some, format })).split('\n');
          expect(faults.length).toBeLessThan(21);
        },
      ),
      { numRuns: rounds(50) },
    );
  });
});

test('a file may begin with a byte order mark, which is no part of a name', () => {
  const text = writeHouseProfile({ format, name: 'A\ufeffB', base: 'bbc' });
  expect(readHouseProfile(`\ufeff${text}`).name).toBe('A\ufeffB');
  expect(readHouseProfile(text).name).toBe('A\ufeffB');
});

test('the rules are those of a built-in profile, in English if no language is named', () => {
  const rules = houseRules({ format, name: 'Ours', base: 'netflix' });
  expect(rules).toEqual({ ...profileOf('netflix', 'en'), name: 'Ours', title: 'Ours' });
  expect(profileOf('netflix')).toEqual(profileOf('netflix', 'en'));
});

describe('the rules of a house profile', () => {
  const narrow = read({ ...ours, maxLineChars: 20, maxLines: 3, gapFrames: 0, closedGap: 0 });

  test('are followed by captions built with them, and checked under its name', () => {
    const profile = houseRules(narrow, 'en');
    fc.assert(
      fc.property(soundWords, (words) => {
        const lines = buildProfiled(words, profile).flatMap((cue) => cue.lines);
        expect(lines.filter((line) => graphemes(line) > 20 && line.includes(' '))).toEqual([]);
      }),
      { numRuns: rounds(20) },
    );
    const [found] = checkCaptions(
      [{ start: 0, end: 3, lines: ['Longer than twenty it is.'] }],
      profile,
    );
    expect(found).toMatchObject({
      rule: 'line_length',
      sentence: 'A line has at most 20 characters.',
      source: 'Ours',
    });
  });

  test('omit what the profile does not require', () => {
    const { rules } = houseRules(
      read({ ...ours, frameRate: null, shots: null, closedGap: 0 }),
      'en',
    );
    expect(Object.keys(rules)).not.toContain('on_frames');
    expect(Object.keys(rules)).not.toContain('shot_in');
    expect(Object.keys(rules)).not.toContain('small_gap');
    expect(rules.line_length?.source).toStartWith('https://');
  });

  test('follow their base from language to language', () => {
    const plain = read({ ...ours, maxLines: 1 });
    expect(houseRules(plain, 'ko').maxLineChars).toBe(16);
    expect(houseRules(plain, 'fr').dialogue.dash).toBe('- ');
    expect(houseRules(plain, 'ko').rules.line_count?.sentence).toBe(
      'A caption has at most 1 line.',
    );
  });
});
