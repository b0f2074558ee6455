/** Custom profiles: each bound from both sides, each message, and each sentence for a changed rule. */
import { describe, expect, test } from 'bun:test';
import { checkHouseProfile } from '../../server/captions/rules/profiles/house-profile-check.ts';
import {
  HOUSE_PROFILE_FORMAT as format,
  houseProfileFrom,
  houseRules,
  type HouseChanges,
} from '../../server/captions/rules/profiles/house-profile.ts';
import {
  isProfileName,
  PROFILE_NAMES,
  profileOf,
  withSettings,
} from '../../server/captions/rules/profiles/profiles.ts';

const ours = { format, name: 'Ours', base: 'netflix' } as const;
const told = (changes: object): string[] =>
  checkHouseProfile({ ...ours, ...changes }, format).map(({ field, says }) => `${field} ${says}`);

describe('a number', () => {
  test.each<[string, (value: unknown) => object, number, number, boolean]>([
    ['maxLines', (maxLines) => ({ maxLines }), 1, 4, true],
    ['maxLineChars', (maxLineChars) => ({ maxLineChars }), 8, 80, true],
    [
      'speed.perSecond',
      (perSecond) => ({ speed: { unit: 'characters', perSecond } }),
      1,
      60,
      false,
    ],
    ['speed.perMinute', (perMinute) => ({ speed: { unit: 'words', perMinute } }), 30, 600, false],
    ['minDuration', (minDuration) => ({ minDuration }), 0.1, 10, false],
    ['maxDuration', (maxDuration) => ({ maxDuration }), 1, 30, false],
    ['gapFrames', (gapFrames) => ({ gapFrames }), 0, 48, true],
    ['closedGap', (closedGap) => ({ closedGap }), 0, 5, false],
    ['frameRate', (frameRate) => ({ frameRate }), 1, 240, false],
    ['shots.before', (before) => ({ shots: { before } }), 0, 24, true],
  ])('%s', (field, given, low, high, isWhole) => {
    const fault = `${field} must be a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}`;
    for (const value of [low, high]) expect(told(given(value))).toEqual([]);
    for (const value of [low - 0.01, high + 0.01, `${low}`, true]) {
      expect(told(given(value))[0]).toStartWith(fault);
    }
    expect(told(given(low + 0.5)).length).toBe(isWhole ? 1 : 0);
  });
});

describe('a field', () => {
  const speeds =
    'speed must be {"unit": "characters", "perSecond": …} or {"unit": "words", "perMinute": …}';
  test.each<[object, string[]]>([
    [{ name: 'x'.repeat(80) }, []],
    [{ name: 'x'.repeat(81) }, ['name must be a text of 1 to 80 characters in one line']],
    [{ name: '😀'.repeat(80) }, []],
    [{ name: ' ' }, ['name must be a text of 1 to 80 characters in one line']],
    [{ name: 'a\nb' }, ['name must be a text of 1 to 80 characters in one line']],
    [{ name: 7 }, ['name must be a text of 1 to 80 characters in one line']],
    [
      { name: undefined, more: 1 },
      ['name must be a text of 1 to 80 characters in one line', 'more is not a known field'],
    ],
    [{ ['x'.repeat(81)]: 1 }, [`${'x'.repeat(80)} is not a known field`]],
    [{ toString: 1 }, ['toString is not a known field']],
    [{ speed: { unit: 'lines' } }, [speeds]],
    [{ speed: null }, [speeds]],
    [{ speed: { unit: 'words' } }, ['speed.perMinute is missing']],
    [
      { speed: { unit: 'words', perMinute: 100, perSecond: 1 } },
      ['speed.perSecond is not a known field'],
    ],
    [{ frameRate: null, shots: null }, []],
    [{ frameRate: 0 }, ['frameRate must be a number from 1 to 240, or null']],
    [{ shots: 3 }, ['shots must be an object with before, or null']],
    [{ shots: {} }, ['shots.before is missing, or null']],
    [{ shots: { before: 25 } }, ['shots.before must be a whole number from 0 to 24, or null']],
    [{ dialogue: [] }, ['dialogue must be an object with lines and dash']],
    [{ dialogue: null }, ['dialogue must be an object with lines and dash']],
    [{ dialogue: { lines: 'both', dash: '- ' } }, []],
    [{ dialogue: { lines: 'second', dash: '-' } }, []],
    [
      { dialogue: { lines: 'first', dash: '' } },
      ['dialogue.lines must be "both" or "second"', 'dialogue.dash must be "-" or "- "'],
    ],
  ])('%j', (changes, expected) => {
    expect(told(changes)).toEqual(expected);
  });

  test('that is required may not be missing', () => {
    const found = checkHouseProfile({ format }, format).map(
      ({ field, says }) => `${field} ${says}`,
    );
    expect(found).toEqual(['name is missing', 'base is missing']);
  });

  test('of twenty wrong ones is listed, and no more', () => {
    const wrong = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1]));
    expect([19, 20, 21].map((count) => told(wrong(count)).length)).toEqual([19, 20, 20]);
  });

  test.each([[null], [[]], ['x'], [{}], [{ ...ours, format: 'captioner-profile-2' }]])(
    'is not looked for in %j',
    (value) => {
      expect(checkHouseProfile(value, format)).toEqual([
        {
          field: '',
          says: 'The file is not a profile: its "format" must be "captioner-profile-1".',
        },
      ]);
    },
  );
});

