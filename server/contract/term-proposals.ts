/** Names and terms found in a user's material: slides, an abstract, a list of speakers or a page. */
import { MAX_PASTED_CHARS, MAX_TERMS } from './limits.ts';
import { closed, enumeration, Type, type Static } from './schema.ts';
import { TERM_KINDS } from './terms.ts';

/** A text to search for names and terms. */
export const TermTextInput = closed({
  text: Type.String({
    minLength: 1,
    maxLength: MAX_PASTED_CHARS,
    description: 'plain text or HTML',
  }),
});

/** A name or term found in the text. */
export const TermProposal = closed({
  term: Type.String(),
  kind: enumeration(TERM_KINDS),
  count: Type.Integer({ minimum: 1, description: 'the number of occurrences in the text' }),
  why: enumeration(['acronym', 'camel_case', 'capitalised', 'rare_word'], {
    description: 'the reason for proposing it',
  }),
  known: Type.Boolean({ description: 'whether the workspace already has it' }),
});
export type TermProposal = Static<typeof TermProposal>;

/** The names and terms found, the most likely first; those that the user accepts make up a `glossary`. */
export const TermProposals = closed({
  proposals: Type.Array(TermProposal, { maxItems: MAX_TERMS }),
});
export type TermProposals = Static<typeof TermProposals>;
