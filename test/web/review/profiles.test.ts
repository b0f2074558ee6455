/** Checking captions by publishers' rules, and fixing them. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkCaptions } from '../../../server/captions/rules/check.ts';
import {
  HOUSE_PROFILE_FORMAT,
  type HouseProfile,
} from '../../../server/captions/rules/profiles/house-profile.ts';
import { PROFILE_NAMES, profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { ProfileChecker } from '../../../web/review/model/profile-violations.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { draftOf, profileOfDraft, rebase } from '../../../web/review/desk/house-dialog.tsx';
import {
  checkerFor,
  choiceOf,
  dropHouseProfile,
  houseProfiles,
  keepHouseProfile,
  profileChoices,
  rateFor,
} from '../../../web/review/desk/profile-rules.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { profiles } from '../../../web/texts/profiles-and-rebuilding.ts';
import { cuesOf, someCues } from './support.ts';

const PICTURE = { chosen: null, learnt: null, shots: [] };
const house = (changes: Partial<HouseProfile>): HouseProfile => ({
  format: HOUSE_PROFILE_FORMAT,
  name: 'Ours',
  base: 'netflix',
  ...changes,
});
const never = () => false;
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
          for (const { rule, fix } of checker.violationsAt(cues, index)) {
            const made = checker.fix(cues, index, rule);
            expect(made === null).toBe(fix === null);
            if (!made) continue;
            for (const { at } of made) expect(Math.abs(at - index)).toBeLessThanOrEqual(1);
            const after = made.reduce<readonly ReviewCue[]>(applySplice, cues);
            expect(after.map(({ id }) => id)).toEqual(cues.map(({ id }) => id));
            const left = checker.violationsAt(after, index).map((each) => each.rule);
            expect(left).not.toContain(rule);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  test('fixes all violations of a kind, or all', () => {
    const cues = cuesOf('Hello.\nthree\nlines', 'Fine.', 'And\nagain\nthree');
    const checker = netflix();
    const lines = checker.fixAll(cues, ['line_count']) ?? [];
    expect(lines.map(({ at }) => at)).toEqual([0, 2]);
    const after = lines.reduce<readonly ReviewCue[]>(applySplice, cues);
    expect(after.map((cue) => cue.lines.length)).toEqual([1, 1, 1]);
    expect(checker.fixAll(after, ['line_count'])).toBeNull();
    expect([...(checker.check(cues, never)?.keys() ?? [])]).toEqual([cues[0]!.id, cues[2]!.id]);
  });

  test('lists every profile by title, and no other', () => {
    const choices = profileChoices('de');
    expect(choices.map(([name]) => name)).toEqual([...PROFILE_NAMES]);
    expect(choices[0]?.[1]).toBe('Netflix, for adults');
    expect(choices.at(-1)).toEqual(['default', profiles.service]);
    for (const [name] of choices) {
      expect(checkerFor(name, 'de', { ...PICTURE, chosen: 25 })?.profile.name).toBe(name);
    }
    expect(checkerFor('no such', 'de', PICTURE)).toBeNull();
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
    // What happens to another profile does not change the choice.
    keepHouseProfile(house({ name: 'Others' }), 'Theirs');
    keepHouseProfile(house({ name: 'Third' }));
    dropHouseProfile(house({ name: 'Third' }));
    expect(settings.profile.value).toBe('house:Our own');
    // A profile replaces the one that has its name.
    keepHouseProfile(house({ name: 'Others', maxLines: 1 }));
    keepHouseProfile(house({ name: 'Third' }));
    keepHouseProfile(house({ name: 'Others', maxLines: 3 }), 'Third');
    expect(houseProfiles().map(({ name, maxLines }) => [name, maxLines])).toEqual([
      ['Our own', 1],
      ['Others', 3],
    ]);
    // Stored values that are not profiles are skipped.
    settings.houseProfiles.value = [...settings.houseProfiles.value, { name: 'No format' }, null];
    expect(houseProfiles()).toHaveLength(2);
    for (const each of houseProfiles()) dropHouseProfile(each);
    expect([settings.profile.value, houseProfiles()]).toEqual(['', []]);
  });

  test('a draft of a profile contains only the differences from its base', () => {
    for (const base of PROFILE_NAMES) {
      const draft = draftOf(base, 'en');
      draft.name.value = ' Ours ';
      expect(profileOfDraft(draft, 'en')).toEqual(house({ name: 'Ours', base }));
      draft.maxDuration.value = 9.5;
      draft.dialogue.value = 'second - ';
      draft.shots.value = true;
      draft.before.value = 4;
      draft.unit.value = 'words';
      draft.perMinute.value = 111;
      const made = profileOfDraft(draft, 'en');
      expect(made).toEqual(
        house({
          name: 'Ours',
          base,
          maxDuration: 9.5,
          speed: { unit: 'words', perMinute: 111 },
          shots: { before: 4 },
          dialogue: { lines: 'second', dash: '- ' },
        }),
      );
      expect(profileOfDraft(draftOf(made, 'en'), 'en')).toEqual(made);
      rebase(draft, 'bbc', 'en');
      expect(profileOfDraft(draft, 'en')).toEqual(house({ name: 'Ours', base: 'bbc' }));
    }
  });

  test('a draft contains a speed in characters that differs from its base', () => {
    for (const base of ['netflix', 'bbc'] as const) {
      const draft = draftOf(base, 'en');
      draft.name.value = 'Ours';
      draft.unit.value = 'characters';
      draft.perSecond.value = 18;
      const speed = { unit: 'characters', perSecond: 18 } as const;
      expect(profileOfDraft(draft, 'en')).toEqual(house({ name: 'Ours', base, speed }));
    }
  });

  test('a draft shows the speed in words and in characters, six to a word, and times with two decimals', () => {
    const shown = (base: 'netflix' | 'bbc' | 'default') => {
      const { unit, perSecond, perMinute, minDuration } = draftOf(base, 'en');
      return [unit, perSecond, perMinute, minDuration].map(({ value }) => value);
    };
    expect(shown('netflix')).toEqual(['characters', 20, 200, 0.83]);
    expect(shown('bbc').slice(0, 3)).toEqual(['words', 20, 200]);
    expect(shown('default').slice(0, 3)).toEqual(['characters', 20, 200]);
  });

  test("the video's frame rate is used if rules depend on frames, unless the user chose one", () => {
    const rates = (name: 'netflix' | 'youtube') =>
      [null, 50].map((chosen) => rateFor(profileOf(name), chosen, 30));
    expect(rates('netflix')).toEqual([30, 50]);
    expect(rates('youtube')).toEqual([null, 50]);
  });
});
