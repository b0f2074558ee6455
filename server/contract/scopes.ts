import { enumeration, type Static } from './schema.ts';

/** What a key may do. */
export const SCOPES = [
  'captioner:audio:upload',
  'captioner:caption:run',
  'captioner:terminology:read',
] as const;

export const CaptionerScope = enumeration(SCOPES);
export type CaptionerScope = Static<typeof CaptionerScope>;

export const isScope = (value: unknown): value is CaptionerScope =>
  SCOPES.some((scope) => scope === value);
