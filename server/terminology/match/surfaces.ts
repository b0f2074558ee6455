/** The forms in which a term may be written, and how far each can be trusted. */
import type { ActiveTerm } from '../packs/compile.ts';
import { JOINTS, phraseKey, stemOf, tokenize } from './normalize.ts';
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';
import { MAX_SURFACE_TOKENS, tokenCount, variantsOf, type VariantForm } from './variants.ts';

/**
 * The relation of a surface to its term.
 * - `canonical`: the term itself, in any case and hyphenation
 * - `alias`: accepted unchanged
 * - `mishear`: listed by a pack
 * - all others: split, joined or spoken differently (variants.ts)
 */
type SurfaceForm = 'canonical' | 'alias' | 'mishear' | VariantForm;

/** How certainly the lower-case form of a canonical term is that term. */
export type Distinctness =
  /** The form cannot be anything else. */
  | 'sure'
  /** The form is a phrase of ordinary words ("audit logs"). */
  | 'phrase'
  /** The form is one ordinary word ("cursor"), or one that a pack lists as risky. */
  | 'ordinary'
  /** The form is one letter and one digit ("D1"), as in formulas. */
  | 'symbol'
  /** The form's capitals are no evidence (an all lower-case term, or a single letter). */
  | 'caseless';

export interface Surface {
  /** Tokens joined by single spaces. */
  key: string;
  form: SurfaceForm;
  term: ActiveTerm;
  /** Whether it is ordinary English, so that it needs a near word. */
  risky: boolean;
  /** The ending of the surface that the term lacks, kept when the surface is replaced. */
  suffix: '' | "'s" | 's';
  distinctness: Distinctness;
}

/**
 * The surfaces of a term. Of two with the same key, the first counts.
 * @param english whether the speech is English. Listed mishears are written by English recognisers; in another
 *   language, a single word of them may be an ordinary word, so it is risky there.
 */
export function surfacesOf(term: ActiveTerm, english: boolean): Surface[] {
  const surfaces = new Map<string, Surface>();
  const risky = new Set(term.risky.map(phraseKey));
  const listed = new Set(term.mishears.map(phraseKey));
  const own = phraseKey(term.canonical);
  const add = (key: string, form: SurfaceForm, isRisky = false): void => {
    if (key === '' || tokenCount(key) > MAX_SURFACE_TOKENS || surfaces.has(key)) return;
    const distinctness = form === 'canonical' ? distinctnessOf(term, risky, listed) : 'sure';
    surfaces.set(key, { key, form, term, risky: isRisky, suffix: '', distinctness });
  };
  if (isComparable(term.canonical)) add(own, 'canonical');
  for (const alias of term.aliases) add(phraseKey(alias), 'alias');
  for (const key of listed) {
    add(key, 'mishear', risky.has(key) || (!english && !key.includes(' ')));
  }
  if (isComparable(term.canonical)) {
    for (const { key, form } of variantsOf(term.canonical)) {
      if (form !== 'joined' || !isOrdinaryWord(key)) add(key, form);
    }
  }
  return [...surfaces.values()].map((surface) => ({
    ...surface,
    suffix: surface.form === 'alias' ? '' : suffixOf(surface.key, surfaces),
  }));
}

/** The ending of a surface: "workos's" next to "workos" is that term's possessive, whichever way it was listed. */
function suffixOf(key: string, surfaces: ReadonlyMap<string, Surface>): Surface['suffix'] {
  const at = key.lastIndexOf(' ') + 1;
  const stem = stemOf(key.slice(at));
  const base = stem && surfaces.get(key.slice(0, at) + stem.stem);
  return stem && base && base.form !== 'alias' ? stem.suffix : '';
}

const UNCOMPARED = new RegExp(`[\\s\\p{M}${JOINTS}]`, 'gu');

/** Whether tokens preserve the whole term; ".NET" and "Yahoo!" would match other words. */
function isComparable(canonical: string): boolean {
  const bare = canonical.normalize('NFKD').replace(UNCOMPARED, '');
  return bare.length === tokenize(canonical).join('').length;
}

/**
 * Whether the tokens of a surface could be adjacent in ordinary English.
 * @example
 * isOrdinaryPhrase('audit logs'); // => true
 * isOrdinaryPhrase('auth kit'); // => false
 */
export const isOrdinaryPhrase = (key: string): boolean =>
  key
    .split(' ')
    .every((token) => isOrdinaryWord(token) || isFunctionWord(token) || /^\d/.test(token));

function distinctnessOf(
  term: ActiveTerm,
  risky: ReadonlySet<string>,
  listed: ReadonlySet<string>,
): Distinctness {
  const { canonical } = term;
  const key = phraseKey(canonical);
  const words = canonical.split(/[\s-]+/);
  if (canonical === canonical.toLowerCase() || key.length < 2) return 'caseless';
  if (risky.has(key)) return 'ordinary';
  if (/^\p{L}\d$/u.test(key) && !term.explicit) return 'symbol';
  if (listed.has(key)) return 'sure';
  if (words.some(isDistinctive)) return 'sure';
  if (words.length === 1) return 'ordinary';
  // Three words do not occur together by chance, and an explicit term is wanted in this spelling.
  return words.length > 2 || term.explicit ? 'sure' : 'phrase';
}

/** Whether a word can only be a name or an acronym. */
const isDistinctive = (word: string): boolean => {
  if (/\p{Ll}\p{Lu}/u.test(word)) return true;
  const tokens = tokenize(word);
  return tokens.some((token) => /\p{L}/u.test(token) && !isOrdinaryWord(token));
};
