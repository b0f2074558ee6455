/**
 * Schemas of the contract as Standard Schemas, so that the schema that validates a route is the one that /openapi.json
 * shows.
 */
import { validator, type ValidationIssue, type Static, type TSchema } from '../contract/schema.ts';
import { headerName } from './request.ts';
import { Problem } from './problems.ts';

/**
 * The part of Standard Schema (standardschema.dev) that a router uses. Ours throw an error instead of returning issues:
 * the router would write the whole value, indented, into the message of its own error, which takes a quarter of a minute
 * for a body of a hundred thousand nested arrays.
 */
interface Standard<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'captioner';
    readonly types?: { readonly input: Value; readonly output: Value };
    validate(value: unknown): { value: Value };
  };
}

/** A schema of the contract, validated by our own compiled validator. */
export type Wire<S extends TSchema, Value = Static<S>> = S & Standard<Value>;

/** Thrown for a response that violates its own schema, which is a bug in the service. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';

  /** The places and the expected values, but never the value itself, which may be a key. */
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super('A response does not match its schema.');
    this.issues = issues;
  }
}

/** The schema of a response's body. @throws {InvalidResponse} */
export const wireAnswer = <S extends TSchema>(schema: S): Wire<S> =>
  checked(schema, validator(schema).issues, (issues) => new InvalidResponse(issues));

/**
 * The schema of a request's body or path parameters.
 * @param issuesOf finds the issues of a value; by default, those that the schema finds
 * @throws {Problem} 422 with every issue
 */
export const wireInput = <S extends TSchema>(
  schema: S,
  issuesOf: (value: unknown) => ValidationIssue[] = validator(schema).issues,
): Wire<S> =>
  checked(schema, issuesOf, (issues) =>
    Problem.invalidPayload('The payload is invalid.', [...issues]),
  );

/**
 * The schema of a request's body that a function reads, with error codes of its own instead of a 422.
 * @param read returns the value to pass to the handler
 * @throws {Problem} any problem that `read` throws
 */
export const wireRead = <S extends TSchema, Value>(
  schema: S,
  read: (value: unknown) => Value,
): Wire<S, Value> => standard(schema, read);

/** The schema of a body that the handler reads and validates itself, because JSON is only one of its formats. */
export const wireShown = <S extends TSchema>(schema: S): Wire<S, unknown> =>
  standard(schema, (value) => value);

/** The schema of a request's headers, by lower-case name. @throws {Problem} 422 with every issue */
export const wireHeaders = <S extends TSchema>(schema: S): Wire<S> =>
  checked(
    schema,
    (value) => validator(schema).issues(value).map(named),
    (issues) => refused('header', issues),
  );

/** An issue with the usual spelling of the header's name. */
const named = ({ path, message }: ValidationIssue): ValidationIssue => ({
  path: headerName(path),
  message,
});

/**
 * The schema of a request's query. Values arrive as text; those that the schema defines as integers are converted.
 * @throws {Problem} 422 with every issue
 */
export function wireQuery<S extends TSchema>(schema: S): Wire<S> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const check = checked(schema, validator(schema).issues, (issues) =>
    refused('query parameter', issues),
  );
  return standard(schema, (given) => {
    const entries = Object.entries(given as Record<string, unknown>).map(([name, value]) => {
      const text = asSent(value);
      const isInteger = properties[name]?.type === 'integer' && /^\d{1,15}$/.test(String(text));
      return [name, isInteger ? Number(text) : text];
    });
    return check['~standard'].validate(Object.fromEntries(entries)).value;
  });
}

/** The router splits a value at its commas; no query parameter of ours is an array. */
const asSent = (value: unknown): unknown =>
  Array.isArray(value) && value.every((part) => typeof part === 'string') ? value.join(',') : value;

const refused = (what: string, issues: readonly ValidationIssue[]) => {
  const [{ path, message } = { path: '', message: 'is invalid' }] = issues;
  return Problem.invalidPayload(`The ${what} ${path} ${message}.`, [...issues]);
};

const checked = <S extends TSchema>(
  schema: S,
  issuesOf: (value: unknown) => ValidationIssue[],
  errorOf: (issues: readonly ValidationIssue[]) => Error,
): Wire<S> =>
  standard(schema, (value) => {
    const issues = issuesOf(value);
    if (issues.length > 0) throw errorOf(issues);
    return value as Static<S>;
  });

const standard = <S extends TSchema, Value>(
  schema: S,
  read: (value: unknown) => Value,
): Wire<S, Value> => ({
  ...schema,
  '~standard': {
    version: 1,
    vendor: 'captioner',
    validate: (value) => ({ value: read(value) }),
  },
});
