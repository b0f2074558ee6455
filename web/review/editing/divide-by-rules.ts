/** Divides a caption that breaks a profile's rules and cannot keep them whole: no word changes. */
import type { Profile, RuleName } from '../../../server/captions/rules/profiles/profile.ts';
import type { Picture } from '../../../server/captions/rules/check.ts';
import { findBrokenRules, fixCaptions } from '../../../server/captions/rules/check.ts';
import { isDialogue } from '../model/cue-speakers.ts';
import { type ReviewCue, speakersOf, textOf } from '../model/cue.ts';
import { split } from '../model/edit-cues.ts';
import { divided } from '../model/fix.ts';
import type { TimedWord } from '../model/spoken-cut.ts';

/** What a division needs to know besides the captions. */
export interface DivisionRules {
  profile: Profile;
  picture: Picture;
  /** The transcript's, in order. */
  words: readonly TimedWord[];
  /** The id of the first new caption; the next ones count up. */
  nextId: number;
}

/** The rules that a division can satisfy. */
const DIVIDED_BY: ReadonlySet<RuleName> = new Set([
  'line_length',
  'line_count',
  'max_duration',
  'two_speakers',
]);

/**
 * The parts that take the place of a caption, within its times; null if it cannot be divided, or a part would still
 * break the rule.
 */
export function divisionFor(
  rule: RuleName,
  cue: ReviewCue,
  rules: DivisionRules,
): readonly ReviewCue[] | null {
  if (!DIVIDED_BY.has(rule)) return null;
  const { profile, picture } = rules;
  // Each of two speakers keeps their own words.
  const parts = isDialogue(cue) ? bySpeaker(cue, rules) : byLength(cue, rules);
  if (parts.length < 2) return null;
  if (findBrokenRules(parts, profile, picture).some((broken) => broken.rule === rule)) return null;
  const apart = fixCaptions(parts, profile, picture, ['gap', 'small_gap']);
  const isWithin = apart[0]!.start >= cue.start && apart.at(-1)!.end <= cue.end;
  return isWithin ? parts.map((part, at) => ({ ...part, ...apart[at] })) : parts;
}

function byLength(cue: ReviewCue, { profile, words, nextId }: DivisionRules): ReviewCue[] {
  const { maxDuration, minDuration, maxLines, maxLineChars, narrow, language } = profile;
  const settings = {
    maxDuration,
    minDuration,
    maxLines,
    maxLineChars: Math.floor(maxLineChars / narrow),
  };
  return divided(cue, { settings, language, words, nextId });
}

/** A caption for each turn of a speaker. */
function bySpeaker(cue: ReviewCue, { words, nextId }: DivisionRules): ReviewCue[] {
  const parts: ReviewCue[] = [];
  let rest = cue;
  for (let id = nextId; isDialogue(rest); id += 1) {
    const names = speakersOf(rest);
    const turn = names.findIndex((name) => name !== names[0]);
    const offset = turn < 1 ? 0 : textOf({ lines: rest.lines.slice(0, turn) }).length;
    const made = split([rest], 0, offset, id, words)?.inserted;
    if (!made || made.length < 2) return [cue];
    parts.push(made[0]!);
    rest = made[1]!;
  }
  return [...parts, rest];
}
