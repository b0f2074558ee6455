/** Looks up the surfaces of all terms of a run by their tokens. */
import type { ActiveTerm } from '../packs/compile.ts';
import { phraseKey, stemOf } from './normalize.ts';
import { surfacesOf, type Surface } from './surfaces.ts';

export interface SurfaceIndex {
  byKey: Map<string, Surface>;
  /** For each first token, the most tokens of the surfaces that begin with it. */
  lengths: Map<string, number>;
  /** The near words of terms. */
  near: Map<ActiveTerm, Set<string>>;
}

/**
 * Indexes the surfaces of terms. Of two surfaces with the same key, the accepted form wins, then the term of higher
 * rank.
 * @param english whether the speech is English (see surfaces.ts)
 */
export function indexSurfaces(terms: readonly ActiveTerm[], english: boolean): SurfaceIndex {
  const byKey = new Map<string, Surface>();
  const lengths = new Map<string, number>();
  const near = new Map<ActiveTerm, Set<string>>();
  for (const term of terms) {
    if (term.near.length > 0) {
      near.set(term, new Set(term.near.map(phraseKey)));
    }
    for (const surface of surfacesOf(term, english)) {
      const other = byKey.get(surface.key);
      if (other && precedence(other) <= precedence(surface)) continue;
      byKey.set(surface.key, surface);
      const tokens = surface.key.split(' ');
      const first = tokens[0]!;
      lengths.set(first, Math.max(lengths.get(first) ?? 0, tokens.length));
    }
  }
  return { byKey, lengths, near };
}

const FORM_ORDER = {
  canonical: 0,
  alias: 0,
  mishear: 1,
  joined: 2,
  spelled: 3,
  split: 4,
  spoken: 5,
  pieces: 6,
} as const;
const precedence = ({ form }: Surface): number => FORM_ORDER[form];

/** Looks up a surface by its tokens, unchanged or without the ending of the last one. */
export function lookUp(
  index: SurfaceIndex,
  prefix: string,
  tail: string,
): { surface: Surface; suffix: Surface['suffix'] } | null {
  const whole = index.byKey.get(prefix + tail);
  if (whole) return { surface: whole, suffix: whole.suffix };
  const stem = stemOf(tail);
  const base = stem && index.byKey.get(prefix + stem.stem);
  // Two endings ("embeddings's") are not a form of the term.
  return stem && base && base.suffix === '' ? { surface: base, suffix: stem.suffix } : null;
}
