/** Compiles a run's packs and own terms into key terms for the recogniser and terms for the audit. */
import type { CompiledTerminology } from '../../contract/terminology.ts';
import { boundedTerms } from '../../contract/terms.ts';
import type { ActiveTerm } from '../active-term.ts';
import { compactKey, phraseKey, tokenize } from '../match/normalize.ts';
import { fitKeyterms, fitRarest, type KeytermLimit } from './keyterms.ts';
import { summarizePack, type TermPack } from './pack.ts';
import { MAX_CHARS } from '../../contract/limits.ts';

/** The terminology of a request, with normalised lists and defaults filled in. */
interface TerminologyRequest extends PackSelectionRequest {
  include: readonly string[];
  exclude: readonly string[];
  maxKeyterms: number;
  /** The recogniser's limit (default: none). */
  keytermLimit?: KeytermLimit | undefined;
  /** The terms of the workspace (default: none). */
  own?: OwnTerms | undefined;
}

/** The compiled terms. Plain JSON, as the output of a durable step. */
export interface Compiled {
  summary: CompiledTerminology;
  /** In rank order. */
  terms: ActiveTerm[];
}

/**
 * Compiles the terminology of a run. The same packs and request always give the same lists.
 *
 * Rank: explicit terms come first (glossary, then include, then keyterms, each in the given order), then the terms of
 * packs, by weight, by the pack's place in `selectedPacks`, and by their place in the file. Terms that differ only in
 * case, accents or hyphens are one term; the request's spelling wins unless it is all lower case. `exclude` removes
 * terms from every list, and surfaces from the mishears. Values that the contract would refuse (terms of more than 200
 * characters or 20 words, more than 1,000 in a list) are skipped, because a stored run may be older than those limits.
 * @example
 * const request = {
 *   requestedPacks: [],
 *   glossary: ['AuthKit', 'authkit'],
 *   keyterms: ['SCIM'],
 *   include: [],
 *   exclude: [],
 *   maxKeyterms: 100,
 * };
 * compileTerminology([], request).terms.map(({ canonical }) => canonical); // => ['AuthKit', 'SCIM']
 */
export function compileTerminology(
  packs: readonly TermPack[],
  request: TerminologyRequest,
): Compiled {
  const excluded = new Set(boundedTerms(request.exclude).map(phraseKey));
  const selected = selectPacks(packs, request);
  const own = request.own ?? NO_OWN_TERMS;
  const ownTerms = rankedOwn(own);
  const given = [
    ...boundedTerms(request.glossary),
    ...boundedTerms(request.include),
    ...boundedTerms(request.keyterms),
  ];
  const explicit = uniqueTerms([...given, ...ownTerms.map(({ canonical }) => canonical)]).filter(
    (term) => !excluded.has(phraseKey(term)),
  );
  const sources = [{ id: WORKSPACE, terms: ownTerms, factor: 1 }, ...selected.map(sourceOf)];
  const fromPacks = packTerms(sources, excluded);
  const terms = [...withExplicit(explicit, fromPacks), ...fromPacks.filter((t) => !t.explicit)];
  const keys = new Set(given.map(compactKey));
  for (const term of terms) if (keys.has(compactKey(term.canonical))) term.given = true;
  withoutNever(terms, own);
  const { maxKeyterms, keytermLimit } = request;
  const fitted = fittedKeyterms(terms, {
    ...keytermLimit,
    terms: Math.min(maxKeyterms, keytermLimit?.terms ?? Infinity),
  });
  return {
    summary: {
      requestedPacks: [...new Set(request.requestedPacks)],
      selectedPacks: selected.map(({ pack }) => pack.id),
      injectedKeyterms: fitted.injected,
      auditTerms: terms.map((term) => term.canonical),
      omittedKeyterms: fitted.omitted,
      explicitTerms: explicit,
      availablePacks: packs.map(summarizePack),
    },
    terms,
  };
}

/** The key terms that fit: those of the request before those of packs, and the rarest of the request's first. */
function fittedKeyterms(terms: readonly ActiveTerm[], limit: KeytermLimit) {
  const keyterms = terms.filter(({ keyterm }) => keyterm);
  const namesOf = (explicit: boolean): string[] =>
    keyterms.filter((term) => term.explicit === explicit).map(({ canonical }) => canonical);
  const own = fitRarest(namesOf(true), limit);
  const { injected, omitted } = fitKeyterms([...own.injected, ...namesOf(false)], limit);
  return { injected, omitted: [...own.omitted, ...omitted] };
}

