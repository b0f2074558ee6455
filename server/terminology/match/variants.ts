/** The predictable ways in which recognisers split, join and speak a term, so that packs need not list them. */
import { isTermSized } from '../../contract/terms.ts';
import { phraseKey, tokenize } from './normalize.ts';

/**
 * The kinds of variants.
 * - `joined`: the words run together ("jsonrpc")
 * - `split`: camel case separated ("auth kit")
 * - `spelled`: the letters separated ("f g a", "double u a f")
 * - `pieces`: one word cut in two elsewhere ("mc p", "hyper drive")
 * - `spoken`: digits as words ("oauth two point one"), or only the point ("oauth 2 point 1")
 */
export type VariantForm = 'joined' | 'split' | 'spelled' | 'pieces' | 'spoken';

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
 * @example
 * variantsOf('AuthKit').map(({ key }) => key).includes('auth kit'); // => true
 */
export function variantsOf(canonical: string): Variant[] {
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

/**
 * The number of tokens in a key.
 * @example
 * tokenCount('auth kit'); // => 2
 */
export const tokenCount = (key: string): number => key.split(' ').length;

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

/** Separates digits: "b2b" → "b 2 b". */
const figuresApart = (tokens: readonly string[]): string =>
  tokens.map((token) => token.split(LETTER_FIGURE_BORDER).join(' ')).join(' ');

const LETTER_FIGURE_BORDER = /(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/u;

/** Spells out digits: "oauth 2.1" → "oauth two point one", "fido2" → "fido two"; empty if there are none. */
function spoken(tokens: readonly string[], point: string): string {
  const apart = tokens.flatMap((token) => token.split(LETTER_FIGURE_BORDER));
  const told = apart.map((part) => (/^\d/.test(part) ? spokenFigure(part, point) : part));
  return told.includes('') || !apart.some((part) => /^\d/.test(part)) ? '' : told.join(' ');
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
