/** How many key terms a recogniser takes, and which of them it then gets. */
import { tokensOf, type Vocabulary } from './keyterm-tokens.ts';

/** What a recogniser takes; a bound that is absent does not exist. */
export interface KeytermLimit {
  /** Terms in all. */
  terms?: number;
  /** Words of one term. */
  words?: number;
  /** Tokens in all, as `tokensOf` reckons them. */
  tokens?: number;
  /** Whose tokens; default: those of a vocabulary that is not known. */
  vocabulary?: Vocabulary;
  /** Tokens of what stands between two terms; default: none. */
  separator?: number;
}

/**
 * The documented limits (docs/providers.md), as of November 2026.
 * - `deepgram`: nova-3 takes 100 terms and 500 tokens, and refuses more. Its vocabulary is not
 *   public, so a tenth is kept free.
 * - `assemblyai`: phrases of at most six words; 1,000 of them for universal-3-5-pro, 200 for
 *   universal-2, which may have to step in
 * - `whisper`: a prompt of 224 tokens, of which its decoder keeps the last 223; ", " between two
 *   terms is one of them
 */
export const KEYTERM_LIMITS = {
  deepgram: { terms: 100, tokens: 450 },
  assemblyai: { terms: 200, words: 6 },
  whisper: { tokens: 223, vocabulary: 'whisper', separator: 1 },
} as const satisfies Record<string, KeytermLimit>;

/** What a recogniser gets and what was cut, each in the order given. */
export interface FittedKeyterms {
  injected: string[];
  omitted: string[];
}

/**
 * Fits key terms into a limit, best first: a term that does not fit is cut, and shorter ones after it
 * may still find room.
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

/** Key terms as a prompt of Whisper, the best last: of a prompt that is too long the tail survives. */
export const promptOf = (keyterms: readonly string[]): string => keyterms.toReversed().join(', ');
