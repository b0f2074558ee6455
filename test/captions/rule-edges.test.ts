/**
 * The check of captions at the edge of every rule: captions that just keep it and captions that just break it, for each
 * profile, language and frame rate. The numbers are those of published-limits.ts, copied from the publishers' pages.
 */
import { expect, test } from 'bun:test';
import { findBrokenRules } from '../../server/captions/rules/check.ts';
import { PROFILE_NAMES, profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { edgeCaptions } from '../support/captions/edge-captions.ts';
import { exactRate, publishedFaults, RATES } from '../support/captions/published-faults.ts';
import { limitsOf } from '../support/captions/published-limits.ts';

const LANGUAGES = 'en ar de es fr he hi it ja ko nl pt-BR ru th zh-CN sv'.split(' ');
const cases = PROFILE_NAMES.flatMap((name) => LANGUAGES.map((language) => ({ name, language })));

test.each(cases)(
  '$name in $language: each rule begins to be broken at its limit',
  ({ name, language }) => {
    const profile = profileOf(name, language);
    const limits = limitsOf(name, language.split('-')[0]!);
    const broken = new Set<string>();
    const [first, ...others] = RATES;
    for (const frameRate of profile.frameRate === null
      ? [undefined]
      : language === 'en'
        ? RATES
        : [first!, others[1]!]) {
      const rate = frameRate === undefined ? null : exactRate(frameRate);
      for (const { rule, cues, at, isBroken, shots } of edgeCaptions(limits, rate)) {
        const picture = {
          ...(frameRate === undefined ? {} : { frameRate }),
          shots: shots.map((frame) => Math.round((frame * 1000) / rate!) / 1000),
        };
        const found = findBrokenRules(cues, profile, picture).filter((each) => each.rule === rule);
        const theirs = publishedFaults(cues, limits, rate, shots).filter(
          (each) => each.rule === rule,
        );
        const expected = isBroken ? [at] : [];
        expect([rule, frameRate, cues, theirs.map((each) => each.at)]).toEqual([
          rule,
          frameRate,
          cues,
          expected,
        ]);
        expect([rule, frameRate, cues, found.map((each) => each.at)]).toEqual([
          rule,
          frameRate,
          cues,
          expected,
        ]);
        if (isBroken) broken.add(rule);
      }
    }
    expect([...broken].sort()).toEqual(Object.keys(profile.rules).sort());
  },
);
