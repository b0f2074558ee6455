/** How many key terms a recogniser takes, and which of them it then gets. */

/** What a recogniser takes; a bound that is absent does not exist. */
export interface KeytermLimit {
  /** Terms in all. */
  terms?: number;
  /** Words of one term. */
  words?: number;
  /** Tokens in all, as `tokensOf` reckons them. */
  tokens?: number;
}

/**
 * The documented limits, with a margin where the service counts by a tokenizer of its own.
 * - `deepgram`: nova-3 takes 100 terms and 500 tokens, and refuses more
 * - `assemblyai`: phrases of at most six words
 * - `whisper`: a prompt of 224 tokens, of which the tail survives
 */
export const KEYTERM_LIMITS = {
  deepgram: { terms: 100, tokens: 450 },
  assemblyai: { terms: 1000, words: 6 },
  whisper: { tokens: 200 },
} as const satisfies Record<string, KeytermLimit>;

/** Tokens of a term: about one for three characters, never less than a tokenizer makes of names. */
export const tokensOf = (term: string): number => Math.ceil(term.length / 3);

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
    const tokens = tokensOf(term);
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
