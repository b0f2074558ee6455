/** Custom profiles: a built-in profile with changes, as a JSON file that people write and exchange. */
import type { DialogueStyle } from '../../cue.ts';
import type { Profile, RuleName } from './profile.ts';
import { PROFILE_NAMES, type ProfileName, profileOf } from './profiles.ts';

/** The format of the file, and its version. */
export const HOUSE_PROFILE_FORMAT = 'captioner-profile-1';

/** The changes of a custom profile. Anything absent is as in the base profile. Units as in Profile. */
export interface HouseChanges {
  maxLines?: number;
  maxLineChars?: number;
  speed?: Profile['speed'];
  minDuration?: number;
  maxDuration?: number;
  gapFrames?: number;
  closedGap?: number;
  frameRate?: number | null;
  shots?: Profile['shots'];
  dialogue?: DialogueStyle;
}

/** A custom profile, as its file holds it. */
export interface HouseProfile extends HouseChanges {
  format: typeof HOUSE_PROFILE_FORMAT;
  name: string;
  base: ProfileName;
}

/** Thrown for a file that is not a valid profile. The message lists each error on a line, for the file's author. */
export class HouseProfileError extends Error {
  override name = 'HouseProfileError';
  readonly issues: readonly HouseIssue[];
  constructor(issues: readonly HouseIssue[]) {
    super(issues.map(({ field, says }) => (field === '' ? says : `${field} ${says}`)).join('\n'));
    this.issues = issues;
  }
}

/**
 * Reads the file of a custom profile.
 * @throws {HouseProfileError} with every error in the file
 * @example
 * readHouseProfile('{"format":"captioner-profile-1","name":"Ours","base":"bbc","maxLines":3}').maxLines; // => 3
 */
export function readHouseProfile(text: string): HouseProfile {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new HouseProfileError([{ field: '', says: 'The file is not JSON.' }]);
  }
  return houseProfileFrom(value);
}

/**
 * Reads a custom profile from a parsed JSON value.
 * @throws {HouseProfileError} with every error in it
 * @example
 * houseProfileFrom({ format: 'captioner-profile-1', name: ' Ours ', base: 'bbc' }).name; // => 'Ours'
 */
export function houseProfileFrom(value: unknown): HouseProfile {
  const issues = checkHouseProfile(value, HOUSE_PROFILE_FORMAT);
  if (issues.length > 0) throw new HouseProfileError(issues);
  const found = value as HouseProfile;
  const { minDuration, maxDuration } = { ...profileOf(found.base), ...found };
  if (minDuration > maxDuration) {
    const says = `must be at most maxDuration, which is ${maxDuration}`;
    throw new HouseProfileError([{ field: 'minDuration', says }]);
  }
  return { ...found, name: found.name.trim() };
}

/**
 * Writes the file of a custom profile, as readHouseProfile reads it.
 * @example
 * writeHouseProfile({ format: 'captioner-profile-1', name: 'Ours', base: 'bbc' });
 * // => '{\n  "format": "captioner-profile-1",\n  "name": "Ours",\n  "base": "bbc"\n}\n'
 */
export const writeHouseProfile = ({ format, name, base, ...changes }: HouseProfile): string =>
  `${JSON.stringify({ format, name, base, ...changes }, null, 2)}\n`;

/**
 * The rules of a custom profile for a language: its changes on top of those of its base profile.
 * @param language BCP 47
 * @example
 * const ours = readHouseProfile('{"format":"captioner-profile-1","name":"Ours","base":"bbc","maxLines":3}');
 * houseRules(ours, 'en').rules.line_count?.source; // => 'Ours'
 */
