/** The terms of a workspace, and the rules that it has learned from reviews. */
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';
import { TERM_KINDS, termTranslations } from './terms.ts';
import * as limits from './limits.ts';

const phrase = (description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.TERM.maxChars,
    pattern: '\\S',
    ...(description ? { description } : {}),
  });
const phrases = (description: string) =>
  Type.Optional(Type.Array(phrase(), { maxItems: limits.TERM.maxForms, description }));

/** The origin of a workspace's term. */
export const TermSource = closed({
  kind: enumeration(['person', 'import', 'learned'], {
    description: 'entered by a person, imported from a file, or learned from reviews',
  }),
  at: dateTime(),
});
export type TermSource = Static<typeof TermSource>;

/** The kinds of rules. */
export const RULE_KINDS = ['new_term', 'new_mishear', 'risky_word', 'never'] as const;
/** The states of a rule; only an applied one changes captions. */
export const RULE_STATES = ['proposed', 'applied', 'dismissed', 'withdrawn', 'undone'] as const;
export type RuleState = (typeof RULE_STATES)[number];

const RuleKind = enumeration(RULE_KINDS, {
  description:
    'new_term: a name the workspace did not have; new_mishear: another way it is misheard; risky_word: a mishear that is an ordinary word, corrected only near certain words; never: a correction that is not to be made again',
});
const State = enumeration(RULE_STATES, {
  description:
    'proposed: awaiting a decision; applied: in force; dismissed: rejected; withdrawn: rejected in a review after it was applied; undone: undone by a person',
});

const place = {
  runId: Type.String(),
  start: Type.Number({ minimum: 0, description: 'seconds into the recording' }),
  before: Type.String(),
  after: Type.String(),
};

/** A learned or proposed rule. */
export const LearnedRule = closed({
  id: Type.String(),
  kind: RuleKind,
  state: State,
  automatic: Type.Boolean({ description: 'whether it was applied without asking' }),
  surface: Type.Union([Type.String(), Type.Null()], { description: 'the text as recognised' }),
  canonical: Type.String({ description: 'the term that was said' }),
  near: Type.Array(Type.String(), { description: 'words that allow a risky word to be corrected' }),
  evidence: closed({
    accepted: Type.Integer({
      minimum: 0,
      description: 'corrections that people accepted, typed or kept',
    }),
    rejected: Type.Integer({ minimum: 0 }),
    talks: Type.Integer({ minimum: 0 }),
    text: Type.String({ description: 'the evidence as a sentence' }),
    places: Type.Array(closed(place), { description: 'the latest captions with evidence' }),
  }),
  settledAt: Type.Union([dateTime(), Type.Null()]),
  changed: Type.Array(closed({ ...place, correctionId: Type.String() }), {
    description: 'the captions it has changed, the latest first',
  }),
});
export type LearnedRule = Static<typeof LearnedRule>;

/** The rules of a workspace, ordered by their evidence: those to ask about come first. */
export const LearnedRules = closed({
  automatic: Type.Boolean({ description: 'whether the workspace learns from reviews' }),
  rules: Type.Array(LearnedRule),
});
export type LearnedRules = Static<typeof LearnedRules>;

/** The switch that lets a workspace learn. */
export const LearningSettings = closed({
  automatic: Type.Boolean({
    description:
      'false: nothing is learned, asked or applied; rules in force stay until they are undone',
  }),
});
export type LearningSettings = Static<typeof LearningSettings>;

const ruledPhrase = () =>
  Type.String({ minLength: 1, maxLength: limits.TERM.maxChars, pattern: '\\S' });

/** A decision on a rule, with the rule's wording if it was changed. */
export const RulePatch = closed({
  state: Type.Optional(
    enumeration(['applied', 'dismissed', 'undone'], { description: 'the decision' }),
  ),
  surface: Type.Optional(ruledPhrase()),
  canonical: Type.Optional(ruledPhrase()),
  near: Type.Optional(Type.Array(ruledPhrase(), { maxItems: limits.TERM.maxForms })),
});
export type RulePatch = Static<typeof RulePatch>;

/** A term of a workspace: the fields of a term in a pack, and its origin. */
export const WorkspaceTerm = closed({
  canonical: phrase('the form that captions show'),
  kind: Type.Optional(enumeration(TERM_KINDS)),
  mishears: phrases('how recognisers get it wrong'),
  risky: phrases('mishears that are ordinary English, corrected only if a near word is close by'),
  near: phrases('words that allow a risky mishear to be corrected, within 12 words'),
  confirmed: phrases('risky mishears that people have confirmed, corrected rather than only shown'),
  say: Type.Optional(phrase('how it is spoken')),
  aliases: phrases('accepted forms, never corrected'),
  weight: Type.Optional(Type.Number({ minimum: 1, maximum: 10, default: 10 })),
  keyterm: Type.Optional(Type.Boolean({ default: true, description: 'false: only for the audit' })),
  note: Type.Optional(Type.String({ maxLength: limits.TERM.maxNoteChars })),
  translations: Type.Optional(termTranslations()),
  source: Type.Optional(TermSource),
});
export type WorkspaceTerm = Static<typeof WorkspaceTerm>;

/** All terms of a workspace. */
export const WorkspaceTerms = closed({
  terms: Type.Array(WorkspaceTerm),
  limit: Type.Integer({ description: 'the maximum number of terms in a workspace' }),
});
export type WorkspaceTerms = Static<typeof WorkspaceTerms>;

const sent = () => Type.Array(WorkspaceTerm, { maxItems: limits.TERM.maxTerms });

/** All terms of a workspace as a client sends them. `limit` is accepted, because GET returns it, and ignored. */
export const WorkspaceTermsInput = closed({
  terms: sent(),
  limit: Type.Optional(Type.Integer()),
});

/** Changes to a workspace's terms: terms to add (replacing those of the same name) and terms to remove. */
export const WorkspaceTermsPatch = closed({
  terms: Type.Optional(sent()),
  remove: Type.Optional(
    Type.Array(phrase(), { maxItems: limits.TERM.maxTerms, description: 'canonical forms' }),
  ),
});

/** A text to search for names and terms. */
export const TermTextInput = closed({
  text: Type.String({
    minLength: 1,
    maxLength: limits.TERM.maxPastedChars,
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

/** The names and terms found, the most likely first; those that the user accepts make up a `glossary`. */
export const TermProposals = closed({
  proposals: Type.Array(TermProposal, { maxItems: limits.TERM.maxTerms }),
});
