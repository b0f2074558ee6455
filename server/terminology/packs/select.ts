/** Selects the packs of a run: those that it names, or those that its own words trigger. */
import { MAX_FILENAME_CHARS, MAX_TOPIC_CHARS } from '../../contract/limits.ts';
import { boundedTerms } from '../../contract/terms.ts';
import { tokenize } from '../match/normalize.ts';
import type { TermPack } from './pack.ts';

/** The parts of a request on which the selection depends. */
export interface PackSelectionRequest {
  requestedPacks: readonly string[];
  topic?: string | undefined;
  filename?: string | undefined;
  glossary: readonly string[];
  keyterms: readonly string[];
}

/** A selected pack. One that is selected only as related to another pack counts half. */
export interface SelectedPack {
  pack: TermPack;
  factor: 1 | 0.5;
}

/**
 * Selects the packs of a run: the requested ones in their order or, if none is requested, those with a trigger in the
 * topic, filename, glossary or keyterms. The packs that these name as related are added at half weight, one level deep.
 * Unknown requested ids are skipped, because the payload's schema has already refused them.
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
  // Sources stay separate, so that no trigger matches across two of them.
  const sources = [
    (request.topic ?? '').slice(0, MAX_TOPIC_CHARS),
    (request.filename ?? '').slice(0, MAX_FILENAME_CHARS).replace(/\.mp3$/i, ''),
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
