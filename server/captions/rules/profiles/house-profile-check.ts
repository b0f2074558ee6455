/**
 * The schema of a custom profile. It is a plain table because the browser checks files with it too, and a schema
 * library would weigh more than all the profiles together.
 */
import { PROFILE_NAMES } from './profiles.ts';

/** An error in a file: the field (empty for the file as a whole) and the value it must have. */
export interface HouseIssue {
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