/** The terms in order, each in its first spelling. */
function uniqueTerms(terms: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const term of terms) {
    const text = term.trim().replace(/\s+/g, ' ');
    const key = phraseKey(text) || text;
    if (text !== '' && !byKey.has(key)) byKey.set(key, text);
  }
  return [...byKey.values()];
}

/** The terms of the packs in rank order, with duplicates across packs merged. */
function packTerms(sources: readonly Source[], excluded: ReadonlySet<string>): ActiveTerm[] {
  const byKey = new Map<string, ActiveTerm>();
  for (const { id, terms, factor } of sources) {
    for (const term of terms) {
      const key = phraseKey(term.canonical);
      if (excluded.has(key)) continue;
      const kept = byKey.get(key);
      const fresh = activeTerm(term, id, term.weight * factor);
      byKey.set(key, kept ? merged(kept, fresh) : fresh);
    }
  }
  const terms = [...byKey.values()].sort((a, b) => b.weight - a.weight);
  for (const term of terms) {
    term.mishears = term.mishears.filter((mishear) => !excluded.has(phraseKey(mishear)));
  }
  return terms;
}

/** A source of terms. The first in rank is the workspace, followed by the packs. */
interface Source {
  id: string;
  terms: readonly OwnTerm[];
  factor: number;
}

const sourceOf = ({ pack, factor }: SelectedPack): Source => ({
  id: pack.id,
  terms: pack.terms,
  factor,
});

/** Removes mishears that people have ruled out for a term, wherever they are listed. */
function withoutNever(terms: readonly ActiveTerm[], own: OwnTerms): void {
  const never = neverByTerm(own);
  if (never.size === 0) return;
  for (const term of terms) {
    const key = phraseKey(term.canonical);
    // Each word of a name that was given for the talk stands for the name.
    const forms = term.given ? [key, ...key.split(' ')] : [key];
    const surfaces = new Set(forms.flatMap((form) => [...(never.get(form) ?? [])]));
    if (surfaces.size === 0) continue;
    const stays = (phrase: string) => !surfaces.has(phraseKey(phrase));
    term.never = [...surfaces];
    term.mishears = term.mishears.filter(stays);
    term.risky = term.risky.filter(stays);
  }
}

