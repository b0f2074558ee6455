/** Names and terms that are found in what people have: slides, an abstract, a list of speakers, a page. */
import { MAX_PASTED_CHARS, MAX_TERMS } from './limits.ts';
import { closed, enumeration, Type, type Static } from './schema.ts';
import { TERM_KINDS } from './terms.ts';

/** A text to look for names and terms in. */
export const TermTextInput = closed({
  text: Type.String({
    minLength: 1,
    maxLength: MAX_PASTED_CHARS,
    description: 'plain text or HTML',
  }),
});

/** A name or term that was found. */
export const TermProposal = closed({
  term: Type.String(),
  kind: enumeration(TERM_KINDS),
  count: Type.Integer({ minimum: 1, description: 'how often it stands in the text' }),
  why: enumeration(['acronym', 'camel_case', 'capitalised', 'rare_word'], {
    description: 'what makes it look like one',
  }),
  known: Type.Boolean({ description: 'whether the workspace has it already' }),
});
export type TermProposal = Static<typeof TermProposal>;

/** What was found, the likeliest first: what is taken of it makes a `glossary`. */
export const TermProposals = closed({
  proposals: Type.Array(TermProposal, { maxItems: MAX_TERMS }),
});
export type TermProposals = Static<typeof TermProposals>;
