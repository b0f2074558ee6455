/** Checking captions by publishers' rules, and fixing them. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkCaptions } from '../../../server/captions/check.ts';
import { PROFILE_NAMES, profileOf } from '../../../server/captions/profiles/profiles.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { ProfileChecker } from '../../../web/review/model/profile-violations.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { checkerFor, profileChoices } from '../../../web/review/profile-rules.ts';
import { cuesOf, someCues } from './support.ts';

const never = () => false;
const netflix = () => new ProfileChecker(profileOf('netflix', 'en'), {});
const someProfile = fc.constantFrom(...PROFILE_NAMES);
const someRate = fc.constantFrom(undefined, 23.976, 25, 50);

/** The same as checkCaptions finds, without what stands beside a violation. */
const found = (map: ReadonlyMap<number, readonly { rule: string }[]> | null) =>
  [...(map ?? [])].flatMap(([id, violations]) => violations.map(({ rule }) => `${id} ${rule}`));

describe('the check by a profile', () => {
  test('finds what a check of all captions finds, and goes on to after every edit', () => {
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

  test('is given up when it is late, and goes on from there', () => {
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

  test('mends one caption, and only its neighbours with it', () => {
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

  test('mends all of a kind, or all', () => {
    const cues = cuesOf('Hello.\nthree\nlines', 'Fine.', 'And\nagain\nthree');
    const checker = netflix();
    const lines = checker.fixAll(cues, ['line_count']) ?? [];
    expect(lines.map(({ at }) => at)).toEqual([0, 2]);
    const after = lines.reduce<readonly ReviewCue[]>(applySplice, cues);
    expect(after.map((cue) => cue.lines.length)).toEqual([1, 1, 1]);
    expect(checker.fixAll(after, ['line_count'])).toBeNull();
  });

  test('knows every profile by its title, and no other', () => {
    const choices = profileChoices('de');
    expect(choices.map(([name]) => name)).toEqual([...PROFILE_NAMES]);
    expect(choices[0]?.[1]).toBe('Netflix, for adults');
    for (const [name] of choices) expect(checkerFor(name, 'de', 25, [])?.profile.name).toBe(name);
    expect(checkerFor('no such', 'de', null, [])).toBeNull();
  });
});