function activeTerm(term: OwnTerm, packId: string, weight: number): ActiveTerm {
  return {
    canonical: term.canonical,
    category: term.kind,
    mishears: [...(term.mishears ?? [])],
    risky: [...(term.risky ?? [])],
    near: [...(term.near ?? [])],
    aliases: [...(term.aliases ?? [])],
    ...(term.say === undefined ? {} : { say: term.say }),
    ...(term.note === undefined ? {} : { note: term.note }),
    ...(term.translations && { translations: term.translations }),
    weight,
    keyterm: term.keyterm ?? true,
    explicit: false,
    packIds: [packId],
    ...(term.confirmed ? { confirmed: term.confirmed.map(phraseKey) } : {}),
  };
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

/** Merges two packs' entries for the same term. A mishear is risky if either entry marks it so. */
function merged(a: ActiveTerm, b: ActiveTerm): ActiveTerm {
  return {
    ...b,
    ...a,
    mishears: union(a.mishears, b.mishears),
    risky: a.packIds.includes(WORKSPACE)
      ? union(
          a.risky,
          b.risky.filter((mishear) => !a.mishears.includes(mishear)),
        )
      : union(a.risky, b.risky),
    near: union(a.near, b.near),
    aliases: union(a.aliases, b.aliases),
    weight: Math.max(a.weight, b.weight),
    keyterm: a.keyterm || b.keyterm,
    packIds: union(a.packIds, b.packIds),
  };
}

/**
 * Turns explicit terms into active terms: a pack's term with the same letters, marked as explicit and in the request's
 * spelling, or else a new one.
 */
function withExplicit(explicit: readonly string[], fromPacks: readonly ActiveTerm[]): ActiveTerm[] {
  const known = new Map(fromPacks.map((term) => [compactKey(term.canonical), term]));
  return explicit.flatMap((text) => {
    const term = known.get(compactKey(text));
    if (!term) return [newTerm(text)];
    if (term.explicit) return [];
    term.explicit = true;
    term.keyterm = true;
    term.weight = 10;
    if (text !== text.toLowerCase()) term.canonical = text;
    return [term];
  });
}

const newTerm = (canonical: string): ActiveTerm => ({
  canonical,
  category: 'other',
  mishears: [],
  risky: [],
  near: [],
  aliases: [],
  weight: 10,
  keyterm: true,
  explicit: true,
  packIds: [],
});

/** The parts of a request on which the selection depends. */
interface PackSelectionRequest {
  requestedPacks: readonly string[];
  topic?: string | undefined;
  filename?: string | undefined;
  glossary: readonly string[];
  keyterms: readonly string[];
  /** Packs that the transcript itself gives evidence for; they count half (default: none). */
  evident?: readonly string[] | undefined;
}

/** A selected pack. One that is only related to another, or evident from the transcript, counts half. */
interface SelectedPack {
  pack: TermPack;
  factor: 1 | 0.5;
}

/**
 * Selects the packs of a run: the requested ones in their order or, if none is requested, those with a trigger in the
 * topic, filename, glossary or keyterms. The packs that these name as related are added at half weight, one level deep,
 * and so are those that the transcript gives evidence for.
 * Unknown requested ids are skipped, because the payload's schema has already refused them.
 */
function selectPacks(packs: readonly TermPack[], request: PackSelectionRequest): SelectedPack[] {
  const byId = new Map(packs.map((pack) => [pack.id, pack]));
  const direct =
    request.requestedPacks.length > 0
      ? [...new Set(request.requestedPacks)].flatMap((id) => byId.get(id) ?? [])
      : triggeredPacks(packs, request);
  const chosen = new Set(direct.map((pack) => pack.id));
  const relatedIds = new Set(direct.flatMap((pack) => pack.relatedPackIds));
  for (const id of request.evident ?? []) relatedIds.add(id);
  const related = packs.filter((pack) => relatedIds.has(pack.id) && !chosen.has(pack.id));
  return [
    ...direct.map((pack) => ({ pack, factor: 1 as const })),
    ...related.map((pack) => ({ pack, factor: 0.5 as const })),
  ];
}

function triggeredPacks(packs: readonly TermPack[], request: PackSelectionRequest): TermPack[] {
  // Sources stay separate, so that no trigger matches across two of them.
  const sources = [
    (request.topic ?? '').slice(0, MAX_CHARS.topic),
    (request.filename ?? '').slice(0, MAX_CHARS.fileName).replace(/\.mp3$/i, ''),
    ...boundedTerms(request.glossary),
    ...boundedTerms(request.keyterms),
  ].map((source) => triggerText(source));
  return packs.filter((pack) =>
    pack.triggers.some((trigger) =>
      sources.some((source) => source.includes(triggerText(trigger))),
    ),
  );
}

/** Puts single spaces around whole words, so that every substring match consists of whole words. */
const triggerText = (text: string): string =>
  ` ${tokenize(text.replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')).join(' ')} `;

/** A term of a workspace: the fields of a term in a pack, and what people have confirmed. */
type OwnTerm = TermPack['terms'][number] & {
  /**
   * Risky mishears that people have confirmed. They are corrected, rather than only shown, if a near word is close by.
   */
  confirmed?: string[];
};

/** A surface that is never a mishear of a term, according to people. */
interface NeverRule {
  surface: string;
  canonical: string;
}

/** A learned mishear in force, so that a run can record which captions it has changed. */
interface RuleInForce extends NeverRule {
  id: string;
}

/** The terms and rules that a run takes from its workspace, recorded when it starts. */
export interface OwnTerms {
  terms: OwnTerm[];
  never: NeverRule[];
  rules: RuleInForce[];
}

/** The terms of a run without a workspace. */
export const NO_OWN_TERMS: OwnTerms = { terms: [], never: [], rules: [] };

/** The id of a workspace's terms where packs are named by id. */
const WORKSPACE = 'workspace';

/** The terms in the order in which runs rank them: by weight, then as listed. */
const rankedOwn = ({ terms }: OwnTerms): OwnTerm[] => terms.toSorted((a, b) => b.weight - a.weight);

/** Maps canonical forms to the surfaces that are never mishears of them, both as keys. */
function neverByTerm({ never }: OwnTerms): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { surface, canonical } of never) {
    const key = phraseKey(canonical);
    found.set(key, (found.get(key) ?? new Set()).add(phraseKey(surface)));
  }
  return found;
}

/** A correction made by a learned rule; `start` in seconds. */
export interface RuleChange {
  ruleId: string;
  correctionId: string;
  start: number;
  before: string;
  after: string;
}
