/**
 * The few helpers that every schema of the contract is built with.
 * A schema is plain JSON Schema (TypeBox), so the same object validates, types and documents.
 */
import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';

export { Type, type Static, type TSchema };

/** An object that refuses every key it does not name. */
export function closed<P extends TProperties>(
  properties: P,
  options: Record<string, unknown> = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** An object that names the keys it knows and allows others. */
export function open<P extends TProperties>(
  properties: P,
  options: Record<string, unknown> = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: true, ...options });
}

/** A string that is one of the given values; faults then read as one line, not one a value. */
export function enumeration<const V extends string[]>(
  values: readonly [...V],
  options: Record<string, unknown> = {},
) {
  return Type.Enum([...values] as [...V], { type: 'string', ...options });
}

/** A field that may be absent or null, as services leave out what they do not know. */
export const maybe = <S extends TSchema>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** An object with free keys. */
export const freeObject = (options: Record<string, unknown> = {}) =>
  Type.Record(Type.String(), Type.Unknown(), options);

/** An instant, RFC 3339. */
export const dateTime = (options: Record<string, unknown> = {}) =>
  Type.String({ format: 'date-time', ...options });

/** One fault of a value: where (a JSON path such as `captions.maxLines`) and what. */
export interface Fault {
  path: string;
  message: string;
}

/** A compiled schema: tells whether a value fits and, if not, why. */
export interface Validator<T> {
  check(value: unknown): value is T;
  /** The faults of a value, one line each, at most 50; empty when it fits. */
  faults(value: unknown): Fault[];
}

// Each unknown key is two faults of the validator: its own limit of eight would hide them all.
Settings.Set({ maxErrors: 200 });

const compiled = new WeakMap<TSchema, Validator<unknown>>();

/** Compiles a schema once; later calls answer the same validator. */
export function validator<S extends TSchema>(schema: S): Validator<Static<S>> {
  let made = compiled.get(schema);
  if (!made) {
    const program = Compile(schema);
    made = {
      check: (value): value is unknown => program.Check(value),
      faults: (value) => {
        if (program.Check(value)) return [];
        const faults = tidy(program.Errors(value));
        return faults.length > 0 ? faults : [UNNAMED];
      },
    };
    compiled.set(schema, made);
  }
  return made as Validator<Static<S>>;
}

/** A value with so many faults that the validator stopped before it named one: it never counts as fitting. */
const UNNAMED: Fault = { path: '', message: 'has too many faults to name them' };

interface RawFault {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

/** A value of the right type that is too long or too short. */
const BOUNDS: ReadonlySet<string> = new Set(['maxLength', 'maxItems', 'minLength', 'minItems']);

/**
 * The validator's own list, made readable: unknown keys are named at their place, the doubled
 * "schema is false" is dropped, the branches of a union are dropped in favour of the union itself,
 * unless one branch fits but for its length.
 */
function tidy(errors: readonly RawFault[]): Fault[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf').map((e) => e.instancePath);
  const bounds = errors.filter((error) => BOUNDS.has(error.keyword)).map((e) => e.instancePath);
  const isWithin = (at: string, outer: string) => at === outer || at.startsWith(`${outer}/`);
  const nearMisses = new Set(unions.filter((union) => bounds.some((at) => isWithin(at, union))));
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    if (error.keyword === 'boolean') continue;
    const at = error.instancePath;
    const union = unions.find((outer) => isWithin(at, outer));
    const told = union !== undefined && nearMisses.has(union) ? BOUNDS.has(error.keyword) : null;
    if (told === false) continue;
    if (told === null && union !== undefined && error.keyword !== 'anyOf') continue;
    for (const fault of readable(error)) faults.set(`${fault.path}\n${fault.message}`, fault);
  }
  return [...faults.values()].slice(0, 50);
}

function readable(error: RawFault): Fault[] {
  const path = jsonPath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'additionalProperties' && Array.isArray(params['additionalProperties'])) {
    return params['additionalProperties'].map((key) => ({
      path: join(path, String(key)),
      message: 'is not a known field',
    }));
  }
  if (error.keyword === 'required' && Array.isArray(params['requiredProperties'])) {
    return params['requiredProperties'].map((key) => ({
      path: join(path, String(key)),
      message: 'is required',
    }));
  }
  if (error.keyword === 'enum' && Array.isArray(params['allowedValues'])) {
    return [{ path, message: `must be one of ${params['allowedValues'].join(', ')}` }];
  }
  if (error.keyword === 'anyOf') return [{ path, message: 'has none of the allowed forms' }];
  return [{ path, message: error.message }];
}

const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);

/** `/captions/maxLines` → `captions.maxLines`. */
function jsonPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
