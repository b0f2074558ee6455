/** Term packs, the terms of a run, and what an audit decided about them. */
import { closed, enumeration, open, Type, type Static } from './schema.ts';
import { TERM_KINDS } from './terms.ts';

/**
 * The id of an installed pack. The seven of the contract are files in terms/, and operators add further ones, so the
 * ids are known once the packs are loaded: `unknownPacks` checks those of a payload. Contract 2.2.
 */
export const TermPackId = Type.String();

/** A pack without its terms; `triggers` are the words that select it. Contract 2.4. */
export const TermPackSummary = open({
  id: TermPackId,
  title: Type.String(),
  description: Type.Optional(Type.String()),
  triggers: Type.Array(Type.String()),
  relatedPackIds: Type.Array(TermPackId),
  termCount: Type.Integer({ minimum: 0 }),
});

/** The list of packs, and how to name them in a payload. Contract 2.4. */
export const TermPackList = open({
  packs: Type.Array(TermPackSummary),
  includeWith: Type.Literal('payload.terminology.packs'),
  example: open({ terminology: open({ packs: Type.Array(TermPackId) }) }),
});
export type TermPackList = Static<typeof TermPackList>;

/**
 * The terminology of a run: `injectedKeyterms` were sent to the recogniser, `omittedKeyterms` did not fit. Contract
 * 2.4.
 */
export const CompiledTerminology = closed({
  requestedPacks: Type.Array(TermPackId),
  selectedPacks: Type.Array(TermPackId),
  injectedKeyterms: Type.Array(Type.String()),
  auditTerms: Type.Array(Type.String()),
  omittedKeyterms: Type.Array(Type.String()),
  explicitTerms: Type.Array(Type.String()),
  availablePacks: Type.Array(TermPackSummary),
});
export type CompiledTerminology = Static<typeof CompiledTerminology>;

const TERM_CATEGORIES = [...TERM_KINDS, 'capitalization', 'spacing_punctuation', 'other'] as const;

/** The kind of a term, or of the error in it. Contract 2.4. */
export const TermCategory = enumeration(TERM_CATEGORIES);
export type TermCategory = Static<typeof TermCategory>;

/** One decision of an audit, for maintainers of packs. Contract 2.4. */
export const TermObservation = open({
  surface: Type.String({ description: 'the words as recognised' }),
  category: TermCategory,
  source: enumeration(['audit_accepted', 'audit_needs_review', 'audit_rejected']),
  action: enumeration(['add_mishear', 'review', 'ignore']),
  suggested: Type.Optional(Type.String()),
  canonical: Type.Optional(Type.String()),
  correctionId: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  packHints: Type.Optional(Type.Array(Type.String())),
});
export type TermObservation = Static<typeof TermObservation>;

/** The audit's decision about one place in the transcript. */
export const TermCorrection = open({
  id: Type.String(),
  firstWord: Type.Integer({ minimum: 0, description: 'index into the transcript as recognised' }),
  lastWord: Type.Integer({ minimum: 0, description: 'inclusive' }),
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
  before: Type.String(),
  after: Type.String(),
  category: TermCategory,
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  decision: enumeration(['accepted', 'needs_review', 'rejected']),
  reason: Type.String(),
  packHints: Type.Array(Type.String()),
});
export type TermCorrection = Static<typeof TermCorrection>;

/** A pack that nobody named and no topic selected. */
export const EvidentPack = open({
  id: TermPackId,
  title: Type.String(),
  heard: Type.Array(Type.String(), { description: 'the terms of the pack that were heard' }),
  corrections: Type.Array(Type.String(), {
    description: 'the ids of the corrections that rest on this pack, or on several such packs',
  }),
});
export type EvidentPack = Static<typeof EvidentPack>;
