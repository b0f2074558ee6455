/** Fits key terms into the limits of a recogniser. */
import { tokensOf, type Vocabulary } from './keyterm-tokens.ts';

/** The limits of a recogniser. An absent field means no limit. */
export interface KeytermLimit {
  /** The most terms. */
  terms?: number;
  /** The most words per term. */
  words?: number;
  /** The most tokens in total, as estimated by `tokensOf`. */
  tokens?: number;
  /** The vocabulary to count with (default: unknown). */
  vocabulary?: Vocabulary;
  /** The tokens of the separator between two terms (default: none). */
  separator?: number;
}

/**
 * The documented limits (docs/providers.md), as of November 2026.
 * - `deepgram`: nova-3 accepts 100 terms and 500 tokens, and refuses more. Its vocabulary is not public, so a tenth is
 * kept free.
 * - `assemblyai`: phrases of at most six words; 1,000 of them for universal-3-5-pro, 200 for its fallback universal-2.
 * - `whisper`: a prompt of 224 tokens, of which its decoder keeps the last 223; the separator ", " is one token.
 */
export const KEYTERM_LIMITS = {
  deepgram: { terms: 100, tokens: 450 },
  assemblyai: { terms: 200, words: 6 },
  whisper: { tokens: 223, vocabulary: 'whisper', separator: 1 },
} as const satisfies Record<string, KeytermLimit>;

/** The key terms that fit and those that do not, each in the given order. */
interface FittedKeyterms {
  injected: string[];
  omitted: string[];
}

/**
 * Fits key terms into a limit, the best first. A term that does not fit is left out; shorter ones after it may still
 * fit.
 * @example
 * fitKeyterms(['AuthKit', 'Model Context Protocol', 'MCP'], { words: 2 });
 * // => { injected: ['AuthKit', 'MCP'], omitted: ['Model Context Protocol'] }
 */
export function fitKeyterms(keyterms: readonly string[], limit: KeytermLimit): FittedKeyterms {
  const fitted: FittedKeyterms = { injected: [], omitted: [] };
  let room = limit.tokens ?? Infinity;
  for (const term of keyterms) {
    const separator = fitted.injected.length > 0 ? (limit.separator ?? 0) : 0;
    const tokens = separator + (room === Infinity ? 0 : tokensOf(term, limit.vocabulary));
    const fits =
      fitted.injected.length < (limit.terms ?? Infinity) &&
      term.split(/\s+/).length <= (limit.words ?? Infinity) &&
      tokens <= room;
    if (fits) room -= tokens;
    (fits ? fitted.injected : fitted.omitted).push(term);
  }
  return fitted;
}

/**
 * Joins key terms into a Whisper prompt. The best come last, because Whisper keeps the end of a prompt that is too
 * long.
 * @example
 * promptOf(['AuthKit', 'MCP']); // => 'MCP, AuthKit'
 */
export const promptOf = (keyterms: readonly string[]): string => keyterms.toReversed().join(', ');
