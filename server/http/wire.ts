/** Schemas of the contract as Standard Schemas: what a route validates with is what /openapi.json shows. */
import type { ValidationError } from 'elysia';
import { validator, type Fault, type Static, type TSchema } from '../contract/schema.ts';
import { invalidPayload, type Problem } from './problems.ts';

interface Issue {
  message: string;
  path: string[];
}

/** The part of Standard Schema (standardschema.dev) that a router calls. */
interface Standard<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'captioner';
    readonly types?: { readonly input: Value; readonly output: Value };
    validate(value: unknown): { value: Value } | { issues: Issue[] };
  };
}

/** A schema of the contract, validated by our own compiled validator. */
export type Wire<S extends TSchema, Value = Static<S>> = S & Standard<Value>;

/**
 * A body, of a request or an answer, as a route takes it.
 * @param faultsOf finds what is wrong with a value. Default: what the schema finds
 */
export function wire<S extends TSchema>(
  schema: S,
  faultsOf: (value: unknown) => Fault[] = validator(schema).faults,
): Wire<S> {
  return standard(schema, (value) => {
    const faults = faultsOf(value);
    return faults.length === 0 ? { value: value as Static<S> } : { issues: issuesOf(faults) };
  });
}

/**
 * A body that a function reads, with error codes of its own in place of a 422.
 * @param read returns what the handler gets
 * @throws {Problem} what `read` throws
 */
export const wireRead = <S extends TSchema, Value>(
  schema: S,
  read: (value: unknown) => Value,
): Wire<S, Value> => standard(schema, (value) => ({ value: read(value) }));

/** A query, whose values arrive as text: those that the schema calls integers are read as such. */
export function wireQuery<S extends TSchema>(schema: S): Wire<S> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const { faults } = validator(schema);
  return standard(schema, (given) => {
    const value = Object.fromEntries(
      Object.entries(given as Record<string, unknown>).map(([name, text]) => {
        const isInteger = properties[name]?.type === 'integer' && /^\d{1,15}$/.test(String(text));
        return [name, isInteger ? Number(text) : text];
      }),
    );
    const found = faults(value);
    return found.length === 0 ? { value: value as Static<S> } : { issues: issuesOf(found) };
  });
}

const standard = <S extends TSchema, Value>(
  schema: S,
  validate: Standard<Value>['~standard']['validate'],
): Wire<S, Value> => ({
  ...schema,
  '~standard': { version: 1, vendor: 'captioner', validate },
});

const issuesOf = (faults: readonly Fault[]): Issue[] =>
  faults.map(({ path, message }) => ({ message, path: path === '' ? [] : path.split('.') }));

/** Every fault that a validation found. */
export function faultsOf({ validator: failed, value }: ValidationError): Fault[] {
  const { schema = failed } = failed as { schema?: unknown };
  const result = (schema as Standard<unknown>)['~standard'].validate(value);
  if (!('issues' in result)) return [];
  return result.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
}

/** A request that does not fit its route's schemas: 422, with every fault. */
export function invalidRequest(error: ValidationError): Problem {
  const faults = faultsOf(error);
  const [{ path, message } = { path: '', message: 'does not fit' }] = faults;
  if (error.type === 'query') {
    return invalidPayload(`The query parameter ${path} ${message}.`, faults);
  }
  if (error.type === 'headers') return invalidPayload(`The header ${path} ${message}.`, faults);
  return invalidPayload('The payload does not fit the contract.', faults);
}
