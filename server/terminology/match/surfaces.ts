/** The forms in which a term may be written or recognised, and how far each can be trusted. */
import type { ActiveTerm } from '../active-term.ts';
import { JOINTS, phraseKey, stemOf, tokenize } from './normalize.ts';
import { isTermSized } from '../../contract/terms.ts';
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';

/**
 * The relation of a surface to its term.
 * - `canonical`: the term itself, in any case and hyphenation
 * - `alias`: accepted unchanged
 * - `mishear`: listed by a pack
 * - all others: split, joined or spoken differently
 */
type SurfaceForm = 'canonical' | 'alias' | 'mishear' | VariantForm;

/** How certainly the lower-case form of a canonical term is that term. */
type Distinctness =
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
  if (english) for (const key of withAnd(term.canonical)) add(key, 'spoken');
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
  const words = canonical.split(/[\s-]+/).filter((word) => word !== '');
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

/**
 * The kinds of variants.
 * - `joined`: the words run together ("jsonrpc")
 * - `split`: camel case separated ("auth kit")
 * - `spelled`: the letters separated ("f g a", "double u a f")
 * - `pieces`: one word cut in two elsewhere ("mc p", "hyper drive")
 * - `spoken`: digits as words ("oauth two point one"), or only the point ("oauth 2 point 1")
 */
type VariantForm = 'joined' | 'split' | 'spelled' | 'pieces' | 'spoken';

interface Variant {
  /** Tokens joined by single spaces. */
  key: string;
  form: VariantForm;
}

/** The name of the letter W, the only letter whose name has two words. */
const DOUBLE_U = 'double u';
/** The longest surface that is looked up, in tokens. */
export const MAX_SURFACE_TOKENS = 6;
/** The lengths of words that may be cut in two. Each cut is a variant as long as the term. */
const PIECES_LETTERS = { least: 3, most: 24 } as const;

/**
 * The variants of a canonical form that can be looked up, the most certain first, without the form itself. There are
 * none for a text that is too long to be a term.
 */
function variantsOf(canonical: string): Variant[] {
  if (!isTermSized(canonical)) return [];
  const tokens = tokenize(canonical);
  const own = tokens.join(' ');
  const variants: Variant[] = [
    { key: tokens.join(''), form: 'joined' },
    { key: spelled(canonical), form: 'spelled' },
    { key: spelled(canonical).replaceAll(/\bw\b/g, DOUBLE_U), form: 'spelled' },
    { key: split(canonical), form: 'split' },
    { key: spoken(tokens, 'point'), form: 'spoken' },
    { key: spoken(tokens, 'dot'), form: 'spoken' },
    { key: own.replaceAll(/(?<=\d)\.(?=\d)/g, ' point '), form: 'spoken' },
    { key: figuresApart(tokens), form: 'pieces' },
    ...pieces(tokens).map((key) => ({ key, form: 'pieces' as const })),
  ];
  const seen = new Set(['', own]);
  return variants.filter(
    ({ key }) => !seen.has(key) && seen.add(key) && tokenCount(key) <= MAX_SURFACE_TOKENS,
  );
}

/** The number of tokens in a key. */
const tokenCount = (key: string): number => key.split(' ').length;

/** Separates camel case: "AuthKit" → "auth kit", "WorkOS Vault" → "work os vault". */
const split = (canonical: string): string =>
  phraseKey(canonical.replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' '));

/**
 * Separates two to five capitals: "FGA" → "f g a", "OpenID Connect" → "open i d connect"; in a short word with several
 * capitals, all letters ("SaaS", "IdP").
 */
function spelled(canonical: string): string {
  if (isShortAcronym(canonical)) return [...canonical.toLowerCase()].join(' ');
  const apart = canonical.replace(
    /(?<!\p{Lu})\p{Lu}{2,5}(?!\p{L})/gu,
    (capitals) => ` ${[...capitals].join(' ')} `,
  );
  return apart === canonical ? '' : phraseKey(apart);
}

const isShortAcronym = (canonical: string): boolean =>
  /^\p{L}{2,5}$/u.test(canonical) && (canonical.match(/\p{Lu}/gu) ?? []).length > 1;

/** All ways to cut one of the tokens in two. */
function pieces(tokens: readonly string[]): string[] {
  if (tokens.length >= MAX_SURFACE_TOKENS) return [];
  return tokens.flatMap((token, at) => {
    const { least, most } = PIECES_LETTERS;
    if (token.length < least || token.length > most || !/^\p{L}[\p{L}\p{N}]*$/u.test(token))
      return [];
    const cuts = Array.from({ length: token.length - 1 }, (_, cut) => cut + 1);
    return cuts.map((cut) =>
      [...tokens.slice(0, at), token.slice(0, cut), token.slice(cut), ...tokens.slice(at + 1)].join(
        ' ',
      ),
    );
  });
}

/** Speaks the sign of "and": "SG&A" → "sg and a" and "s g and a", "Baker & Sons" → "baker and sons". */
function withAnd(canonical: string): string[] {
  if (!isTermSized(canonical) || !/[\p{L}\p{N}] ?& ?[\p{L}\p{N}]/u.test(canonical)) return [];
  const parts = canonical.split('&');
  if (parts.every((part) => part.trim().length < 2)) return [];
  const letters = parts.map((part) => (/^\p{Lu}{1,5}$/u.test(part) ? [...part].join(' ') : part));
  return [parts, letters].map((one) => phraseKey(one.join(' and ')));
}

/** Separates digits: "b2b" → "b 2 b". */
const figuresApart = (tokens: readonly string[]): string =>
  tokens.map((token) => token.split(LETTER_FIGURE_BORDER).join(' ')).join(' ');

const LETTER_FIGURE_BORDER = /(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/u;

/** Spells out digits: "oauth 2.1" → "oauth two point one", "fido2" → "fido two"; empty if there are none. */
function spoken(tokens: readonly string[], point: string): string {
  const apart = tokens.flatMap((token) => token.split(LETTER_FIGURE_BORDER));
  const words = apart.map((part) => (/^\d/.test(part) ? spokenFigure(part, point) : part));
  return words.includes('') || !apart.some((part) => /^\d/.test(part)) ? '' : words.join(' ');
}

const UNITS = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
  'sixteen seventeen eighteen nineteen'
).split(' ');
const TENS = ' ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Spells numbers up to 99 and their decimals; empty for all others, which are spoken in too many ways. */
function spokenFigure(figure: string, point: string): string {
  const [whole = '', ...decimals] = figure.split('.');
  const parts = [belowHundred(whole), ...decimals.map(belowHundred)];
  return parts.includes('') ? '' : parts.join(` ${point} `);
}

function belowHundred(digits: string): string {
  const value = Number(digits);
  if (!/^(?:0|[1-9]\d?)$/.test(digits)) return '';
  if (value < 20) return UNITS[value]!;
  const unit = value % 10;
  return `${TENS[Math.floor(value / 10)]}${unit === 0 ? '' : ` ${UNITS[unit]}`}`;
}
