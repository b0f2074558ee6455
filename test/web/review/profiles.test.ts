/** The check by a publisher's or a house profile. */
import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkCaptions } from '../../../server/captions/rules/check.ts';
import {
  type HouseProfile,
  HOUSE_PROFILE_FORMAT,
} from '../../../server/captions/rules/profiles/house-profile.ts';
import { PROFILE_NAMES, profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import {
  checkerFor,
  choiceOf,
  dropHouseProfile,
  houseProfiles,
  isFixable,
  keepHouseProfile,
  profileChoices,
  rateFor,
  ProfileChecker,
} from '../../../web/review/editing/profile-rules.ts';
import { settings } from '../../../web/review/editing/settings.ts';
import { frameCountOf } from '../../../server/captions/time-code.ts';
import { isOnFrame, secondsAtFrame } from '../../../server/captions/timestamps.ts';
import { timeCodeClock } from '../../../web/review/editing/desk-clock.ts';
import { desk } from '../support/desk.ts';
import { usePage } from '../support/page.ts';
import { at, cuesOf, reviewOf, someCues } from './support.ts';
import { type Signal, signal } from '@preact/signals';
import { createProfileCheck } from '../../../web/review/desk/profile-check.ts';
import type { Role } from '../../../web/review/editing/tab-lock.ts';
import { profiles as profilesText } from '../../../web/texts/profiles-and-rebuilding.ts';
import { text } from '../../../web/texts/review.ts';

const PICTURE = { chosen: null, learnt: null, shots: [] };

const house = (changes: Partial<HouseProfile>): HouseProfile => ({
  format: HOUSE_PROFILE_FORMAT,
  name: 'Ours',
  base: 'netflix',
  ...changes,
});

const never = () => false;

/** The words of captions, however they are divided. */
const wordsIn = (cues: readonly ReviewCue[]): string[] =>
  cues.flatMap(({ lines }) => lines.join(' ').split(/\s+/)).filter((word) => word !== '');

const netflix = () => new ProfileChecker(profileOf('netflix', 'en'), {});

const someProfile = fc.constantFrom(...PROFILE_NAMES);

const someRate = fc.constantFrom(undefined, 23.976, 25, 50);

/** The rules violated per caption, without further details. */
const found = (map: ReadonlyMap<number, readonly { rule: string }[]> | null) =>
  [...(map ?? [])].flatMap(([id, violations]) => violations.map(({ rule }) => `${id} ${rule}`));

describe('the check by a profile', () => {
  test('finds the same as a check of all captions, and keeps doing so after every edit', () => {
    fc.assert(
      fc.property(someCues, someProfile, someRate, fc.nat(), (cues, name, frameRate, where) => {
        const picture = frameRate === undefined ? {} : { frameRate };
        const profile = profileOf(name, 'en');
        const checker = new ProfileChecker(profile, picture);
        const whole = (all: readonly ReviewCue[]) =>
          checkCaptions(all, profile, picture).map(({ at, rule }) => `${all[at]?.id} ${rule}`);
        expect(found(checker.check(cues, never))).toEqual(whole(cues));
        const at = where % cues.length;
        const edited = cues.with(at, { ...cues[at]!, lines: ['Another line, which is longer.'] });
        expect(found(checker.check(edited, never))).toEqual(whole(edited));
        const fewer = edited.toSpliced(at, 1);
        expect(found(checker.check(fewer, never))).toEqual(whole(fewer));
      }),
      { numRuns: 30 },
    );
  });

  test('stops when it takes too long, and continues from there', () => {
    const cues = cuesOf(...Array.from({ length: 50 }, () => 'Hello.\nthree\nlines'));
    const checker = netflix();
    let asked = 0;
    expect(checker.check(cues, () => ++asked === 20)).toBeNull();
    asked = 0;
    const rest = checker.check(cues, () => {
      asked += 1;
      return false;
    });
    expect(rest?.size).toBe(50);
    expect(asked).toBe(30);
  });

  test('fixes one caption, changing only its neighbours', () => {
    fc.assert(
      fc.property(someCues, someProfile, (cues, name) => {
        const checker = new ProfileChecker(profileOf(name, 'en'), {});
        for (const [index] of cues.entries()) {
          for (const found of checker.violationsAt(cues, index)) {
            const { rule, fix, parts, blockedBy } = found;
            const made = checker.fix(cues, index, rule, 1000);
            expect(made === null).toBe(!isFixable(found));
            // What has no fix has a reason.
            if (!made) expect(profilesText.why(rule, blockedBy)).toStartWith('No automatic fix: ');
            if (!made) continue;
            for (const { at } of made) expect(Math.abs(at - index)).toBeLessThanOrEqual(1);
            const after = made.reduce<readonly ReviewCue[]>(applySplice, cues);
            expect(wordsIn(after)).toEqual(wordsIn(cues));
            expect(after.length - cues.length).toBe(fix ? 0 : parts!.length - 1);
            expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
            const left = checker.violationsAt(after, index).map((each) => each.rule);
            expect(left).not.toContain(rule);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  test('fixing everything closes gaps, divides lines that are too long, and keeps the words', () => {
    const long =
      'a line of far more than forty two characters that nobody has divided into any lines until now';
    const cues = [
      at(1, 0, 2.5, 'The first'),
      at(2, 2.5, 9, long),
      at(3, 9, 11, 'Touches the one before.'),
      { ...at(4, 11, 15, 'Yes.\nNo.\nWhy not?'), speakers: ['Ann', 'Ben', 'Ann'] },
    ];
    for (const name of PROFILE_NAMES) {
      const checker = new ProfileChecker(profileOf(name, 'en'), {});
      const made = checker.fixAll(cues, 10) ?? [];
      const after = made.reduce<readonly ReviewCue[]>(applySplice, cues);
      expect(wordsIn(after)).toEqual(wordsIn(cues));
      // Captions for children read more slowly than anybody speaks.
      const left = found(checker.check(after, never)).filter((each) => !each.endsWith('speed'));
      expect({ name, left }).toEqual({ name, left: [] });
    }
  });

  test('lists custom profiles, and can delete them', () => {
    const ours = house({ name: 'Ours', maxLines: 1 });
    keepHouseProfile(ours);
    keepHouseProfile(house({ name: 'Theirs' }));
    settings.profile.value = choiceOf(ours);
    expect(profileChoices('de')[0]).toEqual(['house:Ours', 'Ours']);
    const [first] =
      checkerFor(choiceOf(ours), 'de', PICTURE)?.violationsAt(cuesOf('a\nb'), 0) ?? [];
    expect([first?.rule, first?.source]).toEqual(['line_count', 'Ours']);
    const lineOf = (language: string) =>
      checkerFor('house:Theirs', language, PICTURE)?.profile.maxLineChars;
    expect(lineOf('zh')).not.toBe(lineOf('de'));
    // A renamed profile keeps its position and stays selected.
    keepHouseProfile({ ...ours, name: 'Our own' }, 'Ours');
    expect(houseProfiles().map(({ name }) => name)).toEqual(['Our own', 'Theirs']);
    expect(settings.profile.value).toBe('house:Our own');
    // What happens to another profile does not change the choice; it replaces the one that has its name.
    keepHouseProfile(house({ name: 'Third' }));
    keepHouseProfile(house({ name: 'Theirs', maxLines: 3 }), 'Third');
    expect(houseProfiles().map(({ name, maxLines }) => [name, maxLines])).toEqual([
      ['Our own', 1],
      ['Theirs', 3],
    ]);
    expect(settings.profile.value).toBe('house:Our own');
    // Stored values that are not profiles are skipped.
    settings.houseProfiles.value = [...settings.houseProfiles.value, { name: 'No format' }, null];
    expect(houseProfiles()).toHaveLength(2);
    for (const each of houseProfiles()) dropHouseProfile(each);
    expect([settings.profile.value, houseProfiles()]).toEqual(['', []]);
  });

  test("the video's frame rate is used if rules depend on frames, unless the user chose one", () => {
    const rates = (name: 'netflix' | 'youtube') =>
      [null, 50].map((chosen) => rateFor(profileOf(name), chosen, 30));
    expect(rates('netflix')).toEqual([30, 50]);
    expect(rates('youtube')).toEqual([null, 50]);
  });
});

describe('the check in a review', () => {
  afterEach(() => {
    settings.profile.value = '';
    settings.frameRate.value = null;
    settings.houseProfiles.value = [];
  });

  const check = () =>
    createProfileCheck(reviewOf(cuesOf('One')), { shots: signal([]) }, signal(null));

  /** Lets a profile load. */
  const loaded = async () => {
    await import('../../../web/review/editing/profile-rules.ts');
    for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  test('a profile applies once it is loaded, and no longer than it is chosen', async () => {
    const { violations, busy } = check();
    settings.profile.value = 'netflix';
    expect([violations.value, busy.value]).toEqual([null, true]);
    await loaded();
    expect([violations.value instanceof Map, busy.value]).toEqual([true, false]);
    settings.profile.value = '';
    expect([violations.value, busy.value]).toEqual([null, false]);
  });

  /** The check of captions by a profile that has loaded. */
  async function checked(profile: string, ...cues: ReviewCue[]) {
    const review = reviewOf(cues);
    const shots = signal<readonly number[]>([]);
    const made = createProfileCheck(review, { shots }, signal(null));
    const done = async () => {
      await loaded();
      while (made.busy.value) await new Promise((resolve) => setTimeout(resolve));
    };
    settings.profile.value = profile;
    await done();
    const rulesOf = (id: number) => made.violations.value?.get(id)?.map(({ rule }) => rule) ?? [];
    return { ...made, review, shots, rulesOf, done };
  }

  const FAST = 'So many words that nobody could ever read them all.';

  test('an impossible fix is reported, and the fixes of a rule leave the others alone', async () => {
    const cues = [at(1, 0, 2), at(2, 8, 9, FAST)];
    const { review, fix, fixAll, rulesOf, done } = await checked('netflix', ...cues);
    fix(cues[0]!, 'line_length');
    expect(review.message.value).toBe(text.review.noFix);
    fixAll('shot_in');
    expect(review.message.value).toBe(text.review.noneToFix);
    fixAll('line_length');
    await done();
    expect([review.message.value, rulesOf(2)]).toEqual([
      text.review.fixedMany(1),
      ['reading_speed'],
    ]);
    fixAll();
    await done();
    expect(rulesOf(2)).toEqual([]);
    // A tab that only follows another one changes nothing.
    review.undo();
    await done();
    const before = review.state.value;
    (review.role as Signal<Role>).value = 'following';
    fixAll();
    (review.role as Signal<Role>).value = 'writing';
    expect([review.message.value, review.state.value]).toEqual([text.review.elsewhere, before]);
  });

  test('captions are checked again when their house profile changes under the same name', async () => {
    const house = { format: 'captioner-profile-1', name: 'Ours', base: 'bbc' };
    settings.houseProfiles.value = [{ ...house, maxLineChars: 10 }];
    const { rulesOf, done } = await checked('house:Ours', at(1, 0, 4, 'Good evening.'));
    expect(rulesOf(1)).toEqual(['line_length']);
    settings.houseProfiles.value = [house];
    await done();
    expect(rulesOf(1)).toEqual([]);
  });
});

describe('* Frames', () => {
  usePage();

  const RATES: readonly (readonly [rate: number, drop: boolean])[] = [
    [23.976, false],
    [24, false],
    [25, false],
    [29.97, false],
    [29.97, true],
    [30, false],
    [50, false],
    [59.94, true],
    [60, false],
  ];

  test.each(RATES)('at %d (drop: %p), what is shown is read as the same time', (rate, drop) => {
    const count = frameCountOf(rate, drop);
    fc.assert(
      fc.property(fc.nat(5_000_000), fc.constantFrom('', '10:00:00:00'), (frame, start) => {
        const { read, write } = timeCodeClock(count, start);
        const seconds = secondsAtFrame(frame, count.rate);
        expect(write(seconds)).toMatch(/^\d\d:\d\d:\d\d[:;]\d\d$/);
        expect(read(write(seconds))).toBe(seconds);
      }),
      { numRuns: 100 },
    );
  });

  test('a programme begins at its time code; times before it, and numbers that are dropped, are none', () => {
    const { read, write } = timeCodeClock(frameCountOf(25), '10:00:00:00');
    expect([write(0), write(61.5), read('10:00:02:05'), read('09:59:59:24'), read('12.5')]).toEqual(
      ['10:00:00:00', '10:01:01:13', 2.2, null, 12.5],
    );
    expect(timeCodeClock(frameCountOf(29.97, true), '').write(60.06)).toBe('00:01:00;02');
  });

  /** What moves times, on the second of four captions that stand on no frame. */
  const MOVES: Readonly<Record<string, (on: ReturnType<typeof desk>) => unknown>> = {
    'an exact start': ({ commands }) => commands.setEdge('start', 2.917),
    'an exact end': ({ commands }) => commands.setEdge('end', 6.441),
    'a nudge': ({ commands }) => commands.nudge(0.1),
    'a nudge of an edge': ({ commands }) => commands.nudgeEdge('end', 0.1),
    'the playhead': ({ commands, playback }) => {
      playback.seek(4.777);
      commands.endHere();
    },
    'a shift': ({ commands }) => commands.shift(0.333),
    'the closed gap': ({ commands }) => commands.closeGap(),
    'a split': ({ commands }) => commands.split(4),
    'a new caption': ({ commands }) => commands.insert(),
  };

  test.each(Object.keys(MOVES))('%s lands on frames while the rules ask for them', (name) => {
    for (const [rate, drop] of RATES) {
      const exact = frameCountOf(rate, drop).rate;
      const on = desk(['One.', 'Two three four.', 'Five.', 'Six.']);
      on.go(2);
      on.review.grid.value = { rate: exact, gapFrames: 2 };
      const before = new Set(on.review.cues.peek().flatMap(({ start, end }) => [start, end]));
      MOVES[name]!(on);
      const after = on.review.cues.peek();
      const moved = after.flatMap(({ start, end }) => [start, end]).filter((at) => !before.has(at));
      expect(moved.length).toBeGreaterThan(0);
      expect(moved.filter((at) => !isOnFrame(at, exact))).toEqual([]);
      for (const [at, cue] of after.entries()) {
        expect(cue.end).toBeGreaterThan(cue.start);
        expect(after[at + 1]?.start ?? cue.end).toBeGreaterThanOrEqual(cue.end);
      }
      on.review.undo();
      expect(on.review.cues.peek()).toEqual(on.review.original);
    }
  });

  test('a neighbour that makes room keeps the gap of the rules', () => {
    const on = desk(['One.', 'Two.', 'Three.']);
    on.go(2);
    on.review.grid.value = { rate: 25, gapFrames: 2 };
    on.commands.setEdge('end', 6.51);
    const [, two, three] = on.review.cues.peek();
    expect([two?.end, three?.start]).toEqual([6.52, 6.6]);
  });
});
