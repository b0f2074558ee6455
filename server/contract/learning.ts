/** The rules that a workspace has learned from its reviews, each with its evidence and the captions it changed. */
import * as limits from './limits.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

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

const phrase = () =>
  Type.String({ minLength: 1, maxLength: limits.MAX_TERM_CHARS, pattern: '\\S' });

/** A decision on a rule, with the rule's wording if it was changed. */
export const RulePatch = closed({
  state: Type.Optional(
    enumeration(['applied', 'dismissed', 'undone'], { description: 'the decision' }),
  ),
  surface: Type.Optional(phrase()),
  canonical: Type.Optional(phrase()),
  near: Type.Optional(Type.Array(phrase(), { maxItems: limits.MAX_TERM_FORMS })),
});
export type RulePatch = Static<typeof RulePatch>;
