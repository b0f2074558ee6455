import { enumeration, type Static } from './schema.ts';

/** The permissions that a key can have. */
export const SCOPES = [
  'captioner:audio:upload',
  'captioner:caption:run',
  'captioner:terminology:read',
] as const;

/** One of SCOPES. Contract 2.1. */
export const CaptionerScope = enumeration(SCOPES);
export type CaptionerScope = Static<typeof CaptionerScope>;

/**
 * Whether a value is a scope, spelled exactly.
 * @example
 * isScope('captioner:caption:run'); // => true
 * isScope('admin'); // => false
 */
export const isScope = (value: unknown): value is CaptionerScope =>
  SCOPES.some((scope) => scope === value);
