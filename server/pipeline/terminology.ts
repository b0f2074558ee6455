/** Compiles the terms of a run from its request, the packs and the workspace. */
import type { CaptionerRequest } from '../contract/payload.ts';
import {
  compileTerminology,
  type Compiled,
  type OwnTerms,
  type RuleChange,
} from '../terminology/packs/compile.ts';
import type { KeytermLimit } from '../terminology/packs/keyterms.ts';
import type { AuditOutcome } from '../language/auditor.ts';
import { compactKey, phraseKey } from '../terminology/match/normalize.ts';
import { LOCAL_RETRIES, perform } from './perform.ts';
import type { CaptionerRun, RunContext } from './run.ts';
import type { TranscriptWord } from '../contract/results.ts';
import type { EvidentPack } from '../contract/terminology.ts';
import { evidentPacks, type HeardPack } from '../terminology/packs/evident-packs.ts';
import type { TermPack } from '../terminology/packs/pack.ts';

/** The terms of a run once its transcript is known. */
interface HeardTerminology {
  terminology: Compiled;
  /** The packs that the transcript gives evidence for. */
  evident: HeardPack[];
}

/**
 * The terms of a run with those of the packs that its transcript gives strong evidence for. A run that names packs gets
 * no others.
 */
export function withEvidentPacks(
  packs: readonly TermPack[],
  request: CaptionerRequest,
  before: Compiled,
  words: readonly TranscriptWord[],
  own?: OwnTerms,
): HeardTerminology {
  if (request.terminology.packs.length > 0) return { terminology: before, evident: [] };
  const selected = new Set(before.summary.selectedPacks);
  const evident = evidentPacks(packs, words).filter(({ id }) => !selected.has(id));
  if (evident.length === 0) return { terminology: before, evident };
  const ids = evident.map(({ id }) => id);
  const { terms, summary } = compileForRun(packs, request, undefined, own, ids);
  const { injectedKeyterms, omittedKeyterms } = before.summary;
  return {
    // The recogniser had the terms from before.
    terminology: { terms, summary: { ...summary, injectedKeyterms, omittedKeyterms } },
    evident,
  };
}

/**
 * Packs that the transcript gives evidence for, with the corrections that rest on such packs alone: on no other pack,
 * not on the workspace, and on no term that the request names.
 */
export function withCorrections(
  evident: readonly HeardPack[],
  { corrections, observations }: Pick<AuditOutcome, 'corrections' | 'observations'>,
  { explicitTerms }: Compiled['summary'],
): EvidentPack[] {
  const ids = new Set(evident.map(({ id }) => id));
  const named = new Set(explicitTerms.map(compactKey));
  const canonicals = new Map(
    observations.map(({ correctionId = '', canonical = '' }) => [correctionId, canonical]),
  );
  const resting = corrections.filter(
    ({ id, packHints }) =>
      packHints.every((hint) => ids.has(hint)) && !named.has(compactKey(canonicals.get(id) ?? '')),
  );
  return evident.map((pack) => ({
    ...pack,
    corrections: resting.flatMap(({ id, packHints }) => (packHints.includes(pack.id) ? id : [])),
  }));
}

/** The size of the cache of compiled terms and their indexes, in bytes. */
const KEPT_BYTES = 64 * 2 ** 20;
/**
 * Measured bytes per character of a term, including the surfaces and sounds derived from it. A pack's term comes with
 * its listed mishears; a request's term is searched for in every split into two words.
 */
const BYTES = { pack: 160, request: 500 } as const;

interface CachedTerms {
  sets: Map<string, { compiled: Compiled; bytes: number }>;
  bytes: number;
}
const kept = new WeakMap<readonly TermPack[], CachedTerms>();

/**
 * Compiles the terms of a run. The same packs and request always give the same lists, which runs share.
 * @param keytermLimit the limit of the run's recogniser
 * @param evident packs that the transcript gives evidence for
 */
export function compileForRun(
  packs: readonly TermPack[],
  request: CaptionerRequest,
  keytermLimit?: KeytermLimit,
  own?: OwnTerms,
  evident?: readonly string[],
): Compiled {
  const asked = {
    requestedPacks: request.terminology.packs,
    topic: request.topic,
    ...(request.audio.filename ? { filename: request.audio.filename } : {}),
    glossary: request.glossary,
    keyterms: request.transcription.keyterms,
    include: request.terminology.include,
    exclude: request.terminology.exclude,
    maxKeyterms: request.terminology.maxKeyterms,
    keytermLimit,
    own,
    ...(evident && evident.length > 0 && { evident }),
  };
  let known = kept.get(packs);
  if (!known) kept.set(packs, (known = { sets: new Map(), bytes: 0 }));
  const key = JSON.stringify(asked);
  const compiled = known.sets.get(key)?.compiled ?? compileTerminology(packs, asked);
  keep(known, key, compiled);
  return compiled;
}

/**
 * Marks compiled terms as most recently used, and removes the least recently used ones if there is not enough space.
 */
function keep(known: CachedTerms, key: string, compiled: Compiled): void {
  drop(known, key);
  const bytes = bytesOf(key, compiled);
  if (bytes > KEPT_BYTES) return;
  for (const oldest of known.sets.keys()) {
    if (known.bytes + bytes <= KEPT_BYTES) break;
    drop(known, oldest);
  }
  known.sets.set(key, { compiled, bytes });
  known.bytes += bytes;
}

function drop(known: CachedTerms, key: string): void {
  known.bytes -= known.sets.get(key)?.bytes ?? 0;
  known.sets.delete(key);
}

const bytesOf = (key: string, { terms }: Compiled): number =>
  terms.reduce(
    (sum, { canonical, mishears, packIds }) =>
      sum +
      canonical.length * (packIds.length > 0 ? BYTES.pack : BYTES.request) +
      mishears.reduce((letters, mishear) => letters + mishear.length, 0) * BYTES.pack,
    2 * key.length,
  );

/** The most changes that are recorded for one run. */
const MAX_CHANGES = 1000;

/** Records the corrections made by learned rules. */
export async function noteRuleChanges(
  run: CaptionerRun,
  context: RunContext,
  { rules }: OwnTerms,
  audit: AuditOutcome,
): Promise<void> {
  const { noteRuleChanges: note } = run;
  if (!note) return;
  const changes = ruleChanges(rules, audit).slice(0, MAX_CHANGES);
  if (changes.length === 0) return;
  await perform(context, 'rule changes', LOCAL_RETRIES, async () => {
    await note(changes);
    return changes.length;
  });
}

function ruleChanges(rules: OwnTerms['rules'], audit: AuditOutcome): RuleChange[] {
  const byPair = new Map(rules.map((rule) => [pairKey(rule.surface, rule.canonical), rule.id]));
  const corrections = new Map(audit.corrections.map((correction) => [correction.id, correction]));
  return audit.observations.flatMap(({ surface, canonical = '', correctionId = '' }) => {
    const ruleId = byPair.get(pairKey(surface, canonical));
    const correction = corrections.get(correctionId);
    if (ruleId === undefined || correction?.decision !== 'accepted') return [];
    const { start, before, after } = correction;
    return [{ ruleId, correctionId, start, before, after }];
  });
}

const pairKey = (surface: string, canonical: string): string =>
  `${phraseKey(surface)}\n${phraseKey(canonical)}`;