export function houseRules(house: HouseProfile, language = 'en'): Profile {
  const { format: _, name, base, ...changes } = house;
  const from = profileOf(base, language);
  const profile: Profile = { ...from, ...changes, name, title: name };
  const changed = Object.entries(sentencesOf(profile, changes)).flatMap(([rule, sentence]) =>
    sentence === undefined
      ? []
      : [[rule, { sentence, source: name } satisfies Profile['rules'][RuleName]] as const],
  );
  const rules = { ...from.rules, ...Object.fromEntries(changed) };
  if (changes.frameRate === null) delete rules.on_frames;
  if (profile.shots === null) {
    delete rules.shot_in;
    delete rules.shot_out;
  }
  if (profile.closedGap <= 0) delete rules.small_gap;
  return { ...profile, rules };
}

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** The sentences for the rules that a custom profile changes. */
function sentencesOf(profile: Profile, changes: HouseChanges): Partial<Record<RuleName, string>> {
  const { maxLines, maxLineChars, narrow, speed, minDuration, maxDuration, gapFrames } = profile;
  const has = (key: keyof HouseChanges): boolean => changes[key] !== undefined;
  const frames = `${plural(gapFrames, 'frame lies', 'frames lie')} between captions`;
  const shots = profile.shots && has('shots') ? profile.shots : null;
  return {
    ...(has('maxLines') && {
      line_count: `A caption has at most ${plural(maxLines, 'line')}.`,
    }),
    ...(has('maxLineChars') && {
      line_length: `A line has at most ${plural(maxLineChars, 'character')}${
        narrow === 1 ? '' : '; Latin letters, spaces and punctuation count as half'
      }.`,
    }),
    ...(has('speed') && {
      reading_speed: `A caption reads at up to ${
        speed.unit === 'words'
          ? `${plural(speed.perMinute, 'word')} a minute`
          : `${plural(speed.perSecond, 'character')} a second`
      }.`,
    }),
    ...(has('minDuration') && {
      min_duration: `A caption lasts at least ${plural(minDuration, 'second')}.`,
    }),
    ...(has('maxDuration') && {
      max_duration: `A caption lasts at most ${plural(maxDuration, 'second')}.`,
    }),
    ...(has('gapFrames') && {
      gap: gapFrames === 0 ? 'One caption ends before the next begins.' : `At least ${frames}.`,
    }),
    ...((has('closedGap') || has('gapFrames')) && {
      small_gap: `Gaps of up to ${plural(profile.closedGap, 'second')} are closed${
        gapFrames === 0 ? '' : ` to ${plural(gapFrames, 'frame')}`
      }.`,
    }),
    ...(typeof changes.frameRate === 'number' && {
      on_frames: 'Captions begin and end on frames.',
    }),
    ...(shots && {
      shot_in:
        'A caption that begins near a shot change begins on its first frame, or half a second away.',
      shot_out: `A caption that ends near a shot change ends ${
        shots.before === 0
          ? 'with the last frame of the shot'
          : `${plural(shots.before, 'frame')} before it`
      }, or half a second after it.`,
    }),
    ...(changes.dialogue && {
      two_speakers: `Two speakers in one caption have a line each, ${
        changes.dialogue.lines === 'second' ? 'the second' : 'both'
      } with a hyphen ${changes.dialogue.dash === '-' ? 'without' : 'followed by'} a space.`,
    }),
  };
}

// The schema of a custom profile. It is a plain table because the browser checks files with it too, and a schema
// library would weigh more than all the profiles together.

/** An error in a file: the field (empty for the file as a whole) and the value it must have. */
interface HouseIssue {
  field: string;
  says: string;
}

/** The numbers of a profile, with their bounds. */
export const HOUSE_BOUNDS = {
  maxLines: { minimum: 1, maximum: 4, step: 1 },
  maxLineChars: { minimum: 8, maximum: 80, step: 1 },
  perSecond: { minimum: 1, maximum: 60, step: 0.5 },
  perMinute: { minimum: 30, maximum: 600, step: 5 },
  minDuration: { minimum: 0.1, maximum: 10, step: 0.1 },
  maxDuration: { minimum: 1, maximum: 30, step: 0.5 },
  gapFrames: { minimum: 0, maximum: 48, step: 1 },
  closedGap: { minimum: 0, maximum: 5, step: 0.1 },
  frameRate: { minimum: 1, maximum: 240, step: 0.001 },
  before: { minimum: 0, maximum: 24, step: 1 },
} as const;

