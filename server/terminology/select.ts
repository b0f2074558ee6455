/** Which packs a run uses: those it names, or those its own words call for. */
import { MAX_FILENAME_CHARS, MAX_TOPIC_CHARS } from '../contract/limits.ts';
import { boundedTerms } from '../contract/terms.ts';
import { tokenize } from './normalize.ts';
import type { TermPack } from './pack.ts';

/** The parts of a request that select its packs. */
export interface PackSelectionRequest {
  requestedPacks: readonly string[];
  topic?: string | undefined;
  filename?: string | undefined;
  glossary: readonly string[];
  keyterms: readonly string[];
}

/** A pack in use. A pack that is there only because another names it counts half. */
export interface SelectedPack {
  pack: TermPack;
  factor: 1 | 0.5;
}

/**
 * The packs of a run: first the requested ones in their order or, where none is requested, those
 * with a trigger in topic, filename, glossary or keyterms; then, at half weight, the packs that
 * these name as related. Relations are followed once, never on from there. A requested id without
 * a pack is passed over: the payload's schema has refused it before.
 */
export function selectPacks(
  packs: readonly TermPack[],
  request: PackSelectionRequest,
): SelectedPack[] {
  const byId = new Map(packs.map((pack) => [pack.id, pack]));
  const direct =
    request.requestedPacks.length > 0
      ? [...new Set(request.requestedPacks)].flatMap((id) => byId.get(id) ?? [])
      : triggeredPacks(packs, request);
  const chosen = new Set(direct.map((pack) => pack.id));
  const relatedIds = new Set(direct.flatMap((pack) => pack.relatedPackIds));
  const related = packs.filter((pack) => relatedIds.has(pack.id) && !chosen.has(pack.id));
  return [
    ...direct.map((pack) => ({ pack, factor: 1 as const })),
    ...related.map((pack) => ({ pack, factor: 0.5 as const })),
  ];
}

function triggeredPacks(packs: readonly TermPack[], request: PackSelectionRequest): TermPack[] {
  // Each source stands alone, so that no trigger is read across the border of two.
  const sources = [
    (request.topic ?? '').slice(0, MAX_TOPIC_CHARS),
    (request.filename ?? '').slice(0, MAX_FILENAME_CHARS).replace(/\.mp3$/i, ''),
    ...boundedTerms(request.glossary),
    ...boundedTerms(request.keyterms),
  ]
    .map((source) => triggerText(source))
    .filter((source) => source !== '  ');
  return packs.filter((pack) =>
    pack.triggers.some((trigger) =>
      sources.some((source) => source.includes(triggerText(trigger))),
    ),
  );
}

/** Whole words between single spaces, so that a substring is a phrase of whole words. */
const triggerText = (text: string): string =>
  ` ${tokenize(text.replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')).join(' ')} `;