test('the shortest duration may equal the longest, and not exceed it', () => {
  const given = (minDuration: number) => houseProfileFrom({ ...ours, minDuration, maxDuration: 3 });
  expect(given(3).minDuration).toBe(3);
  expect(() => given(3.1)).toThrow('minDuration must be at most maxDuration, which is 3');
});

describe('the sentences of a changed profile', () => {
  const changedIn = (changes: HouseChanges, language = 'en') => {
    const theirs = profileOf('netflix', language).rules as Record<string, { sentence: string }>;
    const { rules } = houseRules({ ...ours, ...changes }, language);
    const now = Object.entries(rules).filter(([, { source }]) => source === 'Ours');
    const gone = Object.keys(theirs).filter((rule) => !(rule in rules));
    return [
      ...now.map(([rule, { sentence }]) => `${rule}: ${sentence}`),
      ...gone.map((rule) => `no ${rule}`),
    ];
  };

  test.each<[HouseChanges, string[]]>([
    [{}, []],
    [{ maxLines: 1 }, ['line_count: A caption has at most 1 line.']],
    [{ maxLines: 3 }, ['line_count: A caption has at most 3 lines.']],
    [{ maxLineChars: 30 }, ['line_length: A line has at most 30 characters.']],
    [
      { speed: { unit: 'words', perMinute: 160 } },
      ['reading_speed: A caption reads at up to 160 words a minute.'],
    ],
    [
      { speed: { unit: 'characters', perSecond: 1 } },
      ['reading_speed: A caption reads at up to 1 character a second.'],
    ],
    [{ minDuration: 1 }, ['min_duration: A caption lasts at least 1 second.']],
    [{ maxDuration: 5.5 }, ['max_duration: A caption lasts at most 5.5 seconds.']],
    [
      { gapFrames: 0 },
      [
        'gap: One caption ends before the next begins.',
        'small_gap: Gaps of up to 0.5 seconds are closed.',
      ],
    ],
    [
      { gapFrames: 1, closedGap: 1 },
      [
        'gap: At least 1 frame lies between captions.',
        'small_gap: Gaps of up to 1 second are closed to 1 frame.',
      ],
    ],
    [{ closedGap: 0 }, ['no small_gap']],
    [{ frameRate: 25 }, ['on_frames: Captions begin and end on frames.']],
    [{ frameRate: null }, ['no on_frames']],
    [{ shots: null }, ['no shot_in', 'no shot_out']],
    [
      { shots: { before: 0 } },
      [
        'shot_in: A caption that begins near a shot change begins on its first frame, or half a second away.',
        'shot_out: A caption that ends near a shot change ends with the last frame of the shot, or half a second after it.',
      ],
    ],
    [
      { shots: { before: 2 } },
      [
        'shot_in: A caption that begins near a shot change begins on its first frame, or half a second away.',
        'shot_out: A caption that ends near a shot change ends 2 frames before it, or half a second after it.',
      ],
    ],
    [
      { dialogue: { lines: 'second', dash: '-' } },
      [
        'two_speakers: Two speakers in one caption have a line each, the second with a hyphen without a space.',
      ],
    ],
    [
      { dialogue: { lines: 'both', dash: '- ' } },
      [
        'two_speakers: Two speakers in one caption have a line each, both with a hyphen followed by a space.',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(changedIn(changes).toSorted()).toEqual(expected.toSorted());
  });

  test('say how narrow letters count if they count differently', () => {
    expect(changedIn({ maxLineChars: 20 }, 'ja')).toEqual([
      'line_length: A line has at most 20 characters; Latin letters, spaces and punctuation count as half.',
    ]);
  });
});

describe('settings of a request', () => {
  const netflix = profileOf('netflix', 'ja');

  test.each([
    [{ maxLineChars: 30 }, 'line_length', 'A line has at most 30 characters.'],
    [{ maxLines: 3 }, 'line_count', 'A caption has at most 3 lines.'],
    [{ minDuration: 1.5 }, 'min_duration', 'A caption lasts at least 1.5 seconds.'],
    [{ maxDuration: 9 }, 'max_duration', 'A caption lasts at most 9 seconds.'],
  ] as const)('%j replace the value and its rule, and no other', (settings, rule, sentence) => {
    const made = withSettings(netflix, settings);
    expect(made).toEqual({
      ...netflix,
      ...settings,
      ...('maxLineChars' in settings ? { narrow: 1 } : {}),
      rules: { ...netflix.rules, [rule]: { sentence, source: 'the settings' } },
    });
  });

  test('may be none', () => {
    expect(withSettings(netflix, {})).toEqual(netflix);
  });
});

test.each(PROFILE_NAMES)('%s depends on the first part of a language, in any case', (name) => {
  for (const [language, known] of [
    ['JA-jp', 'ja'],
    ['kok', 'xx'],
    ['arn', 'xx'],
    ['xx-ja', 'xx'],
  ] as const) {
    expect(profileOf(name, language)).toEqual({ ...profileOf(name, known), language });
  }
});

test('a built-in profile has a name of its own', () => {
  expect(['netflix', 'bbc', 'ours', 'toString', ''].map(isProfileName)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
