/**
 * The form state of a house profile: every rule has a value, taken at first from the base profile.
 */
import { signal, type Signal } from '@preact/signals';
import {
  HOUSE_PROFILE_FORMAT,
  houseRules,
  type HouseChanges,
  type HouseProfile,
} from '../../../server/captions/rules/profiles/house-profile.ts';
import { isProfileName, profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import type { Profile } from '../../../server/captions/rules/profiles/profile.ts';

/** The fields of the form; units as in Profile. */
export interface HouseDraft {
  name: Signal<string>;
  base: Signal<string>;
  maxLines: Signal<number>;
  maxLineChars: Signal<number>;
  unit: Signal<string>;
  perSecond: Signal<number>;
  perMinute: Signal<number>;
  minDuration: Signal<number>;
  maxDuration: Signal<number>;
  gapFrames: Signal<number>;
  closedGap: Signal<number>;
  /** Empty for none. */
  frameRate: Signal<string>;
  shots: Signal<boolean>;
  before: Signal<number>;
  /** The lines that get a dash, and the dash: `both -`. */
  dialogue: Signal<string>;
}

/** Converts a speed from one unit to the other, approximately. */
const LETTERS_A_WORD = 6;

/** Rounds a number for display: 5/6 s is shown as 0.83. */
const shown = (value: number): number => Math.round(value * 100) / 100;

const speedOf = ({ speed }: Profile): { perSecond: number; perMinute: number } =>
  speed.unit === 'words'
    ? { perMinute: speed.perMinute, perSecond: Math.round((speed.perMinute / 60) * LETTERS_A_WORD) }
    : {
        perSecond: speed.perSecond,
        perMinute: Math.round((speed.perSecond * 60) / LETTERS_A_WORD),
      };

const valuesOf = (profile: Profile) => ({
  maxLines: profile.maxLines,
  maxLineChars: profile.maxLineChars,
  unit: profile.speed.unit as string,
  ...speedOf(profile),
  minDuration: shown(profile.minDuration),
  maxDuration: profile.maxDuration,
  gapFrames: profile.gapFrames,
  closedGap: profile.closedGap,
  frameRate: String(profile.frameRate ?? ''),
  shots: profile.shots !== null,
  before: profile.shots?.before ?? 2,
  dialogue: `${profile.dialogue.lines} ${profile.dialogue.dash}`,
});

/**
 * A draft of a profile, or of a new one with that base.
 * @param language BCP 47
 */
export function draftOf(from: HouseProfile | string, language: string): HouseDraft {
  const profile =
    typeof from === 'object' ? houseRules(from, language) : profileOf(baseOf(from), language);
  const values = valuesOf(profile);
  const fields = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, signal(value)]),
  );
  return {
    ...(fields as unknown as Omit<HouseDraft, 'name' | 'base'>),
    name: signal(typeof from === 'object' ? from.name : ''),
    base: signal(typeof from === 'object' ? from.base : baseOf(from)),
  };
}

const baseOf = (name: string) => (isProfileName(name) ? name : 'default');

/**
 * Resets all values to those of another base, except the name.
 * @param language BCP 47
 */
export function rebase(draft: HouseDraft, base: string, language: string): void {
  const { name: _, ...fields } = draftOf(base, language);
  for (const [key, field] of Object.entries(fields)) {
    (draft[key as keyof HouseDraft] as Signal<unknown>).value = field.peek();
  }
}

/**
 * The profile of a draft; values equal to the base's are left out.
 * @param language BCP 47
 */
export function profileOfDraft(draft: HouseDraft, language: string): HouseProfile {
  const base = baseOf(draft.base.value);
  const theirs = valuesOf(profileOf(base, language));
  const [lines, dash] = [
    draft.dialogue.value.split(' ', 1)[0],
    draft.dialogue.value.replace(/^\w+ /, ''),
  ];
  const changes: HouseChanges = {};
  for (const key of [
    'maxLines',
    'maxLineChars',
    'minDuration',
    'maxDuration',
    'gapFrames',
    'closedGap',
  ] as const) {
    if (draft[key].value !== theirs[key]) changes[key] = draft[key].value;
  }
  const { unit, perSecond, perMinute } = draft;
  if (unit.value === 'words') {
    if (theirs.unit !== 'words' || theirs.perMinute !== perMinute.value)
      changes.speed = { unit: 'words', perMinute: perMinute.value };
  } else if (theirs.unit !== 'characters' || theirs.perSecond !== perSecond.value)
    changes.speed = { unit: 'characters', perSecond: perSecond.value };
  if (draft.frameRate.value !== theirs.frameRate)
    changes.frameRate = draft.frameRate.value === '' ? null : Number(draft.frameRate.value);
  if (
    draft.shots.value !== theirs.shots ||
    (draft.shots.value && draft.before.value !== theirs.before)
  )
    changes.shots = draft.shots.value ? { before: draft.before.value } : null;
  if (draft.dialogue.value !== theirs.dialogue)
    changes.dialogue = {
      lines: lines === 'second' ? 'second' : 'both',
      dash: dash === '-' ? '-' : '- ',
    };
  return { format: HOUSE_PROFILE_FORMAT, name: draft.name.value.trim(), base, ...changes };
}
