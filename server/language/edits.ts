/** The format of a language model's answers: edits, in a strict schema. */
import { closed, enumeration, Type, validator, type Static } from '../contract/schema.ts';
import { TermCategory } from '../contract/terminology.ts';
import { faultIn, jsonIn } from './ask.ts';

/**
 * One verdict. Every field is required and no others are allowed, as strict structured output demands. Bounds are
 * checked on reading instead, since not every service accepts them in a schema.
 */
export const AuditEdit = closed({
  id: Type.String({
    description: 'id of the candidate, or "new" for a mistake that is not listed',
  }),
  startIndex: Type.Integer({ description: 'number of the first word' }),
  endIndex: Type.Integer({ description: 'number of the last word, inclusive' }),
  original: Type.String({ description: 'the words from startIndex to endIndex, exactly as given' }),
  replacement: Type.String({ description: 'a term of the list, exactly as written there' }),
  confidence: Type.Number({ description: '0 to 1: how sure the recording said the term' }),
  category: TermCategory,
  decision: enumeration(['apply', 'review', 'ignore']),
  reason: Type.String({ description: 'one short sentence' }),
});
export type AuditEdit = Static<typeof AuditEdit>;

/** The whole answer. It is an object, because strict structured output does not allow a list at the top. */
export const AuditAnswer = closed({ edits: Type.Array(AuditEdit) });

/** The edits in an answer, or its error, described so that a model can correct it. */
type Reading = { edits: AuditEdit[] } | { fault: string };

/** Reads the text of an answer. */
export function readAnswer(text: string): Reading {
  const json = jsonIn(text);
  if ('fault' in json) return json;
  const { value } = json;
  const schema = validator(AuditAnswer);
  if (!schema.check(value)) return { fault: faultIn(schema.issues(value)) };
  const out = value.edits.findIndex(({ confidence }) => !(confidence >= 0 && confidence <= 1));
  return out < 0
    ? { edits: value.edits }
    : { fault: `edits.${out}.confidence must be from 0 to 1` };
}
