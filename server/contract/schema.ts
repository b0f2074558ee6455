/**
 * Helpers to build the schemas of the contract. A schema is plain JSON Schema (TypeBox), so one object serves for
 * validation, types and documentation.
 */
import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';

export { Type, type Static, type TProperties, type TSchema };

/**
 * An object that refuses unknown keys.
 * @example
 * const Point = closed({ x: Type.Number() });
 * validator(Point).issues({ x: 1, y: 2 }); // => [{ path: 'y', message: 'is not a known field' }]
 */
export function closed<P extends TProperties>(
  properties: P,
  options: Record<string, unknown> = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/**
 * An object that allows unknown keys.
 * @example
 * const Point = open({ x: Type.Number() });
 * validator(Point).issues({ x: 1, y: 2 }); // => []
 */
export function open<P extends TProperties>(
  properties: P,
  options: Record<string, unknown> = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: true, ...options });
}

/**
 * A string that is one of the given values. A wrong value causes one error instead of one for each value.
 * @example
 * const Format = enumeration(['srt', 'vtt']);
 * validator(Format).issues('doc'); // => [{ path: '', message: 'must be one of srt, vtt' }]
 */
export function enumeration<const V extends string[]>(
  values: readonly [...V],
  options: Record<string, unknown> = {},
) {
  return Type.Enum([...values] as [...V], { type: 'string', ...options });
}

/**
 * A field that may be absent or null, since services differ in how they omit values.
 * @example
 * const Point = closed({ x: maybe(Type.Number()) });
 * validator(Point).check({ x: null }); // => true
 * validator(Point).check({}); // => true
 */
export const maybe = <S extends TSchema>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** An object with arbitrary keys. */
export const freeObject = (options: Record<string, unknown> = {}) =>
  Type.Record(Type.String(), Type.Unknown(), options);

/**
 * A date and time, RFC 3339.
 * @example
 * validator(dateTime()).check('2026-11-22T12:00:00Z'); // => true
 */
export const dateTime = (options: Record<string, unknown> = {}) =>
  Type.String({ format: 'date-time', ...options });

/** An error in a value: its place (a JSON path such as `captions.maxLines`) and the reason. */
export interface ValidationIssue {
  path: string;
  message: string;
}

/** A compiled schema that validates values and explains errors. */
interface Validator<T> {
  check(value: unknown): value is T;
  /** The errors in a value, one line each, at most 50; empty if it is valid. */
  issues(value: unknown): ValidationIssue[];
}

/** The most errors that are listed. */
const MAX_ISSUES = 50;
/** The most characters of an unknown key that are repeated in an error. */
const MAX_NAMED = 200;

// The validator counts each unknown key as two errors; its default limit of eight would hide most of them.
Settings.Set({ maxErrors: 200 });

const compiled = new WeakMap<TSchema, Validator<unknown>>();

/**
 * The validator of a schema; later calls return the same one. The schema is compiled on first use, since a process uses
 * only some of its schemas.
 * @example
 * validator(Type.Number()).check(1); // => true
 * validator(Type.Number()).check('one'); // => false
 */
export function validator<S extends TSchema>(schema: S): Validator<Static<S>> {
  let made = compiled.get(schema);
  if (!made) {
    let program: ReturnType<typeof Compile> | undefined;
    const compile = () => (program ??= Compile(schema));
    made = {
      check: (value): value is unknown => compile().Check(value),
      issues: (value) => {
        if (compile().Check(value)) return [];
        const issues = tidy(schema, compile().Errors(beginning(value)));
        return issues.length > 0 ? issues : [UNNAMED];
      },
    };
    compiled.set(schema, made);
  }
  return made as Validator<Static<S>>;
}

/** More elements than any list of a request may have. */
const ENOUGH = 100_000;

/** A value whose lists are cut where they are too long for any schema: each element would be explained, at some cost. */
const beginning = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, part]: [string, unknown]) => [
          name,
          Array.isArray(part) && part.length > ENOUGH ? part.slice(0, ENOUGH) : part,
        ]),
      )
    : value;

/**
 * The error reported if a value has so many errors that the validator stopped before it named any, so that the value
 * still counts as invalid.
 */
const UNNAMED: ValidationIssue = { path: '', message: 'has too many errors to list' };

/** The keywords that report a value of the right type that is too long or too short. */
const BOUNDS: ReadonlySet<string> = new Set(['maxLength', 'maxItems', 'minLength', 'minItems']);

/**
 * Makes the validator's list readable. Names unknown keys at their place, drops the duplicate "schema is false", and
 * replaces the branches of a union by the union itself, unless a branch fits except for its length.
 */
function tidy(schema: TSchema, errors: readonly TLocalizedValidationError[]): ValidationIssue[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf').map((e) => e.instancePath);
  const bounds = errors.filter((error) => BOUNDS.has(error.keyword)).map((e) => e.instancePath);
  const isWithin = (at: string, outer: string) => at === outer || at.startsWith(`${outer}/`);
  const nearMisses = new Set(unions.filter((union) => bounds.some((at) => isWithin(at, union))));
  const issues = new Map<string, ValidationIssue>();
  for (const error of errors) {
    if (error.keyword === 'boolean') continue;
    const at = error.instancePath;
    const union = unions.find((outer) => isWithin(at, outer));
    if (union !== undefined) {
      const { keyword } = error;
      const says = nearMisses.has(union) ? BOUNDS.has(keyword) : keyword === 'anyOf';
      if (!says) continue;
    }
    for (const issue of readable(schema, error))
      issues.set(`${issue.path}\n${issue.message}`, issue);
  }
  return [...issues.values()].slice(0, MAX_ISSUES);
}

function readable(schema: TSchema, error: TLocalizedValidationError): ValidationIssue[] {
  const path = jsonPath(error.instancePath);
  if (error.keyword === 'additionalProperties') {
    return error.params.additionalProperties.slice(0, MAX_ISSUES).map((key) => ({
      path: join(path, key.length > MAX_NAMED ? `${key.slice(0, MAX_NAMED)}…` : key),
      message: 'is not a known field',
    }));
  }
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((key) => ({
      path: join(path, key),
      message: 'is required',
    }));
  }
  if (error.keyword === 'enum') {
    return [{ path, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
  }
  if (error.keyword === 'anyOf') return [{ path, message: 'matches none of the allowed forms' }];
  if (error.keyword === 'type' && error.params.type === 'object') {
    const fields = Object.keys(fieldsAt(schema, error.schemaPath)).slice(0, MAX_ISSUES);
    const wanted = fields.length === 0 ? '' : ` with ${fields.join(', ')}`;
    return [{ path, message: `must be an object${wanted}` }];
  }
  return [{ path, message: error.message }];
}

/** The properties of the schema that an error is about; empty if it has none or is referred to. */
function fieldsAt(schema: TSchema, pointer: string): object {
  let at: unknown = schema;
  for (const part of pointer.split('/').slice(1))
    at = (at as Record<string, unknown> | undefined)?.[part];
  return (at as { properties?: object } | undefined)?.properties ?? {};
}

const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);

/** Converts `/captions/maxLines` to `captions.maxLines`. */
function jsonPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