/** The longest name, in characters. */
const MAX_HOUSE_NAME = 80;

type Check = (value: unknown, field: string) => HouseIssue[];
type Fields = Readonly<Record<string, Check>>;

const must = (field: string, what: string): HouseIssue[] => [{ field, says: `must be ${what}` }];

const number =
  (of: keyof typeof HOUSE_BOUNDS): Check =>
  (value, field) => {
    const { minimum, maximum, step } = HOUSE_BOUNDS[of];
    const isWhole = step === 1;
    return typeof value === 'number' &&
      value >= minimum &&
      value <= maximum &&
      (!isWhole || Number.isInteger(value))
      ? []
      : must(field, `a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum}`);
  };

const oneOf =
  (...values: readonly string[]): Check =>
  (value, field) =>
    typeof value === 'string' && values.includes(value)
      ? []
      : must(field, values.map((each) => JSON.stringify(each)).join(' or '));

const orNull =
  (check: Check): Check =>
  (value, field) =>
    value === null
      ? []
      : check(value, field).map((fault) => ({ ...fault, says: `${fault.says}, or null` }));

const name: Check = (value, field) =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  [...value].length <= MAX_HOUSE_NAME &&
  !/\p{Cc}/u.test(value)
    ? []
    : must(field, `a text of 1 to ${MAX_HOUSE_NAME} characters in one line`);

/** Checks for an object with exactly these fields. */
const object =
  (required: Fields, optional: Fields = {}): Check =>
  (value, field) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return must(field, `an object with ${Object.keys(required).join(' and ')}`);
    }
    const known: Fields = { ...required, ...optional };
    const at = (key: string): string => (field === '' ? key : `${field}.${key}`);
    const found = new Map<string, unknown>(Object.entries(value));
    return [
      ...Object.keys(required)
        .filter((key) => !found.has(key))
        .map((key) => ({ field: at(key), says: 'is missing' })),
      ...[...found].flatMap(([key, each]) =>
        Object.hasOwn(known, key)
          ? (known[key]?.(each, at(key)) ?? [])
          : [{ field: at(key.slice(0, MAX_HOUSE_NAME)), says: 'is not a known field' }],
      ),
    ];
  };

const inWords = object({ unit: oneOf('words'), perMinute: number('perMinute') });
const inCharacters = object({ unit: oneOf('characters'), perSecond: number('perSecond') });

const speed: Check = (value, field) => {
  const unit: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'unit') : null;
  if (unit === 'words') return inWords(value, field);
  if (unit === 'characters') return inCharacters(value, field);
  return must(field, '{"unit": "characters", "perSecond": …} or {"unit": "words", "perMinute": …}');
};

/** The most errors to report at once. */
const MOST = 20;

/**
 * Finds the errors in a value that should be a custom profile; none if it is valid.
 * @example
 * checkHouseProfile(null, 'captioner-profile-1').length; // => 1
 */
export function checkHouseProfile(value: unknown, format: string): HouseIssue[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || Reflect.get(value, 'format') !== format) {
    return [{ field: '', says: `The file is not a profile: its "format" must be "${format}".` }];
  }
  return object(
    { format: oneOf(format), name, base: oneOf(...PROFILE_NAMES) },
    {
      maxLines: number('maxLines'),
      maxLineChars: number('maxLineChars'),
      speed,
      minDuration: number('minDuration'),
      maxDuration: number('maxDuration'),
      gapFrames: number('gapFrames'),
      closedGap: number('closedGap'),
      frameRate: orNull(number('frameRate')),
      shots: orNull(object({ before: number('before') })),
      dialogue: object({ lines: oneOf('both', 'second'), dash: oneOf('-', '- ') }),
    },
  )(value, '').slice(0, MOST);
}
